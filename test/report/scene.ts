import type { Client, Session } from '../../src/domain/client.ts';
import { type MonitorState, type ScanState, emptyResource, emptyScan } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { reading, withReading } from '../../src/monitor/query/part.ts';
import { clusterTotal, type MetricSample } from '../../src/resources/metrics/resource.ts';
import type { TimelineEvent } from '../../src/domain/event.ts';
import type { Finding } from '../../src/triage/problem.ts';
import { triageView } from '../../src/triage/view.ts';
import { capabilitiesOfB } from '../actions/support.ts';
import { stats } from '../monitor/fake-api.ts';
import { clientOf, figuresOf, infoOf, readWhole, sessionOf } from '../screens/list-fixtures.ts';
import { readingsOf } from '../support/readings.ts';
import type { RecordedMoment } from '../support/recordings.ts';

/** 28 November 2026, 14:00 of this machine, and so many minutes and seconds. */
export const at = (minute: number, second = 0): number => new Date(2026, 10, 28, 14, minute, second).getTime();

const begin = at(0);

export const whole = <Row>(rows: readonly Row[]): ScanState<Row> => ({
  ...emptyScan<Row>(),
  rows,
  phase: 'complete',
  coverage: new Map([['a', { ...readWhole(rows.length), readAtMs: 1 }]]),
});

const ready = <T>(data: T) => ({ ...emptyResource<T>(), data, updatedAtMs: begin });

export interface SceneAt {
  readonly atMs: number;
  readonly problems?: readonly Finding[];
  /** Problems that are a part of those. */
  readonly parts?: readonly Finding[];
  readonly clients?: readonly Client[];
  readonly sessions?: readonly Session[];
  readonly clientsByNode?: Readonly<Record<string, number>>;
  readonly reason?: string;
  readonly events?: readonly TimelineEvent[];
}

/** Counters that grow by 10 messages a second in, and 20 out. */
const countersUntil = (atMs: number): readonly MetricSample[] =>
  Array.from({ length: Math.floor((atMs - begin) / 10_000) + 1 }, (_, step) => ({
    atMs: step * 10_000,
    from: 'cluster' as const,
    metrics: { 'messages.received': step * 100, 'messages.sent': step * 200, 'messages.dropped': 0 },
  }));

export function momentOf({
  atMs,
  problems = [],
  parts = [],
  clients = [],
  sessions = [],
  clientsByNode = { 'a@10.9.9.1': 2, 'b@10.9.9.2': 1 },
  reason = 'noisy',
  events = [],
}: SceneAt): RecordedMoment {
  const nodes = Object.keys(clientsByNode);
  const read = <T>(data: T) => ({ ...ready(data), updatedAtMs: atMs });
  const state: MonitorState = {
    ...initialState(10),
    // A broker without the lists that come with new APIs.
    capabilities: { ...capabilitiesOfB, bans: true },
    urls: ['http://broker.example:18083'],
    ...readingsOf({
      nodes: read(nodes.map((name) => infoOf(name))),
      nodeStats: read(nodes.map((name) => figuresOf(name, { clients: clientsByNode[name] ?? 0 }))),
      stats: read(new Map(nodes.map((name) => [name, stats({ clients: clientsByNode[name] ?? 0 })]))),
      bans: read([{ kind: 'username', value: 'eve', reason, by: 'admin', since: 1_000, until: undefined }]),
      clientScan: whole(clients),
      sessionScan: whole(sessions),
      metricHistory: new Map([[clusterTotal, countersUntil(atMs)]]),
    }),
  };
  const before = reading(state, triageView);
  const open = new Map([...problems, ...parts].map((finding) => [finding.key, finding]));
  const view = { ...before, open, report: { ...before.report, problems, findings: problems } };
  return { atMs, state: { ...state, ...withReading(state, triageView, view) }, events };
}

