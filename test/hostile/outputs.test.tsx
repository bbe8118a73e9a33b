import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditEntry, formatAuditLine } from '../../src/actions/audit.ts';
import { partlyDoneReport } from '../../src/cli/commands/monitor-session.ts';
import { safeLines } from '../../src/cli/errors.ts';
import { runOnce } from '../../src/cli/once/command.tsx';
import { parseFilter } from '../../src/table/filter.ts';
import { filterErrorLines, filterPromptLine, filterSetLine } from '../../src/tui/list/use-filter.ts';
import { answer, startRawServer } from '../support/raw-http-server.ts';
import { TerminalScreen, untouchedModes } from '../support/terminal-screen.ts';
import { asciiTheme, colorTheme } from '../tui/support/rig.tsx';
import { type HostileBroker, startHostileBroker } from './broker.ts';
import { allHostileTexts, giantTexts, hostileText, unescape } from './texts.ts';

let broker: HostileBroker;
beforeAll(async () => {
  broker = await startHostileBroker();
});
afterAll(() => broker.close());

interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

const once = async (
  url: string,
  format: 'text' | 'json',
  env: NodeJS.ProcessEnv = { LANG: 'C.UTF-8', TERM: 'xterm' },
): Promise<Printed> => {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const session = {
    url,
    user: 'admin',
    password: 'x',
    variant: 'b',
    intervalSeconds: 2,
    isReadOnly: false,
    hasAudit: true,
    isInsecure: false,
  } as const;
  await runOnce(session, format, { ...streams, env }, { rateSeconds: 0.001, deadlineMs: 60_000 });
  return { stdout: String(streams.stdout.read() ?? ''), stderr: String(streams.stderr.read() ?? '') };
};

/** Returns the lines as shown on a terminal of any width. Throws if there are other effects. */
const printed = async (text: string): Promise<readonly string[]> => {
  const lines = text.split('\n');
  const screen = new TerminalScreen(2 * Math.max(...lines.map((line) => line.length)) + 1, lines.length + 1);
  await screen.write(text.replaceAll('\n', '\r\n'));
  const { titles, clipboard, replies, commands, bells } = screen.effects();
  const shown = screen.lines();
  const modes = screen.modes();
  screen.dispose();
  expect({ titles, clipboard, replies, commands, bells, modes }).toEqual({
    titles: [],
    clipboard: [],
    replies: [],
    commands: [],
    bells: 0,
    modes: untouchedModes,
  });
  expect(shown.map((line) => line.trimEnd()).filter((line) => line !== '')).toEqual(
    lines.map((line) => line.trimEnd()).filter((line) => line !== ''),
  );
  return shown;
};

/** Names that fit into a path and a table column. */
const nodeName = hostileText.filter((text) => text !== '' && text.isWellFormed() && text.length < 6);

describe('--once', () => {
  test('only prints, with the nodes in columns', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(nodeName, { minLength: 2, maxLength: 6 }),
        fc.array(hostileText, { minLength: 1, maxLength: 9 }),
        async (names, words) => {
          broker.say({ nodes: ['世界@h', ...names.filter((name) => name !== '世界@h')], names: ['a'], words });
          const { stdout, stderr } = await once(broker.url, 'text');
          expect(stderr).toBe('');
          await printed(stdout);
          expect(stdout).toContain('世界@h');
        },
      ),
      { numRuns: 8 },
    );
  });

  test('keeps its columns whatever characters are in them', async () => {
    broker.say({
      nodes: ['世界@h', 'ab@h', 'x\u0301y@h', '\u001B@h'],
      names: ['a'],
      words: ['日本語', 'b', 'e\u0301'],
    });
    const { stdout } = await once(broker.url, 'text');
    const screen = new TerminalScreen(200, stdout.split('\n').length + 1);
    await screen.write(stdout.replaceAll('\n', '\r\n'));
    const at = screen.lines().findIndex((line) => /^ *node +status/u.test(line));
    // Measured from the right, where the numbers are.
    const ends = [0, 1, 2, 3, 4].map((row) =>
      screen.row(at + row).findLastIndex(({ char }) => char !== ' ' && char !== ''),
    );
    screen.dispose();
    expect(new Set(ends).size).toBe(1);
  });

  test('prints JSON in ASCII that holds every text as it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(hostileText, { minLength: 1, maxLength: 6 }),
        fc.array(hostileText, { minLength: 6, maxLength: 6 }),
        async (names, words) => {
          const nodes = ['__proto__', ...names.filter((name) => !['', '__proto__', 'undefined'].includes(name))];
          broker.say({ nodes, names: ['a'], words });
          const { stdout } = await once(broker.url, 'json');
          expect(stdout).toMatch(/^[ -~]+\n$/u);
          const document: unknown = JSON.parse(stdout);
          const word = (at: number): string => words[at % words.length] ?? '';
          const known = nodes.map((name, at) => ({
            name,
            info: { name, version: word(at), description: word(at + 1), otpRelease: word(at + 4) },
            stats: { name, otpRelease: word(at) },
          }));
          const { listeners, nodes: shown } = document as {
            readonly listeners: Readonly<Record<string, unknown>>;
            readonly nodes: readonly { readonly name: string }[];
          };
          const byName = <T extends { readonly name: string }>(all: readonly T[]): readonly T[] =>
            all.toSorted((one, other) => (one.name < other.name ? -1 : 1));
          expect(byName(shown)).toMatchObject(byName(known));
          expect(Object.keys(listeners).toSorted()).toEqual(nodes.toSorted());
          for (const [at, name] of nodes.entries()) {
            expect(Object.getOwnPropertyDescriptor(listeners, name)?.value).toMatchObject([
              { protocol: `${word(at)}:`, listen: word(at + 1) },
              { protocol: word(at + 5), shutdownCountRaw: JSON.stringify(word(at + 6)) },
            ]);
          }
        },
      ),
      { numRuns: 20 },
    );
  });

  test('only prints texts of 65,000 characters', async () => {
    for (const giant of giantTexts) {
      broker.say({ nodes: ['one@h', 'two@h'], names: ['a'], words: [giant] });
      const [json, text] = await Promise.all([once(broker.url, 'json'), once(broker.url, 'text')]);
      expect(JSON.parse(json.stdout)).toMatchObject({
        nodes: [{ info: { version: giant } }, { info: { version: giant } }],
        listeners: { 'one@h': [{ protocol: `${giant}:` }, { protocol: giant }] },
      });
      expect(json.stdout).toMatch(/^[ -~]+\n$/u);
      expect(text.stderr).toBe('');
      expect(text.stdout).not.toMatch(/(?!\n)\p{Cc}/u);
      // The table does not grow beyond a readable width.
      expect(Math.max(...text.stdout.split('\n').map((line) => line.length))).toBeLessThan(1_000);
    }
  });

  test.each([
    [
      'a reason phrase',
      Buffer.from('HTTP/1.1 500 \u001B]0;owned\u0007\u009B2J\r\ncontent-length: 0\r\n\r\n', 'latin1'),
    ],
    ['a refusal', answer(200, JSON.stringify({ code: 9, message: allHostileTexts.join('') }))],
    ['HTML', answer(200, '<title>\u001B]0;owned\u0007</title>')],
  ])('reports %s in a line of plain text', async (_, bytes) => {
    const server = await startRawServer(() => bytes);
    try {
      const { stdout, stderr } = await once(server.url, 'text');
      expect(stdout).toBe('');
      expect(stderr).toMatch(/^(?:brokertop: [ -~]+\n)+$/u);
    } finally {
      await server.close();
    }
  });

  test('is ASCII where the terminal is', async () => {
    broker.say({ nodes: ['世界@h', '\u001B[2J', 'é'], names: ['a'], words: allHostileTexts });
    expect((await once(broker.url, 'text', { TERM: 'dumb' })).stdout).toMatch(/^[ -~\n]+$/u);
  });
});

