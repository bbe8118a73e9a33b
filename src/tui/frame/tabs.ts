import { composeLine, type Line, type Span, spanAt, spansWidth } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';

export interface Tab<Id extends string = string> {
  readonly id: Id;
  readonly key: SafeText;
  readonly label: SafeText;
  /** Stands in place of the label when room is short. */
  readonly shortLabel?: SafeText | undefined;
}

interface Form {
  /** Columns between tabs. */
  readonly gap: 1 | 2;
  readonly isKeyApart: boolean;
  readonly isShort: boolean;
  /** The longest name, in columns. */
  readonly maxName?: number | undefined;
}

// From roomy to tight.
const forms: readonly Form[] = [
  { gap: 2, isKeyApart: true, isShort: false },
  { gap: 2, isKeyApart: true, isShort: true },
  { gap: 1, isKeyApart: true, isShort: true },
];

const tight: Form = { gap: 1, isKeyApart: false, isShort: true };

const narrowNames = [7, 6, 5, 4, 3] as const;

const narrowest = narrowNames[4];

/** Draws the screens in one line, the active one on a bar; without terminal codes it stands in brackets. */
export const tabLine = (theme: Theme, width: number, tabs: readonly Tab[], activeId: string): Line =>
  composeLine(theme, width, tabSpans(theme, width, tabs, activeId));

/** Returns the tab at a column. */
export const tabAt = <Id extends string>(
  theme: Theme,
  width: number,
  tabs: readonly Tab<Id>[],
  activeId: string,
  column: number,
): Id | undefined => spanAt(tabSpans(theme, width, tabs, activeId), column)?.id;

interface TabSpan<Id extends string> extends Span {
  readonly id: Id;
}

/**
 * Places tabs. A tab has the same text and place whether it is active or not. Where short names do not fit, they are
 * cut; where even these do not, the tabs farthest from the active one lose theirs.
 */
const tabSpans = <Id extends string>(
  theme: Theme,
  width: number,
  tabs: readonly Tab<Id>[],
  activeId: string,
): readonly TabSpan<Id>[] => {
  const active = tabs.findIndex(({ id }) => id === activeId);
  const write = (form: Form, named = tabs.length): readonly TabSpan<Id>[] => {
    const nearest = new Set(
      [...tabs.keys()].toSorted((a, b) => Math.abs(a - active) - Math.abs(b - active)).slice(0, named),
    );
    return tabs.flatMap(({ id, key, label, shortLabel }, index): readonly TabSpan<Id>[] => {
      const isActive = index === active;
      const whole = form.isShort ? (shortLabel ?? label) : label;
      const name = nearest.has(index)
        ? safe`${form.isKeyApart ? safe` ` : safe``}${form.maxName === undefined ? whole : trusted(whole.slice(0, form.maxName))}`
        : safe``;
      // A single column between two tabs belongs to the active one.
      const lead = form.gap === 2 || index === 0 || isActive ? safe` ` : safe``;
      const tail = form.gap === 2 || index + 1 !== active ? safe` ` : safe``;
      if (isActive) {
        const [before, after] = theme.depth === 'none' ? [safe`[`, safe`]`] : [lead, tail];
        return [{ id, text: safe`${before}${key}${name}${after}`, role: 'title', base: 'cursor' }];
      }
      return [
        { id, text: safe`${lead}${key}`, role: form.isKeyApart ? 'accent' : 'key' },
        { id, text: name, role: 'dim' },
        { id, text: tail },
      ];
    });
  };
  const narrow = narrowNames.map((maxName): Form => ({ ...tight, maxName }));
  const candidates = [
    ...[...forms, tight, ...narrow].map((form) => write(form)),
    ...tabs.map((_, index) => write({ ...tight, maxName: narrowest }, tabs.length - index)),
  ];
  return candidates.find((spans) => spansWidth(spans) <= width) ?? candidates.at(-1) ?? [];
};
