import { rule } from '../../terminal/glyphs.ts';
import { composeLine, type Line, type Span, widestFittingSpans } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';

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

export interface Tab {
  readonly id: string;
  /** The key that opens it. */
  readonly key: SafeText;
  readonly label: SafeText;
  /** Used when room is short. */
  readonly shortLabel?: SafeText | undefined;
}

interface Form {
  readonly write: (tab: Tab, isActive: boolean) => SafeText;
  /** One space between tabs, not two. */
  readonly isTight?: true;
}

const shortened = ({ key, label, shortLabel }: Tab, isActive: boolean): SafeText => joinSafe([key, isActive ? label : (shortLabel ?? label)], safe` `);

// From roomy to tight; the active tab keeps its name longest.
const tight: Form = { write: ({ key, label, shortLabel }, isActive) => (isActive ? joinSafe([key, shortLabel ?? label], safe` `) : key) };
const forms: readonly Form[] = [
  { write: ({ key, label }) => joinSafe([key, label], safe` `) },
  { write: shortened },
  { write: shortened, isTight: true },
  { write: ({ key, label, shortLabel }) => joinSafe([key, shortLabel ?? label], safe` `), isTight: true },
  tight,
];

/** The screens in one line, the active one inverse; without terminal codes it stands in brackets. */
export const tabLine = (theme: Theme, width: number, tabs: readonly Tab[], activeId: string): Line => {
  const write = ({ write: text, isTight }: Form): readonly Span[] =>
    tabs.map((tab): Span => {
      const isActive = tab.id === activeId;
      const own = text(tab, isActive);
      if (!isActive) {
        return { text: isTight === true ? safe` ${own}` : safe` ${own} ` };
      }
      return theme.depth === 'none' ? { text: safe`[${own}]` } : { text: safe` ${own} `, role: 'cursor' };
    });
  return composeLine(theme, width, widestFittingSpans(forms.map(write), width) ?? write(tight));
};
