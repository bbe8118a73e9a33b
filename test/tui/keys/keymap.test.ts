import { describe, expect, test } from 'vitest';
import { type InkKey, keystrokesOf } from '../../../src/terminal/keys.ts';
import { definitionOf, screens } from '../../../src/screens/registry.ts';
import { allBindings, createKeymap, extraKeyProblem, keyCommands, keysMarkdown } from '../../../src/screens/keys.ts';

const noKey: InkKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
};

describe('the table', () => {
  test('binds no key twice in a scope, and no command twice', () => {
    const bound = allBindings.flatMap((binding) => binding.keys.map((key) => `${binding.scope} ${key}`));
    expect(bound.filter((key, index) => bound.indexOf(key) !== index)).toEqual([]);
    expect(new Set(allBindings.map(({ id }) => id)).size).toBe(allBindings.length);
  });

  test('hides no global key behind one of a list or screen', () => {
    const keysOf = (scopes: readonly string[]): string[] =>
      allBindings.filter(({ scope }) => scopes.includes(scope)).flatMap(({ keys }) => [...keys]);
    // Esc closes one layer after the other.
    const program = new Set(keysOf(['global']).filter((key) => key !== 'Esc'));
    const list = new Set(keysOf(['list']));
    expect(keysOf(['list']).filter((key) => program.has(key))).toEqual([]);
    // The tree, the columns of nodes and graphs have their own Left and Right.
    const ofScreens = [...new Set(screens.flatMap(({ id }) => definitionOf(id).scopes))].filter(
      (scope) => !['tree', 'nodeColumns', 'graph'].includes(scope),
    );
    expect(ofScreens.length).toBeGreaterThan(8);
    expect(keysOf(ofScreens).filter((key) => program.has(key) || list.has(key))).toEqual([]);
  });

  test('has no dangerous command on keys with another meaning in a shell', () => {
    const reserved = ['Ctrl-D', 'Ctrl-K', 'Delete', 'Backspace'];
    expect(
      allBindings.filter(({ isDangerous, keys }) => isDangerous === true && keys.some((key) => reserved.includes(key))),
    ).toEqual([]);
    // Outside of a text field they do nothing at all.
    expect(
      allBindings.filter(({ scope, keys }) => scope !== 'prompt' && keys.some((key) => reserved.includes(key))),
    ).toEqual([]);
  });

  test('has a label and a sentence for every key, and dangerous ones never repeat', () => {
    for (const binding of allBindings) {
      expect(binding.keys.length).toBeGreaterThan(0);
      expect(binding.label).toMatch(/^[A-Za-z\d ]{2,16}$/);
      expect(binding.help).toMatch(/^[A-Z]/);
      expect(binding.isDangerous === true && binding.repeats === true).toBe(false);
    }
  });

  test('leaves out dangerous keys in read-only mode', () => {
    const dangerous = allBindings.filter(
      ({ isDangerous, isForActing }) => isDangerous === true || isForActing === true,
    );
    expect(dangerous.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['disconnect', 'publish', 'subscribe', 'rowActions', 'mark', 'confirmYes']),
    );
    const readOnly = createKeymap({ isReadOnly: true });
    expect(readOnly.bindings).toHaveLength(allBindings.length - dangerous.length);
    expect(dangerous.every(({ scope, keys }) => keys.every((key) => readOnly.find(scope, key) === undefined))).toBe(
      true,
    );
    expect(createKeymap({ isReadOnly: false }).bindings).toHaveLength(allBindings.length);
  });

  test('can be found by key', () => {
    const keymap = createKeymap({ isReadOnly: false });
    expect(keymap.find('list', 'j')?.id).toBe('moveDown');
    expect(keymap.find('global', 'Shift-Tab')?.id).toBe('previousScreen');
    expect(keymap.find('global', 'j')).toBeUndefined();
  });

  test('becomes the key table of the README', () => {
    const markdown = keysMarkdown();
    expect(markdown).toContain('| `↑` `k` | Up one row |');
    expect(markdown).toContain('| `q` `Ctrl-C` | Quit');
    for (const { help } of allBindings) {
      expect(markdown).toContain(help);
    }
  });
});

describe('strokesOf', () => {
  const names = (input: string, key: Partial<InkKey> = {}): string[] =>
    keystrokesOf(input, { ...noKey, ...key }).map(({ name }) => name);

  test.each<[string, Partial<InkKey>, string[]]>([
    ['j', {}, ['j']],
    ['K', { shift: true }, ['K']],
    ['jjj', {}, ['j', 'j', 'j']],
    [' ', {}, ['Space']],
    ['', { downArrow: true }, ['Down']],
    ['', { tab: true, shift: true }, ['Shift-Tab']],
    ['\t', { tab: true }, ['Tab']],
    ['\r', { return: true }, ['Enter']],
    ['j\rk', {}, ['j', 'Enter', 'k']],
    ['\u0012\u0012', {}, ['Ctrl-R', 'Ctrl-R']],
    ['r', { ctrl: true }, ['Ctrl-R']],
    ['x', { meta: true }, ['Alt-x']],
    ['', { escape: true, meta: true }, ['Esc']],
    ['', { backspace: true }, ['Backspace']],
    ['j', { eventType: 'release' }, []],
    ['', {}, []],
    ['😀', {}, ['😀']],
  ])('%j %o is %o', (input, key, expected) => {
    expect(names(input, key)).toEqual(expected);
  });

  test('only printable keys carry text', () => {
    expect(keystrokesOf('a b', noKey).map(({ text }) => text)).toEqual(['a', ' ', 'b']);
    expect(keystrokesOf('\r\u0012', noKey).map(({ text }) => text)).toEqual([undefined, undefined]);
  });
});

describe('more keys for commands', () => {
  test('run the command, and stand in the help', () => {
    const keymap = createKeymap({
      isReadOnly: false,
      extraKeys: { disconnect: ['Alt-k'], 'top-talkers': ['Ctrl-T', '%'] },
    });
    expect(keymap.find('row', 'Alt-k')).toMatchObject({ id: 'disconnect', keys: ['K', 'Alt-k'], isDangerous: true });
    expect(keymap.find('global', 'Ctrl-T')).toBe(keymap.find('global', '%'));
    expect(
      createKeymap({ isReadOnly: true, extraKeys: { disconnect: ['Alt-k'] } }).find('row', 'Alt-k'),
    ).toBeUndefined();
  });

  test('are free in every place where the command works', () => {
    for (const binding of keyCommands) expect(extraKeyProblem('freeze', binding.keys[0] ?? '', {})).toBeDefined();
    expect(extraKeyProblem('freeze', 'o', {})).toEqual({ takenBy: 'group-by' });
    expect(extraKeyProblem('freeze', 'Alt-k', { filter: ['Alt-k'] })).toEqual({ takenBy: 'filter' });
    expect(extraKeyProblem('freeze', 'Alt-k', { freeze: ['Alt-k'] })).toBeUndefined();
    expect(extraKeyProblem('stop-plugin', 'Ctrl-D', {})).toBe('for a shell');
    for (const key of ['', 'F1', 'Ctrl-ä', 'kk', 'Enter', 'Esc', 'Backspace', 'Delete', 'Ctrl-Alt-x'])
      expect(extraKeyProblem('freeze', key, {})).toBe('not a key');
  });
});
