// Part of the launcher, which the build lowers to ES5: no `const` or `let`.
import type { Stats } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';

/** Why a folder is refused for files of this program. */
export type FolderFault = 'no folder' | 'of another user' | 'open to others';
/** Why a file of this program is neither read nor written. */
export type FileFault = 'no file' | 'of another user' | 'second name' | 'open to others';

/** Checks a folder. `stats` must come from `lstat`, so that links are refused. */
export function folderFault(stats: Stats): FolderFault | undefined {
  if (!stats.isDirectory()) return 'no folder';
  // Windows has neither owners nor modes of this kind.
  if (process.getuid === undefined) return undefined;
  if (stats.uid !== process.getuid()) return 'of another user';
  return (stats.mode & 0o022) === 0 ? undefined : 'open to others';
}

/** Checks a file. `stats` should come from an open handle: a path may lead elsewhere a moment later. */
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

/** A base folder by the XDG specification: `given` if it is an absolute path, else `below` in the home folder. */
export function baseFolder(given: string | undefined, home: string | undefined, below: string): string | undefined {
  return absolute(given) ?? (home === undefined ? undefined : path.join(home, below));
}

function absolute(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined;
}
