import { describe, expect, it, test } from 'vitest';
import {
  advisedAction,
  nextStep,
  nextStepAfter,
  nextStepThere,
  passedText,
  problemBrief,
  problemParts,
  problemText,
  uncheckedText,
} from '../../src/checks/words.ts';
import type { ReconnectStorm } from '../../src/checks/reconnects/judge.ts';
import { checks } from '../../src/checks/registry.ts';
import type { SlowSession } from '../../src/checks/slow/judge.ts';
import type { Jump, Problem } from '../../src/triage/problem.ts';
import { plainText, type Sentence } from '../../src/domain/sentence.ts';
import { sentenceText } from '../../src/terminal/sentence-text.ts';
import { definitionOf } from '../../src/screens/registry.ts';
import { plainTheme } from '../tui/support/rig.tsx';
import { allBindings } from '../../src/screens/keys.ts';

const hostile = '\u001B[31mevil\u202E name';

const session: SlowSession = {
  clientId: hostile,
  node: hostile,
  isConnected: true,
  isAsOfDisconnect: false,
  queueLength: 900,
  queueLimit: 1_000,
  isQueueFull: false,
  queuePerSecond: 10,
  fullInSeconds: 10,
  isLosing: false,
  droppedPerSecond: 0,
  dropped: 3,
  isLossOld: true,
  isWindowFull: true,
  inflight: 32,
  maxInflight: 32,
  acknowledgedPerSecond: 45,
};

