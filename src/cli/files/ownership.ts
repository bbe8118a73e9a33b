// Also part of the launcher, which any Node must be able to parse: no `const` or `let`, which the build cannot lower.
import type { Stats } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';

/** Why the program keeps nothing in a folder. */
export type FolderFault = 'no folder' | 'of another user' | 'open to others';
/** Why the program neither reads nor writes a file of its own. */
export type FileFault = 'no file' | 'of another user' | 'second name' | 'open to others';

/** Only `lstat` tells: of a link the target would be judged. */
export function folderFault(stats: Stats): FolderFault | undefined {
  if (!stats.isDirectory()) return 'no folder';
  // Windows has neither owners nor modes of this kind.
  if (process.getuid === undefined) return undefined;
  if (stats.uid !== process.getuid()) return 'of another user';
  return (stats.mode & 0o022) === 0 ? undefined : 'open to others';
}

/** To be asked of an open file: a name may lead elsewhere a moment later. */
export function fileFault(stats: Stats): FileFault | undefined {
  if (!stats.isFile()) return 'no file';
  if (process.getuid === undefined) return undefined;
  if (stats.uid !== process.getuid()) return 'of another user';
  if (stats.nlink > 1) return 'second name';
  return (stats.mode & 0o077) === 0 ? undefined : 'open to others';
}

/** The user's home folder; `undefined` when neither the environment nor the user database has one. */
export function homeFolder(environment: NodeJS.ProcessEnv, lookUp?: () => string): string | undefined {
  if (process.platform === 'win32') return homedir();
  try {
    return absolute(environment['HOME']) ?? absolute(lookUp === undefined ? userInfo().homedir : lookUp());
  } catch {
    return undefined;
  }
}

/** A base folder of the XDG specification: `given`, unless it is empty or relative, or else `below` the home folder. */
export function baseFolder(given: string | undefined, home: string | undefined, below: string): string | undefined {
  return absolute(given) ?? (home === undefined ? undefined : path.join(home, below));
}

function absolute(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined;
}
