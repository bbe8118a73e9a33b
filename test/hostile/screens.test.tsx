import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { shortNodeName } from '../../src/domain/node.ts';
import { metricsTexts } from '../../src/resources/metrics/texts.ts';
import { safe } from '../../src/terminal/safe-text.ts';
import { helpTexts } from '../../src/tui/frame/texts.ts';
import { listTexts } from '../../src/tui/list/texts.ts';
import { definitionOf } from '../../src/screens/registry.ts';
import { any, matching } from '../support/texts.ts';
import { asciiTheme, colorTheme } from '../tui/support/rig.tsx';
import { type HostileBroker, type Hostility, startHostileBroker } from './broker.ts';
import { type CheckedProgram, openChecked } from './checked-program.tsx';
import { cursorFaults, frameFaults, nameFaults, panelFaults, rowsBelow, shiftedColumns, tableOf } from './table.ts';
import { allHostileTexts, giantTexts, hostileText, longAttackMs } from './texts.ts';

let broker: HostileBroker;
beforeAll(async () => {
  broker = await startHostileBroker();
});
afterAll(() => broker.close());
const opened: CheckedProgram[] = [];
afterEach(async () => {
  for (const program of opened.splice(0)) await program.end();
});

/** A list: the key that opens it, its first header, a header that the previous list lacks, and the names that it must show (`undefined` if names repeat). */
interface List {
  readonly key: string;
  readonly header: string;
  readonly uniqueHeader: string;
  readonly names: (texts: Hostility) => readonly string[] | undefined;
  readonly rows?: (texts: Hostility) => number;
}

const lists: Readonly<Record<string, List>> = {
  nodes: {
    key: '2',
    header: 'worst first',
    uniqueHeader: 'STATUS',
    names: ({ nodes }) => nodes.map((node) => shortNodeName(node, nodes)),
  },
  listeners: {
    key: '3',
    header: 'worst first',
    uniqueHeader: 'LISTEN',
    names: () => undefined,
    rows: ({ nodes }) => 2 * nodes.length,
  },
  clients: { key: '4', header: 'CLIENT ID', uniqueHeader: 'ADDRESS', names: ({ names }) => names },
  sessions: { key: '5', header: 'worst first', uniqueHeader: 'INFLIGHT', names: ({ names }) => names },
  subscriptions: { key: '6', header: 'CLIENT ID', uniqueHeader: 'TOPIC FILTER', names: ({ names }) => names },
  routes: { key: '7', header: 'TOPIC FILTER', uniqueHeader: 'WILDCARD', names: ({ names }) => names },
  plugins: { key: '8', header: 'PLUGIN', uniqueHeader: 'ALL NODES', names: ({ names }) => names },
  settings: { key: ',', header: 'KEY', uniqueHeader: 'ALL NODES', names: ({ names }) => names },
  users: { key: '@', header: 'NAME', uniqueHeader: 'TAGS', names: ({ names }) => names },
};

/** Opens a list and waits for all its rows. */
const show = async (
  program: CheckedProgram,
  { key, header, uniqueHeader, names, rows }: List,
  texts: Hostility,
  cursor: string,
): Promise<void> => {
  const count = names(texts)?.length ?? rows?.(texts) ?? 0;
  program.type(key);
  await program.until(() => {
    const { lines, top } = rowsBelow(program, header);
    return (
      program.lines()[top - 1]?.includes(uniqueHeader) === true &&
      lines.length === count &&
      lines.some((line) => line.startsWith(cursor))
    );
  });
};

const sees = async (program: CheckedProgram, list: List, texts: Hostility): Promise<readonly string[]> => {
  const { header } = list;
  const expected = list.names(texts);
  await show(program, list, texts, '▸');
  const table = tableOf(program, header);
  return [
    ...frameFaults(program),
    ...shiftedColumns(table),
    ...cursorFaults(program, table),
    ...panelFaults(program, table),
    ...(expected === undefined ? [] : nameFaults(table, expected)),
  ];
};

const open = (texts: Hostility, columns: number, theme = colorTheme): CheckedProgram => {
  broker.say(texts);
  const program = openChecked({ url: broker.url, columns, rows: texts.names.length + 20, theme });
  opened.push(program);
  return program;
};

/** Visits every list in one run of the program. Returns the faults by list. */
const tour = async (texts: Hostility, columns: number): Promise<Readonly<Record<string, readonly string[]>>> => {
  const program = open(texts, columns);
  const found: Record<string, readonly string[]> = {};
  for (const [name, list] of Object.entries(lists)) {
    const faults = await sees(program, list, texts);
    if (faults.length > 0) found[name] = faults;
  }
  const did = program.faults();
  await opened.pop()?.end();
  return did.length === 0 ? found : { ...found, effects: did };
};

