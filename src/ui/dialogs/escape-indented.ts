import { type SafeText, safe, trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';

/** A line of a text of several: the blanks it begins with stand as they are, as in the other lines; nothing where it is empty. */
export const escapeIndented = (theme: Theme, line: string, width?: number): SafeText => {
  const text = line.trimStart() === '' ? line : line.replace(/^ +/u, '');
  return text === '' ? safe`` : safe`${trusted(line.slice(0, line.length - text.length))}${theme.escape(text, width)}`;
};
