import { afterEach, describe, expect, test } from 'vitest';
import type { ActingState } from '../../src/actions/acting-monitor.ts';
import { v5Texts } from '../../src/api/dialects/emqx-v5/texts.ts';
import { NotSupportedError, TimeoutError } from '../../src/api/errors.ts';
import type { AccessBackend } from '../../src/domain/access.ts';
import type { Integration } from '../../src/domain/integrations.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { watchKey } from '../../src/monitor/query/part.ts';
import { emptyResource } from '../../src/monitor/state.ts';
import { AccessBackendsScreen } from '../../src/resources/access-backends/screen.tsx';
import { IntegrationsScreen } from '../../src/resources/integrations/screen.tsx';
import { fullCapabilities } from '../support/full-broker.ts';
import { patched, type PartValues, readingsOf } from '../support/readings.ts';
import { cellsByHeader } from '../tui/support/cells.ts';
import { endRigs } from '../tui/support/rig.tsx';
import {
  type AskingRig,
  capabilitiesB,
  createAskingRig,
  createCluster,
  node1,
  node2,
} from './administration-fixtures.tsx';
import { type FakeMonitor, infoOf, propsOf, ready, sizes } from './list-fixtures.ts';

afterEach(endRigs);

const hostile = 'z\u001B[2J\u202E';

const counters = { matched: 1_328, succeeded: 389, lost: { expired: 939 }, queued: 35, inflight: 2, retried: 4 };
const on = (state: object): Integration['nodes'] => new Map([node1, node2].map((node) => [node, state]));
const parts: readonly Integration[] = [
  {
    kind: 'rule',
    id: 'temps',
    isEnabled: true,
    name: '',
    sql: 'SELECT * FROM "a"',
    actions: ['http:tosink'],
    nodes: on({ counters: { ...counters, lost: { exception: 0 } } }),
  },
  { kind: 'connector', id: 'http:up', isEnabled: true, nodes: on({ status: 'connected' }) },
  {
    kind: 'action',
    id: 'http:tosink',
    isEnabled: true,
    connector: 'http:sink',
    nodes: on({ status: 'disconnected', reason: 'Resource not operational', counters }),
  },
  { kind: 'connector', id: 'http:sink', isEnabled: true, nodes: on({ status: 'disconnected', reason: hostile }) },
  { kind: 'connector', id: 'http:off', isEnabled: false, nodes: on({ status: 'stopped' }) },
];
const rates = new Map([
  [
    'action http:tosink',
    new Map(
      [node1, node2].map((node) => [
        node,
        { seconds: 10, matched: 7, succeeded: 2, lost: 5, mostly: 'expired' as const },
      ]),
    ),
  ],
]);
const backends: readonly AccessBackend[] = [
  {
    purpose: 'authentication',
    id: 'password_based:http',
    nodes: new Map([
      [node1, { isEnabled: true, isConnected: true, counters: { asked: 10, accepted: 9, refused: 1, undecided: 0 } }],
      [node2, { isEnabled: true, isConnected: false, counters: { asked: 5, accepted: 0, refused: 0, undecided: 5 } }],
    ]),
  },
  {
    purpose: 'authorization',
    id: hostile,
    nodes: new Map([
      [node1, { isEnabled: true, isConnected: true, counters: { asked: 1, accepted: 1, refused: 0, undecided: 0 } }],
    ]),
  },
];

const cluster = (values: PartValues = {}, isOffered = true): FakeMonitor => {
  const monitor = createCluster(
    patched<Partial<ActingState>>(
      { capabilities: isOffered ? { ...capabilitiesB, ...fullCapabilities } : { ...capabilitiesB, apiName: 'API v0' } },
      readingsOf({ integrations: ready(parts), integrationRates: rates, accessBackends: ready(backends), ...values }),
    ),
  );
  monitor.setResources({ nodes: ready([infoOf(node1), infoOf(node2)]) });
  return monitor;
};

type Screen = typeof IntegrationsScreen;
const open = (Screen: Screen, monitor: FakeMonitor, size: readonly [number, number] = [130, 16]): AskingRig =>
  createAskingRig(<Screen {...propsOf(monitor, size)} />, size);
