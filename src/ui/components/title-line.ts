import { rule } from '../../terminal/glyphs.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';
import { cutText, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type Line, composeLine } from '../../terminal/line.ts';

/** A rule with a title in it, and something short at its right end: `── Nodes ──────── 3/3 ──`. */
export const titleLine = (theme: Theme, width: number, title: SafeText, right?: SafeText): Line => {
  const ending = right === undefined ? safe`` : safe` ${right} ${rule(1)}`;
  const shown = cutText(title, Math.max(0, width - widthOf(ending) - 4));
  const middle = width - 3 - widthOf(shown) - 1 - widthOf(ending);
  return composeLine(theme, width, [
    { text: safe`${rule(2)} `, role: 'dim' },
    { text: shown, role: 'title' },
    { text: safe` ${rule(middle)}`, role: 'dim' },
    { text: ending, role: 'dim' },
  ]);
};
