import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { describeResult } from '../../src/actions/describe.ts';
import { createRunner } from '../../src/actions/runner.ts';
import { readCluster } from '../../src/cli/once/once.ts';
import type { Integration } from '../../src/domain/integrations.ts';
import { systemClock } from '../../src/monitor/clock.ts';
import { disableRule, enableRule, startIntegration } from '../../src/resources/integrations/actions.ts';
import { type Loopback, listenOnLoopback } from '../support/loopback.ts';
import { type Chain, errorOfKind, nodeNames, startChain } from './support.ts';

const waitMs = { timeout: 20_000, interval: 50 };
const [node1, node2] = nodeNames;

let chain: Chain;
const servers: Loopback[] = [];
afterEach(async () => {
  await chain.close();
  for (const server of servers.splice(0)) await server.close();
});

interface Sink {
  readonly received: unknown[];
  readonly loopback: Loopback;
}

/** A real HTTP service. */
async function startSink(answer: () => number = () => 200): Promise<Sink> {
  const received: unknown[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      response.statusCode = answer();
      if (response.statusCode === 200) received.push(JSON.parse(text));
      response.end();
    });
  });
  const loopback = await listenOnLoopback(server);
  servers.push(loopback);
  return { received, loopback };
}

interface Setup {
  readonly port: number;
  readonly sql?: string;
  readonly requestTtlMs?: number;
  readonly isConnectorEnabled?: boolean;
  readonly healthMs?: number;
}

const start = async ({
  port,
  sql = 'SELECT * FROM "sensors/+/temp"',
  requestTtlMs = 60_000,
  isConnectorEnabled = true,
  healthMs = 100,
}: Setup): Promise<void> => {
  chain = await startChain('v5', {
    integrationHealthMs: healthMs,
    integrations: {
      connectors: [{ name: 'sink', url: new URL(`http://127.0.0.1:${port}/in`), isEnabled: isConnectorEnabled }],
      actions: [{ name: 'tosink', connector: 'sink', requestTtlMs }],
      rules: [{ id: 'temps', sql, actions: ['tosink'] }],
    },
  });
};

const list = async (): Promise<readonly Integration[]> => (await chain.api.listIntegrations?.()) ?? [];
const find = async (kind: Integration['kind']): Promise<Integration> => {
  const part = (await list()).find((each) => each.kind === kind);
  if (part === undefined) throw new Error(`no ${kind}`);
  return part;
};
const statusesOf = ({ nodes }: Integration): readonly unknown[] => [...nodes.values()].map(({ status }) => status);
const countersOn = async (kind: Integration['kind'], node: string = node1) =>
  (await find(kind)).nodes.get(node)?.counters;

describe('a rule', () => {
  it('sends the messages of its topics to the sink, and each node counts its own', async () => {
    const { received, loopback } = await startSink();
    await start({ port: loopback.port });
    await vi.waitFor(
      async () => expect(new Set(statusesOf(await find('connector')))).toEqual(new Set(['connected'])),
      waitMs,
    );
    const [first, second] = [await chain.connect('a', 0), await chain.connect('b', 1)];
    for (const topic of ['sensors/1/temp', 'sensors/1/humidity']) await first.publishAsync(topic, '1', { qos: 1 });
    await second.publishAsync('sensors/2/temp', '2', { qos: 1 });
    await vi.waitFor(() => expect(received).toHaveLength(2), waitMs);
    expect(received).toMatchObject([
      { topic: 'sensors/1/temp', payload: '1', clientid: 'a', node: node1 },
      { topic: 'sensors/2/temp', payload: '2', clientid: 'b', node: node2 },
    ]);
    await vi.waitFor(
      async () => expect(await countersOn('action')).toMatchObject({ matched: 1, succeeded: 1 }),
      waitMs,
    );
    expect(await countersOn('rule', node2)).toMatchObject({ matched: 1, succeeded: 1, lost: { exception: 0 } });
    expect(await find('rule')).toMatchObject({ actions: ['http:tosink'], isEnabled: true });
  });

  it('fails on payloads that are not what its SQL expects, without an alarm', async () => {
    const { received, loopback } = await startSink();
    await start({ port: loopback.port, sql: 'SELECT json_decode(payload) AS p FROM "sensors/+/temp"' });
    const client = await chain.connect('a', 0);
    await client.publishAsync('sensors/1/temp', 'twenty', { qos: 1 });
    await client.publishAsync('sensors/1/temp', '{"t":20}', { qos: 1 });
    await vi.waitFor(() => expect(received).toEqual([{ p: { t: 20 } }]), waitMs);
    expect(await countersOn('rule')).toEqual({ matched: 2, succeeded: 1, lost: { exception: 1 } });
    expect(await chain.api.listAlarms?.(node1)).toEqual([]);
  });

  it('that fails is found by a single run of `check`, which reads the counters twice', async () => {
    const { loopback } = await startSink();
    await start({ port: loopback.port, sql: 'SELECT json_decode(payload) AS p FROM "sensors/+/temp"' });
    const client = await chain.connect('a', 0);
    const publishing = setInterval(() => client.publish('sensors/1/temp', 'twenty'), 50);
    const { report } = await readCluster(chain.api, { rateSeconds: 1 });
    clearInterval(publishing);
    expect(report.findings.map(({ code }) => code)).toContain('rule-failing');
  });

  it('is disabled and enabled again, read back each time', async () => {
    const { received, loopback } = await startSink();
    await start({ port: loopback.port });
    const runner = createRunner({ api: chain.api, clock: systemClock });
    const client = await chain.connect('a', 0);
    const off = disableRule.create(await find('rule'));
    expect(describeResult(off, await runner.run(off))).toBe('Disabled rule temps on all nodes.');
    await client.publishAsync('sensors/1/temp', '1', { qos: 1 });
    expect(await countersOn('rule')).toMatchObject({ matched: 0 });
    const on = enableRule.create(await find('rule'));
    expect(describeResult(on, await runner.run(on))).toBe('Enabled rule temps on all nodes.');
    await client.publishAsync('sensors/1/temp', '2', { qos: 1 });
    await vi.waitFor(() => expect(received).toMatchObject([{ payload: '2' }]), waitMs);
    await expect(chain.api.setRuleEnabled?.('nope', true)).rejects.toEqual(errorOfKind('does-not-exist'));
  });
});

