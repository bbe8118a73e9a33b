import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DataError, errorCode, reasonOf } from './data-error.ts';

/** Pieces of about this many bytes go to the system at once. */
const chunkBytes = 1024 * 1024;

/**
 * Replaces a file by these lines, so that after a power cut there is either the old or the new
 * content, whole: a new file, flushed to the disk, then renamed over the old one.
 *
 * @throws what the system says; the old file is then as it was, unless only the flush of the folder failed.
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
    // On a full disk half a file would keep the next attempt from its room.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/** What a write that was cut short may have left behind. */
export function temporaryOf(file: string): string {
  return `${file}.tmp`;
}

/** Makes a rename or a new file in the folder last. Windows has no such thing. */
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
 * The text of a private file; `undefined` when there is none.
 * @throws DataError when it is no plain file, somebody else may read it, it is too large or cannot be read.
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

/** The bytes of a private file; as `readPrivateFile`. */
export async function readPrivateBytes(file: string, maxBytes: number): Promise<Buffer | undefined> {
  const shown = JSON.stringify(file);
  let handle;
  try {
    // Not blocking: a named pipe would otherwise be waited on for ever.
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

/** @throws DataError when it is somebody else's, or others may use it. Windows has no such bits. */
export function checkOwner(status: { readonly uid: number; readonly mode: number }, what: string, remedy: string): void {
  if (process.getuid === undefined) return;
  if (status.uid !== process.getuid()) throw new DataError(`${what} belongs to another user; use one of your own.`);
  if ((status.mode & 0o077) !== 0) throw new DataError(`${what} is open to others; run: ${remedy}`);
}
