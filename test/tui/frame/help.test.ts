import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { helpLines, type HelpSection, helpSections } from '../../../src/tui/frame/help.tsx';
import type { Place } from '../../../src/screens/navigation.ts';
import { type ScreenId, screens } from '../../../src/screens/registry.ts';
import { capabilitiesA } from '../../screens/administration-fixtures.tsx';
import { plainTheme } from '../support/rig.tsx';
import { allBindings, createKeymap } from '../../../src/screens/keys.ts';
import { menuActions } from '../../../src/resources/actions.ts';
import { dialogScopeOf, hintedAt, hintsOf } from '../../../src/screens/hints.ts';

const keymap = createKeymap({ isReadOnly: false });
const titlesOf = (lines: readonly string[]): readonly string[] =>
  lines.flatMap((line) => /── (.+?) ──/.exec(line)?.[1] ?? []);

const text = (width: number, screen: ScreenId, search = ''): readonly string[] =>
  helpLines(plainTheme, width, { keymap, screen }, search).map((line) => stripVTControlCharacters(line));

describe('the help', () => {
  test.each(screens.map(({ id }) => id))('of %s has every key once', (screen) => {
    const { here, lists, dialogs, everywhere, otherScreens } = helpSections(keymap, screen);
    const all = [...here, ...lists, ...dialogs, ...everywhere, ...otherScreens];
    expect(all.flatMap(({ bindings }) => bindings.map(({ id }) => id)).toSorted()).toEqual(
      allBindings.map(({ id }) => id).toSorted(),
    );
  });

  test.each(screens.map(({ id }) => id))('of %s has the hinted keys of the screen in its first section', (screen) => {
    const first = helpSections(keymap, screen).here[0];
    const own = hintsOf(screen, undefined, { runs: () => true }).flatMap((id) =>
      allBindings.filter((binding) => binding.id === id && !['global', 'closable', 'list'].includes(binding.scope)),
    );
    expect(own.filter((binding) => first === undefined || !first.bindings.includes(binding))).toEqual([]);
  });

  test('fills the room that is left with keys of other screens, and cuts no entry in two', () => {
    const at = (width: number, height: number, screen: ScreenId): readonly string[] =>
      helpLines(plainTheme, width, { keymap, screen }, '', height).map((line) => stripVTControlCharacters(line));
    for (const { id } of screens) {
      const lines = at(200, 56, id);
      expect(lines.length).toBeLessThanOrEqual(56);
      expect(lines.length).toBeGreaterThanOrEqual(52);
      expect(new Set(lines.map((line) => line.length))).toEqual(new Set([200]));
      const columns = [0, 1, 2].map((column) => lines.map((line) => line.slice(column * 67, column * 67 + 65)));
      for (const column of columns) expect(column[0]).not.toMatch(/^ {5}/u);
      const words = columns.flat().join(' ').replaceAll(/\s+/gu, ' ');
      expect(words).toContain('Search all keys, including those of other screens and dialogs');
      const { otherScreens } = helpSections(keymap, id);
      const listed = otherScreens.flatMap(({ bindings }) => bindings).filter(({ help }) => words.includes(help));
      expect(listed.length).toBeGreaterThan(6);
    }
    const low = at(80, 20, 'overview').join('\n');
    expect(low).toContain('Search all keys');
    expect(low).not.toContain('Clients of the node');
  });

  test.each([60, 80, 120, 200])('is cut nowhere at %i columns', (width) => {
    const lines = text(width, 'users');
    expect(lines.filter((line) => /…(?! +cut)/u.test(line))).toEqual([]);
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([width]));
    // Side by side the lines of several texts stand in one.
    const count = width < 120 ? 1 : width < 180 ? 2 : 3;
    const column = Math.floor((width - 2 * (count - 1)) / count) + 2;
    const parts = Array.from({ length: count }, (_, index) =>
      lines.map((line) => line.slice(index * column, index * column + column - 2)),
    );
    const words = parts.flat().join(' ').replaceAll(/\s+/gu, ' ');
    const { here, lists, everywhere, otherScreens, dialogs } = helpSections(keymap, 'users');
    const missing = (all: string, sections: readonly HelpSection[]): readonly string[] =>
      sections
        .flatMap(({ bindings }) => bindings)
        .filter((binding) => !all.includes(binding.help))
        .map(({ id }) => id);
    expect(missing(words, [...here, ...lists, ...everywhere])).toEqual([]);
    expect(words).toContain('Search all keys, including those of other screens and dialogs');
    // Only a search lists the keys of other places.
    const found = (section: HelpSection): string =>
      text(100, 'users', section.title).join(' ').replaceAll(/\s+/gu, ' ');
    expect([...otherScreens, ...dialogs].flatMap((section) => missing(found(section), [section]))).toEqual([]);
  });

  test('has the login of the demo at the end', () => {
    const shownLogin = { url: 'http://127.0.0.1:1', user: 'admin', password: 'Q-only_here' };
    const shown = helpLines(plainTheme, 80, { keymap, screen: 'plugins', shownLogin }).map((line) =>
      stripVTControlCharacters(line).trim(),
    );
    const from = shown.findIndex((line) => line.includes('Demo broker, this run only')) + 1;
    expect(from + 3).toBe(shown.length - 1);
    expect(shown.slice(from, from + 3).map((line) => line.split(/ +/u))).toEqual([
      ['URL', shownLogin.url],
      ['User', shownLogin.user],
      ['Password', shownLogin.password],
    ]);
    expect(text(80, 'plugins').join('\n')).not.toContain('Demo broker, this run only');
  });

  test('finds the actions of the menu by name, and lists them only in a search', () => {
    const name = menuActions(undefined).find(({ id }) => id === 'unsubscribe')?.name ?? '';
    expect(name).not.toBe('');
    expect(
      text(100, 'clients', 'unsub')
        .filter((line) => line.startsWith(' a '))
        .map((line) => line.replace(/^ a +/u, '').startsWith(name)),
    ).toContain(true);
    expect(text(100, 'clients').join('\n')).not.toContain(name);
    const without = helpLines(plainTheme, 100, { keymap, screen: 'clients', capabilities: capabilitiesA }, 'unsub');
    expect(without.join('\n')).not.toContain(name);
  });

  test('of Routes has one line for the key of the tree, and says where subscribers are counted', () => {
    const lines = text(80, 'routes');
    expect(lines.filter((line) => line.startsWith(' t '))).toHaveLength(1);
    expect(lines.find((line) => line.startsWith(' 6 o '))).toContain('Subscribers per topic filter');
  });

  test('goes from the screen to lists, the whole program and symbols', () => {
    const lines = text(80, 'plugins');
    expect(titlesOf(lines)).toEqual([
      'This screen: Plugins',
      'Lists',
      'Lists: move',
      'Lists: filter',
      'Everywhere: screens',
      'Everywhere: look back',
      'Everywhere: program',
      'Symbols',
      'Other screens',
    ]);
    expect(lines[1]).toMatch(
      new RegExp(`^ ← V +${allBindings.find(({ id }) => id === 'chooseNodeLeft')?.help ?? ''} *$`, 'u'),
    );
    // Where lists have no keys, none of theirs are shown.
    expect(titlesOf(text(80, 'overview'))).toEqual([
      'This screen: Overview',
      'Symbols',
      'Everywhere: screens',
      'Everywhere: look back',
      'Everywhere: program',
      'Other screens',
    ]);
    expect(text(80, 'overview')[1]).toMatch(/^ Enter +Open/u);
    for (const absent of ['sortNext', 'scrollLeft'] as const)
      expect(text(80, 'overview').join('\n')).not.toContain(allBindings.find(({ id }) => id === absent)?.help);
    expect(text(80, 'overview', 'sort by the next').join('\n')).toContain(
      allBindings.find(({ id }) => id === 'sortNext')?.help,
    );
    const signs = text(80, 'plugins', 'symbols').join('\n');
    for (const sign of [
      '●',
      '○',
      '▲',
      '▼',
      '↑',
      '!',
      '?',
      '▸',
      '◆',
      '[ ]',
      '–',
      '···',
      '≥',
      '≤',
      '≥0.7 %',
      '2 s ▸',
      '>46 s',
      '0/32 ?',
      'NEW',
      'GONE',
      'OLD',
      'STALE',
      '+3→',
      '·',
      '›',
      '…',
      String.raw`\x1b`,
    ]) {
      expect(signs).toContain(sign);
    }
  });

  test('says where a key works, once for keys that do the same in several dialogs', () => {
    const lines = text(120, 'overview', 'scroll up a page');
    expect(lines.filter((line) => line.includes('PgUp Ctrl-B'))).toHaveLength(1);
    expect(lines.join(' ')).toMatch(/PgUp Ctrl-B +Scroll up a page +Confirmation, Help/u);
    expect(text(119, 'nodes', 'disconnect the client').join(' ').replaceAll(/\s+/gu, ' ')).toMatch(
      / K Disconnect the client.* Clients, Sessions, Subscriptions, Top talkers, Slow subscriptions, Client, Overview, Triage /u,
    );
  });

  test.each([
    ['kick', 'disconnect', 'an alias'],
    ['K', 'disconnect', 'a key'],
    ['ctrl-w', 'toggleWide', 'the name of a key, in small letters'],
    ['STAY scan', 'abortScan', 'words in any order, in any case'],
    ['plugins start', 'startPlugin', 'where it works'],
  ])('a search for "%s" finds %s by %s', (search, id) => {
    const words = text(119, 'clients', search).join(' ').replaceAll(/\s+/gu, ' ');
    expect(words).toContain(allBindings.find((binding) => binding.id === id)?.help);
    expect(words).not.toContain(allBindings.find((binding) => binding.id === 'freeze')?.help);
  });

  test('a search that finds nothing says so', () => {
    expect(text(80, 'clients', 'xyzzy').map((line) => line.trim())).toEqual(['Nothing in the help matches']);
  });
});

