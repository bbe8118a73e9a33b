import { trusted } from '../../src/terminal/safe-text.ts';
import { widthOf } from '../../src/terminal/text-width.ts';

/** The text that `wrapWords` made these lines of, as they are seen on a screen: without the spaces at their ends. Past the text's own end it goes on with a space. */
export const readWrapped = (lines: readonly string[], width: number): string =>
  lines.map((line) => line.trimEnd()).map((line) => {
    if (line === '') return ' '.repeat(width - 1);
    return widthOf(trusted(line)) > width - 2 ? line : `${line} `;
  }).join('');
