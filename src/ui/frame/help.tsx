import { type ReactNode, useMemo } from 'react';
import { composeEnds, composeLine, type Line, type Span, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText, spaces, trusted } from '../../terminal/safe-text.ts';
import { widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { Rows } from '../components/painted.tsx';
import { useTheme } from '../components/theme-context.ts';
import { titleLine } from '../components/title-line.ts';
import { positionText, useScroll } from '../hooks/use-scroll.ts';
import { type Binding, formatKeys, type Keymap, type KnownBinding, type Scope } from '../keys/keymap.ts';
import { useKeys } from '../keys/use-keys.ts';
import { definitionOf, type ScreenId, screenTitle } from '../screens/registry.ts';
import type { AbsentNotes } from './hints.ts';

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

/** All lines of the help, the current screen first; in two columns where they fit. */
export const helpLines = (theme: Theme, width: number, keymap: Keymap, screen: ScreenId, absent: readonly AbsentNotes[] = []): readonly Line[] => {
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
  readonly screen: ScreenId;
  /** What this broker or read-only mode does not have, and why. */
  readonly absent: readonly AbsentNotes[];
  readonly width: number;
  readonly height: number;
  readonly onClose: () => void;
}

/** The help: keys, signs and filters. */
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

/** A title and its keys. */
export interface HelpSection {
  readonly title: SafeText;
  readonly bindings: readonly KnownBinding[];
}

/** Section titles for the keys of other screens and of dialogs. */
const scopeTitles: Readonly<Record<Exclude<Scope, 'global' | 'list'>, SafeText>> = {
  row: safe`Clients, sessions, subscriptions`,
  scan: safe`Lists that are read page by page`,
  routes: screenTitle('routes'),
  tree: safe`Routes as a tree`,
  subscriptions: screenTitle('subscriptions'),
  opened: safe`Nodes, a node, a client`,
  metrics: screenTitle('metrics'),
  plugins: screenTitle('plugins'),
  settings: screenTitle('settings'),
  pluginSettings: screenTitle('plugin-settings'),
  users: screenTitle('users'),
  columns: safe`Columns (C)`,
  confirm: safe`A question`,
  confirmName: safe`A question that asks for a name`,
  form: safe`A form`,
  running: safe`An action that runs`,
  outcome: safe`What came of an action`,
  bulkPreview: safe`Before marked ones are disconnected`,
  bulk: safe`While marked ones are disconnected`,
  prompt: safe`A line to type in`,
  menu: safe`A menu`,
  choices: safe`A menu of actions`,
  help: safe`Help`,
  tooSmall: safe`A terminal that is too small`,
};

const isIn = (scope: Scope) => (binding: Binding): boolean => binding.scope === scope;

/** Sections in the order of the help; each key is in one: keys of this screen, keys that work everywhere, the rest. */
export interface HelpSections {
  readonly here: readonly HelpSection[];
  readonly everywhere: readonly HelpSection[];
  readonly elsewhere: readonly HelpSection[];
}

export const helpSections = ({ bindings }: Keymap, screen: ScreenId): HelpSections => {
  const { title, scopes, unusedKeys, listKeys } = definitionOf(screen);
  const unused: ReadonlySet<string> = new Set(unusedKeys);
  const listed: ReadonlySet<string> = new Set(listKeys);
  const list = bindings.filter(isIn('list'));
  const own = [
    ...bindings.filter(({ id, scope }) => scopes.includes(scope) && !unused.has(id)),
    ...(listKeys === undefined ? [] : list.filter(({ id, group }) => group === 'Move' || listed.has(id))),
  ];
  const listSections: readonly HelpSection[] = [
    { title: safe`List`, bindings: list.filter((binding) => binding.group !== 'Move' && !own.includes(binding)) },
    { title: safe`Move`, bindings: list.filter((binding) => binding.group === 'Move' && !own.includes(binding)) },
  ];
  const global = bindings.filter(isIn('global'));
  const others = bindings.filter((binding) => binding.scope !== 'global' && binding.scope !== 'list' && !own.includes(binding));
  const elsewhere = Object.entries(scopeTitles).map(([scope, name]): HelpSection => ({ title: name, bindings: others.filter((binding) => binding.scope === scope) }));
  const isFilled = (section: HelpSection): boolean => section.bindings.length > 0;
  return {
    here: [{ title: safe`Here: ${title}`, bindings: own }, ...(listKeys === undefined ? listSections : [])].filter(isFilled),
    everywhere: [
      { title: safe`Screens`, bindings: global.filter(({ group }) => group === 'Screens') },
      { title: safe`Program`, bindings: global.filter(({ group }) => group !== 'Screens') },
    ].filter(isFilled),
    elsewhere: [...(listKeys === undefined ? [] : listSections), ...elsewhere].filter(isFilled),
  };
};

/** What a key does, without the screen's name, which is in the title. */
export const helpText = ({ help, scope }: KnownBinding): SafeText => {
  const rest = scope === 'global' || scope === 'list' ? help : help.replace(/^[A-Z][a-z, ]*: /u, '');
  return trusted(rest === help ? help : rest.charAt(0).toUpperCase() + rest.slice(1));
};

type Note = readonly [SafeText, SafeText];

/** Signs and the filter syntax. */
export const helpNotes: readonly { readonly title: SafeText; readonly lines: readonly Note[] }[] = [
  {
    title: safe`Signs`,
    lines: [
      [safe`●  ○  ?`, safe`runs or is fine; is stopped; not known or not judged`],
      [safe`!`, safe`wrong, or as full as it can be`],
      [safe`▲`, safe`before a sentence or behind a count: a warning`],
      [safe`▲  ▼`, safe`beside a header: sorted by it, smallest or largest first`],
      [safe`↑`, safe`before a load: it is rising`],
      [safe`▸  ◆`, safe`the row or node that keys are for; marked`],
      [safe`–  ···`, safe`not known, the broker did not say; asked for, not here`],
      [safe`>=  <=`, safe`at least, at most: not all was told or watched`],
      [safe`NEW GONE`, safe`came or went since the last refresh`],
      [safe`OLD STALE`, safe`could not be read again: as it was before`],
      [safe`+3→  ←`, safe`columns that have no room, at the right and left`],
      [safe`·  ›`, safe`between things said; between the steps of the way here`],
      [safe`…`, safe`cut: there is more of it`],
      [safe`\\x1b`, safe`a character that cannot be shown as it is`],
    ],
  },
  {
    title: safe`Filter`,
    lines: [
      [safe`text`, safe`rows that hold it, in any column`],
      [safe`/regex/`, safe`rows that match it`],
      [safe`!text`, safe`rows that do not hold it`],
      [safe`~text`, safe`rows with a cell that holds its letters in this order`],
      [safe`node:text`, safe`rows whose column shows it; also !, /regex/ and ~`],
      [safe`queue:>0`, safe`figures compared: > >= < <= =, and a bare 0 too`],
      [safe`drop/s:>1k`, safe`the header is the name, with - for a blank; 1k 5MB 2h`],
      [safe`"a:b c"`, safe`in quotes: text, whatever stands in it`],
    ],
  },
];
