import { constants, type Stats } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCodeOf } from '../../domain/error-code.ts';
import { UsageError } from '../errors.ts';
import { fileTexts, payloadTexts, unknownReason } from '../texts.ts';
import { homeFolder } from './ownership.ts';

export interface FileToRead {
  readonly path: string;
  readonly name: string;
  readonly maxBytes: number;
  readonly content: string;
}

/** @throws UsageError if it cannot be read, is not a regular file or is too large; never quotes its content */
export function readTextFile(file: FileToRead): Promise<string> {
  return read(file);
}

/** @throws UsageError as `readTextFile` does, and if other users own or can read the file */
export function readPrivateFile(file: FileToRead): Promise<string> {
  return read(file, (stats, source) => {
    if (stats.uid !== process.getuid?.()) throw new UsageError(fileTexts.ofAnotherUser(source));
    if ((stats.mode & 0o077) !== 0) throw new UsageError(fileTexts.openToOthers(source, file.path));
  });
}

/**
 * Reads a file that nobody but its user and root can change. @throws UsageError as `readTextFile` does, and if others
 * can change or replace it
 */
export function readTrustedFile(file: FileToRead): Promise<string> {
  return read(file, async (stats, source) => {
    if (isOfAnotherUser(stats)) throw new UsageError(fileTexts.ofAnotherUser(source));
    if ((stats.mode & 0o022) !== 0) throw new UsageError(fileTexts.writableByOthers(source, file.path));
    // A link leaves it to both folders which file is read.
    for (const folder of new Set([path.dirname(path.resolve(file.path)), path.dirname(await realpath(file.path))])) {
      const above = await stat(folder);
      if (isOfAnotherUser(above)) throw new UsageError(fileTexts.folderOfAnotherUser(source));
      // In a folder such as /tmp everybody can replace only their own files.
      if ((above.mode & 0o022) !== 0 && (above.mode & 0o1000) === 0)
        throw new UsageError(fileTexts.folderWritableByOthers(source, folder));
    }
  });
}

const isOfAnotherUser = ({ uid }: Stats): boolean => uid !== process.getuid?.() && uid !== 0;

/** @param check of the owner and the mode; not called where files have none */
async function read(
  { path: file, name, maxBytes, content }: FileToRead,
  check?: (stats: Stats, source: string) => void | Promise<void>,
): Promise<string> {
  const source = fileTexts.source(name, file);
  let handle;
  try {
    handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new UsageError(fileTexts.cannotBeOpened(source, errorCodeOf(error) ?? unknownReason), { cause: error });
  }
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new UsageError(fileTexts.notPlain(source));
    if (process.getuid !== undefined) await check?.(status, source);
    if (status.size > maxBytes) throw new UsageError(fileTexts.tooLarge(source, content));
    return decodeText(await handle.readFile(), source);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(fileTexts.cannotBeRead(source, errorCodeOf(error) ?? unknownReason), { cause: error });
  } finally {
    await handle.close();
  }
}

/** Decodes UTF-8, with or without a byte order mark. @throws UsageError that begins with `source` */
export function decodeText(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(fileTexts.notUtf8(source));
  }
}

const maxBytes = 1_048_576;

export async function readPayloadFile(typed: string): Promise<string> {
  const file = typed.startsWith('~/') ? inHome(typed.slice(2)) : typed;
  let bytes: Buffer;
  try {
    // A pipe without a writer would block.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new PayloadError(payloadTexts.notFile);
      if (stats.size > maxBytes) throw new PayloadError(payloadTexts.tooLarge);
      bytes = await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (thrown instanceof PayloadError) throw thrown;
    throw new PayloadError(payloadTexts.cannotBeRead(errorCodeOf(thrown) ?? unknownReason), { cause: thrown });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    throw new PayloadError(payloadTexts.notUtf8, { cause: thrown });
  }
}

function inHome(name: string): string {
  const home = homeFolder(process.env);
  if (home === undefined) throw new PayloadError(payloadTexts.noHome);
  return path.join(home, name);
}

class PayloadError extends Error {}