const escape = '\u001B';
const pasted = (text: string): string => `${escape}[200~${text}${escape}[201~`;

const moreScreen = new RegExp(`Timeline +${definitionOf('log').note ?? ''}`, 'u');
const clusterMetrics = new RegExp('Cluster metrics', 'u');
const groupMenu = /Group clients by[^]*▸ node +\d+ groups?/u;
const noMatch = matching(listTexts.noMatch(any)).source;
const cannotLoad = matching(listTexts.failed(any, any, any)).source.replaceAll('.*', '[^]*');

/** Everything that can be opened: the keys, and what shows that it is open. */
const walk: readonly (readonly [keys: string, shown: RegExp])[] = [
  ['1', new RegExp(`\\d+/\\d+ nodes[^]*Problems`, 'u')],
  ['T', new RegExp('Triage', 'u')],
  ['9', clusterMetrics],
  ['v', new RegExp(metricsTexts.nodeTitle(safe``, undefined), 'u')],
  ['0', moreScreen],
  ['?', matching(helpTexts.here(any))],
  [escape, moreScreen],
  [':', /:.*\d+ of \d+ │?/u],
  ['zz', matching('No command matches')],
  [escape, new RegExp(`${moreScreen.source}(?![^]*No command matches)`, 'u')],
  ['2', /^│? NODE[^]*^│?▸/mu],
  ['\r', /(?:──|╭) Node /u],
  ['l', /Listeners ›|› Listeners/u],
  [escape, /(?:──|╭) Node /u],
  ['c', /Clients ›|› Clients/u],
  [escape, /(?:──|╭) Node /u],
  ['4', /^│? CLIENT ID.*NODE[^]*^│?▸/mu],
  ['o', groupMenu],
  ['\r', /Clients › by/u],
  ['\r', /^ (?:Clients › )?node [^]*Esc back/mu],
  ['4', /^│? CLIENT ID.*NODE[^]*^│?▸/mu],
  ['o', groupMenu],
  ['j', /▸ ?username/u],
  ['\r', /Clients › by username/u],
  ['\r', /^ (?:Clients › )?username [^]*Esc back/mu],
  ['4', /^│? CLIENT ID.*NODE[^]*^│?▸/mu],
  ['\r', /^ Client /mu],
  ['i', /Sessions ›|› Sessions/u],
  [escape, /^ Client /mu],
  ['u', /Subscriptions ›|› Subscriptions/u],
  ['4', /^│? CLIENT ID.*NODE[^]*^│?▸/mu],
  ['K', /Disconnect this client\?/u],
  ['n', /^│? CLIENT ID.*NODE(?![^]*Disconnect this)/mu],
  ['a', /ACL cache/u],
  [escape, /^│? CLIENT ID(?![^]*ACL cache)/mu],
  ['S', /Subscribe on/u],
  [escape, /^│? CLIENT ID(?![^]*Subscribe on)/mu],
  ['P', /Publish a message/u],
  [escape, /^│? CLIENT ID(?![^]*Publish a)/mu],
  ['*', /\d+ marked/u],
  ['K', /marked clients?\?/u],
  [escape, /^(?![^]*marked clients?\?)[^]*\n│? {1,2}CLIENT ID/u],
  ['U', /^│? {1,2}CLIENT ID(?![^]*\d+ marked)/mu],
  ['C', /── Columns/u],
  [escape, /^│? CLIENT ID(?![^]*── Columns)/mu],
  ['W', /WIDE/u],
  ['W', /^│? CLIENT ID(?![^]*WIDE)/mu],
  ['/', /column:text/u],
  [pasted(`${escape}]0;pasted\u0007\u202E\r\nx`), new RegExp(`pasted[^]*${noMatch}|${noMatch}[^]*pasted`, 'u')],
  [escape, new RegExp(`^│?▸(?![^]*${noMatch})`, 'mu')],
  ['6', /^│? CLIENT ID.*TOPIC[^]*^│?▸/mu],
  ['t', /^ (?:Subscriptions › )?topic /mu],
  ['7', /^│? TOPIC FILTER[^]*^│?▸/mu],
  ['t', /\[\+\]|^│? TOPIC/mu],
  ['\u001B[C', /^│? TOPIC/mu],
  ['8', /^│? PLUGIN[^]*^│?▸/mu],
  ['\r', new RegExp(`^│? KEY[^]*(?:^│?▸|${cannotLoad})`, 'mu')],
  [',', /, Settings[^]*^│? KEY[^]*^│?▸/mu],
  ['@', /^│? NAME[^]*^│?▸/mu],
  ['n', matching('New user')],
  [escape, new RegExp(`^│? NAME(?![^]*New user)`, 'mu')],
  ['L', /^ Timeline/mu],
];