const evidence = {
  'login-rejected': { proxyMessage: undefined },
  'read-failed': { resources: ['nodes', 'stats'], isAll: false, reason: 'No answer' },
  'api-version': { message: 'It answers like another version.' },
  'list-cut': { list: 'clientScan', nodes: [hostile, 'b'], read: 200, expected: 5_000, cut: 'rows' },
  'rows-unusable': { list: 'sessionScan', nodes: [hostile], count: 6, read: 3 },
  'split-brain': {
    parts: [
      { by: ['a', 'b'], nodes: ['a', 'b'] },
      { by: [hostile], nodes: [hostile] },
    ],
    shown: 'a',
    apart: [hostile],
  },
  partition: { lost: [{ node: 'a', from: [hostile] }], shown: 'a', apart: [hostile] },
  'shared-id': { clientId: hostile, addresses: ['10.0.0.1', hostile], moves: 4, seconds: 60, takeoversPerSecond: 0.5 },
  'more-shared-ids': { clientIds: [hostile, 'b'] },
  'node-down': { node: hostile, status: 'stopped', clients: 7 },
  'node-status': { node: hostile, status: hostile },
  'node-near-limit': { node: hostile, figure: 'descriptors', share: 0.999 },
  'listener-near-limit': { node: hostile, listener: hostile, share: 0.95 },
  'sudden-change': {
    direction: 'fall',
    clockMs: 0,
    now: 500,
    nodes: ['a', 'b', 'c', hostile].map((node) => ({ node, before: 2_700, after: 20 })).toReversed(),
    changes: [
      { subject: 'clients', before: 5_327, after: 327 },
      { subject: 'messages.sent', before: 900, after: 30 },
    ],
  },
  'clients-moved': { clockMs: 0, nodes: [{ node: hostile, before: 0.5, after: 0.05 }], clients: 1_000 },
  'clients-reconnecting': { clientIds: [hostile], perSecond: 2, seconds: 30 },
  'reconnect-storm': {
    connectsPerSecond: 10,
    seconds: 18,
    change: 0,
    clients: 100,
    known: 130,
    clientIds: [hostile, 'b', 'c', 'd'],
    pattern: { trait: 'username', value: hostile },
  },
  'slow-consumer': session,
  'queue-full': { ...session, isQueueFull: true },
  'offline-queue': { ...session, isConnected: false, isAsOfDisconnect: true },
  'messages-lost': session,
  'more-sessions': { clientIds: [hostile, 'b', 'c'] },
  'slow-sessions': { clientIds: [hostile, 'b', 'c'], isMore: false, isNoneFullSoon: true },
  alarm: { id: hostile, nodes: [hostile], row: hostile, text: hostile },
  'queue-alarm': { clientId: hostile, text: hostile },
  'more-alarms': { count: 4 },
  'unrouted-messages': { perSecond: 5, seconds: 18, share: 0.25 },
  'node-silent': { node: hostile, clients: 3 },
  'messages-dropped': { reason: 'too_large', perSecond: 3, seconds: 30 },
  'connections-refused': { perSecond: 3, loginPerSecond: 1, seconds: 30, by: { id: hostile, perSecond: 2 } },
  'access-denied': { perSecond: 3, seconds: 30 },
  'integration-down': {
    kind: 'connector',
    id: hostile,
    on: [hostile],
    nodes: 2,
    reason: hostile,
    losing: [
      { id: hostile, lost: 939, matched: 1_328, perSecond: 14, share: 1, mostly: 'expired', queued: 70 },
      { id: 'b', lost: 1, matched: 2, perSecond: 1, share: 0.5, mostly: undefined, queued: undefined },
    ],
    actions: 2,
    sources: 1,
  },
  'backend-down': {
    purpose: 'authentication',
    id: hostile,
    on: [hostile],
    nodes: 2,
    unansweredPerSecond: 5,
  },
  'action-losing': {
    id: hostile,
    lost: 939,
    matched: 1_328,
    perSecond: 14,
    share: 1,
    mostly: 'queue-full',
    queued: 70,
    on: [hostile],
    nodes: 2,
  },
  'rule-failing': {
    id: hostile,
    lost: 504,
    matched: 504,
    perSecond: 14,
    share: 1,
    mostly: 'exception',
    queued: undefined,
    sql: hostile,
  },
  'slow-subscriptions': { count: 2, clientId: hostile, topic: hostile, latencyMs: 1_200, thresholdMs: 500 },
  'listener-down': { listener: hostile, on: [hostile], nodes: 2 },
  'fan-out': {
    ratio: 50,
    sentPerSecond: 500,
    receivedPerSecond: 10,
    suspect: { topic: hostile, subscribers: 2, isMin: true },
    hasTalkers: false,
  },
  'uneven-clients': { node: hostile, clients: 95, total: 100, ratio: 1.9 },
  'uneven-load': { node: hostile, load: 9, ratio: 1.9, nodes: 2 },
  'mixed-versions': {
    versions: [
      { version: hostile, nodes: 1 },
      { version: '2', nodes: 2 },
    ],
  },
  'plugin-differs': { plugin: hostile, difference: 'missing', count: 1, nodes: 2, on: [hostile] },
  'setting-differs': { id: 'row', key: hostile, values: 2, nodes: 3, on: [hostile] },
  'more-differences': { what: 'plugins', count: 3 },
};

const problems = Object.entries(evidence).map(([code, facts]): Problem => ({ code, evidence: facts }));

const reasons = [
  { code: 'limit-unknown', figure: 'memory', nodes: [hostile] },
  { code: 'sessions-outdated', nodes: [hostile] },
  { code: 'sessions-unread', nodes: [hostile] },
  { code: 'counters-frozen', clientIds: [hostile] },
  { code: 'version-unknown', node: hostile },
  { code: 'node-unread', what: 'plugins', node: hostile },
];

const unmarked = (sentence: Sentence): string =>
  sentence
    .filter(({ isUntrusted }) => !isUntrusted)
    .map(({ text }) => text)
    .join('');

