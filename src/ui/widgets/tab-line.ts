import { type SafeText, joinSafe, safe } from '../safe-text.ts';
import { widthOf } from '../text-width.ts';
import type { Theme } from '../theme.ts';
import { type Line, type Span, composeLine } from './line.ts';

export interface Tab {
  readonly id: string;
  /** The key that opens it. */
  readonly key: SafeText;
  readonly label: SafeText;
  /** Used when room is short. */
  readonly shortLabel?: SafeText | undefined;
}

type Write = (tab: Tab, isActive: boolean) => SafeText;

// From roomy to tight; the active tab keeps its name longest.
const forms: readonly Write[] = [
  ({ key, label }) => joinSafe([key, label], safe` `),
  ({ key, label, shortLabel }) => joinSafe([key, shortLabel ?? label], safe` `),
  ({ key, label, shortLabel }, isActive) => (isActive ? joinSafe([key, shortLabel ?? label], safe` `) : key),
];

/** The screens in one line, the active one inverse; without terminal codes it stands in brackets. */
export const tabLine = (theme: Theme, width: number, tabs: readonly Tab[], activeId: string): Line => {
  const write = (form: Write): readonly Span[] =>
    tabs.map((tab): Span => {
      const isActive = tab.id === activeId;
      const text = form(tab, isActive);
      if (!isActive) {
        return { text: safe` ${text} ` };
      }
      return theme.depth === 'none' ? { text: safe`[${text}]` } : { text: safe` ${text} `, role: 'cursor' };
    });
  const fitting = forms.map(write).find((spans) => spans.reduce((sum, { text }) => sum + widthOf(text), 0) <= width);
  return composeLine(theme, width, fitting ?? write(forms[forms.length - 1] ?? (({ key }) => key)));
};
