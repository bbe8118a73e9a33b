import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { link, lstat, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkOwner } from './atomic-file.ts';
import { DataError, errorCode, reasonOf } from './data-error.ts';

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

interface LockOwner {
  readonly pid: number;
  /** When that process started, as far as the system tells: a later process may have got the same id. */
  readonly started: string;
}

export interface Lock {
  release(): void;
}

/**
 * Makes this process the only user of a folder of this machine, until it releases the lock or is
 * gone. The lock of a process that is gone is taken over.
 *
 * @throws DataError when another process has it, or the folder cannot be written.
 */
export async function lockFolder(folder: string): Promise<Lock> {
  const file = path.join(folder, 'lock');
  const own = path.join(folder, `lock.${process.pid}.${randomBytes(6).toString('hex')}`);
  const text = JSON.stringify({ pid: process.pid, started: processStart(process.pid) } satisfies LockOwner);
  try {
    await writeFile(own, text, { flag: 'wx', mode: 0o600 });
    if (!(await tryLink(own, file))) await takeOver(folder, file, own);
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError(`The data folder ${JSON.stringify(folder)} cannot be written (${reasonOf(error)}).`, { cause: error });
  } finally {
    await rm(own, { force: true }).catch(() => undefined);
  }
  return {
    release: () => {
      try {
        if (readFileSync(file, 'utf8') === text) rmSync(file, { force: true });
      } catch {
        // Gone already, or never to be removed: the next one finds that this process is gone.
      }
    },
  };
}

/** A link is made or not, whoever else tries: there is no moment in which the lock is half there. */
async function tryLink(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Only one process at a time may judge and replace a lock: another could have replaced it in between. */
async function takeOver(folder: string, file: string, own: string): Promise<void> {
  const guard = path.join(folder, 'lock.takeover');
  if (!(await tryLink(own, guard))) {
    const other = await readLockOwner(guard);
    if (other !== undefined && isRunning(other)) throw folderInUse(folder, other);
    throw new DataError(`Another process was ended while it took the data folder over; remove ${JSON.stringify(guard)} when none is running.`);
  }
  try {
    const holder = await readLockOwner(file);
    if (holder !== undefined && isRunning(holder)) throw folderInUse(folder, holder);
    await rm(file, { force: true });
    // One that comes only now finds no lock, and needs nobody's leave.
    if (!(await tryLink(own, file))) throw folderInUse(folder, await readLockOwner(file));
  } finally {
    await rm(guard, { force: true });
  }
}

/** Without a holder it is one that has gone again meanwhile. */
function folderInUse(folder: string, holder: LockOwner | undefined): DataError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`;
  return new DataError(`The data folder ${JSON.stringify(folder)} is in use by ${who}; give each broker a folder of its own.`);
}

/** `undefined` when the file is gone or holds no lock: nobody can have written it who lives. */
async function readLockOwner(file: string): Promise<LockOwner | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const { pid, started }: Partial<Record<keyof LockOwner, unknown>> = value;
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 0 && typeof started === 'string' ? { pid, started } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isRunning({ pid, started }: LockOwner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and is somebody else's.
    if (errorCode(error) === 'ESRCH') return false;
  }
  const now = processStart(pid);
  return started === '' || now === '' || started === now;
}

/** When a process started, in ticks since a certain boot; empty where the system does not tell. */
function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may hold anything, so count from its end: field 22 is the 20th behind it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`;
  } catch {
    return '';
  }
}
