import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { link, lstat, mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkOwner, DataError, errorCode, folderWriteError, reasonOf } from './files.ts';

export interface DataFolder {
  readonly path: string;
  release(): void;
}

/**
 * Creates the folder if needed (0700) and locks it. @throws DataError when it is in use, unusable or accessible to
 * others.
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
    throw new DataError(`The data folder ${shown} cannot be created or opened (${reasonOf(error)}).`, { cause: error });
  }
  const lock = await lockFolder(folder);
  try {
    await removeLeftovers(folder);
  } catch (error) {
    lock.release();
    throw folderWriteError(given, error);
  }
  return { path: folder, release: lock.release };
}

/** Avoids `recursive: true`, which never ends in folders such as `/proc`. */
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
  /** The start time, because process ids are reused; empty when unknown. */
  readonly started: string;
}

interface Lock {
  release(): void;
}

/**
 * Locks a folder, and takes over the lock of an ended process. @throws DataError when another process has it, or the
 * folder cannot be written.
 */
export async function lockFolder(folder: string): Promise<Lock> {
  const file = path.join(folder, 'lock');
  const candidate = path.join(folder, `lock.${process.pid}.${randomBytes(6).toString('hex')}`);
  const text = JSON.stringify({ pid: process.pid, started: processStart(process.pid) } satisfies LockOwner);
  try {
    await writeFile(candidate, text, { flag: 'wx', mode: 0o600 });
    if (!(await tryLink(candidate, file))) await takeOver(folder, file, candidate);
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw folderWriteError(folder, error);
  } finally {
    await rm(candidate, { force: true }).catch(() => undefined);
  }
  return {
    release: () => {
      try {
        if (readFileSync(file, 'utf8') === text) rmSync(file, { force: true });
      } catch {
        // The next process finds that this one has ended.
      }
    },
  };
}

/** Creates the lock atomically, with a hard link. Returns `false` when it exists. */
async function tryLink(candidate: string, file: string): Promise<boolean> {
  try {
    await link(candidate, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Takes over a lock under a second one, so that only one process does so at a time. */
async function takeOver(folder: string, file: string, candidate: string): Promise<void> {
  const guard = path.join(folder, 'lock.takeover');
  if (!(await tryLink(candidate, guard))) {
    const other = await readLockOwner(guard);
    if (other !== undefined && isRunning(other)) throw folderInUse(folder, other);
    throw new DataError(
      `Another process stopped while it was taking over the data folder. If no broker is using it, remove ${JSON.stringify(guard)}.`,
    );
  }
  try {
    const holder = await readLockOwner(file);
    if (holder !== undefined && isRunning(holder)) throw folderInUse(folder, holder);
    await rm(file, { force: true });
    if (!(await tryLink(candidate, file))) throw folderInUse(folder, await readLockOwner(file));
  } finally {
    await rm(guard, { force: true });
  }
}

function folderInUse(folder: string, holder: LockOwner | undefined): DataError {
  const who = holder === undefined ? 'another process' : `process ${holder.pid}`;
  return new DataError(`The data folder ${JSON.stringify(folder)} is in use by ${who}. Each broker needs its own.`);
}

/** Returns `undefined` when the file is missing or not a lock. */
async function readLockOwner(file: string): Promise<LockOwner | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof value !== 'object' || value === null) return undefined;
    const { pid, started }: Partial<Record<keyof LockOwner, unknown>> = value;
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 0 && typeof started === 'string'
      ? { pid, started }
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isRunning({ pid, started }: LockOwner): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    if (errorCode(error) === 'ESRCH') return false;
  }
  const now = processStart(pid);
  return started === '' || now === '' || started === now;
}

/** Returns boot id and ticks; empty when unknown. */
function processStart(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain spaces: field 22 is the 20th after it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`;
  } catch {
    return '';
  }
}