describe('texts of problems', () => {
  it.each(problems.map((problem) => [problem.code, problem] as const))(
    '%s: names are marked as untrusted',
    (_, problem) => {
      const sentence = problemText(problem);
      expect(unmarked(sentence)).not.toContain('evil');
      expect(unmarked(problemBrief(problem))).not.toContain('evil');
      // None is left out.
      expect(sentence.some(({ text }) => text === hostile)).toBe(JSON.stringify(problem.evidence).includes('evil'));
      expect(sentenceText(plainTheme, sentence)).not.toMatch(/[\u0000-\u001F\u202E]/u);
      expect(plainText(sentence).trim()).not.toBe('');
      expect(plainText(problemBrief(problem)).length).toBeLessThanOrEqual(plainText(sentence).length);
    },
  );

  it('mark names in the reasons of incomplete checks, and in versions', () => {
    for (const reason of reasons) expect(unmarked(uncheckedText(reason))).not.toContain('evil');
    expect(
      unmarked(
        passedText({ check: 'versions', passed: { versions: [{ version: hostile, nodes: 2 }] }, toldElsewhere: 0 }),
      ),
    ).not.toContain('evil');
  });

  it('never round a share up to the limit', () => {
    expect(
      plainText(problemText({ code: 'node-near-limit', evidence: { node: 'a', figure: 'memory', share: 0.999 } })),
    ).toContain('99 %');
    expect(
      plainText(
        problemText({
          code: 'sudden-change',
          evidence: {
            direction: 'fall',
            clockMs: 0,
            now: undefined,
            nodes: [],
            changes: [{ subject: 'clients', before: 1_000, after: 1 }],
          },
        }),
      ),
    ).toContain(' 99 %');
  });
});

/** Where Enter leads to from each problem. */
const jumps: Readonly<Record<string, Jump>> = {
  'login-rejected': { screen: 'log' },
  'read-failed': { screen: 'log' },
  'api-version': { screen: 'log' },
  'list-cut': { screen: 'clients' },
  'rows-unusable': { screen: 'log' },
  'split-brain': { screen: 'nodes' },
  partition: { screen: 'nodes' },
  'shared-id': { screen: 'client', clientId: hostile },
  'more-shared-ids': {
    screen: 'clients',
    found: { name: 'used by several devices', clientIds: [hostile, 'b'] },
    sort: { columnId: 'connected', isReversed: true },
  },
  'node-down': { screen: 'node', node: hostile },
  'node-status': { screen: 'node', node: hostile },
  'node-near-limit': { screen: 'node', node: hostile },
  'listener-near-limit': { screen: 'listeners', node: hostile, sort: { columnId: 'used', isReversed: true } },
  'sudden-change': { screen: 'clients', sort: { columnId: 'connected', isReversed: true } },
  'clients-moved': { screen: 'nodes' },
  'clients-reconnecting': {
    screen: 'clients',
    found: { name: 'reconnected', clientIds: [hostile] },
    sort: { columnId: 'connected', isReversed: true },
  },
  'reconnect-storm': {
    screen: 'clients',
    found: { name: 'reconnected', clientIds: [hostile, 'b', 'c', 'd'] },
    sort: { columnId: 'connected', isReversed: true },
  },
  'slow-consumer': { screen: 'client', clientId: hostile },
  'queue-full': { screen: 'client', clientId: hostile },
  'offline-queue': { screen: 'client', clientId: hostile },
  'messages-lost': { screen: 'client', clientId: hostile },
  'slow-sessions': {
    screen: 'sessions',
    found: { name: 'slow or losing messages', clientIds: [hostile, 'b', 'c'] },
    sort: { columnId: 'queue', isReversed: true },
  },
  'more-sessions': {
    screen: 'sessions',
    found: { name: 'slow or losing messages', clientIds: [hostile, 'b', 'c'] },
    sort: { columnId: 'queue', isReversed: true },
  },
  alarm: { screen: 'alarms', row: hostile },
  'queue-alarm': { screen: 'client', clientId: hostile },
  'more-alarms': { screen: 'alarms' },
  'unrouted-messages': { screen: 'metrics', row: 'messages.dropped' },
  'node-silent': { screen: 'node', node: hostile },
  'messages-dropped': { screen: 'metrics', row: 'delivery.dropped.too_large' },
  'connections-refused': { screen: 'metrics', row: 'packets.connack.error' },
  'access-denied': { screen: 'metrics', row: 'authorization.deny' },
  'integration-down': { screen: 'integrations', row: `connector ${hostile}` },
  'backend-down': { screen: 'accessBackends', row: `authentication ${hostile}` },
  'action-losing': { screen: 'integrations', row: `action ${hostile}` },
  'rule-failing': { screen: 'integrations', row: `rule ${hostile}` },
  'slow-subscriptions': { screen: 'slowSubscriptions' },
  'listener-down': { screen: 'listeners', node: hostile, sort: { columnId: 'used', isReversed: true } },
  'fan-out': { screen: 'subscriptions', topic: hostile },
  'uneven-clients': { screen: 'clients', node: hostile },
  'uneven-load': { screen: 'node', node: hostile },
  'mixed-versions': { screen: 'nodes', sort: { columnId: 'version', isReversed: false } },
  'plugin-differs': { screen: 'plugins', row: hostile, sort: { columnId: 'plugin', isReversed: false } },
  'setting-differs': { screen: 'settings', row: 'row', sort: { columnId: 'key', isReversed: false } },
};

