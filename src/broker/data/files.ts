import { constants } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCodeOf, reasonText } from '../../domain/error-code.ts';

/** The data cannot be read or written. `message` is a sentence for the operator. */
export class DataError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DataError';
  }
}

export function errorCode(error: unknown): string {
  return errorCodeOf(error) ?? 'unknown reason';
}

export const reasonOf = (error: unknown): string => reasonText(errorCode(error));

export function folderWriteError(folder: string, cause: unknown): DataError {
  return new DataError(`The data folder ${JSON.stringify(folder)} cannot be written (${reasonOf(cause)}).`, { cause });
}

const chunkBytes = 1024 * 1024;

/**
 * Replaces a file atomically, even across a power cut. @throws the system error; the old file then stays unless only
 * the folder sync failed.
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
    // On a full disk the next attempt needs the space.
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(path.dirname(file));
}

function temporaryOf(file: string): string {
  return `${file}.tmp`;
}

/** Makes a rename or new file survive a power cut. Does nothing on Windows. */
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
 * Reads a file; `undefined` when it is missing. @throws DataError when it is not private, not regular, too large or
 * unreadable.
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
    if (!status.isFile()) throw new DataError(`The data file ${shown} is not a regular file.`);
    checkOwner(status, `The data file ${shown}`, `chmod 600 ${shown}`);
    if (status.size > maxBytes)
      throw new DataError(`The data file ${shown} is too large (${status.size} bytes, max ${maxBytes}).`);
    return await handle.readFile();
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError(`The data file ${shown} cannot be read (${reasonOf(error)}).`, { cause: error });
  } finally {
    await handle.close();
  }
}

/** @throws DataError when it belongs to another user or is accessible to others. Does nothing on Windows. */
export function checkOwner(
  status: { readonly uid: number; readonly mode: number },
  what: string,
  remedy: string,
): void {
  if (process.getuid === undefined) return;
  if (status.uid !== process.getuid()) throw new DataError(`${what} belongs to another user.`);
  if ((status.mode & 0o077) !== 0) throw new DataError(`${what} is accessible to other users. Run: ${remedy}`);
}
