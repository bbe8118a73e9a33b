import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { helpLines, helpSections, helpText } from '../../../src/ui/frame/help.tsx';
import { dialogScopeOf, hintedAt, hintsOf } from '../../../src/ui/frame/hints.ts';
import { allBindings, createKeymap } from '../../../src/ui/keys/keymap.ts';
import type { Place } from '../../../src/ui/navigation.ts';
import { screens } from '../../../src/ui/screens/registry.ts';
import { plainTheme } from '../support/rig.tsx';

const keymap = createKeymap({ isReadOnly: false });
const titlesOf = (lines: readonly string[]): readonly string[] => lines.flatMap((line) => /── (.+?) ──/.exec(line)?.[1] ?? []);

describe('the help', () => {
  test.each(screens.map(({ id }) => id))('of %s has every key once, and no key twice where it is heard', (screen) => {
    const { here, everywhere, elsewhere } = helpSections(keymap, screen);
    const all = [...here, ...everywhere, ...elsewhere];
    expect(all.flatMap(({ bindings }) => bindings.map(({ id }) => id)).toSorted()).toEqual(allBindings.map(({ id }) => id).toSorted());
    for (const { title, bindings } of all.filter((section) => !section.title.startsWith('Screens') && !section.title.startsWith('Program'))) {
      const heard = bindings.flatMap(({ scope, keys }) => keys.map((key) => `${scope} ${key}`));
      expect([title, new Set(heard).size]).toEqual([title, heard.length]);
    }
  });

  test.each(screens.map(({ id }) => id))('of %s has in its first section what the hints name of the screen itself', (screen) => {
    const first = helpSections(keymap, screen).here[0];
    const own = hintsOf(screen, undefined, { isOpened: true }).flatMap((id) => allBindings.filter((binding) => binding.id === id && binding.scope !== 'global' && binding.scope !== 'list'));
    expect(own.filter((binding) => first === undefined || !first.bindings.includes(binding))).toEqual([]);
  });

  test.each([60, 80, 120, 200])('is cut nowhere at %i columns', (width) => {
    const lines = helpLines(plainTheme, width, keymap, 'users').map((line) => stripVTControlCharacters(line));
    expect(lines.filter((line) => /…(?! +cut)/u.test(line))).toEqual([]);
    expect(new Set(lines.map((line) => line.length))).toEqual(new Set([width]));
    // Side by side the lines of two texts stand in one.
    const halves = width < 120 ? [lines] : [lines.map((line) => line.slice(0, (width - 2) / 2)), lines.map((line) => line.slice((width - 2) / 2))];
    const words = halves.flat().join(' ').replaceAll(/\s+/gu, ' ');
    expect(allBindings.filter((binding) => !words.includes(helpText(binding))).map(({ id }) => id)).toEqual([]);
  });

  test('begins with the screen, then the signs and the filter, and says the place only in titles', () => {
    const lines = helpLines(plainTheme, 80, keymap, 'plugins').map((line) => stripVTControlCharacters(line));
    expect(titlesOf(lines).slice(0, 5)).toEqual(['Here: Plugins', 'Signs', 'Filter', 'List', 'Move']);
    expect(lines[1]).toMatch(/^ v +The next node to act on, or all/);
    const signs = lines.slice(lines.findIndex((line) => line.includes('── Signs')), lines.findIndex((line) => line.includes('── Filter'))).join('\n');
    for (const sign of ['●', '○', '▲', '▼', '↑', '!', '?', '▸', '◆', '–', '···', '>=', '<=', 'NEW', 'GONE', 'OLD', 'STALE', '+3→', '·', '›', '…', String.raw`\x1b`]) {
      expect(signs).toContain(sign);
    }
    expect(signs).not.toMatch(/…(?! +cut)/);
    expect(helpSections(keymap, 'overview').here.map(({ title }) => title)).toEqual(['Here: Overview']);
  });
});

test('of groups nothing is hinted at that is done to rows', () => {
  const hinted = (place: Place): readonly string[] => hintsOf(hintedAt(place), undefined, { isOpened: false });
  const ofRows = ['disconnect', 'rowActions', 'mark', 'openTopic', 'openTopicRoutes', 'subscribe'];
  for (const screen of ['clients', 'subscriptions'] as const) {
    expect(hinted({ screen }).filter((id) => ofRows.includes(id))).not.toEqual([]);
    const groups = hinted({ screen, scope: { kind: 'groups', by: 'node', of: undefined } });
    expect(groups.filter((id) => ofRows.includes(id))).toEqual([]);
    expect(groups).toEqual(expect.arrayContaining(['open', 'groupBy', 'filter', 'sortNext', 'copyId']));
  }
});

test('while something is open, the hints are its keys and no others', () => {
  const open = [...new Set(allBindings.map(({ scope }) => dialogScopeOf(scope)))].filter((scope) => scope !== undefined);
  const companions: Readonly<Record<string, string>> = { bulkPreview: 'confirmName', choices: 'menu' };
  const strangers = open.flatMap((scope) => hintsOf(scope, undefined, { isOpened: true }).filter((id) => {
    const own = allBindings.find((binding) => binding.id === id)?.scope;
    return own !== scope && own !== companions[scope];
  }));
  expect(open).toHaveLength(12);
  expect(strangers).toEqual([]);
  expect(open.filter((scope) => hintsOf(scope, undefined, { isOpened: true }).length === 0)).toEqual([]);
});