describe('the audit log', () => {
  const values = fc
    .array(fc.tuple(hostileText, fc.oneof(hostileText, fc.integer(), fc.boolean(), fc.constant(undefined))), {
      maxLength: 5,
    })
    .map((entries): Readonly<Record<string, string | number | boolean | undefined>> => Object.fromEntries(entries));

  test('has one line of ASCII for each entry, with the exact values', () => {
    fc.assert(
      fc.property(hostileText, values, values, hostileText, (id, target, after, operator) => {
        const entry: AuditEntry = {
          kind: 'intent',
          id,
          atMs: 0,
          action: 'publish',
          bulkId: id,
          target,
          before: undefined,
          after,
        };
        const line = formatAuditLine({ operator, url: `http://h/${id}`, brokerUser: id }, entry);
        expect(line).toMatch(/^[ -~]+\n$/u);
        const known = (all: typeof target): unknown =>
          JSON.parse(JSON.stringify(all, (_, value: unknown) => value ?? null));
        expect(JSON.parse(line)).toMatchObject({
          id,
          operator,
          brokerUser: id,
          target: known(target),
          after: known(after),
        });
      }),
      { numRuns: 1_000 },
    );
  });

  test('holds an id of 65,000 characters whole', () => {
    for (const giant of giantTexts) {
      const line = formatAuditLine(
        { operator: 'ann', url: 'http://h', brokerUser: 'admin' },
        {
          kind: 'intent',
          id: 'x',
          atMs: 0,
          action: 'disconnect-client',
          bulkId: undefined,
          target: { clientId: giant },
          before: undefined,
          after: undefined,
        },
      );
      expect(line).toMatch(/^[ -~]+\n$/u);
      expect(JSON.parse(line)).toMatchObject({ target: { clientId: giant } });
    }
  });
});

describe('standard error', () => {
  test('only prints, and every text stays on its line', async () => {
    await fc.assert(
      fc.asyncProperty(hostileText, fc.array(hostileText, { maxLength: 4 }), async (text, failures) => {
        const report = partlyDoneReport([{ text, failures, moreFailures: 0 }]) ?? '';
        expect(report.trimEnd().split('\n')).toHaveLength(1 + failures.length);
        await printed(report);
        const lines = safeLines(text);
        expect(lines.split('\n')).toHaveLength(text.split('\n').length);
        await printed(lines);
      }),
      { numRuns: 100 },
    );
  });
});

describe('the filter line', () => {
  test('shows any typed or pasted text and its error within its width', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          hostileText,
          hostileText.map((text) => `/(${text}`),
          fc.string({ unit: fc.constantFrom('𠀀', 'x\u0301', '('), maxLength: 120 }).map((text) => `/(${text}`),
        ),
        fc.integer({ min: 20, max: 120 }),
        (typed, width) => {
          const { error } = parseFilter(typed, []);
          for (const theme of [colorTheme, asciiTheme]) {
            const outcome = { matching: 0, total: 1, error };
            for (const line of [
              filterPromptLine(theme, width, { text: typed, cursor: typed.length }, outcome),
              filterSetLine(theme, width, typed, outcome),
              ...filterErrorLines(theme, width, error ?? typed, 4),
            ]) {
              expect(line.replaceAll(/\u001B\[[\d;]*m/gu, '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u);
            }
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

test('unescaping in these tests undoes only escapes', () => {
  expect([String.raw`a\x1b\\x1b`, '""', String.raw`\u{1f600}\u202e`].map(unescape)).toEqual([
    'a\u001B\\x1b',
    '',
    '😀\u202E',
  ]);
});
