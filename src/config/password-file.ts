import { readPrivateFile } from './private-file.ts';
import { UsageError } from './usage-error.ts';

/**
 * The password in the one line of a file, without its line end.
 *
 * @throws UsageError when the file cannot be read, belongs to somebody else, may be read by others,
 * is not a plain file, or holds no or more than one line. The message never holds what is in it.
 */
export async function readPasswordFile(path: string): Promise<string> {
  const text = await readPrivateFile({ path, name: 'The password file', maxBytes: 4096, content: 'a password' });
  return onePasswordLine(text, `The password file ${JSON.stringify(path)}`);
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
