import { connectAsync, type MqttClient } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { startBuiltCluster } from '../support/built-cluster.ts';
import { activeTab, bodyOf, closeTerminalsAtEnd, connectQuietClients, openMonitor, openReadyMonitor, showClients, waitForFrame } from './support.ts';

closeTerminalsAtEnd();

/** A client that takes messages and acknowledges none, with so many published to it. */
async function connectSlowClient(port: number, messages: number): Promise<MqttClient> {
  const client = await connectAsync({ host: '127.0.0.1', port, clientId: 'slow', reconnectPeriod: 0 });
  client.handleMessage = () => {};
  await client.subscribeAsync('work', { qos: 1 });
  const publisher = await connectAsync({ host: '127.0.0.1', port, reconnectPeriod: 0 });
  await Promise.all(Array.from({ length: messages }, () => publisher.publishAsync('work', 'x', { qos: 1 })));
  await publisher.endAsync();
  return client;
}

describe.concurrent.each(['a', 'b'] as const)('a broker of variant %s', (variant) => {
  test('is found out, every screen has its figures, and Triage finds who does not acknowledge', async () => {
    const cluster = await startBuiltCluster({ variant, nodes: 2 });
    const quiet = await connectQuietClients(cluster.mqttPorts, ['first', 'second', 'third']);
    let slow: MqttClient | undefined;
    try {
      const terminal = await openReadyMonitor(cluster.monitor, { cols: 120, rows: 40 });
      await waitForFrame(terminal, ({ screen }) => screen.lines()[0]?.includes(`variant ${variant.toUpperCase()}`) === true);
      expect(terminal.lines()[0]).toContain('nodes 2/2 ●');
      expect(terminal.lines()[1]).toContain('clients 3 ');
      await waitForFrame(terminal, (session) => session.text().includes(' fine: readings, nodes, listeners, limits'));
      terminal.press('2');
      await waitForFrame(terminal, (session) => session.text().includes('showing 2 of 2'));
      terminal.press('3');
      await waitForFrame(terminal, (session) => session.text().includes('mqtt:tcp') && session.text().includes('showing 5 of 5'));
      await showClients(terminal, 3);
      terminal.press('enter');
      await waitForFrame(terminal, (session) => bodyOf(session)[0]?.startsWith(' CLIENT first ') === true && session.text().includes('QoS 1  quiet/first'));
      terminal.press('9');
      await waitForFrame(terminal, (session) => activeTab(session) === '9 Metrics' && /bytes\.received +[1-9][\d,]*/.test(session.text()));
      expect(bodyOf(terminal)[0]).toContain('Metrics of the cluster');
      // What was forced is believed.
      const forced = openMonitor(cluster.monitor, { cols: 120, rows: 40, args: ['--variant', variant] });
      await waitForFrame(forced, ({ screen }) => screen.lines()[0]?.includes(`variant ${variant.toUpperCase()}`) === true);

      slow = await connectSlowClient(cluster.mqttPorts[0] ?? 0, 100);
      terminal.press('T');
      // 32 are on their way; how many may wait, only variant B tells.
      await terminal.waitFor(`Slow consumer slow: 68 waiting${variant === 'a' ? '' : ' of 1,000'}, inflight stuck at 32/32`, { timeoutMs: 20_000 });
      expect(terminal.text().includes('variant A of the interface has no settings to compare')).toBe(variant === 'a');
      terminal.press('enter');
      await waitForFrame(terminal, (session) => bodyOf(session)[0]?.startsWith(' Triage › Sessions › slow ') === true && /▸slow .*32\/32 +68 /.test(session.text()));
    } finally {
      await slow?.endAsync(true);
      await quiet.end();
      await cluster.stop();
    }
  }, 60_000);
});
