import { afterEach, expect, test } from 'vitest';
import type { DialogRequest } from '../../src/actions/requests.ts';
import { errorOfCode } from '../../src/api/dialects/emq-v2/envelope.ts';
import { NoAnswerError, NotFoundError, TimeoutError } from '../../src/api/errors.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { watchKey, watchOf } from '../../src/monitor/query/part.ts';
import { emptyResource, type ResourceState } from '../../src/monitor/state.ts';
import { maybeOnStoppedNodeText } from '../../src/monitor/texts.ts';
import type { ClientDetail, TrendPoint } from '../../src/resources/clients/client-detail.ts';
import { clientDetail } from '../../src/resources/clients/detail.ts';
import { ClientScreen } from '../../src/resources/clients/page.tsx';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import { safe, trusted } from '../../src/terminal/safe-text.ts';
import { DialogContext } from '../../src/tui/hooks/open-dialog.ts';
import { listTexts } from '../../src/tui/list/texts.ts';
import { type PartValues, readingsOf } from '../support/readings.ts';
import { any, matching } from '../support/texts.ts';
import { createRig, endRigs, type Rig } from '../tui/support/rig.tsx';
import { capabilitiesB } from './administration-fixtures.tsx';
import { pattern } from './frames.ts';
import {
  brokerClock,
  clientOf,
  createFakeMonitor,
  type FakeMonitor,
  infoOf,
  propsOf,
  ready,
  scanOf,
  sessionOf,
  sizes,
} from './list-fixtures.ts';

afterEach(endRigs);

const topics = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    clientId: 'c-1',
    topic: `plant/${index}/#`,
    qos: index % 3,
    node: undefined,
  }));

const whole: ClientDetail = {
  clients: [clientOf('c-1', { node: undefined, username: 'factory-a' })],
  sessions: [sessionOf('c-1')],
  subscriptions: topics(2),
};

const monitorOf = (state: ResourceState<ClientDetail> | undefined, clientId = 'c-1'): FakeMonitor => {
  const monitor = createFakeMonitor(
    readingsOf({ clientDetail: new Map(state === undefined ? [] : [[clientId, state]]) }),
  );
  monitor.setResources({ nodes: ready([infoOf('broker1@127.0.0.1'), infoOf('broker2@127.0.0.1')]) });
  return monitor;
};

const open = (monitor: FakeMonitor, size: readonly [number, number] = [80, 24], clientId = 'c-1'): Rig =>
  createRig(<ClientScreen {...propsOf(monitor, size)} clientId={clientId} />, { columns: size[0], rows: size[1] });

const textOf = (rig: Rig): string => rig.lines().join('\n');

test.each(sizes)('fills %i by %i', (width, height) => {
  const lines = open(monitorOf(ready(whole)), [width, height]).lines();
  expect(lines).toHaveLength(height);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
  expect(lines[0]).toMatch(pattern`^ Client c-1 +● connected$`);
});

test('shows what it sent and received, and opens its messages, where the broker has them', async () => {
  const traffic = { receivedMessages: 1_200, sentMessages: 7, receivedBytes: 4_096, sentBytes: undefined };
  const clients = [clientOf('c-1', { node: undefined, traffic })];
  const monitor = monitorOf(ready({ ...whole, clients }));
  const rig = open(monitor, [120, 30]);
  expect(textOf(rig)).toMatch(pattern`sent +1,200 msg, 4\.0 kB `);
  expect(textOf(rig)).toMatch(pattern`received +7 msg, – `);
  expect(textOf(open(monitorOf(ready(whole)), [120, 30]))).not.toMatch(/received/u);
  rig.type('M');
  expect(monitor.places).toEqual([]);
  monitor.set({ capabilities: { ...capabilitiesB, sessionMessages: true } });
  await expect
    .poll(() => {
      rig.type('M');
      return monitor.places.at(-1);
    })
    .toEqual({ screen: 'session-messages', clientId: 'c-1' });
});