const jumpsOf = ({ code, evidence: facts }: Problem): readonly Jump[] =>
  checks.flatMap(({ problems: own }) => {
    const words = own[code];
    return words === undefined ? [] : [words.jump(facts)];
  });

test.each(Object.entries(jumps))('Enter on %s leads to the rows or the page behind it', (code, jump) => {
  const problem = problems.find((each) => each.code === code);
  expect(problem && jumpsOf(problem)).toEqual([jump]);
});

test.each(['plugins', 'settings'] as const)('Enter on more %s that differ leads to their list', (what) => {
  const screens = jumpsOf({ code: 'more-differences', evidence: { what, count: 3 } }).map(({ screen }) => screen);
  expect(new Set(screens)).toEqual(new Set([what]));
});

/** Variants of the evidence that change the next step. */
const variants: readonly Problem[] = [
  { code: 'login-rejected', evidence: { proxyMessage: 'no' } },
  { code: 'list-cut', evidence: { list: 'sessionScan', nodes: [], read: 1, expected: 2, cut: 'time' } },
  { code: 'node-down', evidence: { node: 'a', status: 'unknown', clients: undefined } },
  { code: 'node-down', evidence: { ...evidence['node-down'], clusterClients: { before: 21, now: 14 } } },
  { code: 'node-down', evidence: { ...evidence['node-down'], clusterClients: { before: 21, now: 21 } } },
  { code: 'node-near-limit', evidence: { node: 'a', figure: 'memory', share: 0.99 } },
  { code: 'slow-consumer', evidence: { ...session, isLosing: true } },
  { code: 'queue-full', evidence: { ...session, isConnected: false } },
  { code: 'reconnect-storm', evidence: { ...evidence['reconnect-storm'], clientIds: [], pattern: undefined } },
  {
    code: 'reconnect-storm',
    evidence: { ...evidence['reconnect-storm'], clientIds: [], pattern: undefined, isAttempts: true },
  },
  { code: 'clients-reconnecting', evidence: { ...evidence['clients-reconnecting'], clientIds: [hostile, 'b'] } },
  {
    code: 'reconnect-storm',
    evidence: { ...evidence['reconnect-storm'], pattern: { trait: 'none', nodes: 3, usernames: 5 } },
  },
  { code: 'fan-out', evidence: { ...evidence['fan-out'], suspect: 'not-read' } },
  { code: 'fan-out', evidence: { ...evidence['fan-out'], hasTalkers: true } },
  ...(['clients', 'sessions', 'subscriptions', 'messages.sent'] as const).flatMap((subject) =>
    (['rise', 'fall'] as const).map((direction): Problem => ({
      code: 'sudden-change',
      evidence: { ...evidence['sudden-change'], direction, changes: [{ subject, before: 1, after: 2 }] },
    })),
  ),
];

