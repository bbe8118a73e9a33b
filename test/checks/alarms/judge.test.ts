import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { toAlarm } from '../../../src/api/dialects/emqx-v5/decode-lists.ts';
import { decodeRows } from '../../../src/api/dialects/fields.ts';
import { NotAvailableError } from '../../../src/api/errors.ts';
import { problemText } from '../../../src/checks/words.ts';
import type { Alarm } from '../../../src/domain/administration.ts';
import type { Session } from '../../../src/domain/client.ts';
import { plainText } from '../../../src/domain/sentence.ts';
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
          alarm('queue_high_watermark.dev.7', { occurredAt: 840, queueOf: 'dev.7' }),
          alarm('disk', { severity: 'critical', summary: undefined }),
        ]),
      }),
      resources: { nodes: loaded([nodeInfo('a', { clock: 900 })]) },
    });
    expect(found(result)).toEqual([
      ['alarm', { id: 'disk', nodes: [], row: 'disk', text: 'a title' }],
      ['queue-alarm', { clientId: 'dev.7', text: 'queue len 806 > high_watermark 600' }],
    ]);
    expect(result.findings.map(({ severity, sinceMs, jump }) => [severity, sinceMs, jump])).toEqual([
      ['critical', undefined, { screen: 'alarms', row: 'disk' }],
      // The broker's clock showed 900 half a second ago.
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
      { key: 'alarm cpu on a', jump: { screen: 'alarms', row: 'cpu on a' }, evidence: { id: 'cpu', nodes: ['a'] } },
      { key: 'alarm cpu on b', jump: { screen: 'alarms', row: 'cpu on b' } },
    ]);
  });

  it('of dead connectors name all nodes, and count what depends on them', () => {
    const recording = readFileSync(
      new URL('../../fixtures/recordings/v5-live/alarms-dead-connectors.http', import.meta.url),
      'utf8',
    );
    const { data }: { readonly data: unknown } = JSON.parse(recording.slice(recording.indexOf('\n{')));
    const alarms = loaded(decodeRows(data, 'alarms', toAlarm));
    const texts = resultOf('alarms', { state: readingsOf({ alarms }) }).findings.map((each) =>
      plainText(problemText(each)),
    );
    expect(texts.map((text) => text.replace(/Connection refused\. .*(?=;)/su, '…'))).toEqual([
      'Alarm connector:mqtt:deadmqtt on emqx1@127.0.0.1, emqx2@127.0.0.1: resource down: …; 2 more alarms of the same cause',
      'Alarm connector:http:deadsink on emqx1@127.0.0.1, emqx2@127.0.0.1: resource down: Connection refused, 2 more alarms of the same cause',
      'Alarm high_cpu_usage on emqx1@127.0.0.1: 99.42% cpu usage',
      'Alarm high_cpu_usage on emqx2@127.0.0.1: 99.56% cpu usage',
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
