import { stripVTControlCharacters } from 'node:util';
import { render } from 'ink-testing-library';
import stringWidth from 'string-width';
import { afterEach, describe, expect, test } from 'vitest';
import { gaugeSpans } from '../../../src/terminal/gauge.ts';
import { composeLine } from '../../../src/terminal/line.ts';
import { safe, type SafeText, trusted } from '../../../src/terminal/safe-text.ts';
import { createTextField, reduceTextField } from '../../../src/terminal/text-field.ts';
import { titleLine } from '../../../src/tui/components/blocks.ts';
import { answerButtons, answerLine, confirmLines } from '../../../src/tui/components/confirm.tsx';
import { ThemeContext } from '../../../src/tui/components/drawing.tsx';
import { Menu } from '../../../src/tui/components/menu.tsx';
import { promptLine } from '../../../src/tui/components/text-prompt.tsx';
import { asciiTheme, colorTheme, createRig, endRigs, plainTheme } from '../support/rig.tsx';
import { createKeymap } from '../../../src/screens/keys.ts';
import { type Tab, tabAt, tabLine } from '../../../src/tui/frame/tabs.ts';
import { TooSmall } from '../../../src/tui/frame/too-small.tsx';
import { hintAt, hintLine } from '../../../src/tui/frame/hint-line.ts';

afterEach(endRigs);

const widths = [20, 40, 80, 100, 200];

