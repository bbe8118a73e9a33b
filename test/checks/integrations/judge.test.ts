import { describe, expect, it } from 'vitest';
import { problemText } from '../../../src/checks/words.ts';
import { NotSupportedError } from '../../../src/api/errors.ts';
import type { Alarm } from '../../../src/domain/administration.ts';
import type { Integration, IntegrationCounters, IntegrationStatus } from '../../../src/domain/integrations.ts';
import { plainText } from '../../../src/domain/sentence.ts';
import { emptyResource } from '../../../src/monitor/state.ts';
import { createIntegrationRates } from '../../../src/resources/integrations/rates.ts';
import { alarms } from '../../../src/resources/alarms/resource.ts';
import { integrations } from '../../../src/resources/integrations/resource.ts';
import { withParts } from '../../../src/triage/grouping.ts';
import { patched, readingsOf } from '../../support/readings.ts';
import { check, loaded, resultOf, type Scene } from '../scene.ts';

const counters = (matched: number, lost: IntegrationCounters['lost'], more: Partial<IntegrationCounters> = {}) => ({
  matched,
  succeeded: matched - Object.values(lost).reduce((sum, count) => sum + count, 0),
  lost,
  ...more,
});

const part = (
  kind: Integration['kind'],
  id: string,
  status: readonly (IntegrationStatus | undefined)[],
  counted: readonly (IntegrationCounters | undefined)[] = [],
  more: Partial<Integration> = {},
): Integration => ({
  kind,
  id,
  isEnabled: true,
  nodes: new Map(
    ['a', 'b'].map((node, index) => [
      node,
      {
        status: status[index] ?? status[0],
        reason: (status[index] ?? status[0]) === 'disconnected' ? 'Connection refused' : undefined,
        counters: counted[index] ?? counted[0],
      },
    ]),
  ),
  ...(kind === 'connector' && { alarmCause: `connector:${id}` }),
  ...more,
});

const under = { connector: 'http:deadsink' };
const connector = (...status: readonly IntegrationStatus[]): Integration => part('connector', 'http:deadsink', status);
const action = (status: IntegrationStatus, counted: IntegrationCounters): Integration =>
  part('action', 'http:tosink', [status], [counted], under);

/** Two readings, ten seconds apart. */
const sceneOf = (before: readonly Integration[], after: readonly Integration[] = before, more: Scene = {}): Scene => {
  const recorder = createIntegrationRates();
  recorder.record(before, 0);
  return {
    ...more,
    state: patched(more.state, {
      watched: [integrations],
      ...readingsOf({
        integrations: loaded(after),
        integrationRates: recorder.record(after, 10_000),
      }),
    }),
  };
};

const titles = (scene: Scene): readonly string[] =>
  resultOf('integrations', scene).findings.map((finding) => `${finding.severity} ${plainText(problemText(finding))}`);

describe('a connector that is down', () => {
  const lost = (expired: number): Integration =>
    action('disconnected', counters(expired + 70, { expired }, { queued: 35 }));

  it('is one row with what its action loses, over all nodes', () => {
    const scene = sceneOf([connector('disconnected'), lost(400)], [connector('disconnected'), lost(470)]);
    expect(
      withParts(resultOf('integrations', scene).findings).map((finding) => plainText(problemText(finding))),
    ).toEqual([
      'Action http:tosink lost 940 of 1,080 messages: expired; its connector is down: Connection refused: losing 14 msg/s (100 %), 70 queued, connector http:deadsink',
    ]);
  });

  it('claims no loss before two readings: what its counters have may be long ago', () => {
    const scene: Scene = {
      state: {
        watched: [integrations],
        ...readingsOf({ integrations: loaded([connector('disconnected'), lost(400)]) }),
      },
    };
    expect(titles(scene)).toEqual(['warning Connector http:deadsink is down: Connection refused: 1 action']);
    expect(resultOf('integrations', scene).unchecked).toEqual([{ code: 'integration-rates' }]);
  });

  it('names the nodes where it is, if not all', () => {
    expect(titles(sceneOf([connector('connected', 'disconnected')]))).toEqual([
      'warning Connector http:deadsink is down on b: Connection refused',
    ]);
  });

  it('is no problem if it is disabled, nor are the actions that it stops', () => {
    const off = { ...connector('stopped'), isEnabled: false };
    expect(titles(sceneOf([off, action('disconnected', counters(0, { expired: 0 }))]))).toEqual([]);
  });

  it('has the alarms that the broker raises for it, under other names on other nodes too', () => {
    const alarm = (id: string, node: string): Alarm => ({
      id,
      severity: undefined,
      title: undefined,
      summary: 'resource down',
      occurredAt: undefined,
      node,
      causeId: 'connector:http:deadsink',
    });
    const scene = sceneOf([connector('disconnected')]);
    const report = check({
      ...scene,
      state: patched(scene.state, {
        ...readingsOf({
          alarms: loaded([
            alarm('connector:http:deadsink', 'a'),
            alarm('connector:http:deadsink', 'b'),
            alarm('action:http:tosink:connector:http:deadsink', 'a'),
          ]),
        }),
        watched: [integrations, alarms],
      }),
    });
    expect(report.findings.map(({ check: id, parts = [] }) => [id, parts.length])).toEqual([['integrations', 3]]);
    expect(report.findings.map((finding) => plainText(problemText(finding)))).toEqual([
      'Connector http:deadsink is down: Connection refused: 3 alarms',
    ]);
  });
});