describe('a sink', () => {
  it('that is away takes the messages with it once they expire, and raises alarms with one cause', async () => {
    const { loopback } = await startSink();
    await loopback.close();
    await start({ port: loopback.port, requestTtlMs: 50 });
    await vi.waitFor(async () => expect(statusesOf(await find('connector'))).toContain('disconnected'), waitMs);
    expect((await find('connector')).nodes.get(node1)?.reason).toBe('Connection refused');
    expect((await find('action')).nodes.get(node1)).toMatchObject({
      status: 'disconnected',
      reason: 'Resource not operational',
    });
    const client = await chain.connect('a', 0);
    for (let index = 0; index < 3; index += 1) await client.publishAsync('sensors/1/temp', '1', { qos: 1 });
    await vi.waitFor(async () => {
      expect(await countersOn('action')).toMatchObject({ matched: 3, queued: 0, lost: { expired: 3 } });
    }, waitMs);
    const alarms = (await chain.api.listAlarms?.(node1)) ?? [];
    expect(new Set(alarms.map(({ causeId }) => causeId))).toEqual(new Set(['connector:http:sink']));
    expect(new Set(alarms.map(({ node }) => node))).toEqual(new Set(nodeNames));
  });

  it('that refuses messages makes them fail at once', async () => {
    const { loopback } = await startSink(() => 400);
    await start({ port: loopback.port });
    const client = await chain.connect('a', 0);
    await client.publishAsync('sensors/1/temp', '1', { qos: 1 });
    await vi.waitFor(async () => {
      expect(await countersOn('action')).toMatchObject({ matched: 1, succeeded: 0, lost: { failed: 1, expired: 0 } });
    }, waitMs);
  });

  it('that is busy gets them again', async () => {
    let answers = 0;
    const { received, loopback } = await startSink(() => ((answers += 1) > 2 ? 200 : 503));
    await start({ port: loopback.port });
    const client = await chain.connect('a', 0);
    await client.publishAsync('sensors/1/temp', '1', { qos: 1 });
    await vi.waitFor(() => expect(received).toHaveLength(1), waitMs);
    await vi.waitFor(
      async () => expect(await countersOn('action')).toMatchObject({ succeeded: 1, retried: 2 }),
      waitMs,
    );
  });
});

describe('a connector', () => {
  it('is connected again by an action, which says why it cannot', async () => {
    const { loopback } = await startSink();
    await loopback.close();
    await start({ port: loopback.port, healthMs: 3_600_000 });
    await vi.waitFor(
      async () => expect(new Set(statusesOf(await find('connector')))).toEqual(new Set(['disconnected'])),
      waitMs,
    );
    const runner = createRunner({ api: chain.api, clock: systemClock });
    const failing = startIntegration.create({ kind: 'connector', id: 'http:sink' });
    expect(describeResult(failing, await runner.run(failing))).toBe(
      'Failed to reconnect connector http:sink. The broker refused (code BAD_REQUEST). The broker says: Connection refused',
    );
    const received: unknown[] = [];
    const server = createServer((request, response) => {
      request.resume().on('end', () => received.push(1));
      response.end();
    });
    await new Promise<void>((resolve) => {
      server.listen(loopback.port, '127.0.0.1', resolve);
    });
    const working = startIntegration.create({ kind: 'action', id: 'http:tosink' });
    expect(describeResult(working, await runner.run(working))).toBe('Reconnected action http:tosink.');
    expect(await chain.api.listAlarms?.(node1)).toEqual([]);
    server.closeAllConnections();
    server.close();
  });

  it('that is disabled is not connected: nothing is sent', async () => {
    const { loopback } = await startSink();
    await start({ port: loopback.port, isConnectorEnabled: false });
    expect(statusesOf(await find('connector'))).toEqual(['stopped', 'stopped', 'stopped']);
    await expect(chain.api.startIntegration?.('connector', 'http:sink')).rejects.toEqual(errorOfKind('failed'));
    const runner = createRunner({ api: chain.api, clock: systemClock });
    const action = startIntegration.create({ kind: 'connector', id: 'http:sink' });
    expect(describeResult(action, await runner.run(action))).toBe(
      'Skipped connector http:sink: it is disabled now, and the broker connects only what is enabled.',
    );
    await expect(chain.api.startIntegration?.('connector', 'http:nope')).rejects.toEqual(errorOfKind('does-not-exist'));
  });
});

it('counters of a node begin again when it starts', async () => {
  const { loopback } = await startSink();
  await start({ port: loopback.port });
  const client = await chain.connect('a', 1);
  await client.publishAsync('sensors/1/temp', '1', { qos: 1 });
  await vi.waitFor(async () => expect(await countersOn('rule', node2)).toMatchObject({ matched: 1 }), waitMs);
  await chain.broker.cluster.stopNode(node2);
  expect((await find('rule')).nodes.has(node2)).toBe(false);
  await chain.broker.cluster.startNode(node2);
  expect(await countersOn('rule', node2)).toMatchObject({ matched: 0 });
});
