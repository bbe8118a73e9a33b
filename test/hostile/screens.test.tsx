import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { asciiTheme, colorTheme } from '../ui/support/rig.tsx';
import { type HostileBroker, type Hostility, startHostileBroker } from './broker.ts';
import { type Judged, openJudged } from './judged.tsx';
import { cursorFaults, frameFaults, nameFaults, rowsBelow, shiftedColumns, tableOf } from './table.ts';
import { allHostileTexts, attack, giantTexts, hostileText, longAttackMs, seed } from './texts.ts';

let broker: HostileBroker;
beforeAll(async () => { broker = await startHostileBroker(); });
afterAll(() => broker.close());
const opened: Judged[] = [];
afterEach(async () => { for (const judged of opened.splice(0)) await judged.end(); });

/** A list: the key that opens it, its first header, a header that the previous list lacks, and the names that it must show (`undefined` if names repeat). */
interface List {
  readonly key: string;
  readonly header: string;
  readonly uniqueHeader: string;
  readonly names: (said: Hostility) => readonly string[] | undefined;
  readonly rows?: (said: Hostility) => number;
}

const lists: Readonly<Record<string, List>> = {
  nodes: { key: '2', header: 'NODE', uniqueHeader: 'STATUS', names: ({ nodes }) => nodes },
  listeners: { key: '3', header: 'NODE', uniqueHeader: 'LISTEN', names: () => undefined, rows: ({ nodes }) => 2 * nodes.length },
  clients: { key: '4', header: 'CLIENT ID', uniqueHeader: 'ADDRESS', names: ({ names }) => names },
  sessions: { key: '5', header: 'CLIENT ID', uniqueHeader: 'INFLIGHT', names: ({ names }) => names },
  subscriptions: { key: '6', header: 'CLIENT ID', uniqueHeader: 'TOPIC FILTER', names: ({ names }) => names },
  routes: { key: '7', header: 'TOPIC FILTER', uniqueHeader: 'WILDCARD', names: ({ names }) => names },
  plugins: { key: '8', header: 'PLUGIN', uniqueHeader: 'ACTIVE', names: ({ names }) => names },
  settings: { key: ',', header: 'KEY', uniqueHeader: 'SAME', names: ({ names }) => names },
  users: { key: '@', header: 'NAME', uniqueHeader: 'TAGS', names: ({ names }) => names },
};

/** Opens a list and waits for all its rows. */
const show = async (judged: Judged, { key, header, uniqueHeader, names, rows }: List, said: Hostility, cursor: string): Promise<void> => {
  const count = names(said)?.length ?? rows?.(said) ?? 0;
  judged.type(key);
  await judged.until(() => {
    const { lines, top } = rowsBelow(judged, header);
    return judged.lines()[top - 1]?.includes(uniqueHeader) === true && lines.length === count && lines.some((line) => line.startsWith(cursor));
  });
};

const sees = async (judged: Judged, list: List, said: Hostility): Promise<readonly string[]> => {
  const { header } = list;
  const expected = list.names(said);
  await show(judged, list, said, '▸');
  const table = tableOf(judged, header);
  return [...frameFaults(judged), ...shiftedColumns(table), ...cursorFaults(judged, table), ...(expected === undefined ? [] : nameFaults(table, expected))];
};

const open = (said: Hostility, columns: number, theme = colorTheme): Judged => {
  broker.say(said);
  const judged = openJudged({ url: broker.url, columns, rows: said.names.length + 20, theme });
  opened.push(judged);
  return judged;
};

/** Visits every list in one run of the program. Returns the faults by list. */
const tour = async (said: Hostility, columns: number): Promise<Readonly<Record<string, readonly string[]>>> => {
  const judged = open(said, columns);
  const found: Record<string, readonly string[]> = {};
  for (const [name, list] of Object.entries(lists)) {
    const faults = await sees(judged, list, said);
    if (faults.length > 0) found[name] = faults;
  }
  const did = judged.faults();
  await opened.pop()?.end();
  return did.length === 0 ? found : { ...found, effects: did };
};

const escape = '\u001B';
const pasted = (text: string): string => `${escape}[200~${text}${escape}[201~`;

