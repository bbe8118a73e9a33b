import type { ManagementApi } from '../../api/management-api.ts';
import type { SlowSubscription } from '../../domain/messages.ts';
import type { BrokerCluster } from '../cluster.ts';
import { toBrokerSeconds } from '../engine/counters.ts';
import { slowDeliveryMs } from '../sessions/outbox.ts';

export type SlowSubscriptionApi = Required<Pick<ManagementApi, 'listSlowSubscriptions'>>;

const maxListed = 10;
const expiryMs = 300_000;

interface Measured {
  readonly entry: SlowSubscription;
  readonly atMs: number;
}

/** The slowest pairs of client and topic, each with its last slow delivery of the last five minutes. */
export function createSlowSubscriptions(cluster: BrokerCluster, now: () => number = Date.now): SlowSubscriptionApi {
  let slowest: readonly Measured[] = [];
  const recent = (): readonly Measured[] => slowest.filter(({ atMs }) => atMs > now() - expiryMs);
  cluster.events.on('slowDelivery', (clientId, topic, latencyMs, node) => {
    const last = slowest.at(-1);
    const atMs = now();
    const isSame = ({ entry }: Measured): boolean => entry.clientId === clientId && entry.topic === topic;
    // Most deliveries in an overload: nothing to sort.
    if (
      slowest.length >= maxListed &&
      last !== undefined &&
      last.entry.latencyMs >= latencyMs &&
      last.atMs > atMs - expiryMs &&
      !slowest.some(isSame)
    )
      return;
    const others = recent().filter((other) => !isSame(other));
    slowest = [...others, { entry: { clientId, topic, node, latencyMs, updatedAt: toBrokerSeconds(atMs) }, atMs }]
      .toSorted((a, b) => b.entry.latencyMs - a.entry.latencyMs)
      .slice(0, maxListed);
  });
  return {
    async listSlowSubscriptions() {
      return { isEnabled: true, thresholdMs: slowDeliveryMs, items: recent().map(({ entry }) => entry) };
    },
  };
}
