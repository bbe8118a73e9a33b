import { describe, expect, it } from 'vitest';
import { problemText } from '../../../src/checks/words.ts';
import type { AccessBackend } from '../../../src/domain/access.ts';
import type { Alarm } from '../../../src/domain/administration.ts';
import { plainText } from '../../../src/domain/sentence.ts';
import { accessBackends, type AccessRates } from '../../../src/resources/access-backends/resource.ts';
import { alarms } from '../../../src/resources/alarms/resource.ts';
import { readingsOf } from '../../support/readings.ts';
import { check, history, loaded, resultOf, type Scene } from '../scene.ts';

const backend = (connected: Readonly<Record<string, boolean>>, more: Partial<AccessBackend> = {}): AccessBackend => ({
  purpose: 'authentication',
  id: 'password_based:http',
  alarmCause: 'emqx_authn_http',
  nodes: new Map(
    Object.entries(connected).map(([node, isConnected]) => [
      node,
      { isEnabled: true, isConnected, counters: { asked: 9, accepted: 0, refused: 0, undecided: 9 } },
    ]),
  ),
  ...more,
});

const rates = (perSecond: AccessRates['perSecond']): ReadonlyMap<string, ReadonlyMap<string, AccessRates>> =>
  new Map([
    ['authentication password_based:http', new Map(['a', 'b'].map((node) => [node, { seconds: 10, perSecond }]))],
  ]);

const sceneOf = (
  backends: readonly AccessBackend[],
  perSecond: AccessRates['perSecond'] | undefined,
  more: Parameters<typeof readingsOf>[0] = {},
): Scene => ({
  state: {
    watched: [accessBackends, alarms],
    ...readingsOf({
      accessBackends: loaded(backends),
      ...(perSecond !== undefined && { accessRates: rates(perSecond) }),
      ...more,
    }),
  },
});
const titles = (scene: Scene): readonly string[] =>
  resultOf('access', scene).findings.map((finding) => `${finding.severity} ${plainText(problemText(finding))}`);

describe('a backend of access control', () => {
  it('that is down and is asked is critical, and names its nodes if not all', () => {
    expect(titles(sceneOf([backend({ a: false, b: false })], { undecided: 4 }))).toEqual([
      'critical Authentication backend password_based:http is down: asked 8/s in vain',
    ]);
    expect(titles(sceneOf([backend({ a: true, b: false })], { undecided: 4 }))).toEqual([
      'critical Authentication backend password_based:http is down on b: asked 4/s in vain',
    ]);
  });

  it('that nobody asks, or before two readings, is a warning', () => {
    expect(titles(sceneOf([backend({ a: false, b: false })], { undecided: 0 }))).toEqual([
      'warning Authentication backend password_based:http is down: not asked now',
    ]);
    expect(titles(sceneOf([backend({ a: false, b: false })], undefined))).toEqual([
      'warning Authentication backend password_based:http is down',
    ]);
  });

  it('that is connected, or disabled, is no problem', () => {
    const off = backend({ a: false, b: false });
    const disabled = {
      ...off,
      nodes: new Map([...off.nodes].map(([node, state]) => [node, { ...state, isEnabled: false }])),
    };
    expect(titles(sceneOf([backend({ a: true, b: true }), disabled], { undecided: 4 }))).toEqual([]);
  });

  it('that is down is one row with the refused clients and its alarms', () => {
    const alarm = (id: string, node: string): Alarm => ({
      id,
      severity: undefined,
      title: undefined,
      summary: 'resource down: Connection refused',
      occurredAt: undefined,
      node,
      causeId: 'emqx_authn_http',
    });
    const refused = history({ 'packets.connack.error': 8, 'packets.connack.auth_error': 8 });
    const scene = sceneOf(
      [backend({ a: false, b: false })],
      { undecided: 4 },
      {
        metricHistory: refused,
        alarms: loaded([alarm('emqx_authn_http:78', 'a'), alarm('emqx_authn_http:2', 'b')]),
      },
    );
    expect(check(scene).findings.map((finding) => plainText(problemText(finding)))).toEqual([
      'Authentication backend password_based:http is down: asked 8/s in vain, 8 connections/s refused, 2 alarms',
    ]);
  });

  it('that is down does not explain more refusals than it leaves without an answer', () => {
    const scene = sceneOf(
      [backend({ a: true, b: false })],
      { undecided: 1 },
      {
        metricHistory: history({ 'packets.connack.error': 8 }),
      },
    );
    expect(check(scene).findings.map(({ check: id }) => id)).toEqual(['access', 'refusals']);
  });

  it('that refuses is named by the refusals', () => {
    const scene = sceneOf(
      [backend({ a: true, b: true })],
      { refused: 0.9 },
      {
        metricHistory: history({ 'packets.connack.error': 2 }),
      },
    );
    expect(check(scene).findings.map((finding) => plainText(problemText(finding)))).toEqual([
      '2 connections/s refused: 1.8/s by password_based:http, over 18 s',
    ]);
  });
});

it('alarms of one cause with a name for each node name all of them, where no backend is known', () => {
  const alarm = (id: string, node: string): Alarm => ({
    id,
    severity: undefined,
    title: undefined,
    summary: 'resource down',
    occurredAt: undefined,
    node,
    causeId: 'emqx_authn_http',
  });
  const scene: Scene = {
    state: {
      watched: [alarms],
      ...readingsOf({ alarms: loaded([alarm('emqx_authn_http:78', 'a'), alarm('emqx_authn_http:2', 'b')]) }),
    },
  };
  expect(check(scene).findings.map((finding) => plainText(problemText(finding)))).toEqual([
    'Alarm emqx_authn_http:78 on a, b: resource down, 1 more alarm of the same cause',
  ]);
});