/** Everything that can be opened: the keys, and what shows that it is open. */
const walk: readonly (readonly [keys: string, shown: RegExp])[] = [
  ['1', /nodes \d+\/\d+[^]*What is wrong/u], ['T', /TRIAGE/u], ['9', /Metrics of the cluster/u], ['v', /Metrics of (?!the cluster)/u], ['0', /Log +what was done/u],
  ['?', /Move/u], [escape, /Log +what was done/u], [':', /\d+ of \d+$/mu], ['zz', /no command has/u], [escape, /Log +what was done/u],
  ['2', /^ NODE[^]*^▸/mu], ['\r', /── Node /u], ['l', /Listeners ›|› Listeners/u], [escape, /── Node /u], ['c', /Clients ›|› Clients/u], [escape, /── Node /u],
  ['4', /^ CLIENT ID.*NODE[^]*^▸/mu], ['o', /Clients › by/u], ['\r', /^ (?:Clients › )?node [^]*Esc back/mu], ['4', /^ CLIENT ID.*NODE[^]*^▸/mu], ['o', /Clients › by/u], ['o', /Clients › by user/u], ['\r', /^ (?:Clients › )?user name [^]*Esc back/mu],
  ['4', /^ CLIENT ID.*NODE[^]*^▸/mu], ['\r', /^ CLIENT (?!ID)/mu], ['i', /Sessions ›|› Sessions/u], [escape, /^ CLIENT (?!ID)/mu], ['u', /Subscriptions ›|› Subscriptions/u],
  ['4', /^ CLIENT ID.*NODE[^]*^▸/mu], ['K', /Disconnect this client\?/u], ['n', /^ CLIENT ID.*NODE(?![^]*Disconnect this)/mu], ['a', /ACL cache/u], [escape, /^ CLIENT ID(?![^]*ACL cache)/mu],
  ['S', /Subscribe on/u], [escape, /^ CLIENT ID(?![^]*Subscribe on)/mu], ['P', /Publish a message/u], [escape, /^ CLIENT ID(?![^]*Publish a)/mu],
  ['*', /\d+ marked/u], ['K', /the marked clients\?/u], [escape, /^ {1,2}CLIENT ID(?![^]*the marked clients)/mu], ['U', /^ {1,2}CLIENT ID(?![^]*\d+ marked)/mu],
  ['C', /── Columns/u], [escape, /^ CLIENT ID(?![^]*── Columns)/mu], ['W', /WIDE/u], ['W', /^ CLIENT ID(?![^]*WIDE)/mu],
  ['/', /column:text/u], [pasted(`${escape}]0;pasted\u0007\u202E\r\nx`), /pasted[^]*here matches|here matches[^]*pasted/u], [escape, /^▸(?![^]*here matches)/mu],
  ['6', /^ CLIENT ID.*TOPIC[^]*^▸/mu], ['t', /^ (?:Subscriptions › )?topic /mu], ['7', /^ TOPIC FILTER[^]*^▸/mu], ['t', /\[\+\]|^ TOPIC/mu], ['\u001B[C', /^ TOPIC/mu], ['8', /^ PLUGIN[^]*^▸/mu], ['\r', /^ KEY[^]*(?:^▸|not read)/mu], [',', /, Settings[^]*^ KEY[^]*^▸/mu],
  ['@', /^ NAME[^]*^▸/mu], ['n', /New user of/u], [escape, /^ NAME(?![^]*New user of)/mu], ['L', /LOG/u],
];

/** Opens everything while the cursor is on a hostile name. Returns the faults of the frame around it. */
const openEverything = async (said: Hostility, columns: number): Promise<readonly string[]> => {
  const judged = open(said, columns);
  const found: string[] = [];
  for (const [keys, shown] of walk) {
    judged.type(keys);
    await judged.until((text) => shown.test(text)).catch((error: unknown) => { throw new Error(`After ${JSON.stringify(keys)} ${String(shown)}`, { cause: error }); });
    found.push(...frameFaults(judged).map((fault) => `${fault}, after ${JSON.stringify(keys)}`));
  }
  found.push(...judged.faults());
  await opened.pop()?.end();
  return found;
};

const nodes = ['one@h', 'x\u001B[', '2J\u202E@\u0301'];
const isUsable = (name: string): boolean => name !== '' && name.isWellFormed() && name.length < 200;
const hostility: fc.Arbitrary<Hostility> = fc.record({
  nodes: fc.uniqueArray(hostileText.filter(isUsable), { minLength: 1, maxLength: 4 }),
  names: fc.uniqueArray(hostileText, { minLength: 8, maxLength: 16 }),
  words: fc.array(hostileText, { minLength: 1, maxLength: 12 }),
  figures: fc.option(fc.array(fc.oneof(fc.constantFrom(0, -0, -1, 0.1, 1e-9, 65_536, 2 ** 31, 2 ** 53, 1e21, 1e308, -1e308, 5e-324), fc.double({ noNaN: true, noDefaultInfinity: true })), { minLength: 1, maxLength: 6 }), { nil: undefined }),
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
    const said = { nodes, names: allHostileTexts, words: allHostileTexts };
    const judged = open(said, 160, asciiTheme);
    for (const list of Object.values(lists)) {
      await show(judged, list, said, '>');
      expect(judged.lines().filter((line) => !/^[ -~]*$/u.test(line))).toEqual([]);
    }
    expect(judged.faults()).toEqual([]);
  });

  test(`with any texts (seed ${seed})`, async () => {
    await fc.assert(fc.asyncProperty(hostility, fc.integer({ min: 80, max: 240 }), async (said, columns) => {
      expect(await tour(said, columns)).toEqual({});
    }), attack(10));
  }, longAttackMs);
});

describe('everything that can be opened, in a terminal that checks each frame', () => {
  test.each([100, 200])('on names with control and direction codes, %i columns wide', async (columns) => {
    const names = allHostileTexts.filter((text) => /[\p{Cc}\p{Cf}]/u.test(text)).slice(0, 24);
    expect(await openEverything({ nodes, names, words: allHostileTexts }, columns)).toEqual([]);
  });

  test(`with any texts (seed ${seed})`, async () => {
    await fc.assert(fc.asyncProperty(hostility, async (said) => {
      expect(await openEverything(said, 120)).toEqual([]);
    }), attack(6));
  }, longAttackMs);
});