describe('tab bar', () => {
  const tab = (key: number, label: SafeText, shortLabel?: SafeText): Tab => ({
    id: String(key),
    key: trusted(String(key)),
    label,
    shortLabel,
  });
  const tabs = [
    tab(1, safe`Overview`),
    tab(2, safe`Nodes`),
    tab(3, safe`Listeners`, safe`Listen`),
    tab(4, safe`Clients`),
    tab(5, safe`Sessions`, safe`Sess`),
    tab(6, safe`Subscriptions`, safe`Subs`),
    tab(7, safe`Routes`),
    tab(8, safe`Plugins`),
    tab(9, safe`Metrics`),
    tab(0, safe`More…`, safe`More`),
  ];

  test.each(widths)('is %i columns wide', (width) => {
    expect(stringWidth(tabLine(colorTheme, width, tabs, '4'))).toBe(width);
  });

  const shown = (width: number, active: string): string => tabLine(asciiTheme, width, tabs, active).trimEnd();

  test('shortens names before it drops them, that of the active tab last', () => {
    expect(shown(120, '4')).toBe(
      ' 1 Overview  2 Nodes  3 Listeners [4 Clients] 5 Sessions  6 Subscriptions  7 Routes  8 Plugins  9 Metrics  0 More~',
    );
    expect(shown(100, '4')).toBe(
      ' 1 Overview  2 Nodes  3 Listen [4 Clients] 5 Sess  6 Subs  7 Routes  8 Plugins  9 Metrics  0 More',
    );
    expect(shown(90, '4')).toBe(
      ' 1 Overview 2 Nodes 3 Listen[4 Clients]5 Sess 6 Subs 7 Routes 8 Plugins 9 Metrics 0 More',
    );
    expect(tabLine(colorTheme, 100, tabs, '4')).toContain('\u001B[1;7m 4 Clients \u001B[0m');
  });

  test('in 80 columns key and name stand together, and names are cut before those farthest from the active one are only keys', () => {
    expect(shown(80, '1')).toBe('[1Overview]2Nodes 3Listen 4Clients 5Sess 6Subs 7Routes 8Plugins 9Metrics 0More');
    expect(shown(80, '3')).toBe(' 1Overview 2Nodes[3Listen]4Clients 5Sess 6Subs 7Routes 8Plugins 9Metrics 0More');
    expect(shown(80, '6')).toBe(' 1Overview 2Nodes 3Listen 4Clients 5Sess[6Subs]7Routes 8Plugins 9Metrics 0More');
    expect(shown(60, '4')).toBe(' 1Ove 2Nod 3Lis[4Cli]5Ses 6Sub 7Rou 8Plu 9Met 0Mor');
    expect(shown(60, '6')).toBe(' 1Ove 2Nod 3Lis 4Cli 5Ses[6Sub]7Rou 8Plu 9Met 0Mor');
    expect(shown(30, '6')).toBe(' 1 2 3 4 5Ses[6Sub]7Rou 8 9 0');
  });

  test.each([120, 80, 60])('a tab has the same text and place whether it is active or not, in %i columns', (width) => {
    expect(new Set(tabs.map(({ id }) => shown(width, id).replaceAll(/[[\]]/gu, ' ').trimEnd())).size).toBe(1);
  });

  test('a key has another colour than a name', () => {
    const line = tabLine(colorTheme, 80, tabs, '1');
    expect(line).toMatch(/\u001B\[1;36m3\u001B\[0m\u001B\[2mListen/u);
  });

  test.each([120, 100, 80, 60])('finds the tab at every column of %i', (width) => {
    const line = tabLine(asciiTheme, width, tabs, '4');
    for (const { id, key } of tabs) {
      const at = id === '4' ? line.indexOf('[4') : line.indexOf(`${key}`);
      expect(tabAt(asciiTheme, width, tabs, '4', at)).toBe(id);
    }
    expect(tabAt(asciiTheme, width, tabs.slice(0, 1), '1', width - 1)).toBeUndefined();
  });

  test('fits the five screens of now into 60 columns with their names', () => {
    expect(
      tabLine(
        asciiTheme,
        60,
        tabs.filter(({ id }) => '12349'.includes(id)),
        '1',
      ),
    ).toContain('[1 Overview] 2 Nodes  3 Listeners  4 Clients  9 Metrics');
  });
});

describe('key hints', () => {
  const keymap = createKeymap({ isReadOnly: false });

  test('drop from the end but keep the last two', () => {
    const commands = ['filter', 'open', 'sortNext', 'copyId', 'quit', 'help'] as const;
    expect(hintLine(asciiTheme, 80, keymap, commands).trimEnd()).toBe(
      ' / filter  Enter open  > sort  y copy  q quit  ? help',
    );
    expect(hintLine(asciiTheme, 30, keymap, commands).trimEnd()).toBe(' / filter  q quit  ? help');
    for (const width of widths) {
      expect(stringWidth(hintLine(colorTheme, width, keymap, commands))).toBe(width);
    }
  });

  test('are found at their columns, and nothing between or behind them', () => {
    const commands = ['filter', 'open', 'help'] as const;
    const line = hintLine(asciiTheme, 40, keymap, commands);
    const at = (column: number) => hintAt(asciiTheme, 40, keymap, commands, column);
    expect(line.trimEnd()).toBe(' / filter  Enter open  ? help');
    expect([1, 8].map(at)).toEqual(['filter', 'filter']);
    expect([11, 20].map(at)).toEqual(['open', 'open']);
    expect([0, 9, 10, 21, 29, 39].map(at)).toEqual(Array.from({ length: 6 }));
    expect(at(line.indexOf('?'))).toBe('help');
  });
});

describe('gauge', () => {
  const draw = (used: number | undefined, limit: number | undefined): string =>
    composeLine(asciiTheme, 20, gaugeSpans(20, used, limit));

  test('shows unknown, empty, low, nearly full and full differently', () => {
    expect(draw(undefined, 10)).toBe('                   -');
    expect(draw(1, 0)).toBe('                   -');
    expect(draw(0, 10)).toBe('.............    0 %');
    expect(draw(1, 10_000)).toBe('.............   <1 %');
    expect(draw(5, 10)).toBe('#######......   50 %');
    expect(draw(9999, 10_000)).toBe('############. ! 99 %');
    expect(draw(10, 10)).toBe('############# !100 %');
  });

  test('has cells of one kind each, in the role of its share', () => {
    const spans = (used: number) =>
      gaugeSpans(17, used, 10)
        .filter(({ text }) => text !== '')
        .map(({ text, role }) => [text, role]);
    expect(spans(2)).toEqual([
      ['▰▰', 'ok'],
      ['▱▱▱▱▱▱▱▱', 'border'],
      ['   20 %', 'normal'],
    ]);
    expect(spans(8).map(([, role]) => role)).toEqual(['warning', 'border', 'warning']);
    expect(spans(10)).toEqual([
      ['▰▰▰▰▰▰▰▰▰▰', 'error'],
      [' !100 %', 'error'],
    ]);
  });

  test('rounds to whole cells, and is full only at the limit', () => {
    const bar = (used: number): string =>
      gaugeSpans(12, used, 100)
        .slice(0, 2)
        .map(({ text }) => text)
        .join('');
    expect([0, 0.2, 8, 12, 28, 32, 99.9, 100].map(bar)).toEqual([
      '▱▱▱▱▱',
      '▱▱▱▱▱',
      '▱▱▱▱▱',
      '▰▱▱▱▱',
      '▰▱▱▱▱',
      '▰▰▱▱▱',
      '▰▰▰▰▱',
      '▰▰▰▰▰',
    ]);
  });

  test.each(widths)('is exact at %i columns', (width) => {
    expect(gaugeSpans(width, 3, 10).reduce((sum, { text }) => sum + stringWidth(text), 0)).toBe(width);
  });
});

describe('a rule with a title', () => {
  test.each(widths)('is exact at %i columns', (width) => {
    expect(stringWidth(titleLine(colorTheme, width, safe`Nodes of the cluster`, safe`3/3`))).toBe(width);
    expect(stripVTControlCharacters(titleLine(plainTheme, width, safe`Nodes`, safe`3/3`))).toMatch(
      /^── Nodes ─.* 3\/3 ─$/,
    );
  });
});

describe('confirm', () => {
  const ask = (target: string, width = 40, height = 8): readonly string[] =>
    confirmLines(
      plainTheme,
      width,
      height,
      { question: safe`Disconnect this client?`, target, details: [safe`on broker1`], verb: safe`disconnect` },
      [answerLine(plainTheme, width, answerButtons(safe`disconnect`))],
    ).lines.map((line) => stripVTControlCharacters(line));

  test('shows the whole target, escaped, on several lines', () => {
    const lines = ask(`${'a'.repeat(50)}\u202E `);
    expect(
      lines
        .slice(1, 3)
        .map((line) => line.trim())
        .join(''),
    ).toBe(`${'a'.repeat(50)}\\u202e\\x20`);
    expect(lines.at(-1)).toContain(`y Disconnect   n/Esc Cancel`);
    expect(lines.every((line) => stringWidth(line) === 40)).toBe(true);
  });

  test('is red from its title to its verb if the action is dangerous, and says the same', () => {
    const draw = (isDangerous: boolean): readonly string[] => [
      ...confirmLines(colorTheme, 40, 8, { question: safe`Stop it?`, target: 'x', verb: safe`stop`, isDangerous }, [
        answerLine(colorTheme, 40, answerButtons(safe`stop`, isDangerous)),
      ]).lines,
    ];
    const isRed = (line: string | undefined): boolean => line?.includes('\u001B[1;31m') === true;
    expect(draw(true).map(isRed)).toEqual([true, false, false, true]);
    expect(draw(false).some(isRed)).toBe(false);
    expect(draw(true).map((line) => stripVTControlCharacters(line))).toEqual(
      draw(false).map((line) => stripVTControlCharacters(line)),
    );
  });

  test('scrolls a target that does not fit', () => {
    const target = `start${'x'.repeat(65_000)}end`;
    const at = (top: number) =>
      confirmLines(
        plainTheme,
        40,
        8,
        { question: safe`Disconnect this client?`, target, details: [safe`on broker1`], verb: safe`disconnect` },
        [answerLine(plainTheme, 40, answerButtons(safe`disconnect`))],
        top,
      );
    const first = at(0);
    expect(first.lines).toHaveLength(8);
    expect(first.isTargetEnd).toBe(false);
    let shown = '';
    for (let top = 0; ; top = Math.min(top + first.page, first.maxTop)) {
      const { lines, isTargetEnd } = at(top);
      const texts = lines.map((line) => stripVTControlCharacters(line).trim());
      const [, from = ''] = /^lines ([\d,]+)–/u.exec(texts.at(-2) ?? '') ?? [];
      // The last page may begin with lines of the one before.
      shown = shown.slice(0, (Number(from.replaceAll(',', '')) - 1) * 36) + texts.slice(1, -2).join('');
      if (isTargetEnd && top === first.maxTop) break;
    }
    expect(shown).toBe(`${target}on broker1`);
  });
});

describe('text prompt', () => {
  test('shows what was typed escaped, with the cursor on it', () => {
    const field = reduceTextField(createTextField('a\u001B b '), { type: 'left' });
    expect(promptLine(asciiTheme, 30, safe`/`, field)).toBe(String.raw`/a\x1b b|`.padEnd(30));
    expect(promptLine(colorTheme, 10, safe`/`, createTextField('ab'))).toContain('ab\u001B[0;7m \u001B[0m');
    expect(promptLine(colorTheme, 20, safe`/`, createTextField('username:–'))).toContain('username:–');
  });

  test('shows a selected text as a whole instead of the cursor', () => {
    expect(promptLine(colorTheme, 10, safe`/`, createTextField('ab'), undefined, true)).toContain(
      '\u001B[7ma\u001B[0m\u001B[0;7mb\u001B[0m',
    );
    expect(promptLine(asciiTheme, 10, safe`/`, createTextField('ab'), undefined, true)).toBe('/[ab]     ');
  });

  test.each([10, 20, 40, 80])('is %i columns wide, however long the text', (width) => {
    for (const text of ['', 'abc', '世界'.repeat(30), 'x'.repeat(500)]) {
      for (const theme of [colorTheme, asciiTheme]) {
        for (const isSelected of [false, true])
          expect(
            stringWidth(promptLine(theme, width, safe`/`, createTextField(text), { text: safe`3` }, isSelected)),
          ).toBe(width);
      }
    }
    expect(promptLine(asciiTheme, width, safe`/`, createTextField(`${'x'.repeat(500)}END`))).toContain('END');
  });
});

describe('menu', () => {
  const items = Array.from({ length: 9 }, (_, index) => ({
    id: `i${index}`,
    label: trusted(`Item ${index}`),
    note: trusted(String(index)),
  }));

  test.each([
    ['i0', ['▸ Item 0', '  Item 1', '  Item 2']],
    ['i2', ['  Item 0', '  Item 1', '▸ Item 2']],
    ['i8', ['  Item 6', '  Item 7', '▸ Item 8']],
  ])('shows a window around %s', (selectedId, shown) => {
    const rig = createRig(<Menu items={items} selectedId={selectedId} onChoose={() => {}} width={30} height={3} />);
    expect(rig.lines().map((line) => line.slice(0, 8))).toEqual(shown);
    expect(rig.lines()[2]?.length).toBe(30);
  });

  test('is empty without items', () => {
    expect(
      createRig(<Menu items={[]} selectedId={undefined} onChoose={() => {}} width={30} height={3} />).lines(),
    ).toEqual(['']);
  });
});

test('TooSmall shows the size that is needed', () => {
  const { lastFrame, unmount } = render(
    <ThemeContext value={asciiTheme}>
      <TooSmall columns={30} rows={4} needed={{ columns: 60, rows: 15 }} quit={safe`q quit`} />
    </ThemeContext>,
  );
  expect(
    lastFrame()
      ?.split('\n')
      .map((line) => line.trimEnd()),
  ).toEqual(['too small', '30x4', 'needs 60x15', 'q quit']);
  unmount();
});
