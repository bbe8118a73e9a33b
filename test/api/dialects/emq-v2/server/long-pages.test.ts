import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { expect, it, onTestFinished } from 'vitest';
import type { ManagementServer } from '../../../../../src/api/dialect.ts';
import { createManagementServer } from '../../../../../src/api/dialects/emq-v2/server/server.ts';
import { gather, lazily } from '../../../../../src/api/json.ts';
import { BrokerCluster } from '../../../../../src/broker/cluster.ts';
import { createBrokerApi } from '../../../../../src/broker/management/broker-api.ts';
import type { Subscription } from '../../../../../src/domain/client.ts';
import { openSocket, requestText, send } from './raw-http.ts';
import { createSampleApi, nodeNames } from './sample-api.ts';

const [node] = nodeNames;
const target = (pageSize: number): string => `/api/v2/nodes/${node}/subscriptions?page_size=${pageSize}`;

/** A service whose one list of subscriptions is this. */
async function serve(items: readonly Subscription[]): Promise<ManagementServer> {
  const { api } = createSampleApi();
  const server = await createManagementServer({
    api: {
      ...api,
      listSubscriptions: async (_node, page) => ({ ...page, items, totalItems: items.length, totalPages: 1 }),
    },
    variant: 'b',
    authenticate: async () => true,
    host: '127.0.0.1',
    port: 0,
  });
  onTestFinished(() => server.close());
  return server;
}

function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** As much text as goes into a piece of an answer. */
const padding = '.'.repeat(16 * 1024);

/** Says in `order` when it is written, which takes long, and when everything else has its turn after it. */
function slow(order: string[], name: string, meanwhile: () => void = () => undefined): Subscription {
  return {
    clientId: 'c',
    qos: 0,
    node,
    get topic() {
      order.push(`row ${name}`);
      setImmediate(() => order.push(`turn ${name}`));
      work(10);
      meanwhile();
      return `${name}${padding}`;
    },
  };
}

it('does not block the event loop while it encodes a page', async () => {
  const order: string[] = [];
  const server = await serve(['a', 'b', 'c'].map((topic) => slow(order, topic)));
  const answer = await send(server.port, { target: target(3) });
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({
    result: { objects: ['a', 'b', 'c'].map((name) => ({ topic: `${name}${padding}` })) },
  });
  expect(order.slice(0, 5)).toEqual(['row a', 'turn a', 'row b', 'turn b', 'row c']);
});

it('writes a long page whole, in ASCII, with its length', async () => {
  const items = Array.from({ length: 3000 }, (_, index): Subscription => ({
    clientId: `ü ${index}`,
    topic: `\u{1f600}/"${index}`,
    qos: 1,
    node,
  }));
  const answer = await send((await serve(items)).port, { target: target(3000) });
  const body = answer?.body ?? '';
  expect(Number(answer?.headers.get('content-length'))).toBe(body.length);
  expect(body).toMatch(/^[\n\x20-\x7e]*$/u);
  expect(JSON.parse(body)).toEqual({
    code: 0,
    result: {
      current_page: 1,
      page_size: 3000,
      total_num: 3000,
      total_page: 1,
      objects: items.map(({ clientId, topic, qos }) => ({ client_id: clientId, topic, qos })),
    },
  });
});

it('stops encoding a page when its client is gone', async () => {
  const order: string[] = [];
  let leave = (): void => undefined;
  const server = await serve(Array.from({ length: 200 }, (_, index) => slow(order, String(index), () => leave())));
  const socket = await openSocket(server.port);
  leave = () => socket.destroy();
  socket.write(requestText({ target: target(200) }));
  await once(socket, 'close');
  // Whoever comes next is served: nothing holds the service up.
  await send(server.port, { target: '/api/v2/management/nodes' });
  expect(order.filter((step) => step.startsWith('row')).length).toBeLessThan(200);
});

it('ends with the reason of the signal between two slices', async () => {
  const ended = new AbortController();
  const reason = new Error('gone');
  const made: number[] = [];
  const items = lazily([1, 2, 3], (item) => {
    made.push(item);
    ended.abort(reason);
    work(10);
    return item;
  });
  await expect(gather(items, ended.signal)).rejects.toBe(reason);
  expect(made).toEqual([1]);
});

it.each(['listSessions', 'listSubscriptions'] as const)(
  'the embedded broker makes the rows of %s in slices',
  async (operation) => {
    const cluster = new BrokerCluster({ version: '1.2.3', nodes: 1, mqttPort: 0, wsPort: 0 });
    const name = cluster.nodes[0]?.name ?? '';
    const clientIds = ['a', 'b', 'c'];
    cluster.restore({
      retained: [],
      sessions: clientIds.map((clientId) => ({
        clientId,
        node: name,
        createdAt: 0,
        subscriptions: [{ filter: 'f', qos: 1 }],
        awaitingRel: [],
        outbox: { lastPacketId: 0, dropped: 0, delivered: 0, enqueued: 0, inflight: [], queue: [], queueQos0: [] },
      })),
    });
    await cluster.start();
    onTestFinished(() => cluster.close());
    const order: string[] = [];
    for (const clientId of clientIds) {
      const session = cluster.session(clientId);
      if (session === undefined) throw new Error('no session');
      // Read once for each row, whatever the list.
      Object.defineProperty(session, 'clientId', {
        get: () => {
          order.push(clientId);
          setImmediate(() => order.push('turn'));
          work(10);
          return clientId;
        },
      });
    }
    const page = await createBrokerApi(cluster)[operation](name, { page: 1, pageSize: 3 });
    expect(page.items.map(({ clientId }) => clientId)).toEqual(clientIds);
    expect(order.slice(0, 5)).toEqual(['a', 'turn', 'b', 'turn', 'c']);
  },
);