describe('an action of a connected connector', () => {
  const at = (matched: number, lost: IntegrationCounters['lost']): readonly Integration[] => [
    connector('connected'),
    action('connected', counters(matched, lost)),
  ];

  it('is found by what it loses', () => {
    expect(titles(sceneOf(at(0, { expired: 0 }), at(70, { expired: 49 })))).toEqual([
      'critical Action http:tosink lost 98 of 140 messages: expired: losing 9.8 msg/s (70 %)',
    ]);
    expect(titles(sceneOf(at(0, { failed: 0 }), at(100, { failed: 3 })))).toEqual([
      'warning Action http:tosink lost 6 of 200 messages: refused by the other system: losing 0.6 msg/s (3 %)',
    ]);
  });

  it('is calm where the loss is past, or tiny', () => {
    expect(titles(sceneOf(at(500, { expired: 490 }), at(520, { expired: 490 })))).toEqual([]);
    expect(titles(sceneOf(at(0, { expired: 0 }), at(10_000, { expired: 1 })))).toEqual([]);
    const result = resultOf('integrations', sceneOf(at(0, {}), at(10, {})));
    expect(result.passed).toEqual({ connectors: 1, actions: 1, rules: 0 });
  });

  it('has no rate when its counters began again, and what was found before goes on', () => {
    const scene = sceneOf(at(500, { expired: 400 }), at(20, { expired: 1 }), { found: ['losing action http:tosink'] });
    const { findings, refutes, unchecked } = resultOf('integrations', scene);
    expect([findings, unchecked]).toEqual([[], [{ code: 'integration-rates' }]]);
    expect(refutes?.({ key: 'losing action http:tosink', code: 'action-losing' } as never)).toBe(false);
  });

  it('that is down by itself is a problem of its own', () => {
    const id = 'action:http:tosink:connector:http:deadsink';
    const scene = sceneOf([connector('connected'), { ...action('disconnected', counters(0, {})), alarmCause: id }]);
    expect(titles(scene)).toEqual(['warning Action http:tosink is down: Connection refused']);
    const alarm: Alarm = {
      id,
      severity: undefined,
      title: undefined,
      summary: undefined,
      occurredAt: undefined,
      node: 'a',
      causeId: 'connector:http:deadsink',
    };
    const report = check({
      state: patched(scene.state, { watched: [integrations, alarms], ...readingsOf({ alarms: loaded([alarm]) }) }),
    });
    expect(report.findings.map((finding) => plainText(problemText(finding)))).toEqual([
      'Action http:tosink is down: Connection refused: 1 alarm',
    ]);
  });
});

describe('a rule', () => {
  const rule = (matched: number, exception: number): readonly Integration[] => [
    part('rule', 'r_bad', [undefined], [counters(matched, { exception })], { sql: 'SELECT nth(5, payload)' }),
  ];

  it('that fails every time is found, without an alarm', () => {
    expect(titles(sceneOf(rule(0, 0), rule(50, 50)))).toEqual([
      'critical Rule r_bad failed on 100 of 100 messages: its SQL fails: failing on 10 msg/s (100 %); SELECT nth(5, payload)',
    ]);
  });

  it('that nothing matches is calm', () => {
    expect(titles(sceneOf(rule(0, 0)))).toEqual([]);
  });
});

describe('without integrations', () => {
  it('the check is not offered, also where the release is too old', () => {
    const capabilities = check().state.capabilities;
    if (capabilities === undefined) throw new Error('no capabilities');
    expect(
      resultOf('integrations', { state: { capabilities: { ...capabilities, integrations: false } } }),
    ).toMatchObject({
      isNotOffered: true,
      unchecked: [{ code: 'integrations-unavailable' }],
    });
    const error = new NotSupportedError('list integrations');
    expect(
      resultOf('integrations', { state: readingsOf({ integrations: { ...emptyResource(), error } }) }),
    ).toMatchObject({ isNotOffered: true });
  });
});
