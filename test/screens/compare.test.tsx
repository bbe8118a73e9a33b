import { afterEach, describe, expect, test } from 'vitest';
import { type ActingState, initialActingState } from '../../src/actions/acting-monitor.ts';
import { clockText } from '../../src/domain/text.ts';
import { momentText } from '../../src/domain/time-text.ts';
import { createReplayMonitor } from '../../src/replay/replay-monitor.ts';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import { App } from '../../src/screens/app.tsx';
import { parseMoments } from '../../src/screens/compare/comparing.ts';
import { client, createFakeApi, nodeStats } from '../monitor/fake-api.ts';
import { momentAt, sourceOf } from '../replay/sources.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { colorTheme, createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import { fresh } from './cluster-state.ts';
import { readWhole, scanOf } from './list-fixtures.ts';

const ending: (() => void)[] = [];
afterEach(() => {
  endRigs();
  for (const end of ending.splice(0)) end();
});

const minute = 60_000;
/** Three hours ago. */
const startMs = Math.floor(Date.now() / minute) * minute - 180 * minute;

/** A state in which one node runs, and its list of clients was read to its end. */
function stateOf(wallMs: number, ids: readonly string[]): Partial<ActingState> {
  const { steadyMs } = momentAt(wallMs);
  return patched(
    initialActingState(2),
    readingsOf({
      nodeStats: { ...fresh([nodeStats('a', 'running', { clients: ids.length })]), updatedAtMs: steadyMs },
      clientScan: {
        ...scanOf(ids.map((id) => client(id, 'a', 1))),
        coverage: new Map([['a', { ...readWhole(ids.length), isComplete: true, readAtMs: 1 }]]),
      },
    }),
  );
}

const samples = [['one'], ['one', 'two'], ['two', 'three']].map((ids, index) => {
  const atMs = startMs + index * 10 * minute;
  return [atMs, stateOf(atMs, ids)] as const;
});
const [firstMs, secondMs, thirdMs] = samples.map(([atMs]) => atMs) as [number, number, number];

interface Shown {
  readonly rig: Rig;
  readonly asked: () => ReadonlySet<string>;
}

function show(
  {
    isLive = true,
    columns = 100,
    rows = 30,
    until,
  }: {
    readonly isLive?: boolean;
    readonly columns?: number;
    readonly rows?: number;
    /** When a sample that is read is there. */
    readonly until?: (wallMs: number) => Promise<void>;
  } = {},
  recorded = samples,
): Shown {
  const asked = new Set<string>();
  const ask = async <T,>(what: string, value: T): Promise<T> => {
    asked.add(what);
    return value;
  };
  const api = createFakeApi({
    listNodeStats: () => ask('node statistics', [nodeStats('a', 'running', { clients: 2 })]),
    listClients: (_, page) =>
      ask('clients', { ...page, items: [client('two', 'a', 1), client('new', 'a', 1)], totalItems: 2, totalPages: 1 }),
    listUsers: () => ask('users', [{ username: 'ann', tags: 'administrator' }]),
  });
  const live = createTriagedMonitor({ api, intervalSeconds: 60 });
  const source = sourceOf(recorded);
  const monitor = createReplayMonitor(
    {
      ...source,
      at: async (wallMs) => {
        await until?.(wallMs);
        return source.at(wallMs);
      },
    },
    isLive ? live : undefined,
  );
  ending.push(() => {
    monitor.stop();
    live.stop();
  });
  const session = {
    url: 'http://127.0.0.1:1',
    user: 'admin',
    isReadOnly: false,
    isInsecure: false,
    readPayload: async () => '',
    describeApi: () => '',
  };
  const signIn = { source: undefined, readAgain: async () => '', takePassword: () => {} };
  const rig = createRig(
    <App monitor={monitor} travel={monitor.travel} session={session} signIn={signIn} theme={colorTheme} />,
    { columns, rows },
  );
  return { rig, asked: () => asked };
}

const escape = '\u001B';
const [left, right] = [`${escape}[D`, `${escape}[C`];

/** The rows of the list: `clients gone one`. */
const changesOf = (lines: readonly string[]): readonly string[] =>
  lines
    .map((line) => /^[ │▸>▌]*(\S+) +(came|gone|changed|figure|unknown) +(.*?)(?: {2,}.*)?$/u.exec(line))
    .flatMap((match) => (match === null ? [] : [`${match[1]} ${match[2]} ${match[3]}`]));

const untilTitle = (rig: Rig, text: string): Promise<readonly string[]> => rig.until((all) => all.includes(text));

