import { lstat, mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { checkOwner } from './atomic-file.ts';
import { DataError, errorCode, reasonOf } from './data-error.ts';
import { lockFolder } from './lock.ts';

/** A private folder that this process alone uses. */
export interface DataFolder {
  readonly path: string;
  /** Lets others use it. */
  release(): void;
}

/**
 * Makes the folder where it is missing (0700) and locks it. What an earlier write left unfinished is removed.
 * @throws DataError when it cannot be made, others may enter it, or another process uses it.
 */
export async function openDataFolder(given: string): Promise<DataFolder> {
  const shown = JSON.stringify(given);
  let folder: string;
  try {
    await makeFolder(path.resolve(given));
    folder = await realpath(given);
    if (!(await stat(folder)).isDirectory()) throw new DataError(`${shown} is not a folder.`);
    checkOwner(await stat(folder), `The data folder ${shown}`, `chmod 700 ${shown}`);
  } catch (error) {
    if (error instanceof DataError) throw error;
    if (errorCode(error) === 'EEXIST') throw new DataError(`${shown} is not a folder.`, { cause: error });
    throw new DataError(`The data folder ${shown} cannot be made or opened (${reasonOf(error)}).`, { cause: error });
  }
  const lock = await lockFolder(folder);
  try {
    await removeLeftovers(folder);
  } catch (error) {
    lock.release();
    throw new DataError(`The data folder ${shown} cannot be written (${reasonOf(error)}).`, { cause: error });
  }
  return { path: folder, release: lock.release };
}

/** Not Node's own recursion: that one never ends where a folder exists in which nothing can be made, such as `/proc`. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, 0o700);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return;
    const parent = path.dirname(folder);
    if (errorCode(error) !== 'ENOENT' || parent === folder || (await exists(parent))) throw error;
    await makeFolder(parent);
    await mkdir(folder, 0o700);
  }
}

async function exists(folder: string): Promise<boolean> {
  try {
    await stat(folder);
    return true;
  } catch {
    return false;
  }
}

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/^[a-z]+\.jsonl\.tmp$/u.test(name)) continue;
    const file = path.join(folder, name);
    if ((await lstat(file)).isFile()) await rm(file, { force: true });
  }
}
