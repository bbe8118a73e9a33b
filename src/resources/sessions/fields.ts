import type { Session } from '../../domain/client.ts';
import { type BrokerClocks, secondsSince } from '../../domain/node.ts';
import { defineFields, type Field, type NumberField } from '../../table/field.ts';
import { type Grouping, prefixOf } from '../../table/grouping.ts';
import type { SessionRow } from './history.ts';
import { countersOf, isQueueFull, problemInWords } from './problem.ts';
import { lossPerSecond, sessionTrouble } from './trouble.ts';

const count = (label: string, name: NumberField<Session>) =>
  ({
    label,
    type: 'count',
    get: ({ session }: SessionRow) => session[name],
    unparsed: ({ session }: SessionRow) => session.unparsed[name],
  }) as const satisfies Field<SessionRow>;

const rate = (label: string, get: (row: SessionRow) => number | undefined) =>
  ({ label, type: 'rate', get }) as const satisfies Field<SessionRow>;

export const sessionFields = defineFields<SessionRow, BrokerClocks>()({
  id: { label: 'CLIENT ID', type: 'name', get: ({ session }) => session.clientId },
  node: { label: 'NODE', type: 'text', get: ({ session }) => session.node },
  connected: { label: 'CONN', type: 'flag', get: ({ isConnected }) => isConnected },
  problem: { label: 'PROBLEM', type: 'text', get: problemInWords, order: sessionTrouble },
  inflight: count('INFLIGHT', 'inflight'),
  queue: count('QUEUE', 'queueLength'),
  // Averaged as in PROBLEM: else they would contradict it.
  growth: rate(
    'QUEUE/S',
    (row) => (isQueueFull(row) ? undefined : row.recentTrouble?.growthPerSecond) ?? row.rates.queuePerSecond,
  ),
  dropped: count('DROPPED', 'dropped'),
  drop: rate('DROP/S', (row) => lossPerSecond(row) ?? row.rates.droppedPerSecond),
  deliver: rate('DELIVER/S', ({ rates }) => rates.deliveredPerSecond),
  enqueue: rate('ENQUEUE/S', ({ rates }) => rates.enqueuedPerSecond),
  delivered: count('DELIVERED', 'delivered'),
  enqueued: count('ENQUEUED', 'enqueued'),
  subscriptions: count('SUBS', 'subscriptions'),
  rel: count('AWAIT PUBREL', 'awaitingRel'),
  ack: count('AWAIT PUBACK', 'awaitingAck'),
  comp: count('AWAIT PUBCOMP', 'awaitingComp'),
  counters: { label: 'COUNTERS', type: 'text', get: countersOf },
  clean: {
    label: 'CLEAN',
    type: 'flag',
    get: ({ session }) => session.cleanSession,
    unparsed: ({ session }) => session.unparsed['cleanSession'],
  },
  created: {
    label: 'CREATED',
    type: 'time',
    get: ({ session }) => session.createdAt,
    age: ({ session: { createdAt, node } }, clocks) => secondsSince(createdAt, clocks, node),
    unparsed: ({ session }) => session.unparsed['createdAt'],
  },
  since: {
    label: 'CREATED AT',
    type: 'time',
    get: ({ session }) => session.createdAt,
    unparsed: ({ session }) => session.unparsed['createdAt'],
  },
});

export type SessionGroupingId = 'node' | 'prefix';

export const sessionGroupings: readonly Grouping<Session, SessionGroupingId>[] = [
  { id: 'node', valueOf: ({ node }) => node },
  { id: 'prefix', valueOf: ({ clientId }) => prefixOf(clientId) },
];
