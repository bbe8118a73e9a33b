import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Capabilities } from '../../api/management-api.ts';
import { composeEnds, composeLine, type Line, type Span, spansWidth, wrapWords } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, spaces, trusted } from '../../terminal/safe-text.ts';
import { widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { titleLine } from '../components/blocks.ts';
import { Rows, useTheme } from '../components/drawing.tsx';
import { promptLine, typedText, useTextField } from '../components/text-prompt.tsx';
import { positionText, useScroll } from '../hooks/use-scroll.ts';
import { formatKeys, type Keymap } from '../keys/keymap.ts';
import { useKeys } from '../keys/use-keys.ts';
import { useSpoken } from '../speech/use-speech.ts';
import type { ScreenId } from '../registered.ts';
import type { ShownLogin } from './screen.ts';
import { helpTexts } from './texts.ts';
import type { Catalog, Note, ScreenDefinition } from '../keys/catalog.ts';
import type { KnownBinding, Scope } from '../keys/bindings.ts';

/** A line of the help. `where`: where a key works, unless the title says so. */
interface Entry {
  readonly keys: SafeText;
  readonly text: SafeText;
  readonly where?: SafeText | undefined;
  /** Names of the keys, as a search may type them. */
  readonly names?: readonly string[] | undefined;
  /** Words that a search finds, and that are not shown. */
  readonly words?: string | undefined;
}

interface HelpBlock {
  readonly title: SafeText;
  readonly entries: readonly Entry[];
}

/**
 * Draws a section of keys. Keys that do the same in several places stand in one line, with all of them. `menu`: the
 * names of the actions that the menu of a row holds, each with a line of its own.
 */
const keyBlock = (
  theme: Theme,
  locationOf: Catalog['locationOf'],
  { title, bindings, isWhereShown }: HelpSection,
  menu: readonly SafeText[],
): HelpBlock => {
  const same = Map.groupBy(bindings, (binding) => `${binding.keys.join(' ')} ${binding.help}`);
  return {
    title,
    entries: [...same.values()].flatMap((members): Entry[] => {
      const [binding] = members;
      if (binding === undefined) return [];
      const places = [...new Set(members.map((member) => locationOf(member)).filter((place) => place !== ''))];
      const words = [binding.label, binding.words ?? '', ...(binding.aliases ?? []), ...places].join(' ');
      const entry: Entry = {
        keys: formatKeys(binding, theme.charset),
        text: trusted(binding.help),
        where: isWhereShown ? joinSafe(places, safe`, `) : undefined,
        names: binding.keys,
        words,
      };
      return [
        entry,
        ...(binding.id === 'rowActions' ? menu.map((text) => ({ ...entry, text, words: places.join(' ') })) : []),
      ];
    }),
  };
};

const noteBlock = (title: SafeText, notes: readonly Note[]): HelpBlock => ({
  title,
  entries: notes.map(([keys, text]) => ({ keys, text })),
});

const entryLines = (
  theme: Theme,
  width: number,
  { keys, text, where = safe`` }: Entry,
  keyWidth: number,
): readonly Line[] => {
  const indent = keyWidth + 3;
  const room = Math.max(1, width - indent);
  const key: Span = { text: safe` ${keys}`, role: 'key' };
  const texts: Span[][] = wrapWords(text, room).map((part) => [{ text: part }]);
  const last = texts.at(-1);
  if (where !== '' && last !== undefined && spansWidth(last) + 2 + widthOf(where) <= room)
    last.push({ text: safe`  ${where}`, role: 'dim' });
  else if (where !== '') texts.push(...wrapWords(where, room).map((part): Span[] => [{ text: part, role: 'dim' }]));
  return texts.map((spans, index) =>
    composeLine(
      theme,
      width,
      index === 0
        ? [key, { text: spaces(indent - widthOf(key.text)) }, ...spans]
        : [{ text: spaces(indent) }, ...spans],
    ),
  );
};

/** Lines that stay together: the title with the first entry, the other entries, and a blank line. */
const blockParts = (
  theme: Theme,
  width: number,
  { title, entries }: HelpBlock,
  keyWidth: number,
): readonly (readonly Line[])[] => {
  const [first = [], ...others] = entries.map((entry) => entryLines(theme, width, entry, keyWidth));
  return [[titleLine(theme, width, title), ...first], ...others, [composeLine(theme, width, [])]];
};

const loginBlock = (theme: Theme, { url, user, password }: ShownLogin): HelpBlock =>
  noteBlock(helpTexts.demo, [
    [helpTexts.demoUrl, theme.escape(url)],
    [helpTexts.demoUser, theme.escape(user)],
    [helpTexts.demoPassword, theme.escape(password)],
  ]);

/**
 * Whether an entry or its title has every word, or a key of that name. A single character is only a key or sign, as
 * typed.
 */
const isFound = (title: SafeText, { keys, text, names = [], words = '' }: Entry, search: string): boolean => {
  const all = `${title} ${text} ${words}`.toLowerCase();
  return search
    .trim()
    .split(/\s+/u)
    .every(
      (word) =>
        names.some((name) => name === word || (name.length > 1 && name.toLowerCase() === word.toLowerCase())) ||
        (names.length === 0 && keys.toLowerCase().includes(word.toLowerCase())) ||
        (search.trim().length > 1 && all.includes(word.toLowerCase())),
    );
};

const found = (blocks: readonly HelpBlock[], search: string): readonly HelpBlock[] =>
  search.trim() === ''
    ? blocks
    : blocks
        .map(({ title, entries }) => ({ title, entries: entries.filter((entry) => isFound(title, entry, search)) }))
        .filter(({ entries }) => entries.length > 0);

export interface HelpContent {
  readonly keymap: Keymap;
  readonly screen: ScreenId | ScreenDefinition;
  readonly capabilities?: Capabilities | undefined;
  /** Keys that this broker or read-only mode does not have, and why. */
  readonly absent?: readonly AbsentNotes[] | undefined;
  readonly shownLogin?: ShownLogin | undefined;
}

const definitionIn = ({ catalog }: Keymap, screen: HelpContent['screen']): ScreenDefinition =>
  typeof screen === 'string' ? catalog.definitionOf(screen) : screen;

/**
 * Keys of other places, and the actions of the menu, are shown only by a search; those of other screens also where
 * there is room.
 */
const blocksOf = (
  theme: Theme,
  { keymap, screen, capabilities, absent = [], shownLogin }: HelpContent,
  isSearch: boolean,
): readonly HelpBlock[] => {
  const { here, lists, dialogs, everywhere, otherScreens } = helpSections(keymap, screen);
  const { menuActions, locationOf, filterExamples } = keymap.catalog;
  const symbols = noteBlock(helpTexts.symbols.title, [...keymap.catalog.symbols, ...helpTexts.symbols.entries]);
  const menu = isSearch ? menuActions(capabilities).map(({ name }) => name) : [];
  const keys = (sections: readonly HelpSection[]): readonly HelpBlock[] =>
    sections.map((section) => keyBlock(theme, locationOf, section, menu));
  return [
    ...keys(here).map(({ title, entries }) => ({
      title,
      entries: [...entries, ...noteBlock(title, definitionIn(keymap, screen).helpNotes ?? []).entries],
    })),
    ...keys(lists),
    ...(hasFilter(keymap, screen) || isSearch
      ? [noteBlock(helpTexts.filter.title, [...helpTexts.filter.entries, ...filterExamples, helpTexts.filter.quotes])]
      : []),
    ...(lists.length > 0 ? [...keys(everywhere), symbols] : [symbols, ...keys(everywhere)]),
    ...absent.map(({ title, notes }) => noteBlock(title, notes)),
    ...(isSearch
      ? [...keys(otherScreens), ...keys(dialogs)]
      : [
          {
            title: helpTexts.otherScreens,
            entries: [
              { keys: safe`/`, text: helpTexts.searchOthers },
              ...keys(otherScreens).flatMap(({ entries }) => entries),
            ],
          },
        ]),
    ...(shownLogin === undefined ? [] : [loginBlock(theme, shownLogin)]),
  ];
};

const hasFilter = (keymap: Keymap, screen: HelpContent['screen']): boolean =>
  definitionIn(keymap, screen).listKeys?.includes('filter') !== false;

const columnGap = 2;

type Part = readonly Line[];

/** Fills columns one after the other; `undefined` if the parts need more of them. */
const columnsOf = (parts: readonly Part[], count: number, height: number): readonly Part[] | undefined => {
  const columns: Line[][] = [[]];
  for (const lines of parts) {
    if ((columns.at(-1)?.length ?? 0) + lines.length > height) columns.push([]);
    if (columns.length > count || lines.length > height) return undefined;
    columns.at(-1)?.push(...lines);
  }
  return columns;
};

/** Columns that are as low as they can be. */
const lowestColumns = (parts: readonly Part[], count: number): readonly Part[] => {
  const total = parts.reduce((sum, lines) => sum + lines.length, 0);
  for (let height = Math.ceil(total / count); ; height += 1) {
    const columns = columnsOf(parts, count, height);
    if (columns !== undefined) return columns;
  }
};

/**
 * The help, where one is first; in two or three columns where they fit. `search`: only what has these words. `height`:
 * keys of other screens fill the room that is left.
 */
export const helpLines = (
  theme: Theme,
  width: number,
  content: HelpContent,
  search = '',
  height = 0,
): readonly Line[] => {
  const all = blocksOf(theme, content, search.trim() !== '');
  const shown = found(all, search);
  if (shown.length === 0) return [composeLine(theme, width, [{ text: safe` ${helpTexts.noMatch}`, role: 'dim' }])];
  const count = width >= 180 ? 3 : width >= 120 ? 2 : 1;
  const columnWidth = Math.floor((width - columnGap * (count - 1)) / count);
  const keyWidth = Math.max(...all.flatMap(({ entries }) => entries.map(({ keys }) => widthOf(keys))));
  const blocks = shown.map((block) => blockParts(theme, columnWidth, block, keyWidth));
  const othersAt = search.trim() === '' ? shown.findIndex(({ title }) => title === helpTexts.otherScreens) : -1;
  const [firstOther = [], ...others] = blocks[othersAt] ?? [];
  const partsWith = (otherCount: number): readonly Part[] =>
    blocks.flatMap((block, index): readonly Part[] =>
      index === othersAt ? [firstOther, ...others.slice(0, otherCount), ...others.slice(-1)] : [block.flat()],
    );
  let otherCount = others.length - 1;
  while (otherCount > 0 && columnsOf(partsWith(otherCount), count, height) === undefined) otherCount -= 1;
  const columns = lowestColumns(partsWith(otherCount), count);
  const blank = composeLine(theme, columnWidth, []);
  const rest = composeLine(theme, width - count * columnWidth - columnGap * (count - 1), []);
  return Array.from(
    { length: Math.max(...columns.map((lines) => lines.length)) },
    (_, index) =>
      `${Array.from({ length: count }, (__, column) => columns[column]?.[index] ?? blank).join(spaces(columnGap))}${rest}` as Line,
  );
};

export interface HelpProps extends HelpContent {
  readonly width: number;
  readonly height: number;
  readonly onClose: () => void;
}

/** Shows the help, which `/` searches as less and lazygit do. */
export const Help = ({
  keymap,
  screen,
  capabilities,
  absent,
  shownLogin,
  width,
  height,
  onClose,
}: HelpProps): ReactNode => {
  const theme = useTheme();
  const [isTyping, setTyping] = useState(false);
  const clear = (): void => {
    edit({ type: 'set', text: '' });
    setTyping(false);
  };
  const [field, edit] = useTextField({
    isActive: isTyping,
    onAccept: () => {
      setTyping(false);
    },
    onCancel: clear,
  });
  const search = field.text;
  const room = Math.max(1, height - 1);
  const lines = useMemo(
    () => helpLines(theme, width, { keymap, screen, capabilities, absent, shownLogin }, search, room),
    [theme, width, keymap, screen, capabilities, absent, shownLogin, search, room],
  );
  const { window, by, toTop } = useScroll(lines.length, room);
  useEffect(toTop, [toTop, search]);
  useKeys('help', {
    helpSearch: () => {
      setTyping(true);
    },
    helpClose: onClose,
    helpUp: by(-1),
    helpDown: by(1),
    helpPageUp: by(-room),
    helpPageDown: by(room),
  });
  useKeys('helpSearch', { helpClear: clear }, { isActive: !isTyping && search !== '' });
  const shown = lines.slice(window.from, window.to);
  while (shown.length < room) {
    shown.push(composeLine(theme, width, []));
  }
  const position: Span = { text: safe`${positionText(window, lines.length)} `, role: 'dim' };
  const footer = isTyping
    ? promptLine(theme, width, safe` / `, field, position)
    : composeEnds(
        theme,
        width,
        search === ''
          ? [{ text: safe` ${helpTexts.close}`, role: 'dim' }]
          : [
              { text: safe` / `, role: 'key' },
              ...typedText(theme, search).map((text) => ({ text })),
              { text: safe`  ${helpTexts.clear}`, role: 'dim' },
            ],
        [position],
      );
  useSpoken({ rank: 'dialog', lines: () => [...shown, footer] });
  return <Rows lines={[...shown, footer]} />;
};

export interface HelpSection {
  readonly title: SafeText;
  readonly bindings: readonly KnownBinding[];
  readonly isWhereShown: boolean;
}

/** Sections in the order of the help: each key is in one. */
export interface HelpSections {
  readonly here: readonly HelpSection[];
  readonly lists: readonly HelpSection[];
  readonly dialogs: readonly HelpSection[];
  readonly everywhere: readonly HelpSection[];
  readonly otherScreens: readonly HelpSection[];
}

const everywhereScopes: ReadonlySet<Scope> = new Set(['global', 'closable', 'past']);

export const helpSections = (keymap: Keymap, screen: HelpContent['screen']): HelpSections => {
  const { bindings } = keymap;
  const { title, scopes, unusedKeys, listKeys } = definitionIn(keymap, screen);
  const unused: ReadonlySet<string> = new Set(unusedKeys);
  const listed: ReadonlySet<string> = new Set(listKeys);
  const own = bindings.filter(
    ({ id, scope, group }) =>
      !unused.has(id) &&
      (scopes.includes(scope) || (listKeys !== undefined && scope === 'list' && (group === 'Move' || listed.has(id)))),
  );
  const rest = bindings.filter((binding) => !own.includes(binding));
  const section = (
    name: SafeText,
    isIn: (binding: KnownBinding) => boolean,
    isWhereShown = false,
  ): readonly HelpSection[] => {
    const members = rest.filter(isIn);
    return members.length === 0 ? [] : [{ title: name, bindings: members, isWhereShown }];
  };
  return {
    here:
      own.length === 0
        ? []
        : [
            {
              title: helpTexts.here(title),
              bindings: own.toSorted((a, b) => Number(a.group === 'Move') - Number(b.group === 'Move')),
              isWhereShown: false,
            },
          ],
    // Where only some keys of lists work, they are among the screen's own.
    lists:
      listKeys !== undefined
        ? []
        : [
            ...section(helpTexts.list, ({ scope, group }) => scope === 'list' && group !== 'Move'),
            ...section(helpTexts.move, ({ scope, group }) => scope === 'list' && group === 'Move'),
          ],
    dialogs: section(helpTexts.dialogs, ({ group }) => group === 'Dialogs', true),
    everywhere: [
      ...section(helpTexts.screens, ({ scope, group }) => everywhereScopes.has(scope) && group === 'Screens'),
      ...section(helpTexts.time, ({ group }) => group === 'Time'),
      ...section(
        helpTexts.program,
        ({ scope, group }) => everywhereScopes.has(scope) && group !== 'Screens' && group !== 'Time',
      ),
    ],
    otherScreens: section(
      helpTexts.otherScreens,
      ({ scope, group }) =>
        (scope !== 'list' || listKeys !== undefined) && group !== 'Dialogs' && !everywhereScopes.has(scope),
      true,
    ),
  };
};

export interface AbsentNotes {
  readonly title: SafeText;
  readonly notes: readonly Note[];
}