describe('the next step', () => {
  it('for messages from full queues says when the sessions show whose they are', () => {
    const dropped = (countersSeconds: number | undefined): string =>
      nextStep({
        code: 'messages-dropped',
        evidence: { reason: 'queue_full', perSecond: 28, seconds: 16, countersSeconds },
      });
    expect(dropped(undefined)).toBe('`Enter` shows the counter. Sessions (`5`) lists the fullest queues first.');
    expect(dropped(15)).toBe(
      '`Enter` shows the counter. Sessions (`5`) lists the fullest queues first: the broker updates them every 15 s.',
    );
  });

  it.each([
    [21, 'Its clients have moved to other nodes.', '21 of 21 clients connected'],
    [20, '1 client has not come back yet.', '20 of 21 clients connected'],
    [14, '7 clients have not come back yet.', '14 of 21 clients connected'],
  ])('for a node that is down says what became of its clients, with %i of 21 connected', (now, step, fact) => {
    const down: Problem = {
      code: 'node-down',
      evidence: { node: 'a', status: 'stopped', clients: 7, clusterClients: { before: 21, now } },
    };
    expect(nextStep(down)).toContain(step);
    expect(plainText(problemText(down))).toContain(fact);
  });

  it.each([
    ['of unknown speed', { isWindowFull: false, acknowledgedPerSecond: undefined }],
    ['of unknown speed, with a full inflight window,', { isWindowFull: true, acknowledgedPerSecond: undefined }],
    ['that acknowledged nothing since one reading', { isWindowFull: false, acknowledgedPerSecond: 0 }],
  ])('for a slow consumer %s names no cause and no action', (_, patch) => {
    const slow: Problem = {
      code: 'slow-consumer',
      evidence: { ...evidence['slow-consumer'], ...patch, isConnected: true },
    };
    expect(nextStep(slow)).toMatch(/^Check the consumer/u);
    expect(advisedAction(slow)).toBeUndefined();
  });

  it.each([
    [121, '121 more'],
    [-5, '5 fewer'],
    [0, 'no change'],
  ])('says how the number of clients changed: %i', (change, words) => {
    expect(
      plainText(
        passedText({
          check: 'reconnects',
          passed: { connectsPerSecond: 2, clients: 300, change, seconds: 22 },
          toldElsewhere: 0,
        }),
      ),
    ).toBe(`2 connects/s, 300 clients (${words} in 22 s)`);
  });

  it('for a hung consumer says when a disconnect would lose its queue', () => {
    const hung: Problem = {
      code: 'slow-consumer',
      evidence: { ...evidence['slow-consumer'], isWindowFull: true, acknowledgedPerSecond: 0, isConnected: true },
    };
    expect(nextStep(hung)).toContain('`K` makes it reconnect');
    expect(nextStep(hung, { canAct: true, canUnsubscribe: true, endsSession: true })).toContain(
      'queued messages are lost',
    );
  });

  it('for a consumer that may only pause says for how long, and advises no disconnect yet', () => {
    const idle = (idleSeconds: number): Problem => ({
      code: 'slow-consumer',
      evidence: {
        ...evidence['slow-consumer'],
        isWindowFull: true,
        acknowledgedPerSecond: 0,
        isConnected: true,
        idleSeconds,
      },
    });
    expect(nextStep(idle(15))).toBe(
      'No acknowledgement for 15 s: check the consumer. If this continues, `K` makes it reconnect.',
    );
    expect(nextStep(idle(15), { canAct: false, canUnsubscribe: false })).toBe(
      'No acknowledgement for 15 s: check the consumer.',
    );
    expect([29, 30].map((seconds) => advisedAction(idle(seconds)))).toEqual([undefined, 'disconnect']);
    expect(advisedAction(idle(30), { endsSession: true })).toBeUndefined();
    expect(nextStep(idle(30))).toContain('is hung: `K`');
  });

  it('for a loss names the key that acknowledges it, until it is', () => {
    const step = nextStep({ code: 'messages-lost', evidence: evidence['messages-lost'] });
    expect(step).toContain('It is not known whether it still loses messages: `z` acknowledges it.');
    expect(nextStep({ code: 'messages-lost', evidence: { ...evidence['messages-lost'], isLossOver: true } })).toContain(
      'No messages are lost now: `z` acknowledges it.',
    );
    expect([nextStepAfter(step), nextStepThere(step)].filter((text) => text.includes('`z`'))).toEqual([]);
  });

  it('for a slow consumer names no unsubscribing where the API has none', () => {
    const slow: Problem = {
      code: 'slow-consumer',
      evidence: { ...evidence['slow-consumer'], isWindowFull: true, acknowledgedPerSecond: 3, isConnected: true },
    };
    expect(nextStep(slow)).toContain('unsubscribe it from some topics (`a`)');
    expect(nextStep(slow, { canAct: true, canUnsubscribe: false })).toContain('or reduce its subscriptions.');
  });

  it('for a storm names what its clients share, or that they were disconnected from here', () => {
    const storm = (pattern: ReconnectStorm['pattern']): Problem => ({
      code: 'reconnect-storm',
      evidence: { ...evidence['reconnect-storm'], pattern },
    });
    expect(nextStep(storm({ trait: 'node', value: 'a' }))).toContain('They share a node');
    expect(plainText(problemParts(storm({ trait: 'username', value: 'ops' })).title)).toBe(
      'Reconnect storm, mostly from user ops, 10 connects/s',
    );
    expect(plainText(problemParts(storm(undefined)).title)).toBe('Reconnect storm, 10 connects/s');
    expect(nextStep(storm({ trait: 'none', nodes: 3, usernames: 5 }))).toContain(
      'No username, network or node stands out',
    );
    expect(
      [0, 1].map((usernames) =>
        plainText(problemParts(storm({ trait: 'none', nodes: 3, usernames })).facts.at(-1) ?? []),
      ),
    ).toEqual(['no usernames, 3 nodes', '1 username, 3 nodes']);
    expect(nextStep(storm(undefined))).toContain('`o` groups them');
    expect(nextStep(storm(undefined), undefined, { way: 'disconnect', seconds: 20 })).toContain(
      'You disconnected them 20 s ago',
    );
    expect(nextStep(storm(undefined), undefined, { way: 'disconnect', seconds: 20, clients: 37 })).toContain(
      'You disconnected 37 clients 20 s ago: this should end by itself.',
    );
    // It did not end.
    expect(nextStep(storm(undefined), undefined, { way: 'disconnect', seconds: 60, clients: 37 })).toContain(
      '`o` groups them',
    );
  });
});

