import { afterEach, expect, test } from 'vitest';
import { type ActingState, initialActingState } from '../../../src/actions/acting-monitor.ts';
import { momentText } from '../../../src/domain/time-text.ts';
import { createReplayMonitor, type ReplayMonitor } from '../../../src/replay/replay-monitor.ts';
import { App } from '../../../src/screens/app.tsx';
import type { PastEvent } from '../../../src/monitor/state.ts';
import { createTriagedMonitor } from '../../../src/timeline/triaged-monitor.ts';
import { version } from '../../../src/version.ts';
import { client, createFakeApi, nodeStats } from '../../monitor/fake-api.ts';
import { momentAt, sourceOf } from '../../replay/sources.ts';
import { fresh } from '../../screens/cluster-state.ts';
import { scanOf } from '../../screens/list-fixtures.ts';
import { patched, readingsOf } from '../../support/readings.ts';
import { colorTheme, createRig, endRigs, type Rig } from '../support/rig.tsx';

const ending: (() => void)[] = [];
afterEach(() => {
  endRigs();
  for (const end of ending.splice(0)) end();
});

const minute = 60_000;
/** Three hours ago. */
const startMs = Math.floor(Date.now() / minute) * minute - 180 * minute;

/** A state in which one node runs and these clients are connected. */
function stateOf(wallMs: number, ids: readonly string[]): Partial<ActingState> {
  const { steadyMs } = momentAt(wallMs);
  const node = { ...fresh([nodeStats('a', 'running', { clients: ids.length })]), updatedAtMs: steadyMs };
  return patched(
    initialActingState(2),
    readingsOf({ nodeStats: node, clientScan: scanOf(ids.map((id) => client(id, 'a', 1))) }),
  );
}

const samples = [0, 2_000, 4_000, 30 * minute].map((after, index) => {
  const ids = ['first', 'second', 'third', 'fourth'].slice(0, index + 1);
  return [startMs + after, stateOf(startMs + after, ids)] as const;
});

function show(
  {
    isLive = true,
    events = [],
    columns = 100,
    rows = 24,
  }: {
    readonly isLive?: boolean;
    readonly events?: readonly PastEvent[];
    readonly columns?: number;
    readonly rows?: number;
  } = {},
  recorded: Parameters<typeof sourceOf>[0] = samples,
  program = version,
): { readonly rig: Rig; readonly monitor: ReplayMonitor; readonly requests: () => number } {
  let requests = 0;
  const ask = async <T,>(value: T): Promise<T> => {
    requests += 1;
    return value;
  };
  const live = createTriagedMonitor({
    api: createFakeApi({
      listNodeStats: () => ask([nodeStats('a')]),
      listClients: (_, page) => ask({ ...page, items: [client('present', 'a', 1)], totalItems: 1, totalPages: 1 }),
    }),
    intervalSeconds: 60,
  });
  const monitor = createReplayMonitor(sourceOf(recorded, events, program), isLive ? live : undefined);
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
  return { rig, monitor, requests: () => requests };
}

const escape = '\u001B';
const [left, right] = [`${escape}[D`, `${escape}[C`];

/** Returns the line of messages once it has a text. */
const messageWith = async (rig: Rig, text: string): Promise<string | undefined> =>
  (await rig.until((all) => all.includes(text))).at(-2)?.trim();

/** Waits for clients that are listed, and others that are not. */
const untilListed = (rig: Rig, has: string, hasNot: string): Promise<readonly string[]> =>
  rig.until((text) => text.includes(has) && !text.includes(hasNot));

