import { trusted } from '../../src/terminal/safe-text.ts';
import { widthOf } from '../../src/terminal/text-width.ts';

/**
 * Restores the text that `wrapWords` wrapped into these lines, which have lost their trailing spaces. The result may
 * end with an extra space.
 */
export const readWrapped = (lines: readonly string[], width: number): string =>
  lines
    .map((line) => line.trimEnd())
    .map((line) => {
      if (line === '') return ' '.repeat(width - 1);
      return widthOf(trusted(line)) > width - 2 ? line : `${line} `;
    })
    .join('');