describe('compare', () => {
  test.each([
    [80, 24],
    [200, 60],
  ])('a moment of the past with now, at %d×%d', async (columns, rows) => {
    const { rig, asked } = show({ columns, rows });
    await rig.until((text) => text.includes('1/1 nodes'));
    rig.type('h');
    await rig.until((text) => text.includes(' h ago'));
    rig.type('=');
    const lines = await rig.until((text) => text.includes('Clients: 1 came, 1 went'));
    const text = lines.join('\n');
    expect(text).toMatch(new RegExp(` Compare  ${momentText(thirdMs)} → now, 2h 4\\dm`, 'u'));
    expect(text).not.toContain('h ago');
    expect(changesOf(lines)).toEqual(expect.arrayContaining(['clients came new', 'clients gone three']));
    expect(text).toContain('Not recorded at the first moment');
    // The lists that were not read are.
    await rig.until(() => asked().has('users'));
  });

  test('two moments of the past: the mark, and what is shown', async () => {
    const { rig } = show();
    await rig.until((text) => text.includes('1/1 nodes'));
    rig.type('h=');
    await untilTitle(rig, '→ now');
    rig.type('h');
    await rig.until((text) => text.includes('This is the marked moment.') || text.includes('h ago'));
    rig.type(left);
    const back = await untilTitle(rig, `${momentText(secondMs)} → ${momentText(thirdMs)}, 10m 00s`);
    expect(changesOf(back)).toEqual(expect.arrayContaining(['clients came three', 'clients gone one']));
    rig.type('=');
    await rig.until((text) =>
      text.includes(`Comparing with ${momentText(thirdMs)}. Close this screen to mark another`),
    );
    rig.type(escape);
    await untilTitle(rig, `${momentText(thirdMs)} → now`);
  });

  test('the moment that the keys before lead to, however long that takes to read', async () => {
    const opened = Promise.withResolvers<void>();
    // Only the sample that is opened is ever read.
    const { rig } = show({
      until: (wallMs) => (wallMs === thirdMs ? opened.promise : Promise.withResolvers<void>().promise),
    });
    await rig.until((text) => text.includes('1/1 nodes'));
    rig.type('h=h');
    opened.resolve();
    const lines = await untilTitle(rig, `${momentText(thirdMs)} → now`);
    expect(lines.join('\n')).not.toContain('h ago');
  });

  test('a mark that is set now is compared later, and ends with the screen', async () => {
    const { rig } = show();
    await rig.until((text) => text.includes('1/1 nodes'));
    rig.type('=');
    await rig.until((text) => /Marked .*\. Press = later, or in the past, to compare with it\./u.test(text));
    rig.type('=');
    await rig.until((text) => text.includes('→ now, 0 s') || /→ now, \d s/u.test(text));
    rig.type('q');
    await rig.until((text) => !text.includes('→ now'));
    rig.type(`:compare`);
    await rig.until((text) => text.includes('Compare: the moment shown with now'));
    rig.type('\r');
    const lines = await rig.until((text) => /Marked .*Press = later/u.test(text));
    expect(lines.join('\n')).not.toContain('→ now');
  });

  test('a comparison that was left is over, and the bar marks what is compared with', async () => {
    const { rig } = show();
    await rig.until((text) => text.includes('1/1 nodes'));
    rig.type('h=');
    await untilTitle(rig, `${momentText(thirdMs)} → now`);
    rig.type('h');
    await rig.until((text) => text.includes('This is the marked moment.') || text.includes('h ago'));
    rig.type(left);
    const bar = (await untilTitle(rig, `${momentText(secondMs)} → ${momentText(thirdMs)}`))[2];
    expect(bar).toMatch(/│.*=/u);
    // Its tab leaves it, and goes back to it.
    rig.type('4');
    await rig.until((text) => !text.includes(' Compare  '));
    rig.type('[');
    await untilTitle(rig, `${momentText(secondMs)} → ${momentText(thirdMs)}`);
    rig.type('4');
    await rig.until((text) => !text.includes(' Compare  '));
    rig.type('=');
    await untilTitle(rig, `${momentText(secondMs)} → now`);
  });

  test('a moment in the middle of a reading has the list as it was before', async () => {
    const atMs = secondMs + 2_000;
    const { steadyMs } = momentAt(atMs);
    const half = patched(
      stateOf(atMs, ['one', 'new']),
      readingsOf({
        clientScan: { ...scanOf([client('new', 'a', 1)]), phase: 'running', startedAtMs: steadyMs - 1_000 },
      }),
    );
    const { rig } = show({}, [...samples.slice(0, 2), [atMs, half], ...samples.slice(2)]);
    await rig.until((text) => text.includes('1/1 nodes'));
    rig.type(`:${momentText(atMs)}`);
    await rig.until((text) => text.includes(`Look back to ${momentText(atMs)}`));
    rig.type('\r');
    await rig.until((text) => text.split('\n')[0]?.includes(`${momentText(atMs)}, 2 h ago`) === true);
    // The mark.
    rig.type('=');
    await untilTitle(rig, '→ now');
    rig.type('h');
    const marked = await untilTitle(rig, `${momentText(atMs)} → ${momentText(thirdMs)}`);
    expect(marked.join('\n')).not.toContain('not read to its end');
    expect(changesOf(marked)).toEqual(expect.arrayContaining(['clients came three', 'clients gone one']));
    rig.type(escape);
    await untilTitle(rig, '→ now');
    rig.type('q');
    rig.type(`:compare ${clockText(firstMs)} ${clockText(atMs)}`);
    await rig.until((text) => text.includes(`Compare ${momentText(firstMs)} with ${momentText(atMs)}`));
    rig.type('\r');
    // What is shown.
    const shown = await rig.until((text) => text.includes('Clients: 1 came') && !text.includes('unknown how many'));
    expect(changesOf(shown)).toContain('clients came two');
  });

  test('times are typed', async () => {
    const { rig } = show();
    await rig.until((text) => text.includes('1/1 nodes'));
    rig.type(`:compare ${clockText(firstMs)}`);
    await rig.until((text) => text.includes(`Compare ${momentText(firstMs)} with now`));
    rig.type('\r');
    await untilTitle(rig, `${momentText(firstMs)} → now`);
    rig.type(`:compare ${clockText(firstMs)} ${clockText(secondMs)}`);
    await rig.until((text) => text.includes(`Compare ${momentText(firstMs)} with ${momentText(secondMs)}`));
    rig.type('\r');
    const lines = await untilTitle(rig, `${momentText(firstMs)} → ${momentText(secondMs)}, 10m 00s`);
    expect(changesOf(lines)).toContain('clients came two');
  });

  test('in a recording by itself, = marks, and = again compares', async () => {
    const { rig } = show({ isLive: false });
    rig.type('h');
    await rig.until((text) => text.includes(momentText(thirdMs)));
    rig.type('=');
    await rig.until((text) =>
      text.includes(`Marked ${momentText(thirdMs)}. Move to another moment and press = to compare.`),
    );
    rig.type(`${left}${left}=`);
    const lines = await untilTitle(rig, `${momentText(firstMs)} → ${momentText(thirdMs)}, 20m 00s`);
    expect(changesOf(lines)).toEqual(
      expect.arrayContaining(['clients came three', 'clients came two', 'clients gone one']),
    );
    expect(lines.join('\n')).toContain('Not recorded: ');
    rig.type(right);
    await untilTitle(rig, `${momentText(secondMs)} → ${momentText(thirdMs)}, 10m 00s`);
  });

  test('filters, groups, and opens what went when it was there', async () => {
    const { rig } = show();
    await rig.until((text) => text.includes('1/1 nodes'));
    rig.type('h=');
    await rig.until((text) => text.includes('Clients: 1 came, 1 went'));
    rig.type('/');
    rig.type('list:clients change:gone');
    const filtered = await rig.until((text) => text.includes('three') && !/ came +new/u.test(text));
    expect(changesOf(filtered)).toEqual(['clients gone three']);
    rig.type('\r');
    rig.type('\r');
    const page = await rig.until((text) => text.includes('Client three'));
    expect(page[0]).toContain(momentText(thirdMs));
    rig.type('q');
    // The marked moment is shown: it is compared with what it was compared with before.
    await rig.until((text) => text.includes(`${momentText(thirdMs)} → `) && text.includes('change:gone'));
    rig.type(escape);
    await untilTitle(rig, '→ now');
    rig.type('o');
    await rig.until((text) => text.includes('Group the differences'));
    rig.type('\r');
    const groups = await rig.until((text) => text.includes('clients gone'));
    expect(groups.join('\n')).toContain('by list and change');
    // Clients that went are opened as they were.
    rig.type('/clients gone\r\r');
    const gone = await rig.until((text) => text.includes('1 client found at'));
    expect(gone[0]).toContain(momentText(thirdMs));
    expect(gone.join('\n')).toMatch(/gone by \d\d:\d\d:\d\d: 1 client found at/u);
    expect(gone.join('\n')).toContain('▸three ');
    expect(gone.join('\n')).not.toContain('two ');
    rig.type('q');
    await rig.until((text) => text.includes('by list and change'));
  });
});

describe('typed moments', () => {
  const at = (hour: number, min: number, day = 28): number => new Date(2026, 10, day, hour, min).getTime();
  const nowMs = at(14, 30);

  test.each([
    ['compare 14:02', at(14, 2), undefined],
    ['diff 14:00 14:10', at(14, 0), at(14, 10)],
    ['compare 14:00 → 14:10', at(14, 0), at(14, 10)],
    ['compare 14:00 now', at(14, 0), undefined],
    ['compare 10m', at(14, 20), undefined],
    ['compare 27 Nov 14:00 14:10', at(14, 0, 27), at(14, 10, 27)],
    ['compare 27 Nov 23:50 0:10', at(23, 50, 27), at(0, 10)],
    ['compare 26 Nov 9:00 to 27 Nov 9:00', at(9, 0, 26), at(9, 0, 27)],
  ])('%s', (typed, first, second) => {
    expect(parseMoments(typed, nowMs)).toEqual({ firstMs: first, secondMs: second });
  });

  test.each(['compare', 'compare ', 'compare soon', 'compare 14:00 soon', '14:02', 'comparison 14:02'])(
    '"%s" is none',
    (typed) => {
      expect(parseMoments(typed, nowMs)).toBeUndefined();
    },
  );
});