test.each([
  [80, 24],
  [200, 60],
])('h looks back, arrows step, Esc returns to now, at %d×%d', async (columns, rows) => {
  const { rig, requests } = show({ columns, rows });
  rig.type('4');
  await rig.until((text) => text.includes('present'));
  rig.type('h');
  const lines = await untilListed(rig, 'fourth', 'present');
  const lastMs = startMs + 30 * minute;
  expect(lines[0]).toContain(`${momentText(lastMs)}, 2 h ago`);
  expect(lines[2]).toMatch(/^ \d\d:\d\d:\d\d ─* .* {2,}.*│ \d\d:\d\d:\d\d/u);
  expect(lines.at(-1)).toMatch(/^ no actions  Esc now  ← → step  \( \) 10 min  ; event  .*: find  q quit  \? help$/u);
  const before = requests();
  rig.type(left);
  await untilListed(rig, 'third', 'fourth');
  rig.type(left);
  expect((await untilListed(rig, 'second', 'third'))[0]).toContain(momentText(startMs + 2_000));
  rig.type(right);
  await untilListed(rig, 'third', 'fourth');
  expect(requests()).toBe(before);
  rig.type(escape);
  const now = await untilListed(rig, 'present', 'third');
  expect(now[0]).not.toContain(momentText(startMs).slice(0, -8));
  expect(now[2]).not.toContain('│ ');
  expect(now.at(-1)).not.toContain('no actions');
});

test('keys typed at once are all taken: h and two steps back', async () => {
  const { rig } = show();
  rig.type('4');
  await rig.until((text) => text.includes('present'));
  rig.type(`h${left}${left}`);
  expect((await untilListed(rig, 'second', 'third'))[0]).toContain(momentText(startMs + 2_000));
});

test('lists filter, sort and open in the past, and the place stays when now returns', async () => {
  const { rig } = show();
  rig.type('4');
  await rig.until((text) => text.includes('present'));
  rig.type('h');
  await untilListed(rig, 'fourth', 'present');
  rig.type('/');
  await rig.until((text) => text.includes('filter:') || text.includes(' /'));
  rig.type('fir');
  await untilListed(rig, 'first', 'second');
  rig.type('\r');
  await untilListed(rig, 'first', 'second');
  rig.type('\r');
  await rig.until((text) => text.includes('Client first'));
  rig.type('q');
  await untilListed(rig, 'first', 'second');
  rig.type(escape);
  const now = await rig.until((text) => !text.includes(' h ago'));
  expect(now.join('\n')).toContain('fir');
});

test('nothing acts in the past, and the keys say why', async () => {
  const { rig, monitor } = show();
  rig.type('4');
  await rig.until((text) => text.includes('present'));
  rig.type('h');
  await untilListed(rig, 'fourth', 'present');
  for (const key of ['K', ' ', '-', 'A', 'P']) {
    rig.type(key);
    const lines = await rig.until((text) => text.includes('Actions are off in the past. Esc returns to now.'));
    expect(lines.join('\n')).not.toContain('Disconnect');
    // Another message in between.
    rig.type(')');
    await rig.until((text) => text.includes('This is the last sample. Esc returns to now.'));
  }
  expect(monitor.store.getState().isFrozen).toBe(false);
});

test('ten minutes, the next event, and a time that is typed; a time without a sample says so', async () => {
  const { rig } = show({
    events: [
      { atMs: startMs + 3_000, severity: 'critical' },
      { atMs: startMs + 29 * minute, severity: 'warning' },
    ],
  });
  rig.type('4');
  await rig.until((text) => text.includes('present'));
  rig.type('(');
  await untilListed(rig, 'third', 'fourth');
  rig.type(`:${momentText(startMs)}`);
  const palette = await rig.until((text) => text.includes('1 match'));
  expect(palette.join('\n')).toContain(`Look back to ${momentText(startMs)}`);
  rig.type('\r');
  await untilListed(rig, 'first', 'second');
  rig.type(';');
  await untilListed(rig, 'third', 'fourth');
  rig.type(';');
  await rig.until((text) => text.includes('fourth'));
  rig.type(';');
  expect(await messageWith(rig, 'No later event is recorded')).toBe('No later event is recorded');
  rig.type(`:${momentText(startMs + 12 * minute)}`);
  await rig.until((text) => text.includes('1 match'));
  rig.type('\r');
  expect(
    await messageWith(
      rig,
      `Nothing was recorded at ${momentText(startMs + 12 * minute)}. The nearest sample is of ${momentText(startMs + 4_000)}.`,
    ),
  ).toBe(
    `Nothing was recorded at ${momentText(startMs + 12 * minute)}. The nearest sample is of ${momentText(startMs + 4_000)}.`,
  );
});

