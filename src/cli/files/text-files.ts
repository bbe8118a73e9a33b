import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
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

/** @throws UsageError if it cannot be opened, is not a regular file or is too large; never quotes its content */
export function readTextFile(file: FileToRead): Promise<string> {
  return read(file, false);
}

/** @throws UsageError as `readTextFile`, and if other users own or can read the file */
export function readPrivateFile(file: FileToRead): Promise<string> {
  return read(file, true);
}

async function read({ path, name, maxBytes, content }: FileToRead, isPrivate: boolean): Promise<string> {
  const source = fileTexts.source(name, path);
  let handle;
  try {
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    throw new UsageError(fileTexts.cannotBeOpened(source, errorCodeOf(error) ?? unknownReason), { cause: error });
  }
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new UsageError(fileTexts.notPlain(source));
    if (isPrivate && process.getuid !== undefined) {
      if (status.uid !== process.getuid()) {
        throw new UsageError(fileTexts.ofAnotherUser(source));
      }
      if ((status.mode & 0o077) !== 0) throw new UsageError(fileTexts.openToOthers(source, path));
    }
    if (status.size > maxBytes) throw new UsageError(fileTexts.tooLarge(source, content));
    return decodeText(await handle.readFile(), source);
  } finally {
    await handle.close();
  }
}

/** @throws UsageError that begins with `source` */
export function decodeText(bytes: Uint8Array, source: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
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
