import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HttpApi, openHttpApi } from '../../../../src/api/dialects/index.ts';
import { BrokerError, NotSupportedError } from '../../../../src/api/errors.ts';
import type { Integration } from '../../../../src/domain/integrations.ts';
import { type ReplayServer, startV5Replay, v5Key, v5Recording } from '../../../support/v5-replay.ts';

/** Answers of EMQX 5.8.9 with two nodes, a dead connector, a rule that always fails and a healthy action. */
const recorded = (name: string): string =>
  readFileSync(new URL(`../../../fixtures/recorded/emqx-5.8.9/integrations-${name}.json`, import.meta.url), 'utf8');

const [node1, node2] = ['emqx1@127.0.0.1', 'emqx2@127.0.0.1'];
const metrics = 'GET /prometheus/data_integration?mode=all_nodes_unaggregated';

let server: ReplayServer;
let api: HttpApi;
let forced: Map<string, { readonly status: number; readonly body: string }>;

beforeEach(async () => {
  forced = new Map([
    [metrics, { status: 200, body: recorded('di-2') }],
    ['GET /connectors', { status: 200, body: recorded('connectors') }],
    ['GET /actions_summary', { status: 200, body: recorded('actions-summary') }],
    ['GET /sources_summary', { status: 200, body: recorded('sources-summary') }],
    ['GET /rules?page=1&limit=1000', { status: 200, body: recorded('rules') }],
  ]);
  server = await startV5Replay((line) => forced.get(line));
  api = openHttpApi({ url: server.url, api: 'v5', ...v5Key });
});
afterEach(async () => {
  await api.close();
  await server.close();
});

const read = async (): Promise<readonly Integration[]> => (await api.listIntegrations?.()) ?? [];
const find = (all: readonly Integration[], id: string): Integration | undefined => all.find((part) => part.id === id);

describe('integrations', () => {
  test('are connectors, their actions and sources, and rules, with what each node counted', async () => {
    const all = await read();
    expect(all.map(({ kind, id, connector }) => [kind, id, connector].join(' ').trim()).toSorted()).toEqual([
      'action http:ok http:live',
      'action http:tosink http:deadsink',
      'connector http:deadsink',
      'connector http:live',
      'connector mqtt:deadmqtt',
      'rule r_bad',
      'rule r_far',
      'rule r_sink',
      'source mqtt:fromfar mqtt:deadmqtt',
    ]);
    expect(find(all, 'http:tosink')?.nodes.get(node1)).toEqual({
      status: 'disconnected',
      reason: 'Resource not operational',
      counters: {
        matched: 252,
        succeeded: 0,
        retried: 0,
        queued: 58,
        inflight: 1,
        lost: { failed: 0, expired: 147, 'queue-full': 0, stopped: 0, 'not-found': 0, other: 0 },
      },
    });
    expect(find(all, 'http:ok')?.nodes.get(node2)?.counters).toMatchObject({ matched: 126, succeeded: 126 });
    expect(find(all, 'r_bad')?.actions).toEqual(['function console']);
    expect(find(all, 'r_sink')).toMatchObject({ actions: ['http:tosink', 'http:ok'], isEnabled: true });
  });

  test('have the first sentence of a long reason', async () => {
    expect(find(await read(), 'mqtt:deadmqtt')?.nodes.get(node1)?.reason).toBe('Connection refused');
  });

  test('a rule that filters does not fail: only exceptions are losses, and those of its functions', async () => {
    const body = JSON.parse(recorded('di-2')) as { rules: Record<string, unknown>[] };
    for (const rule of body.rules)
      if (rule['id'] === 'r_bad') {
        rule['emqx_rule_failed_no_result'] = 500;
        rule['emqx_rule_failed'] = Number(rule['emqx_rule_failed_exception']) + 500;
        rule['emqx_rule_actions_failed'] = 7;
      }
    forced.set(metrics, { status: 200, body: JSON.stringify(body) });
    const all = await read();
    expect(find(all, 'r_bad')?.nodes.get(node1)?.counters?.lost).toEqual({ exception: 252, action: 7 });
    // What its actions lose, they count themselves.
    expect(find(all, 'r_sink')?.nodes.get(node1)?.counters?.lost).toEqual({ exception: 0 });
  });

  test('a disabled action has no counters: the metrics call it enabled and connected, with zeros', async () => {
    forced.set(metrics, { status: 200, body: recorded('di-action-off') });
    forced.set('GET /actions_summary', { status: 200, body: recorded('actions-action-off') });
    const part = find(await read(), 'http:ok');
    expect(part?.isEnabled).toBe(false);
    expect(part?.nodes.get(node1)).toEqual({ status: 'disconnected', reason: 'Not installed', counters: undefined });
  });

  test('take one request where there are none', async () => {
    forced.set(metrics, {
      status: 200,
      body: '{"rules":[],"actions":[],"connectors":[],"data_integration_overview":{"emqx_rules_count":0,"emqx_actions_count":0,"emqx_connectors_count":0}}',
    });
    expect(await read()).toEqual([]);
    expect(server.requests).toEqual([metrics]);
  });

  test('are read with their configuration before 5.8.5, which is asked once', async () => {
    forced.set('GET /actions_summary', { status: 404, body: '<html></html>' });
    forced.set('GET /actions', { status: 200, body: recorded('actions-summary') });
    forced.set('GET /sources', { status: 200, body: recorded('sources-summary') });
    expect(await read()).toHaveLength(9);
    expect(await read()).toHaveLength(9);
    expect(server.requests.filter((line) => line.includes('_summary'))).toEqual(['GET /actions_summary']);
  });

  test('are not there before 5.5: nothing is sent', async () => {
    forced.set('GET /nodes', { status: 200, body: v5Recording('022').body.replaceAll('5.8.9', '5.4.1') });
    await api.listNodes();
    await expect(read()).rejects.toBeInstanceOf(NotSupportedError);
    expect(server.requests).toEqual(['GET /nodes']);
  });

  test('are connected again, and rules enabled, by one request', async () => {
    forced.set('POST /connectors/http:live/start', { status: 204, body: '' });
    forced.set('POST /sources/mqtt:fromfar/start', {
      status: 400,
      body: '{"code":"BAD_REQUEST","message":"Connection refused"}',
    });
    forced.set('PUT /rules/r_bad', { status: 200, body: '{"id":"r_bad","enable":false}' });
    await api.startIntegration?.('connector', 'http:live');
    await expect(api.startIntegration?.('source', 'mqtt:fromfar')).rejects.toThrow(BrokerError);
    await api.setRuleEnabled?.('r_bad', false);
    expect(server.requests).toEqual([
      'POST /connectors/http:live/start',
      'POST /sources/mqtt:fromfar/start',
      'PUT /rules/r_bad',
    ]);
  });
});
