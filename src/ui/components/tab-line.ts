import { type SafeText, joinSafe, safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type Line, type Span, composeLine, roomiestSpans } from '../../terminal/line.ts';

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
  return composeLine(theme, width, roomiestSpans(forms.map(write), width) ?? write(tight));
};
