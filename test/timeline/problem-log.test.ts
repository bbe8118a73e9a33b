import { expect, test } from 'vitest';
import type { ReconnectStorm } from '../../src/checks/reconnects/judge.ts';
import { eventOf } from '../../src/monitor/events.ts';
import { openAfter } from '../../src/timeline/open-problems.ts';
import { createProblemLog } from '../../src/timeline/problem-log.ts';
import type { FindingChange } from '../../src/triage/finding-changes.ts';
import type { Finding } from '../../src/triage/problem.ts';
import { createFakeMonitor, figuresOf, infoOf, ready } from '../screens/list-fixtures.ts';
import { nodeStats } from '../../src/resources/nodes/resource.ts';
import { eventsIn } from '../support/events.ts';

const watched = [nodeStats] as const;

/** A log that is told of changes one after the other, and its texts. */
function createStory() {
  const log = createProblemLog();
  const texts: string[] = [];
  return {
    texts,
    log(changes: readonly FindingChange[], found: readonly Finding[] = [], nowMs = 0) {
      const logged = log(changes, new Map(found.map((finding) => [finding.key, finding])), nowMs);
      texts.push(...logged.notes.map(({ text }) => text.replace(/after [^:,]+/u, 'after …')));
      return logged;
    },
  };
}

const status = (node: string, severity: Finding['severity'] = 'warning', begin: Partial<Finding> = {}): Finding => ({
  check: 'nodes',
  key: `node ${node}`,
  severity,
  jump: { screen: 'node', node },
  code: 'node-status',
  evidence: { node, status: 'odd' },
  ...begin,
});

test('logs when a problem begins, and when it is over, whichever screen is open', () => {
  const monitor = createFakeMonitor({ watched }, { logsProblems: true });
  const nodes = (state: 'running' | 'stopped') => ({
    nodes: ready([infoOf('a'), { ...infoOf('b'), status: state }]),
    nodeStats: ready([figuresOf('a'), { ...figuresOf('b'), status: state }]),
  });
  const begun: unknown[] = [];
  monitor.followProblems((news) => {
    if (news.begun !== undefined) begun.push(news.begun);
  });
  monitor.setResources(nodes('stopped'));
  expect(begun).toMatchObject([{ severity: 'critical', check: 'nodes', title: 'Node b is stopped' }]);
  expect(eventsIn(monitor.store.getState())).toMatchObject([
    { severity: 'critical', text: 'Problem: Node b is stopped' },
  ]);
  monitor.setResources(nodes('running'));
  expect(eventsIn(monitor.store.getState())).toMatchObject([
    {},
    { severity: 'info', text: expect.stringMatching(/^Resolved after .+: "Node b is stopped"$/u) },
  ]);
});

test('logs the end of a problem with the title of its beginning', () => {
  const monitor = createFakeMonitor({ watched }, { logsProblems: true });
  const using = (megabytes: number) => ({
    nodes: ready([infoOf('a')]),
    nodeStats: ready([figuresOf('a', { memoryTotalBytes: 100e6, memoryUsedBytes: megabytes * 1e6 })]),
  });
  for (const megabytes of [92, 91, 10]) monitor.setResources(using(megabytes));
  expect(eventsIn(monitor.store.getState()).map(({ text }) => text.replace(/after .+:/u, 'after …:'))).toEqual([
    'Problem: Node a uses 92 % of its memory',
    'Resolved after …: "Node a uses 92 % of its memory"',
  ]);
});