/** Opens everything while the cursor is on a hostile name. Returns the faults of the frame around it. */
const openEverything = async (texts: Hostility, columns: number): Promise<readonly string[]> => {
  const program = open(texts, columns);
  const found: string[] = [];
  for (const [keys, shown] of walk) {
    program.type(keys);
    await program
      .until((text) => shown.test(text))
      .catch((error: unknown) => {
        throw new Error(`After ${JSON.stringify(keys)} ${String(shown)}`, { cause: error });
      });
    found.push(...frameFaults(program).map((fault) => `${fault}, after ${JSON.stringify(keys)}`));
  }
  found.push(...program.faults());
  await opened.pop()?.end();
  return found;
};

const nodes = ['one@h', 'x\u001B[', '2J\u202E@\u0301'];
const isUsable = (name: string): boolean => name !== '' && name.isWellFormed() && name.length < 200;
const hostility: fc.Arbitrary<Hostility> = fc.record({
  nodes: fc.uniqueArray(hostileText.filter(isUsable), { minLength: 1, maxLength: 4 }),
  names: fc.uniqueArray(hostileText, { minLength: 8, maxLength: 16 }),
  words: fc.array(hostileText, { minLength: 1, maxLength: 12 }),
  figures: fc.option(
    fc.array(
      fc.oneof(
        fc.constantFrom(0, -0, -1, 0.1, 1e-9, 65_536, 2 ** 31, 2 ** 53, 1e21, 1e308, -1e308, 5e-324),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
      { minLength: 1, maxLength: 6 },
    ),
    { nil: undefined },
  ),
});

describe('every list, in a terminal that checks each frame', () => {
  test.each([80, 240])('with every hostile text at once, %i columns wide', async (columns) => {
    expect(await tour({ nodes, names: allHostileTexts, words: allHostileTexts }, columns)).toEqual({});
  });

  test('with ids of 65,000 characters', async () => {
    const names = giantTexts.map((text, at) => `${at}${text}`);
    expect(await tour({ nodes, names, words: giantTexts }, 120)).toEqual({});
  });

  test('with every hostile text at once, on an ASCII terminal', async () => {
    const texts = { nodes, names: allHostileTexts, words: allHostileTexts };
    const program = open(texts, 160, asciiTheme);
    for (const list of Object.values(lists)) {
      await show(program, list, texts, '>');
      expect(program.lines().filter((line) => !/^[ -~]*$/u.test(line))).toEqual([]);
    }
    expect(program.faults()).toEqual([]);
  });

  test(
    'with any texts',
    async () => {
      await fc.assert(
        fc.asyncProperty(hostility, fc.integer({ min: 80, max: 240 }), async (texts, columns) => {
          expect(await tour(texts, columns)).toEqual({});
        }),
        { numRuns: 5 },
      );
    },
    longAttackMs,
  );
});

test.each([80, 120, 200])(
  'nodes with long names that begin and end alike can be told apart wherever they are shown, %i columns wide',
  async (columns) => {
    const pods = [0, 1].map((pod) => `emqx@emqx-core-557c8b7684-${pod}.emqx-headless.default.svc.cluster.local`);
    const program = open({ nodes: pods, names: ['a', 'b', 'c', 'd'], words: ['Running'] }, columns);
    for (const key of ['1', '2', '3', '4', '5', '6', '7', '8', ',', 'T']) {
      program.type(key);
      await program
        .until((text) => text.includes('7684-0') && text.includes('7684-1'))
        .catch((error: unknown) => {
          throw new Error(`After ${key}`, { cause: error });
        });
      expect(program.lines().join('\n')).not.toContain('emqx-core-55…');
    }
    program.type('9');
    for (const pod of ['7684-0', '7684-1']) {
      program.type('v');
      await program.until((text) => new RegExp(`Metrics of .*${pod}`, 'u').test(text));
    }
  },
);

describe('everything that can be opened, in a terminal that checks each frame', () => {
  test.each([100, 200])('with control and direction codes in names, %i columns wide', async (columns) => {
    const names = allHostileTexts.filter((text) => /[\p{Cc}\p{Cf}]/u.test(text)).slice(0, 24);
    expect(await openEverything({ nodes, names, words: allHostileTexts }, columns)).toEqual([]);
  });

  test(
    'with any texts',
    async () => {
      await fc.assert(
        fc.asyncProperty(hostility, async (texts) => {
          expect(await openEverything(texts, 120)).toEqual([]);
        }),
        { numRuns: 3 },
      );
    },
    longAttackMs,
  );
});