test('shows connection, session and subscriptions at 80 by 21', () => {
  const text = textOf(open(monitorOf(ready(whole)), [80, 21]));
  expect(text).toMatch(/── Connection ─/);
  expect(text).toMatch(/address +10\.2\.4\.17:51220/);
  expect(text).toMatch(/username +factory-a/);
  expect(text).toMatch(/connected +2h 14m ago/);
  expect(text).toMatch(/connected at +2026-03-01 11:52:40/);
  expect(text).toMatch(/── Session ─/);
  expect(text).toMatch(/queued +17/);
  expect(text).toMatch(/dropped +3 !/);
  expect(text).toMatch(/await PUBREL +2/);
  expect(text).toMatch(/── Subscriptions ─+ 2 ─/);
  expect(text).toMatch(/QoS 0 +plant\/0\/#\n +QoS 1 +plant\/1\/#/);
  expect(text).toContain('read in 12 ms');
});

const trendOf = (count: number, patch: Partial<TrendPoint> = {}): readonly TrendPoint[] =>
  Array.from({ length: count }, (_, index) => ({
    atMs: 2_000 * index,
    queueLength: 100 + index,
    deliveredPerSecond: index === 0 ? undefined : 40,
    droppedPerSecond: index === 0 ? undefined : 2,
    ...patch,
  }));

const trendText = (
  detail: Partial<ClientDetail>,
  size: readonly [number, number] = [120, 34],
  ageMs?: number,
): string => textOf(open(monitorOf(ready({ ...whole, ...detail }, ageMs)), size));

/** A size where the trends stand side by side, without sides. */
const small = [99, 26] as const;

test('shows the trends of queue, deliveries and drops from the second reading on', () => {
  for (const trend of [undefined, [], trendOf(1, { queueLength: undefined })]) {
    const text = trendText({ trend }, small);
    expect(text).toMatch(pattern`── Trends ─+$`);
    expect(text).toMatch(pattern`queue +··· .*delivered +··· .*dropped +···`);
    expect(text).not.toMatch(/[\u2801-\u28ff]/);
    expect(text).not.toMatch(/0\/s| now/);
  }
  expect(trendText({ trend: trendOf(1) }, small)).toMatch(pattern`queue +100 .*delivered +··· .*dropped +···`);
  const text = trendText({ trend: trendOf(16) }, small);
  expect(text).toMatch(pattern`── Trends ─+ last 30 s ─$`);
  expect(text).toMatch(pattern`queue +115 .*delivered +40/s .*dropped +2/s !`);
  expect(text).toMatch(/^ +140 ┤.* 45 ┤⣀*.* 45 ┤/m);
  expect(text).toMatch(/30 s .* now .*30 s .* now .*30 s .* now/);
  expect(text).toMatch(/[\u2801-\u28ff]/);
});

test.each([
  [120, 36],
  [200, 56],
] as const)('at %i×%i panels fill the page, and trends take the height that is left', (width, height) => {
  const monitor = monitorOf(ready({ ...whole, trend: trendOf(90) }));
  for (let index = 0; index < 20; index += 1) monitor.note('warning', `Problem ${index}: c-1 is slow`);
  const lines = open(monitor, [width, height]).lines();
  expect(lines.filter((line) => line.trim() === '')).toEqual([]);
  for (const title of ['Connection', 'Session', 'Trends', 'Subscriptions'])
    expect(lines.join('\n')).toContain(`╭ ${title} ─`);
  const rowOf = (word: string): number => lines.findIndex((line) => line.includes(word));
  const heads = ['queue', 'delivered', 'dropped'].map((label) =>
    lines.findIndex((line) => line.startsWith(`│  ${label}`) && line.includes('peak')),
  );
  const ends = [...heads.slice(1), rowOf(' now')];
  expect(Math.min(...heads)).toBeGreaterThan(0);
  const graphRows = heads.map((head, index) => (ends[index] ?? 0) - head - 1);
  expect(Math.max(...graphRows) - Math.min(...graphRows)).toBeLessThanOrEqual(1);
  expect(Math.min(...graphRows)).toBeGreaterThanOrEqual(height === 56 ? 10 : 3);
  expect(Math.max(...graphRows)).toBeLessThanOrEqual(10);
  expect(lines.at(-2)).toMatch(/^╰─+╯$/);
  expect(lines.at(-1)?.trim()).toBe('read in 12 ms');
});

test('lists the events that name the client below its subscriptions, where there is room', () => {
  const monitor = monitorOf(ready({ ...whole, trend: trendOf(90) }));
  for (const text of ['Problem: c-1 is slow', 'Problem: c-10 is slow', 'Alarm queue.c-1 cleared', 'Problem: xc-1'])
    monitor.note('warning', text);
  const text = textOf(open(monitor, [200, 56]));
  expect(text).toMatch(
    /^╭ Recent events ─+ newest first \(L\) ─╮\n│ \S+ ! {2}Alarm queue\.c-1 cleared .*\n│.*Problem: c-1 is slow/mu,
  );
  expect(text).not.toMatch(/c-10|xc-1/u);
  expect(textOf(open(monitor, [80, 24]))).not.toContain('Recent events');
  expect(textOf(open(monitorOf(ready({ ...whole, trend: trendOf(90) })), [200, 56]))).not.toContain('Recent events');
});

test.each([
  [80, 20],
  [80, 21],
  [99, 20],
] as const)('at %i×%i trends have two rows, and no number is cut', (width, height) => {
  for (const count of [3, 16, 40, 95]) {
    const lines = open(
      monitorOf(ready({ ...whole, subscriptions: topics(40), trend: trendOf(count, { queueLength: 1_000 }) })),
      [width, height],
    ).lines();
    const from = lines.findIndex((line) => line.includes('── Trends ─'));
    const to = lines.findIndex((line, index) => index > from && (/── |^ ?\S/u.test(line) || line.trim() === ''));
    const trends = lines.slice(from + 1, to === -1 ? undefined : to);
    expect(trends.join('\n')).not.toContain('…');
    expect(trends.filter((line) => /[│┤]/u.test(line)).length).toBeGreaterThanOrEqual(2);
  }
});

test('a reconnect is a gap in the trends, and the peak is never below the value', () => {
  const trend = trendOf(40).map((point, index): TrendPoint =>
    index === 20 ? { ...point, deliveredPerSecond: undefined, droppedPerSecond: undefined, isGap: true } : point,
  );
  // The rows on the axes, where unknown is a dot.
  const gaps = (points: readonly TrendPoint[]): number =>
    trendText({ trend: points }, [200, 50])
      .split('\n')
      .filter((line) => /[⠁-⣿][⠁-⣿ ]{8,9}·+[⠁-⣿ ]{8,9}[⠁-⣿]/u.test(line)).length;
  expect(gaps(trendOf(40))).toBe(0);
  expect(gaps(trend)).toBe(3);
  // A long step has no rate, but its queue is known.
  const late = [
    ...trendOf(3, { queueLength: 5 }),
    { ...(trendOf(1)[0] ?? { deliveredPerSecond: 1, droppedPerSecond: 1 }), atMs: 9_000_000, queueLength: 70 },
  ];
  expect(trendText({ trend: late }, [200, 50])).toMatch(pattern`queue +70 .*peak +70`);
  expect(trendText({ trend: late }, [200, 50])).toMatch(pattern`delivered +– `);
});

test('trends tell zero, unknown and stale apart', () => {
  expect(trendText({ trend: trendOf(3, { droppedPerSecond: 0 }) }, small)).toMatch(pattern`dropped +0/s$`);
  expect(trendText({ trend: trendOf(3, { deliveredPerSecond: undefined }) }, small)).toMatch(pattern`delivered +– `);
  expect(trendText({ sessions: [], trend: [] }, [99, 20])).toMatch(pattern`queue +– .*delivered +– .*dropped +–$`);
  const stale = trendText({ trend: trendOf(16) }, small, 40_000);
  expect(stale).toMatch(pattern`── Trends ─+ 4\d s old · last 1m 12s ─$`);
  expect(stale).toMatch(pattern`queue +– .*delivered +– .*dropped +– *$`);
});

test('the figures of the trends stand still whatever the values', () => {
  const columnsOf = (
    trend: readonly TrendPoint[],
    size: readonly [number, number],
  ): readonly (number | undefined)[] => {
    const lines = trendText({ trend }, size).split('\n');
    const at = lines.findIndex((line) => line.includes('─ Trends') || line.includes('╭ Trends'));
    const places = ['queue', 'delivered', 'dropped'].map((word) => {
      const row = lines.findIndex((line, index) => index > at && line.includes(`${word} `));
      return [row, lines[row]?.indexOf(word)];
    });
    return [at, lines.findIndex((line) => line.includes(' Subscriptions ─')), ...places.flat()];
  };
  for (const size of [
    [80, 24],
    [120, 34],
    [139, 40],
    [140, 40],
    [200, 56],
  ] as const) {
    const [one, ...others] = [
      [],
      trendOf(1),
      trendOf(90),
      trendOf(16, { queueLength: 123_456_789, deliveredPerSecond: 98_765.4, droppedPerSecond: 0.01 }),
    ].map((trend) => columnsOf(trend, size));
    for (const other of others) expect(other).toEqual(one);
  }
});

test('says what is wrong with the client, and the next step without what leads here', async () => {
  const session = sessionOf('c-1', { inflight: 32, maxInflight: 32, queueLength: 1_000, maxQueueLength: 1_000 });
  const monitor = monitorOf(ready({ ...whole, sessions: [session] }));
  const rig = open(monitor, [100, 30]);
  expect(textOf(rig)).not.toMatch(/CRITICAL/u);
  const client = clientOf('c-1', { node: session.node });
  for (const [atMs, dropped] of [
    [steadyNowMs() - 20_000, 0],
    [steadyNowMs() - 10_000, 50],
  ] as const) {
    monitor.set({
      watched: [sessionScan],
      ...readingsOf({
        clientScan: { ...scanOf([client]), finishedAtMs: atMs },
        sessionScan: { ...scanOf([{ ...session, dropped }]), finishedAtMs: atMs },
      }),
    });
  }
  const shown = await rig.until((text) => /CRITICAL/u.test(text));
  expect(shown.join(' ')).toMatch(
    /CRITICAL c-1 (?:is slow|is losing) .*queue full.* Next +(?:Speed up|Check) the consumer/u,
  );
});

test('names the problem of a client that shares its row on Overview with others', async () => {
  const sessions = Array.from({ length: 7 }, (_, index) =>
    sessionOf(`c-${index + 1}`, { inflight: 32, maxInflight: 32, queueLength: 1_000, maxQueueLength: 1_000 }),
  );
  const monitor = monitorOf(ready(whole), 'c-7');
  const rig = open(monitor, [100, 30], 'c-7');
  const clients = sessions.map(({ clientId, node }) => clientOf(clientId, { node }));
  for (const [atMs, dropped] of [
    [steadyNowMs() - 20_000, 0],
    [steadyNowMs() - 10_000, 50],
  ] as const) {
    monitor.set({
      watched: [sessionScan],
      ...readingsOf({
        clientScan: { ...scanOf(clients), finishedAtMs: atMs },
        sessionScan: { ...scanOf(sessions.map((session) => ({ ...session, dropped }))), finishedAtMs: atMs },
      }),
    });
  }
  const shown = await rig.until((text) => /CRITICAL/u.test(text));
  expect(shown.join(' ')).toMatch(/CRITICAL c-7 is (?:slow|losing)/u);
});

test('while frozen says that nothing is read', () => {
  const monitor = monitorOf(undefined);
  monitor.set({ isFrozen: true });
  const text = textOf(open(monitor));
  expect(text).toContain('Not loaded: paused. Press p to resume.');
  expect(text).not.toContain('reading');
  expect(text).not.toContain('···');
  expect(text).not.toContain('all shown');
});

test('draws a queue up to the limit of its session, in the colour of a full one', async () => {
  const session = sessionOf('c-1', { queueLength: 1_000, maxQueueLength: 1_000, isConnected: true });
  const trend = [1_000, 3_000].map((atMs) => ({
    atMs,
    queueLength: 1_000,
    deliveredPerSecond: 0,
    droppedPerSecond: 0,
  }));
  const rig = open(monitorOf(ready({ ...whole, sessions: [session], trend })), [120, 40]);
  const shown = textOf(rig);
  expect(shown).toMatch(/queue +1,000 of 1,000/);
  expect(shown).toContain('1,000 ┤');
  expect(shown).toMatch(/queued +1,000 of 1,000 !/);
  expect(shown).not.toContain('1,200');
});

test('shows zero, unknown and unparsed values differently', () => {
  const session = sessionOf('c-1', {
    dropped: 0,
    queueLength: undefined,
    maxInflight: undefined,
    unparsed: { maxInflight: 'many' },
  });
  const text = textOf(open(monitorOf(ready({ ...whole, sessions: [session] }))));
  expect(text).toMatch(/dropped +0$/m);
  expect(text).toMatch(/queued +–/);
  expect(text).toMatch(/inflight +4 of many/);
});

test('shows each part as loading before the first answer', () => {
  const text = textOf(open(monitorOf(undefined)));
  expect(text.match(/··· loading/g)).toHaveLength(3);
  expect(text).not.toMatch(/connected$/m);
});

test('shows the error of each part separately', () => {
  const text = textOf(
    open(
      monitorOf(ready({ ...whole, sessions: new NoAnswerError(), subscriptions: errorOfCode(101, '\u001B[31m') })),
      [160, 23],
    ),
  );
  expect(text).toMatch(/username +factory-a/);
  expect(text).toMatch(pattern`── Session ─+\n {2}! not read: closed without a response \(L: log\)`);
  expect(text).toMatch(pattern`── Subscriptions ─+\n {2}! not read: a node is not responding \(L: log\)`);
});

test('shows the error and the time of the retry, and keeps old data with its age', () => {
  const error = new TimeoutError(5_000);
  const failed = { error, nextAttemptAtMs: steadyNowMs() + 9_500 };
  expect(textOf(open(monitorOf({ ...emptyResource<ClientDetail>(), ...failed }), [160, 24]))).toMatch(
    matching(listTexts.failed(safe`this client`, listTexts.retryIn(any), trusted(error.message))),
  );
  const old = textOf(open(monitorOf({ ...ready(whole, 60_000), ...failed }), [160, 24]));
  expect(old).toMatch(
    matching(
      listTexts.staleFailed(safe`this client`, safe`1m 0${any}s ago`, listTexts.retryIn(any), trusted(error.brief)),
    ),
  );
  expect(old).toMatch(/username +factory-a/);
});

test('shows an offline client with its session', () => {
  const text = textOf(open(monitorOf(ready({ ...whole, clients: [] }))));
  expect(text).toMatch(pattern`^ Client c-1 +○ not connected, session stored$`);
  expect(text).toMatch(pattern`── Connection ─+\n {2}not connected`);
  expect(text).toMatch(/queued +17/);
  expect(text).toMatch(pattern`── Session ─+ counters as of disconnect ──?$`);
  const old = textOf(
    open(monitorOf(ready({ ...whole, clients: [], offline: { sinceMs: steadyNowMs() - 130_000, isLive: false } }))),
  );
  expect(old).toMatch(
    pattern`── Session ─+ (?:counters as of disconnect, at least 2m 10s ago|counters as of disconnect, at least 2m 11s ago) ──?$`,
  );
  for (const live of [whole, { ...whole, clients: [], offline: { sinceMs: 1, isLive: true } }])
    expect(textOf(open(monitorOf(ready(live))))).not.toContain('counters as of disconnect');
});

test('shows both connections during a takeover', () => {
  const clients = [
    clientOf('c-1', { ipAddress: '10.0.0.1' }),
    clientOf('c-1', { ipAddress: '10.0.0.2', node: 'broker2@127.0.0.1' }),
  ];
  const text = textOf(open(monitorOf(ready({ ...whole, clients })), [80, 30]));
  expect(text).toContain('● 2 connections (takeover)');
  expect(text).toMatch(/Connection 1 of 2[^]*10\.0\.0\.1:[^]*Connection 2 of 2[^]*10\.0\.0\.2:/);
});

test('says when the broker does not know the id', () => {
  const text = textOf(open(monitorOf(ready({ clients: [], sessions: [], subscriptions: [] }))));
  expect(text).toContain('No client, session or subscription with this ID.');
  expect(text).not.toContain('── Session');
});

test('shows the last connection of a client that has just gone', () => {
  const monitor = monitorOf(ready({ clients: [], sessions: [], subscriptions: [] }));
  monitor.set(readingsOf({ clientScan: scanOf([clientOf('c-1', { ipAddress: '10.0.0.9' })]) }));
  const text = textOf(open(monitor));
  expect(text).toContain('Not connected now, and it has no session. This was its last connection:');
  expect(text).toMatch(pattern`── Last connection `);
  expect(text).toContain('10.0.0.9');
  expect(text).not.toContain('No client, session or subscription with this ID.');
});

test('takes the node from the client list only for the same connection', () => {
  const monitor = monitorOf(ready(whole));
  monitor.set(readingsOf({ clientScan: scanOf([clientOf('c-1', { node: 'broker2@127.0.0.1' })]) }));
  expect(textOf(open(monitor))).toMatch(/node +broker2@127\.0\.0\.1/);
  monitor.set(
    readingsOf({ clientScan: scanOf([clientOf('c-1', { node: 'broker2@127.0.0.1', connectedAt: brokerClock })]) }),
  );
  expect(textOf(open(monitor))).toMatch(/node +–/);
});

test('without a node shows an age only if all clocks agree', () => {
  const monitor = monitorOf(ready(whole));
  monitor.setResources({
    nodes: ready([infoOf('broker1@127.0.0.1'), infoOf('broker2@127.0.0.1', { clock: brokerClock + 3_600 })]),
  });
  const text = textOf(open(monitor));
  expect(text).toMatch(/connected +–/);
  expect(text).toMatch(/connected at +2026-03-01 11:52:40/);
});

test('escapes the id, and shows one that is cut in full at the end', async () => {
  const hostile = `\u001B]52;c;aGk=\u0007${'é\u202E'.repeat(30)}`;
  const rig = open(monitorOf(ready(whole), hostile), [80, 24], hostile);
  expect(
    rig
      .lines()
      .slice(1, 5)
      .map((line) => line.trim())
      .join(''),
  ).toContain(String.raw`\x1b]52;c;aGk=\x07` + String.raw`é\u202e`.repeat(30));
  expect(rig.raw()).not.toContain('\u001B]');
  const endless = 'k'.repeat(65_000);
  const long = open(monitorOf(ready(whole), endless), [80, 24], endless);
  const lines = long.lines();
  expect(lines.find((line) => line.endsWith('…') && line.startsWith('  k'))).toBeDefined();
  expect(lines.join('\n')).toContain('(65,000 characters, shown in full at the end)');
  expect(lines.join('\n')).toMatch(/queued +17/);
  const other = `${'k'.repeat(999)}end`;
  const listed = open(monitorOf(ready(whole), other), [80, 24], other);
  listed.type('G');
  const end = await listed.until((text) => text.includes('kend'));
  const from = end.findIndex((line) => line.startsWith('── Client ID'));
  expect(end[from]).toContain('1,002 characters');
  expect(
    end
      .slice(from + 1, -1)
      .map((line) => line.trim())
      .join(''),
  ).toBe(other);
});

test('shows the whole error; K reads the client again first', async () => {
  const asked: DialogRequest[] = [];
  const failed = {
    ...emptyResource<ClientDetail>(),
    error: new NotFoundError(),
    nextAttemptAtMs: steadyNowMs() + 9_000,
  };
  const rig = createRig(
    <DialogContext
      value={(request) => {
        asked.push(request);
      }}
    >
      <ClientScreen {...propsOf(monitorOf(failed), [80, 24])} clientId="c-1" />
    </DialogContext>,
    { columns: 80, rows: 24 },
  );
  expect(textOf(rig).replaceAll(/\s+/g, ' ')).toContain(failed.error.message);
  rig.type('K');
  await expect.poll(() => asked).toMatchObject([{ kind: 'read', title: 'Disconnect c-1' }]);
});

test('never scrolls by one line with a line to spare', () => {
  const leftOver = Array.from({ length: 26 }, (_, at) => {
    const [, shown, count] =
      /lines 1–(\d+) of (\d+)/u.exec(
        open(monitorOf(ready(whole)), [80, 14 + at])
          .lines()
          .at(-1) ?? '',
      ) ?? [];
    return Number(count) - Number(shown);
  });
  expect(leftOver).not.toContain(1);
  expect(leftOver).toContain(2);
});

test('scrolls through many subscriptions in natural order', async () => {
  const rig = open(monitorOf(ready({ ...whole, subscriptions: topics(3_000).toReversed() })), [80, 21]);
  rig.type('G');
  const end = await rig.until((text) => text.includes('plant/2999/#'));
  expect(end.at(-1)).toMatch(/lines 2,99\d–(3,0\d\d) of \1 /);
  rig.type('k');
  await rig.until((text) => !text.includes('plant/2999/#'));
  rig.type('g');
  const start = await rig.until((text) => text.includes('── Connection'));
  expect(start.join('\n')).toMatch(/plant\/0\/#\n.*plant\/1\/#/);
  rig.type('\u001B[6~');
  await rig.until((text) => !text.includes('── Connection') && text.includes('plant/9/#'));
});

test('watches the client and the clocks, and y copies its id', async () => {
  const monitor = monitorOf(ready(whole));
  const rig = open(monitor);
  await rig.until(() => monitor.watching.length === 2);
  expect(monitor.watching.map(watchKey)).toEqual([watchKey(watchOf(clientDetail, 'c-1')), 'nodes']);
  const copied = rig.until(() => rig.clipboard() === `\u001B]52;c;${Buffer.from('c-1').toString('base64')}\u0007`);
  rig.type('y');
  await copied;
  expect(monitor.notices).toEqual(["Sent to the terminal's clipboard: c-1"]);
});

const [broker1, broker2] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'] as const;
const nothingFound: ClientDetail = { clients: [], sessions: [], subscriptions: [] };
const seen = (...stopped: readonly string[]): PartValues => ({
  seenNodes: new Map(
    [broker1, broker2].map((node) => [
      node,
      { status: stopped.includes(node) ? 'stopped' : 'running', sinceMs: undefined } as const,
    ]),
  ),
});

test('names the stopped node of a client instead of calling it unknown or disconnected', async () => {
  const monitor = monitorOf(ready(whole));
  monitor.set(readingsOf({ ...seen(), clientScan: scanOf([clientOf('c-1', { node: broker2 })]) }));
  const rig = open(monitor, [120, 24]);
  expect(textOf(rig)).not.toContain('node not running');
  monitor.set(
    readingsOf({ ...seen(broker2), clientScan: scanOf([]), clientDetail: new Map([['c-1', ready(nothingFound)]]) }),
  );
  await rig.until((text) => text.includes('node not running'));
  const text = textOf(rig);
  expect(text).toMatch(pattern`^ Client c-1 +! node not running$`);
  expect(text).toContain(`! Last seen on ${broker2}, which is not running. It may still be connected there.`);
  monitor.set(readingsOf({ ...seen(), clientDetail: new Map([['c-1', ready(whole)]]) }));
  await rig.until((shown) => !shown.includes('node not running'));
});

test('names stopped nodes that an offline client may be connected to', () => {
  const monitor = monitorOf(ready({ ...whole, clients: [] }));
  monitor.set(readingsOf(seen(broker2)));
  const text = textOf(open(monitor, [120, 24]));
  expect(text).toMatch(pattern`not connected, session stored$`);
  expect(text).toContain(`! ${maybeOnStoppedNodeText([broker2])}`);
  const connected = monitorOf(ready(whole));
  connected.set(readingsOf(seen(broker2)));
  expect(textOf(open(connected, [120, 24]))).not.toContain('does not run');
});

test('says which node reports missing counters', () => {
  const unknown = {
    maxInflight: undefined,
    inflight: undefined,
    queueLength: undefined,
    dropped: undefined,
    awaitingRel: undefined,
    subscriptions: undefined,
    delivered: undefined,
    enqueued: undefined,
  };
  const why = "Counters unknown: only the session's own node reports them. Connect to that node with --url.";
  expect(textOf(open(monitorOf(ready({ ...whole, sessions: [sessionOf('c-1', unknown)] })), [120, 24]))).toContain(why);
  expect(textOf(open(monitorOf(ready(whole)), [120, 24]))).not.toContain(why);
  expect(
    textOf(
      open(monitorOf(ready({ ...whole, sessions: [sessionOf('c-1', { ...unknown, queueLength: 0 })] })), [120, 24]),
    ),
  ).not.toContain(why);
});