const textOf = (rig: AskingRig): string => rig.lines().join('\n');

const screens = [
  [IntegrationsScreen, 'integrations', 'the integrations', 'No connectors and no rules.', 'connectors and rules'],
  [
    AccessBackendsScreen,
    'accessBackends',
    'the access backends',
    'No backends: the broker lets every client connect, publish and subscribe.',
    'access backends',
  ],
] as const;

describe.each(screens)('%o', (Screen, part, what, empty, notOffered) => {
  test.each(sizes)('fills %i by %i', (width, height) => {
    const rig = open(Screen, cluster(), [width, height]);
    expect(rig.lines()).toHaveLength(height);
    expect(Math.max(...rig.lines().map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(textOf(rig)).toContain('▸');
    expect(rig.raw()).not.toMatch(/\u001B\[2J|\u202E/u);
  });

  test('shows loading, empty, failed and stale differently, and is watched', () => {
    const show = (values: PartValues): string => textOf(open(Screen, cluster(values), [150, 16]));
    expect(show({ [part]: emptyResource() })).toContain(`··· loading ${what}`);
    expect(show({ [part]: ready([]) })).toContain(empty);
    const error = new TimeoutError(5_000);
    expect(show({ [part]: { ...emptyResource(), error, nextAttemptAtMs: steadyNowMs() + 9_000 } })).toContain(
      'The broker did not respond within 5 s.',
    );
    expect(show({ [part]: ready(part === 'integrations' ? parts : backends, 200_000) })).toMatch(/.*: last read 3m/u);
    const monitor = cluster();
    open(Screen, monitor);
    expect(monitor.watching.map(watchKey)).toContain(part);
  });

  test('is not read where the API has none, and says so', () => {
    const monitor = cluster({ [part]: emptyResource() }, false);
    expect(textOf(open(Screen, monitor))).toContain(`Not available: API v0 does not support ${notOffered}.`);
    expect(monitor.watching.map(watchKey)).not.toContain(part);
    const error = new NotSupportedError('list them', {}, v5Texts.sinceRelease('list them', '5.5'));
    expect(textOf(open(Screen, cluster({ [part]: { ...emptyResource(), error } })))).toContain('EMQX can since 5.5');
  });
});

test('integrations stand under their connector, those in trouble first, with sums over all nodes', () => {
  const [header, ...lines] = open(IntegrationsScreen, cluster(), [138, 12]).lines();
  expect(lines.slice(0, 5).map((line) => line.slice(0, 46).trimEnd())).toEqual([
    '▸http:sink         connector  disconnected',
    '   http:tosink     action     connector down',
    ' http:off          connector  disabled',
    ' http:up           connector  connected',
    ' temps             rule       enabled',
  ]);
  expect(cellsByHeader(header, lines[1])).toMatchObject({ IN: '14/s', LOSS: '10/s', LOST: '1,878', QUEUED: '70' });
  // Nothing is counted for a connector, and there are no rates for the rule yet: neither is a zero.
  expect(cellsByHeader(header, lines[0])).toMatchObject({ LOSS: '–', LOST: '–' });
  expect(cellsByHeader(header, lines[4])).toMatchObject({ LOSS: '–', LOST: '0' });
});

test('the panel has what each node says, and why messages were lost', async () => {
  const rig = open(IntegrationsScreen, cluster(), [200, 40]);
  rig.type('j');
  const lines = await rig.until((text) => /lost +939 of 1,328/u.test(text));
  expect(lines.join('\n')).toMatch(/broker1.*expired +939.*Resource not operational.*broker2/su);
});

test('access backends say where they are down, and how they decide', () => {
  const [header, ...lines] = open(AccessBackendsScreen, cluster(), [130, 12]).lines();
  expect(cellsByHeader(header, lines[0])).toMatchObject({
    BACKEND: 'password_based:http',
    DECIDES: 'authentication',
    STATUS: 'down on 1 of 2',
    NO: '–',
    TOTAL: '15',
  });
});
