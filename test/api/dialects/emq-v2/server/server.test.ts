import { expect, it } from 'vitest';
import { sumMetrics } from '../../../../../src/api/dialects/emq-v2/server/encode.ts';
import { emqV2Server } from '../../../../../src/api/dialects/emq-v2/server/server.ts';
import { startEmbeddedBroker } from '../../../../../src/broker/embedded-broker.ts';
import { type MetricName, metricNames, type Metrics } from '../../../../../src/domain/metrics.ts';

it('knows the plugins that only one version has', () => {
  expect(emqV2Server.extraPlugins('a')).toEqual(['lwm2m']);
  expect(emqV2Server.extraPlugins('b')).toEqual([]);
});

it('refuses an unknown version, and the embedded broker does not start with it', async () => {
  expect(() => emqV2Server.extraPlugins('c')).toThrow(TypeError);
  await expect(
    startEmbeddedBroker({
      version: '1.2.3',
      nodes: 1,
      host: '127.0.0.1',
      port: 0,
      mqttPort: 0,
      wsPort: 0,
      dialect: emqV2Server,
      variant: 'c',
      user: 'admin',
      password: 'secret',
    }),
  ).rejects.toThrow(TypeError);
});

function counters(known: Partial<Record<MetricName, number>>): Metrics {
  return Object.fromEntries(metricNames.map((name) => [name, known[name] ?? 0]));
}

it('sums counters over nodes, without those that a node lacks', () => {
  const sum = sumMetrics([counters({ 'bytes.sent': 3, 'packets.connect': 1 }), counters({ 'bytes.sent': 4 })]);
  expect(sum).toEqual(counters({ 'bytes.sent': 7, 'packets.connect': 1 }));
  expect(Object.keys(sum)).toHaveLength(38);
  expect(sumMetrics([counters({}), { 'bytes.sent': 4 }])).toEqual({ 'bytes.sent': 4 });
  expect(sumMetrics([])).toEqual(counters({}));
});