test('while paused, the arrow back looks at the sample before', async () => {
  const { rig } = show();
  rig.type('4');
  await rig.until((text) => text.includes('present'));
  rig.type('p');
  await rig.until((text) => text.includes('PAUSED'));
  rig.type(left);
  await untilListed(rig, 'third', 'fourth');
  rig.type(escape);
  const paused = await untilListed(rig, 'present', 'third');
  expect(paused[0]).toContain('PAUSED');
});

test('what was not being read then is not loading', async () => {
  const { rig } = show();
  rig.type('h');
  await rig.until((text) => text.includes(' h ago'));
  rig.type('5');
  const lines = await rig.until((text) => text.includes('Not recorded: this was not being read at the time.'));
  expect(lines.join('\n')).not.toContain('Loading');
});

test('a recording by itself has no now, and q leaves', async () => {
  const { rig, monitor } = show({ isLive: false });
  await monitor.travel.goTo(startMs);
  rig.type('4');
  await untilListed(rig, 'first', 'second');
  rig.type('K');
  await rig.until((text) => text.includes('Actions are off: this is a recording.'));
  rig.type('h');
  await rig.until((text) => text.includes('fourth'));
  rig.type(right);
  expect(await messageWith(rig, 'This is the last sample of the recording')).toBe(
    'This is the last sample of the recording',
  );
});

test('nothing recorded yet', async () => {
  const { rig } = show({}, []);
  await rig.until((text) => text.includes('1/1 nodes'));
  for (const key of ['h', '(']) {
    rig.type(key);
    expect(await messageWith(rig, 'Nothing is recorded yet')).toBe('Nothing is recorded yet');
    rig.type(')');
    expect(await messageWith(rig, 'No recording is shown')).toBe('No recording is shown');
  }
});

test('says which version recorded it, if it is another', async () => {
  const { rig, monitor } = show({}, samples, '9.9.9-other');
  await rig.until((text) => text.includes('1/1 nodes'));
  await monitor.travel.open();
  expect(await messageWith(rig, `Recorded by brokertop 9.9.9-other (this is ${version}): problems as found then`)).toBe(
    `Recorded by brokertop 9.9.9-other (this is ${version}): problems as found then`,
  );
});

test.each([
  [80, 24],
  [200, 60],
])('problems that were not recorded are unknown on every screen, at %d×%d', async (columns, rows) => {
  const { rig } = show({ columns, rows });
  await rig.until((text) => text.includes('1/1 nodes'));
  rig.type('h');
  const overview = await rig.until((text) => text.includes('not checked: problems were not recorded'));
  expect(overview[0]).toContain('problems unknown');
  rig.type('T');
  const triage = await rig.until((text) => text.includes('problems unknown; '));
  expect(triage.join('\n')).toMatch(/problems unknown; \d+ checks: 0 passed, \d+ not checked/u);
  expect([...overview, ...triage].join('\n')).not.toMatch(/no problems|\bok\b|loading/u);
});

test.each([
  [80, 24],
  [200, 60],
])('p plays and stops, + changes the speed, at %d×%d', async (columns, rows) => {
  const atMs = startMs + 30 * minute;
  const more = [2, 4, 100].map((after) => [atMs + after * 1_000, stateOf(atMs, ['fifth'])] as const);
  const { rig, monitor } = show({ columns, rows }, [...samples, ...more]);
  rig.type('4');
  await rig.until((text) => text.includes('present'));
  rig.type('h');
  await rig.until((text) => text.includes(' h ago'));
  expect(rig.lines().at(-1)?.includes('p play')).toBe(columns > 80);
  await monitor.travel.goTo(startMs + 2_000);
  await untilListed(rig, 'second', 'third');
  rig.type('p');
  const playing = await rig.until((text) => text.includes('▸1× '));
  expect(playing[2]).toMatch(/▸1× *$/u);
  rig.type('+');
  await rig.until((text) => text.includes('▸10× '));
  await untilListed(rig, 'fifth', 'present');
  rig.type('p');
  expect((await rig.until((text) => !text.includes('× ')))[2]).not.toContain('▸');
  rig.type('p');
  await rig.until((text) => text.includes('▸10× '));
  rig.type('+');
  await rig.until((text) => text.includes('▸60× '));
  // It ends at now.
  await rig.until((text) => text.includes('present') && !text.includes(' h ago'));
});
