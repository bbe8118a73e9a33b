import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DoctorInput, doctorText, examine } from '../../../src/cli/doctor/doctor.ts';
import { expectedWidth, type TerminalAnswers, sampleCharacters } from '../../../src/cli/doctor/terminal-probe.ts';

let home = '';

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'doctor-'));
});
afterEach(() => {
  rmSync(home, { recursive: true, force: true });
});

const fine: TerminalAnswers = { widths: sampleCharacters.map(expectedWidth), background: 'dark', hasAnswered: true };

const linesOf = async (
  patch: Partial<DoctorInput> = {},
  environment: NodeJS.ProcessEnv = {},
): Promise<ReadonlyMap<string, string>> => {
  const sections = await examine({
    flags: {},
    environment: { HOME: home, TERM: 'xterm-256color', LANG: 'C.UTF-8', ...environment },
    terminal: { columns: 80, rows: 24, probe: fine },
    ...patch,
  });
  return new Map(
    sections.flatMap(({ lines }) =>
      lines.map(({ label, text, isWrong }) => [label, `${isWrong === true ? '! ' : ''}${text}`] as const),
    ),
  );
};

test('names nothing wrong where nothing is', async () => {
  const lines = await linesOf();
  expect([...lines.values()].filter((text) => text.startsWith('!'))).toEqual([]);
  expect(lines.get('configuration')).toBe(`${path.join(home, '.config', 'brokertop', 'config.toml')} (does not exist)`);
  expect(lines.get('state')).toBe(path.join(home, '.local', 'state', 'brokertop', 'state.json'));
  expect([lines.get('colors'), lines.get('background'), lines.get('widths')]).toEqual(['256', 'dark', 'as expected']);
});

test.each<[string, string, Partial<DoctorInput>, NodeJS.ProcessEnv, string]>([
  ['no terminal', 'size', { terminal: undefined }, {}, 'no terminal: only the commands for scripts work'],
  [
    'a small one',
    'size',
    { terminal: { columns: 40, rows: 24, probe: fine } },
    {},
    `! 40x24 is too small: at least 60x15`,
  ],
  [
    'odd widths',
    'widths',
    { terminal: { columns: 80, rows: 24, probe: { ...fine, widths: fine.widths.with(5, 2) } } },
    {},
    `! ● is 2 wide, not 1. Choose another font, or a width of 1 for ambiguous characters.`,
  ],
  [
    'a silent one',
    'widths',
    {
      terminal: {
        columns: 80,
        rows: 24,
        probe: { widths: sampleCharacters.map(() => undefined), background: undefined, hasAnswered: false },
      },
    },
    {},
    'unknown: the terminal does not report the cursor position',
  ],
  ['no colors', 'colors', {}, { NO_COLOR: '1' }, 'none, only bold and inverse (NO_COLOR)'],
  ['another locale', 'characters', {}, { LANG: 'C' }, 'ASCII (because of the locale or TERM)'],
  ['ssh and tmux', 'session', {}, { SSH_CONNECTION: '1', TMUX: 'x' }, 'SSH, tmux'],
  ['proxies without their logins', 'proxies', {}, { HTTPS_PROXY: 'http://ann:secret@proxy:1' }, 'https_proxy'],
])('says what it means: %s', async (_, label, patch, environment, text) => {
  expect((await linesOf(patch, environment)).get(label)).toBe(text);
});

test('names the contexts, or what is wrong with the configuration', async () => {
  const file = path.join(home, 'config.toml');
  const config = async (text: string): Promise<string | undefined> => {
    writeFileSync(file, text);
    return (await linesOf({ flags: { config: file } })).get('configuration');
  };
  expect(await config('context = "b"\n[contexts.a]\n[contexts.b]\n')).toBe(`${file}, contexts: a, b (default)`);
  expect(await config('[defaults]\nthem = "dark"\n')).toMatch(/^! .*2:1/su);
});

test('a state folder that others can use is wrong', async () => {
  const folder = path.join(home, '.local', 'state', 'brokertop');
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o777);
  expect((await linesOf()).get('state')).toBe(`! ${folder} must be a folder that only you can read and write`);
});

test('prints aligned lines, and marks what is wrong', () => {
  expect(
    doctorText([
      {
        title: 'One',
        lines: [
          { label: 'a', text: 'x' },
          { label: 'long', text: 'y\nz', isWrong: true },
        ],
      },
    ]),
  ).toBe('One\n  a     x\n! long  y\n        z');
});
