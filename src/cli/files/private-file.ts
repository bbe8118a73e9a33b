import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorCodeOf } from '../../domain/error-code.ts';
import { UsageError } from '../errors.ts';

/** A file to read, with its name for error messages. */
export interface FileToRead {
  readonly path: string;
  /** Begins a sentence, e.g. `The password file`. */
  readonly name: string;
  readonly maxBytes: number;
  /** What it should hold, e.g. `a password`. */
  readonly content: string;
}

/**
 * Reads a text file.
 *
 * @throws UsageError when it cannot be opened, is not a plain file or is too large; never quotes its content
 */
export function readTextFile(file: FileToRead): Promise<string> {
  return read(file, false);
}

/**
 * Reads a text file that holds a secret.
 *
 * @throws UsageError as `readTextFile`, and when the file belongs to another user or others can read it
 */
export function readPrivateFile(file: FileToRead): Promise<string> {
  return read(file, true);
}

async function read({ path, name, maxBytes, content }: FileToRead, isPrivate: boolean): Promise<string> {
  const shown = JSON.stringify(path);
  let handle;
  try {
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new UsageError(`${name} ${shown} cannot be opened (${errorCodeOf(error) ?? 'unknown reason'}).`, { cause: error });
  }
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new UsageError(`${name} ${shown} is not a plain file.`);
    // Windows has neither owners nor modes of this kind.
    if (isPrivate && process.getuid !== undefined) {
      if (status.uid !== process.getuid()) {
        throw new UsageError(`${name} ${shown} belongs to another user; use a copy of your own with chmod 600.`);
      }
      if ((status.mode & 0o077) !== 0) throw new UsageError(`${name} ${shown} can be read by others; run: chmod 600 ${shown}`);
    }
    if (status.size > maxBytes) throw new UsageError(`${name} ${shown} is too large to hold ${content}.`);
    return decodeText(await handle.readFile(), `${name} ${shown}`);
  } finally {
    await handle.close();
  }
}

/** Decodes UTF-8. @throws UsageError that begins with `source` */
export function decodeText(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${source} is not UTF-8 text.`);
  }
}
