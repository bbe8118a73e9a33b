import mqtt from 'mqtt';
import { expect, test, type TestContext } from 'vitest';
import { emqV2Server } from '../../../../src/api/dialects/emq-v2/server/server.ts';
import { createHttpApi, type HttpApi } from '../../../../src/api/dialects/index.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '../../../../src/broker/embedded-broker.ts';
import { createManualClock } from '../../../support/manual-clock.ts';

const [one, two] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'];
const page = { page: 1, pageSize: 100 };

/** Long enough for a busy machine; the tests wait for it at the same time. */
const deadlineMs = 2_500;

interface Opened {
  readonly broker: EmbeddedBroker;
  readonly api: HttpApi;
  /** Lists the nodes, then freezes the second one. */
  readonly freeze: () => Promise<void>;
}

async function open(onTestFinished: TestContext['onTestFinished']): Promise<Opened> {
  // Nothing moves its clock: what waits for a frozen node never answers.
  const broker = await startEmbeddedBroker({
    version: '1.2.3',
    nodes: 2,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    wsPort: 0,
    dialect: emqV2Server,
    variant: 'b',
    user: 'admin',
    password: 'secret',
    profile: 'emq-2.3',
    clock: createManualClock(),
  });
  onTestFinished(() => broker.close());
  const api = createHttpApi({ url: broker.server.url, user: 'admin', password: 'secret', variant: 'b', deadlineMs });
  onTestFinished(() => api.close());
  for (const [clientId, node] of [
    ['here', 0],
    ['there', 1],
  ] as const) {
    const client = await mqtt.connectAsync(
      `mqtt://127.0.0.1:${broker.cluster.nodes[node]?.ports.tcp}`,
      { clientId, reconnectPeriod: 0 },
      false,
    );
    onTestFinished(() => {
      client.end(true);
    });
    await client.subscribeAsync(`of/${clientId}`);
  }
  const freeze = async (): Promise<void> => {
    await api.listNodeStats();
    broker.faults.frozen = two;
  };
  return { broker, api, freeze };
}

test.concurrent('a frozen node is named, and the other one keeps its values', async ({ onTestFinished }) => {
  const { api, freeze } = await open(onTestFinished);
  await freeze();
  const stats = await api.listNodeStats();
  expect(stats.map(({ name, status, statusText, isSilent }) => [name, status, statusText, isSilent])).toEqual([
    [one, 'running', 'Running', undefined],
    [two, 'other', 'silent', true],
  ]);
  expect(stats.map(({ clients: count }) => count)).toEqual([1, undefined]);
  expect((await api.listNodes()).map(({ name, status, isSilent }) => [name, status, isSilent])).toEqual([
    [one, 'running', undefined],
    [two, 'other', true],
  ]);
});

test.concurrent('the lists of the cluster have the nodes that answer', async ({ onTestFinished }) => {
  const { api, freeze } = await open(onTestFinished);
  await freeze();
  expect([...(await api.listStats()).keys()]).toEqual([one]);
  expect([...(await api.listListeners()).keys()]).toEqual([one]);
  const metrics = await api.listMetrics();
  expect(metrics.kind === 'by-node' && [...metrics.nodes.keys()]).toEqual([one]);
});

test.concurrent('clients of the other nodes are found, and those that may be on the frozen one are not called gone', async ({
  onTestFinished,
}) => {
  const { api, freeze } = await open(onTestFinished);
  await freeze();
  await api.listNodeStats();
  expect(await api.getClient('here')).toMatchObject([{ clientId: 'here', node: one }]);
  expect(await api.getSession('here')).toMatchObject([{ clientId: 'here' }]);
  expect(await api.getSubscriptions('here')).toMatchObject([{ topic: 'of/here' }]);
  await expect(api.getClient('there')).rejects.toMatchObject({
    kind: 'node-unreachable',
    message: 'Not read: broker2@127.0.0.1 is not responding.',
  });
});

test.concurrent('its own lists are refused without a request', async ({ onTestFinished }) => {
  const { api, freeze } = await open(onTestFinished);
  await freeze();
  await api.listNodeStats();
  const silent = {
    kind: 'node-unreachable',
    message: 'Not read: broker2@127.0.0.1 is not responding.',
    brief: 'broker2@127.0.0.1 is not responding',
  };
  for (const list of [
    api.listClients(two, page),
    api.listSessions(two, page),
    api.listSubscriptions(two, page),
    api.listPlugins(two),
  ])
    await expect(list).rejects.toMatchObject(silent);
  expect((await api.listClients(one, page)).items).toMatchObject([{ clientId: 'here' }]);
});

test.concurrent('a cluster that is frozen from the start is found by its routes', async ({ onTestFinished }) => {
  const { broker, api } = await open(onTestFinished);
  broker.faults.frozen = two;
  expect((await api.listNodeStats()).map(({ name, status }) => [name, status])).toEqual([
    [one, 'running'],
    [two, 'other'],
  ]);
});

test.concurrent('a node that stopped meanwhile is stopped, not silent', async ({ onTestFinished }) => {
  const { broker, api, freeze } = await open(onTestFinished);
  await freeze();
  await api.listNodeStats();
  await broker.cluster.stopNode(two);
  broker.faults.frozen = undefined;
  const answered = await api.listStats();
  expect([...answered.keys()]).toEqual([one]);
});

test.concurrent('a broker that answers nothing at all is not reachable, and no node is blamed', async ({
  onTestFinished,
}) => {
  const { broker, api } = await open(onTestFinished);
  await api.listNodeStats();
  broker.faults.frozen = one;
  await expect(api.listNodeStats()).rejects.toMatchObject({ kind: 'timeout' });
});
