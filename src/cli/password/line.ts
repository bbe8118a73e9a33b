import { UsageError } from '../options/usage-error.ts';

/**
 * The only line of a text that somebody else made, without its line end; it holds no NUL.
 *
 * @throws UsageError that begins with `source`, which names where the text is from, and never holds what is in it.
 */
export function onePasswordLine(text: string, source: string): string {
  const password = text.replace(/\r?\n$/u, '');
  if (password === '') throw new UsageError(`${source} is empty.`);
  if (/[\r\n]/u.test(password)) throw new UsageError(`${source} has more than one line; it must hold the password alone.`);
  if (password.includes('\0')) throw new UsageError(`${source} holds a NUL character.`);
  return password;
}