/** A consumer that loses messages. */
export const losing = (clientId: string, droppedPerSecond: number, patch: Partial<Finding> = {}): Finding =>
  ({
    key: `slow ${clientId}`,
    check: 'slow',
    code: 'slow-consumer',
    severity: 'critical',
    sinceMs: at(1),
    jump: { screen: 'client', clientId },
    evidence: {
      clientId,
      node: 'a@10.9.9.1',
      isConnected: true,
      isAsOfDisconnect: false,
      queueLength: 1_000,
      queueLimit: 1_000,
      isQueueFull: true,
      queuePerSecond: 0,
      fullInSeconds: undefined,
      isLosing: true,
      droppedPerSecond,
      dropped: 10,
      isLossOld: false,
      isWindowFull: true,
      inflight: 32,
      maxInflight: 32,
      acknowledgedPerSecond: 0,
    },
    ...patch,
  }) as Finding;

export const nodeDown: Finding = {
  key: 'node b@10.9.9.2',
  check: 'nodes',
  code: 'node-down',
  severity: 'critical',
  foundMs: at(6),
  jump: { screen: 'node', node: 'b@10.9.9.2' },
  evidence: { node: 'b@10.9.9.2', status: 'stopped', clients: 1, clusterClients: undefined },
} as Finding;

let count = 0;
export const event = (
  atMs: number,
  kind: TimelineEvent['kind'],
  text: string,
  more: Partial<TimelineEvent> = {},
): TimelineEvent => ({
  id: `event ${(count += 1)}`,
  atMs,
  kind,
  severity: 'info',
  text,
  run: 'run 1',
  ...more,
});

export const worker = clientOf('worker-000001', { username: 'fleet', ipAddress: '10.2.4.17', node: 'a@10.9.9.1' });
export const lost = (clientId: string, dropped: number): Session =>
  sessionOf(clientId, { node: 'a@10.9.9.1', dropped, queueLength: 1_000 });

/** A consumer loses messages until it is disconnected, a node stops, and a ban gets another reason. */
export const incident = (): readonly RecordedMoment[] => {
  const of = { problem: 'slow worker-000001', clientId: 'worker-000001', node: 'a@10.9.9.1', check: 'slow' };
  const base = { clients: [worker, clientOf('sensor-7', { node: 'b@10.9.9.2', username: 'fleet' })] };
  const moment = (
    minute: number,
    dropped: number,
    problems: readonly Finding[],
    events: readonly TimelineEvent[] = [],
    more: Partial<SceneAt> = {},
  ): RecordedMoment =>
    momentOf({ atMs: at(minute), ...base, sessions: [lost('worker-000001', dropped)], problems, events, ...more });
  return [
    moment(0, 0, []),
    moment(1, 0, []),
    moment(
      2,
      600,
      [losing('worker-000001', 25)],
      [
        event(at(1), 'began', 'worker-000001 is losing 25 msg/s', {
          ...of,
          severity: 'critical',
          code: 'slow-consumer',
          sinceMs: at(1),
        }),
      ],
    ),
    moment(3, 4_000, [losing('worker-000001', 73)]),
    moment(
      4,
      8_000,
      [losing('worker-000001', 40)],
      [event(at(3, 30), 'acknowledged', 'worker-000001 is losing 73 msg/s: Ann is on it', of)],
    ),
    moment(
      5,
      8_400,
      [],
      [
        event(at(4, 30), 'action', 'Disconnected client worker-000001.', {
          clientId: 'worker-000001',
          action: { name: 'disconnect-client', outcome: 'done', record: '1', by: 'ann' },
        }),
        event(at(4, 31), 'action', 'Client worker-000001: reconnected within 0.5 s', {
          clientId: 'worker-000001',
          action: { name: 'disconnect-client', outcome: 'done', record: '1', by: 'ann' },
        }),
        event(at(4, 50), 'ended', 'worker-000001 was losing 40 msg/s', {
          ...of,
          sinceMs: at(1),
          lastedMs: 230_000,
          lost: 8_400,
        }),
      ],
    ),
    moment(
      6,
      8_400,
      [nodeDown],
      [event(at(6), 'node', 'b@10.9.9.2 stopped', { node: 'b@10.9.9.2', severity: 'critical' })],
      {
        clientsByNode: { 'a@10.9.9.1': 3 },
        reason: 'loud',
      },
    ),
    moment(8, 8_400, [nodeDown], [], { clientsByNode: { 'a@10.9.9.1': 3 }, reason: 'loud' }),
    moment(10, 8_400, [nodeDown], [], { clientsByNode: { 'a@10.9.9.1': 3 }, reason: 'loud' }),
  ];
};
