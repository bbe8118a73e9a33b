import { open } from 'node:fs/promises';
import { UsageError } from './usage-error.ts';

const maxBytes = 4096;

/**
 * The password in the one line of a file, without its line end.
 *
 * @throws UsageError when the file cannot be read, belongs to somebody else, may be read by others,
 * is not a plain file, or holds no or more than one line. The message never holds what is in it.
 */
export async function readPasswordFile(path: string): Promise<string> {
  const shown = JSON.stringify(path);
  let handle;
  try {
    handle = await open(path, 'r');
  } catch (error) {
    throw new UsageError(`The password file ${shown} cannot be opened (${errorCode(error)}).`, { cause: error });
  }
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw new UsageError(`The password file ${shown} is not a plain file.`);
    if (process.getuid !== undefined) {
      if (status.uid !== process.getuid()) throw new UsageError(`The password file ${shown} belongs to another user; use one of your own.`);
      if ((status.mode & 0o077) !== 0) throw new UsageError(`The password file ${shown} can be read by others; run: chmod 600 ${shown}`);
    }
    if (status.size > maxBytes) throw new UsageError(`The password file ${shown} is too large to hold a password.`);
    return onePasswordLine(await handle.readFile('utf8'), `The password file ${shown}`);
  } finally {
    await handle.close();
  }
}

/**
 * The only line of a text that somebody else made; it holds no NUL.
 *
 * @throws UsageError that begins with `source`, which names where the text is from.
 */
export function onePasswordLine(text: string, source: string): string {
  const password = text.replace(/\r?\n$/u, '');
  if (password === '') throw new UsageError(`${source} is empty.`);
  if (/[\r\n]/u.test(password)) throw new UsageError(`${source} has more than one line; it must hold the password alone.`);
  if (password.includes('\0')) throw new UsageError(`${source} holds a NUL character.`);
  return password;
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
}