test('logs the end of a problem with its worst moment', () => {
  const storm = (connectsPerSecond: number, pattern?: ReconnectStorm['pattern']): Finding => ({
    check: 'reconnects',
    key: 'storm',
    severity: 'critical',
    jump: { screen: 'clients' },
    code: 'reconnect-storm',
    evidence: { connectsPerSecond, seconds: 30, change: 0, clients: 30, known: 30, clientIds: [], pattern },
  });
  const gate = { trait: 'username', value: 'gate' } as const;
  const { log, texts } = createStory();
  const end = (finding: Finding): unknown =>
    log([{ kind: 'ended', finding: { ...finding, foundMs: 1_000 }, atMs: 36_000, isQuiet: true }]);
  log([{ kind: 'began', finding: storm(4.3, gate), isQuiet: false }], [storm(4.3, gate)]);
  log([], [storm(17, gate)]);
  log([], [storm(2, gate)]);
  end(storm(2, gate));
  expect(texts).toEqual([
    'Problem: Reconnect storm, mostly from user gate, 4.3 connects/s',
    'Resolved after …, at worst: "Reconnect storm, mostly from user gate, 17 connects/s"',
  ]);
  log([{ kind: 'began', finding: storm(4), isQuiet: false }], [storm(4)]);
  log([], [storm(17)]);
  log([], [storm(9, gate)]);
  end(storm(2, gate));
  expect(texts.at(-1)).toBe(
    'Resolved after …: "Reconnect storm, mostly from user gate, 9 connects/s", at worst "Reconnect storm, 17 connects/s"',
  );
});

test('logs who a problem is about as the Overview says it, at once or when it is known', () => {
  const storm = (pattern?: ReconnectStorm['pattern'], clientIds: readonly string[] = []): Finding => ({
    check: 'reconnects',
    key: 'storm',
    severity: 'critical',
    jump: { screen: 'clients' },
    code: 'reconnect-storm',
    evidence: { connectsPerSecond: 52, seconds: 30, change: 0, clients: 300, known: 300, clientIds, pattern },
  });
  const fanOut = (
    suspect: string | { readonly topic: string; readonly subscribers: number; readonly isMin: boolean },
  ): Finding => ({
    check: 'fanOut',
    key: 'fan-out',
    severity: 'warning',
    jump: { screen: 'subscriptions' },
    code: 'fan-out',
    evidence: { ratio: 56, sentPerSecond: 560, receivedPerSecond: 10, suspect, hasTalkers: false },
  });
  const moreLosing: Finding = {
    check: 'slow',
    key: 'more',
    severity: 'critical',
    jump: { screen: 'sessions' },
    code: 'more-sessions',
    evidence: { clientIds: ['worker-8', 'worker-9'] },
  };
  const { log, texts } = createStory();
  const first = [storm(), fanOut('not-read'), moreLosing];
  log(
    first.map((finding) => ({ kind: 'began', finding, isQuiet: false })),
    first,
  );
  const begun = [
    'Problem: Reconnect storm, 52 connects/s',
    'Problem: High fan-out: 56 deliveries per message',
    'Problem: 2 more consumers losing messages: worker-8 and 1 more',
  ];
  expect(texts).toEqual(begun);
  log([], [storm(undefined, ['a', 'b']), fanOut('list-cut'), moreLosing]);
  const evidence = 'Now known: Reconnect storm, 52 connects/s: a and 1 more';
  expect(texts).toEqual([...begun, evidence]);
  log(
    [],
    [
      storm({ trait: 'username', value: 'factory-b' }, ['b', 'c']),
      fanOut({ topic: 'market/prices', subscribers: 50, isMin: false }),
      moreLosing,
    ],
  );
  const named = [
    'Now known: Reconnect storm, mostly from user factory-b, 52 connects/s',
    'Now known: High fan-out, probably on market/prices',
  ];
  expect(texts).toEqual([...begun, evidence, ...named]);
  log([{ kind: 'ended', finding: { ...storm(), foundMs: 1_000 }, atMs: 9_000, isQuiet: false }]);
  expect(texts.at(-1)).toBe('Resolved after …: "Reconnect storm, mostly from user factory-b, 52 connects/s"');
});

test('a problem has one beginning and one end, and an event has no end', () => {
  const beginMs = 1_000_000;
  const changes = [{ sinceMs: beginMs }, { foundMs: beginMs + 1_000 }, { atMs: beginMs + 2_000 }].flatMap(
    (begin, index): readonly FindingChange[] => {
      const finding = status(`n${index}`, 'warning', begin);
      return [
        { kind: 'began', finding, atMs: beginMs + index * 1_000, isQuiet: false },
        { kind: 'ended', finding: { ...finding, seenMs: beginMs + 30_000 }, atMs: beginMs + 64_000, isQuiet: true },
      ];
    },
  );
  const { notes: entries } = createProblemLog()(changes, new Map(), beginMs + 70_000);
  expect(entries.map(({ atMs, text }) => [(atMs - beginMs) / 1_000, text])).toEqual([
    [0, 'Problem: Node n0 reports status odd'],
    [64, 'Resolved after 1m 04s: "Node n0 reports status odd"'],
    [1, 'Problem: Node n1 reports status odd'],
    [64, 'Resolved after >1m 03s: "Node n1 reports status odd"'],
    [2, 'Problem: Node n2 reports status odd'],
  ]);
});

