import { describe, expect, test } from 'vitest';
import { chooseReports, createReports, parseReport, type Report } from '../../src/terminal/reports.ts';
import { createTheme } from '../../src/terminal/theme.ts';

describe('a mouse report', () => {
  test.each([
    ['\u001B[<0;1;1M', { kind: 'mouse', action: 'press', button: 'left', column: 0, row: 0 }],
    ['\u001B[<0;12;34m', { kind: 'mouse', action: 'release', button: 'left', column: 11, row: 33 }],
    ['\u001B[<18;300;9M', { kind: 'mouse', action: 'press', button: 'right', column: 299, row: 8 }],
    ['\u001B[<64;5;6M', { kind: 'mouse', action: 'up', button: undefined, column: 4, row: 5 }],
    ['\u001B[<69;5;6M', { kind: 'mouse', action: 'down', button: undefined, column: 4, row: 5 }],
  ])('%j', (text, report) => {
    expect(parseReport(text)).toEqual(report);
  });

  test.each([
    '\u001B[<0;0;1M',
    '\u001B[<32;1;1M',
    '\u001B[<35;1;1M',
    '\u001B[<66;1;1M',
    '\u001B[<128;1;1M',
    '\u001B[<0;1M',
    '\u001B[0;1;1M',
    '\u001B[<0;1;1Mx',
    '\u001B[<0;1;999999M',
  ])('is none: %j', (text) => {
    expect(parseReport(text)).toBeUndefined();
  });
});

describe('a background', () => {
  test.each([
    [']11;rgb:ffff/ffff/ffff', true],
    [']11;rgb:0000/0000/0000', false],
    [']11;rgb:fd/f6/e3', true],
    [']11;rgb:0/2b/36', false],
    [']11;rgba:1c1c/1c1c/1c1c/ffff', false],
  ])('%s is light: %s', (text, isLight) => {
    expect(parseReport(text)).toEqual({ kind: 'background', isLight });
  });

  test.each([']10;rgb:ffff/ffff/ffff', ']11;#ffffff', ']11;rgb:fffff/0/0', ']11;rgb:gg/00/00', ''])(
    'is none: %s',
    (text) => {
      expect(parseReport(text)).toBeUndefined();
    },
  );
});

describe('what to ask of a terminal', () => {
  const modern = { TERM: 'xterm-256color', COLORTERM: 'truecolor' };
  const choose = (
    env: Readonly<Record<string, string>>,
    themeName: 'auto' | 'dark' | 'mono' = 'auto',
    hasMouse = true,
    platform: NodeJS.Platform = 'linux',
  ) => chooseReports(env, createTheme(env, platform, themeName), { themeName, hasMouse }, platform);

  test.each([
    ['a modern one', choose(modern), true, true],
    ['with a chosen theme', choose(modern, 'dark'), false, true],
    ['without colours', choose({ ...modern, NO_COLOR: '1' }), false, true],
    ['with 16 colours', choose({ TERM: 'xterm' }), false, true],
    ['without a mouse', choose(modern, 'auto', false), true, false],
    ['the Linux console', choose({ TERM: 'linux', COLORTERM: '1' }), false, false],
    ['dumb', choose({ TERM: 'dumb' }), false, false],
    ['unknown', choose({ COLORTERM: '1' }), false, false],
    ['on Windows', choose({ COLORTERM: '1' }, 'auto', true, 'win32'), true, true],
  ])('%s', (_name, choice, background, mouse) => {
    expect(choice).toEqual({ background, mouse });
  });
});

test('reports reach whoever listens', () => {
  const { emit, subscribe } = createReports();
  const report: Report = { kind: 'background', isLight: true };
  const received: Report[] = [];
  const stop = subscribe((each) => {
    received.push(each);
  });
  emit(report);
  stop();
  emit(report);
  expect(received).toEqual([report]);
});
