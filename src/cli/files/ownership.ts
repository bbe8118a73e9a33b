// Part of the launcher, which the build lowers to ES5: no `const` or `let`.
import type { Stats } from 'node:fs';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';

export type FolderFault = 'no folder' | 'of another user' | 'open to others';
export type FileFault = 'no file' | 'of another user' | 'second name' | 'open to others';

/** Checks a folder. `stats` must come from `lstat`, so that links are refused. */
export function folderFault(stats: Stats): FolderFault | undefined {
  if (!stats.isDirectory()) return 'no folder';
  if (process.getuid === undefined) return undefined;
  if (stats.uid !== process.getuid()) return 'of another user';
  return (stats.mode & 0o022) === 0 ? undefined : 'open to others';
}

/** Checks a file. `stats` should come from an open handle: the path may change. */
export function fileFault(stats: Stats): FileFault | undefined {
  if (!stats.isFile()) return 'no file';
  if (process.getuid === undefined) return undefined;
  if (stats.uid !== process.getuid()) return 'of another user';
  if (stats.nlink > 1) return 'second name';
  return (stats.mode & 0o077) === 0 ? undefined : 'open to others';
}

/** Returns `undefined` if neither the environment nor the user database has one. */
export function homeFolder(environment: NodeJS.ProcessEnv, lookUp?: () => string): string | undefined {
  if (process.platform === 'win32') return homedir();
  try {
    return absolute(environment['HOME']) ?? absolute(lookUp === undefined ? userInfo().homedir : lookUp());
  } catch {
    return undefined;
  }
}

export function baseFolder(given: string | undefined, home: string | undefined, below: string): string | undefined {
  return absolute(given) ?? (home === undefined ? undefined : path.join(home, below));
}

function absolute(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined;
}