const keysIn = (text: string): readonly string[] => [...text.matchAll(/`([^`]+)`/gu)].map(([, key = '']) => key);

describe('next steps', () => {
  it.each([...problems, ...variants].map((problem) => [problem.code, problem] as const))(
    '%s: the keys exist, on the first screen or where Enter leads',
    (_, problem) => {
      const text = nextStep(problem);
      expect(text).toMatch(/^[A-Z`].*\.$/u);
      expect(text).not.toContain('evil');
      const { scopes, unusedKeys = [] } = definitionOf(jumpsOf(problem)[0]?.screen ?? 'log');
      // A `4` before it leads to Clients.
      const clientScopes: readonly string[] = text.includes('`4`, then') ? ['scan'] : [];
      const usable = new Set(
        allBindings
          .filter(
            ({ id, scope }) =>
              (['global', 'list', 'findings', ...scopes, ...clientScopes] as readonly string[]).includes(scope) &&
              !unusedKeys.some((unused) => unused === id),
          )
          .flatMap(({ keys }) => keys),
      );
      for (const key of keysIn(text)) expect([...usable]).toContain(key);
      // The first sentence fits a line of the smallest terminal.
      expect((text.split(/(?<=\.) /u)[0] ?? '').replaceAll('`', '').length).toBeLessThanOrEqual(79);
    },
  );

  it.each([...problems, ...variants].map((problem) => [problem.code, problem] as const))(
    '%s: no keys of actions in read-only mode',
    (_, problem) => {
      const { scopes } = definitionOf(jumpsOf(problem)[0]?.screen ?? 'log');
      const keysWhere = (isAction: boolean): readonly string[] =>
        allBindings
          .filter(
            (binding) =>
              (['global', 'list', ...scopes] as readonly string[]).includes(binding.scope) &&
              ('isDangerous' in binding || 'isForActing' in binding) === isAction,
          )
          .flatMap(({ keys }) => keys);
      const text = nextStep(problem, { canAct: false, canUnsubscribe: false });
      expect(text).toMatch(/^[A-Z`].*\.$/u);
      for (const key of keysIn(text))
        expect(keysWhere(true).includes(key) && !keysWhere(false).includes(key)).toBe(false);
    },
  );
});
