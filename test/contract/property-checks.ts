import type { MqttClient } from 'mqtt';
import { expect } from 'vitest';
import type { RefusalKind } from '../../src/api/errors.ts';
import { clientIds, type Model, type Seen } from './property-model.ts';
import { type Chain, errorOfKind, type NodeIndex, nodeNames } from './support.ts';

/** The broker under test and the clients on it. */
export interface Real {
  readonly chain: Chain;
  /** The current or last connection of each id. */
  readonly clients: Map<string, MqttClient>;
  /** All messages received by each id, over all its connections. */
  readonly received: Map<string, Seen[]>;
  /** Numbers the payloads. */
  published: number;
}

export const nodeIndexes: readonly NodeIndex[] = [0, 1, 2];
const everything = { page: 1, pageSize: 1000 };

/** Waits until everything sent to the clients has arrived and been acknowledged. */
async function settle(real: Real): Promise<void> {
  const online = [...real.clients.values()].filter((client) => client.connected);
  // A QoS 2 message takes two more packets each way, so the third answer comes after the last of them.
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(online.map((client) => client.publishAsync('$barrier', '', { qos: 1 })));
  }
}

function byText(seen: readonly Seen[]): readonly string[] {
  return seen.map(({ topic, payload, qos, retain }) => `${topic} ${payload} ${qos} ${retain}`).toSorted();
}

export async function refused(call: Promise<void>, kind: RefusalKind): Promise<void> {
  await expect(call).rejects.toEqual(errorOfKind(kind));
}

/** Compares the API's answers and the received messages with the model. */
export async function compare(model: Model, real: Real): Promise<void> {
  await settle(real);
  for (const id of clientIds) {
    expect([id, byText(real.received.get(id) ?? [])]).toEqual([id, byText(model.received.get(id) ?? [])]);
    expect([id, real.clients.get(id)?.connected ?? false]).toEqual([id, model.isOnline(id)]);
  }
  await compareSingleReads(model, real);
  const { api } = real.chain;
  expect((await api.listNodeStats()).map(({ status }) => status)).toEqual(
    model.running.map((isRunning) => (isRunning ? 'running' : 'stopped')),
  );
  for (const index of nodeIndexes) if (model.running[index] === true) await compareNode(model, real, index);
  const routes = await api.listRoutes(everything);
  expect(
    new Set(routes.items.map(({ topic, node }) => `${topic} ${nodeNames.findIndex((name) => name === node)}`)),
  ).toEqual(model.routes());
  expect(routes.totalItems).toBe(model.routes().size);
}

async function compareSingleReads(model: Model, { chain: { api } }: Real): Promise<void> {
  for (const id of clientIds) {
    const session = model.sessions.get(id);
    const subscriptions = await api.getSubscriptions(id);
    expect([id, new Map(subscriptions.map(({ topic, qos }) => [topic, qos]))]).toEqual([
      id,
      session?.subscriptions ?? new Map(),
    ]);
    expect((await api.getClient(id)).map(({ cleanSession }) => [id, cleanSession])).toEqual(
      model.isOnline(id) ? [[id, session?.isClean]] : [],
    );
    const figures = (await api.getSession(id)).map((one) => [
      one.clientId,
      one.cleanSession,
      one.subscriptions,
      one.inflight,
      one.queueLength,
    ]);
    expect(figures).toEqual(
      session === undefined ? [] : [[id, session.isClean, session.subscriptions.size, 0, session.queue.length]],
    );
  }
}

async function compareNode(model: Model, { chain: { api } }: Real, index: NodeIndex): Promise<void> {
  const name = nodeNames[index];
  const sessions = [...model.sessions]
    .filter(([, { node }]) => node === index)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const online = sessions.filter(([, { isOnline }]) => isOnline).map(([id]) => id);
  const pairs = sessions.flatMap(([id, { subscriptions }]) =>
    [...subscriptions].map(([filter, qos]) => `${id} ${filter} ${qos}`),
  );
  expect((await api.listClients(name, everything)).items.map(({ clientId }) => clientId)).toEqual(online);
  expect((await api.listSessions(name, everything)).items.map(({ clientId }) => clientId)).toEqual(
    sessions.map(([id]) => id),
  );
  const subscriptions = await api.listSubscriptions(name, everything);
  expect(subscriptions.items.map(({ clientId, topic, qos }) => `${clientId} ${topic} ${qos}`).toSorted()).toEqual(
    pairs.toSorted(),
  );

  const filters = new Set([...model.sessions.values()].flatMap((session) => [...session.subscriptions.keys()]));
  const stats = await api.getStats(name);
  expect(
    Object.entries(stats)
      .map(([key, { count }]) => [key, count])
      .toSorted(),
  ).toEqual([
    ['clients', online.length],
    ['retained', model.retained.size],
    ['routes', model.routes().size],
    ['sessions', sessions.length],
    ['subscribers', pairs.length],
    ['subscriptions', pairs.length],
    ['topics', filters.size],
  ]);
  for (const [key, { count = 0, max = 0 }] of Object.entries(stats)) expect([key, max >= count]).toEqual([key, true]);
  expect((await api.getNodeStats(name)).clients).toBe(online.length);
}