test('groups have no hints for actions on rows, except to disconnect the clients of a group', () => {
  const hinted = (place: Place): readonly string[] =>
    hintsOf(hintedAt(place), undefined, { runs: (id) => id !== 'clearFilter' });
  const ofRows = ['disconnect', 'rowActions', 'mark', 'openTopic', 'openTopicRoutes', 'subscribe'];
  for (const screen of ['clients', 'sessions', 'subscriptions'] as const) {
    expect(hinted({ screen }).filter((id) => ofRows.includes(id))).not.toEqual([]);
    const groups = hinted({ screen, scope: { kind: 'groups', by: 'node', of: undefined } });
    expect(groups.filter((id) => ofRows.includes(id))).toEqual(screen === 'subscriptions' ? [] : ['disconnect']);
    expect(groups).toEqual(expect.arrayContaining(['open', 'groupBy', 'filter', 'sortNext', 'copyId']));
  }
});

test('an open dialog shows only its own hints; one that only reports also how to go elsewhere', () => {
  const open = [...new Set(allBindings.map(({ scope }) => dialogScopeOf(scope)))].filter(
    (scope) => scope !== undefined,
  );
  const companions: Readonly<Record<string, string>> = {
    bulkPreview: 'confirmName',
    choices: 'menu',
    help: 'helpSearch',
  };
  const reports: ReadonlySet<string> = new Set(['outcome', 'bulk']);
  const strangers = open.flatMap((scope) =>
    hintsOf(scope, undefined, { runs: () => true }).filter((id) => {
      const own = allBindings.find((binding) => binding.id === id)?.scope;
      return own !== scope && own !== companions[scope] && !(own === 'global' && reports.has(scope));
    }),
  );
  expect(open).toHaveLength(13);
  expect(strangers).toEqual([]);
  // Their buttons say their keys.
  expect(open.filter((scope) => hintsOf(scope, undefined, { runs: () => true }).length === 0)).toEqual([
    'form',
    'secret',
  ]);
});
