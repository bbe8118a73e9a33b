import { describe, expect, it } from 'vitest';
import { NotAvailableError } from '../../../src/api/errors.ts';
import type { Alarm } from '../../../src/domain/administration.ts';
import type { Session } from '../../../src/domain/client.ts';
import { emptyResource, emptyScan } from '../../../src/monitor/state.ts';
import { nodeInfo } from '../../monitor/fake-api.ts';
import { readingsOf } from '../../support/readings.ts';
import { nowMs, loaded, resultOf, found, unchecked, session } from '../scene.ts';

describe('alarms', () => {
  const alarm = (id: string, patch: Partial<Alarm> = {}): Alarm => ({
    id,
    severity: 'warning',
    title: 'a title',
    summary: 'queue len 806 > high_watermark 600',
    occurredAt: undefined,
    ...patch,
  });

  it('are stale once their sessions have ended, which the broker does not say', () => {
    const scene = (rows: readonly Session[], occurredAt: number, last: 'complete' | 'partial' = 'complete') =>
      resultOf('alarms', {
        state: readingsOf({
          alarms: loaded([alarm('queue_high_watermark.x', { occurredAt, queueOf: 'x' })]),
          sessionScan: { ...emptyScan(), rows },
        }),
        resources: { nodes: loaded([nodeInfo('a', { clock: 1_000 })]) },
        history: { sessionReadings: { complete: 2, last, completeMs: nowMs } },
      });
    expect(scene([], 900)).toMatchObject({ findings: [], unchecked: [{ code: 'alarms-stale', clientIds: ['x'] }] });
    // It has its session; it came while the list was read; the list is not whole.
    for (const result of [scene([session()], 900), scene([], 990), scene([], 900, 'partial')])
      expect(found(result)).toHaveLength(1);
  });

  it('and counters of sessions on nodes that only answer for themselves are said to be missing', () => {
    const elsewhere = session({
      clientId: 'y',
      node: 'b',
      queueLength: undefined,
      inflight: undefined,
      dropped: undefined,
    });
    const sessionScan = { ...emptyScan<Session>(), rows: [session(), elsewhere], finishedAtMs: nowMs };
    expect(resultOf('alarms', { state: readingsOf({ alarms: loaded([]), sessionScan }) }).unchecked).toEqual([
      { code: 'alarms-elsewhere', nodes: ['b'] },
    ]);
    expect(unchecked('slow', { state: readingsOf({ sessionScan }) })).toContainEqual({
      code: 'sessions-elsewhere',
      count: 1,
      total: 2,
      nodes: ['b'],
    });
  });

  it('are findings, with the session of a queue alarm', () => {
    const result = resultOf('alarms', {
      state: readingsOf({
        alarms: loaded([
          alarm('queue_high_watermark.dev.7', { occurredAt: 940, queueOf: 'dev.7' }),
          alarm('disk', { severity: 'critical', summary: undefined }),
        ]),
      }),
      resources: { nodes: loaded([nodeInfo('a', { clock: 1_000 })]) },
    });
    expect(found(result)).toEqual([
      ['alarm', { id: 'disk', text: 'a title' }],
      ['queue-alarm', { clientId: 'dev.7', text: 'queue len 806 > high_watermark 600' }],
    ]);
    expect(result.findings.map(({ severity, sinceMs, jump }) => [severity, sinceMs, jump])).toEqual([
      ['critical', undefined, { screen: 'alarms', row: 'disk' }],
      // The broker's clock showed 1,000 half a second ago.
      ['warning', nowMs - 60_500, { screen: 'client', clientId: 'dev.7' }],
    ]);
    const many = resultOf('alarms', {
      state: readingsOf({
        alarms: loaded(
          Array.from({ length: 9 }, (_, at) => alarm(`x${at}`, { severity: at === 8 ? 'error' : 'warning' })),
        ),
      }),
    });
    expect(many.findings.at(-1)).toMatchObject({ code: 'more-alarms', evidence: { count: 4 } });
    expect(many.findings[0]?.key).toBe('alarm x8');
  });

  it('of one name on several nodes are several, and lead to the Alarms screen', () => {
    const both = loaded([alarm('cpu', { node: 'a' }), alarm('cpu', { node: 'b' })]);
    const { findings, jump } = resultOf('alarms', { state: readingsOf({ alarms: both }) });
    expect(jump).toEqual({ screen: 'alarms' });
    expect(findings).toMatchObject([
      { key: 'alarm cpu on a', jump: { screen: 'alarms', row: 'cpu on a' }, evidence: { id: 'cpu on a' } },
      { key: 'alarm cpu on b', jump: { screen: 'alarms', row: 'cpu on b' } },
    ]);
  });

  it('are unchecked until read, and not offered without an alarm list', () => {
    expect(unchecked('alarms', { state: readingsOf({ alarms: emptyResource() }) })).toEqual([
      { code: 'alarms-unread' },
    ]);
    const without = resultOf('alarms', {
      state: readingsOf({ alarms: { ...emptyResource<readonly Alarm[]>(), error: new NotAvailableError('alarms') } }),
    });
    expect(without).toMatchObject({ isNotOffered: true, findings: [] });
  });
});