test('logs that a problem has become critical, and a warning again', () => {
  const { log, texts } = createStory();
  log([{ kind: 'began', finding: status('b'), isQuiet: false }]);
  log([{ kind: 'worsened', finding: status('b', 'critical'), isQuiet: false }]);
  log([{ kind: 'eased', finding: status('b'), isQuiet: true }]);
  expect(texts).toEqual([
    'Problem: Node b reports status odd',
    'Now critical: Node b reports status odd',
    'No longer critical: Node b reports status odd',
  ]);
});

test('logs each of many problems, and of more than fifty at once how many there are', () => {
  const { notes: entries, news } = createProblemLog()(
    Array.from({ length: 61 }, (_, number) => ({ kind: 'began', finding: status(`n${number}`), isQuiet: false })),
    new Map(),
    0,
  );
  expect(entries).toHaveLength(51);
  expect(entries.at(49)?.text).toBe('Problem: Node n49 reports status odd');
  expect(entries.at(50)?.text).toBe('11 more problems began');
  expect(news.filter(({ begun }) => begun !== undefined)).toHaveLength(61);
});

test('a problem that goes on as another one is not open any more', () => {
  const drops: Finding = {
    check: 'drops',
    key: 'drops queue_full',
    severity: 'critical',
    jump: { screen: 'metrics' },
    code: 'messages-dropped',
    evidence: { reason: 'queue_full', perSecond: 4.4, seconds: 5 },
    foundMs: 6_000,
  };
  const whole = status('a', 'critical', { foundMs: 6_000 });
  const log = createProblemLog();
  const notes = [
    log([{ kind: 'began', finding: drops, atMs: 6_000, isQuiet: false }], new Map(), 6_000),
    log([{ kind: 'began', finding: whole, atMs: 14_000, isQuiet: true, replaces: [drops] }], new Map(), 14_000),
  ].flatMap((logged) => logged.notes);
  expect(notes).toMatchObject([
    { atMs: 6_000, text: 'Problem: 4.4 msg/s dropped: queue full', about: { kind: 'began' } },
    {
      atMs: 14_000,
      sinceMs: 6_000,
      severity: 'critical',
      text: 'Now known: Node a reports status odd',
      about: { kind: 'named', problem: 'node a', replaces: ['drops queue_full'] },
    },
  ]);
  expect([...openAfter(notes.map(eventOf)).keys()]).toEqual(['node a']);
});

test('counts what a session lost in a problem, unless its counter began again', () => {
  const losing = (dropped: number): Finding => ({
    check: 'slow',
    key: 'slow x',
    severity: 'critical',
    jump: { screen: 'client', clientId: 'x' },
    code: 'messages-lost',
    evidence: {
      clientId: 'x',
      node: 'a',
      isConnected: true,
      isAsOfDisconnect: false,
      queueLength: 0,
      queueLimit: 1_000,
      isQueueFull: false,
      queuePerSecond: 0,
      fullInSeconds: undefined,
      isLosing: false,
      droppedPerSecond: undefined,
      dropped,
      isLossOld: false,
      isWindowFull: false,
      inflight: 0,
      maxInflight: 32,
      acknowledgedPerSecond: 0,
    },
  });
  const lostIn = (counts: readonly number[]): number | undefined => {
    const { log } = createStory();
    const findings = counts.map(losing);
    const [first = losing(0), last = losing(0)] = [findings[0], findings.at(-1)];
    log([{ kind: 'began', finding: first, isQuiet: false, atMs: 0 }], [first]);
    for (const finding of findings) log([], [finding]);
    return log([{ kind: 'ended', finding: last, isQuiet: false, atMs: 9 }]).notes[0]?.about?.lost;
  };
  expect(lostIn([10, 40, 60])).toBe(50);
  expect(lostIn([10, 40, 5, 60])).toBeUndefined();
});
