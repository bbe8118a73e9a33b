import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { errorCodeOf } from '../../domain/error-code.ts';
import { homeFolder } from './ownership.ts';

/** The largest request body that the management API accepts. */
const maxBytes = 1_048_576;

/**
 * Reads the text of a file to publish. Expands a leading `~/`.
 *
 * @throws Error with a message for the operator: no such file, not a file, too large, not UTF-8
 */
export async function readPayloadFile(typed: string): Promise<string> {
  const file = typed.startsWith('~/') ? inHome(typed.slice(2)) : typed;
  let bytes: Buffer;
  try {
    // A pipe without a writer would block.
    const handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stats = await handle.stat();
      if (!stats.isFile()) throw new PayloadError('That is no file.');
      if (stats.size > maxBytes) throw new PayloadError('The file is larger than the 1 MiB that the broker takes.');
      bytes = await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (thrown) {
    if (thrown instanceof PayloadError) throw thrown;
    throw new PayloadError(`The file cannot be read (${errorCodeOf(thrown) ?? 'unknown reason'}).`, { cause: thrown });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (thrown) {
    throw new PayloadError('The file is no UTF-8 text, and this interface carries text alone.', { cause: thrown });
  }
}

function inHome(name: string): string {
  const home = homeFolder(process.env);
  if (home === undefined) throw new PayloadError('There is no home folder; type the whole path.');
  return path.join(home, name);
}

class PayloadError extends Error {}
