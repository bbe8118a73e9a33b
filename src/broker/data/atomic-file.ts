import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DataError, errorCode, reasonOf } from './data-error.ts';

const chunkBytes = 1024 * 1024;

/**
 * Replaces a file atomically: writes and syncs a temporary file, then renames it over the old one. After a power
 * cut either the old or the new content is there.
 * @throws the system error; the old file is then unchanged, unless only the sync of the folder failed
 */
export async function writeLines(file: string, lines: Iterable<string>): Promise<void> {
  const temporary = temporaryOf(file);
  await rm(temporary, { force: true });
  try {
    const handle = await open(temporary, 'wx', 0o600);
    try {
      let piece = '';
      for (const line of lines) {
        piece += `${line}\n`;
        if (piece.length < chunkBytes) continue;
        await handle.writeFile(piece);
        piece = '';
      }
      await handle.writeFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    // On a full disk the next attempt needs the room.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/** The temporary file of `writeLines`, which an interrupted write may leave. */
export function temporaryOf(file: string): string {
  return `${file}.tmp`;
}

/** Syncs a folder, so that a rename or new file in it survives a power cut. Does nothing on Windows. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Reads a private file as UTF-8; `undefined` when it does not exist.
 * @throws DataError when it is not a regular file, open to others, too large or unreadable
 */
export async function readPrivateFile(file: string, maxBytes: number): Promise<string | undefined> {
  const bytes = await readPrivateBytes(file, maxBytes);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new DataError(`The data file ${JSON.stringify(file)} cannot be read (it is not UTF-8).`, { cause: error });
  }
}

/** Like `readPrivateFile`, without decoding. */
export async function readPrivateBytes(file: string, maxBytes: number): Promise<Buffer | undefined> {
  const shown = JSON.stringify(file);
  let handle;
  try {
    // Non-blocking: opening a named pipe would wait forever.
    handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new DataError(`The data file ${shown} cannot be opened (${reasonOf(error)}).`, { cause: error });
  }
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new DataError(`The data file ${shown} is not a plain file.`);
    checkOwner(status, `The data file ${shown}`, `chmod 600 ${shown}`);
    if (status.size > maxBytes) throw new DataError(`The data file ${shown} has ${status.size} bytes; at most ${maxBytes} are read.`);
    return await handle.readFile();
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError(`The data file ${shown} cannot be read (${reasonOf(error)}).`, { cause: error });
  } finally {
    await handle.close();
  }
}

/** @throws DataError when it belongs to another user or is open to others. Does nothing on Windows. */
export function checkOwner(status: { readonly uid: number; readonly mode: number }, what: string, remedy: string): void {
  if (process.getuid === undefined) return;
  if (status.uid !== process.getuid()) throw new DataError(`${what} belongs to another user; use one of your own.`);
  if ((status.mode & 0o077) !== 0) throw new DataError(`${what} is open to others; run: ${remedy}`);
}
