import { useMemo, type ReactNode } from 'react';
import { useKeys } from '../keys/use-keys.ts';
import { useScroll } from '../hooks/use-scroll.ts';
import { formatKeys } from '../keys/key-text.ts';
import type { Keymap } from '../keys/keymap.ts';
import type { Place } from '../navigation.ts';
import { type SafeText, safe, spaces } from '../../terminal/safe-text.ts';
import { positionText } from '../text-window.ts';
import { useTheme } from '../theme-context.ts';
import { widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type Line, type Span, composeEnds, composeLine } from '../../terminal/line.ts';
import { titleLine } from '../components/title-line.ts';
import { Rows } from '../components/rows.tsx';
import { wrapWords } from '../../terminal/wrap-words.ts';
import type { AbsentNotes } from './absent.ts';
import { type HelpSection, helpNotes, helpSections, helpText } from './help-sections.ts';

type Entry = readonly [SafeText, SafeText];

interface HelpBlock {
  readonly title: SafeText;
  readonly entries: readonly Entry[];
}

const keyEntries = (theme: Theme, { title, bindings }: HelpSection): HelpBlock =>
  ({ title, entries: bindings.map((binding) => [formatKeys(binding, theme.charset), helpText(binding)]) });

const block = (theme: Theme, width: number, title: SafeText, entries: readonly Entry[], keyWidth: number): Line[] => [
  titleLine(theme, width, title),
  ...entries.flatMap(([keys, text]) => {
    const key: Span = { text: safe` ${keys}`, role: 'key' };
    const indent = keyWidth + 3;
    const padding = spaces(indent - widthOf(key.text));
    return wrapWords(text, Math.max(1, width - indent)).map((part, index) =>
      composeLine(theme, width, index === 0 ? [key, { text: padding }, { text: part }] : [{ text: spaces(indent) }, { text: part }]));
  }),
  composeLine(theme, width, []),
];

/** All lines of the help, what concerns the screen first: one column, or two side by side where there is room. */
export const helpLines = (theme: Theme, width: number, keymap: Keymap, screen: Place['screen'], absent: readonly AbsentNotes[] = []): readonly Line[] => {
  const { here, everywhere, elsewhere } = helpSections(keymap, screen);
  const keys = (sections: readonly HelpSection[]): readonly HelpBlock[] => sections.map((section) => keyEntries(theme, section));
  const isWide = width >= 120;
  const gap = 2;
  const columnWidth = isWide ? Math.floor((width - gap) / 2) : width;
  const all = [
    ...keys(here.slice(0, 1)),
    ...helpNotes.map(({ title, lines }) => ({ title, entries: lines })),
    ...keys([...here.slice(1), ...everywhere]),
    ...absent.map(({ title, notes: entries }) => ({ title, entries })),
    ...keys(elsewhere),
  ];
  const keyWidth = Math.max(...all.flatMap(({ entries }) => entries.map(([keys]) => widthOf(keys))));
  const blocks = all.map(({ title, entries }) => block(theme, columnWidth, title, entries, keyWidth));
  if (!isWide) {
    return blocks.flat();
  }
  const half = blocks.reduce((sum, lines) => sum + lines.length, 0) / 2;
  const left: Line[] = [];
  const right: Line[] = [];
  for (const lines of blocks) {
    (right.length === 0 && left.length + lines.length / 2 <= half ? left : right).push(...lines);
  }
  const blank = composeLine(theme, columnWidth, []);
  const rest = composeLine(theme, width - 2 * columnWidth - gap, []);
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) =>
    `${left[index] ?? blank}${spaces(gap)}${right[index] ?? blank}${rest}` as Line);
};

export interface HelpProps {
  readonly keymap: Keymap;
  /** The screen that it was opened on. */
  readonly screen: Place['screen'];
  /** What the help says that there is not, and why. */
  readonly absent: readonly AbsentNotes[];
  readonly width: number;
  readonly height: number;
  readonly onClose: () => void;
}

/** Every key there is, what the signs mean, and how to filter. */
export const Help = ({ keymap, screen, absent, width, height, onClose }: HelpProps): ReactNode => {
  const theme = useTheme();
  const lines = useMemo(() => helpLines(theme, width, keymap, screen, absent), [theme, width, keymap, screen, absent]);
  const room = Math.max(1, height - 1);
  const { window, by } = useScroll(lines.length, room);
  useKeys('help', { helpClose: onClose, helpUp: by(-1), helpDown: by(1), helpPageUp: by(-room), helpPageDown: by(room) });
  const shown = lines.slice(window.from, window.to);
  while (shown.length < room) {
    shown.push(composeLine(theme, width, []));
  }
  const footer = composeEnds(theme, width, [{ text: safe` Esc closes the help`, role: 'dim' }], [{ text: safe`${positionText(window, lines.length)} `, role: 'dim' }]);
  return <Rows lines={[...shown, footer]} />;
};
