import { connectAsync, type MqttClient } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { variants } from '../../src/api/dialects/emq-v2/variants.ts';
import type { SlowSession } from '../../src/checks/slow/judge.ts';
import { checkOf, problemParts, uncheckedText } from '../../src/checks/words.ts';
import { plainText } from '../../src/domain/sentence.ts';
import { startBuiltCluster } from '../support/built-cluster.ts';
import {
  activeTab,
  bodyOf,
  clientCount,
  closeTerminalsAtEnd,
  connectQuietClients,
  openMonitor,
  openReadyMonitor,
  showClients,
  waitForFrame,
} from './support.ts';

closeTerminalsAtEnd();

/** Connects a client that acknowledges no messages, and publishes this many to it. */
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
  test('is detected, every screen shows its values, and Triage finds a slow consumer', async () => {
    const cluster = await startBuiltCluster({ variant, nodes: 2 });
    const quiet = await connectQuietClients(cluster.mqttPorts, ['first', 'second', 'third']);
    let slow: MqttClient | undefined;
    try {
      const terminal = await openReadyMonitor(cluster.monitor, { cols: 120, rows: 40 });
      await waitForFrame(
        terminal,
        ({ screen }) => screen.lines()[0]?.includes(`API v2 ${variant.toUpperCase()}`) === true,
      );
      expect(terminal.lines()[0]).toContain('● 2/2 nodes');
      expect(clientCount(terminal)).toBe(3);
      await waitForFrame(terminal, (session) =>
        session
          .text()
          .includes(
            `: ${(['readings', 'nodes', 'listeners', 'limits'] as const).map((check) => checkOf(check).noun).join(', ')}`,
          ),
      );
      terminal.press('2');
      await waitForFrame(terminal, (session) => session.text().includes('showing 2 of 2'));
      terminal.press('3');
      await waitForFrame(
        terminal,
        (session) => session.text().includes('mqtt:tcp') && session.text().includes('showing 5 of 5'),
      );
      await showClients(terminal, 3);
      terminal.press('enter');
      await waitForFrame(
        terminal,
        (session) =>
          bodyOf(session)[0]?.startsWith(' Client first ') === true && session.text().includes('QoS 1  quiet/first'),
      );
      terminal.press('9');
      await waitForFrame(
        terminal,
        (session) => activeTab(session) === '9 Metrics' && /bytes\.received +[1-9][\d,]*/.test(session.text()),
      );
      expect(bodyOf(terminal)[0]).toContain('Cluster metrics');
      // What was forced is believed.
      const forced = openMonitor(cluster.monitor, { cols: 120, rows: 40, args: ['--variant', variant] });
      await waitForFrame(
        forced,
        ({ screen }) => screen.lines()[0]?.includes(`API v2 ${variant.toUpperCase()}`) === true,
      );

      slow = await connectSlowClient(cluster.mqttPorts[0] ?? 0, 100);
      // Sessions are read every 30 s.
      terminal.press('T');
      // 32 are on their way; how many may wait, only variant B tells.
      const evidence: SlowSession = {
        node: undefined,
        clientId: 'slow',
        isConnected: true,
        isAsOfDisconnect: false,
        queueLength: 68,
        queueLimit: variant === 'a' ? undefined : 1_000,
        isQueueFull: false,
        queuePerSecond: 0,
        fullInSeconds: undefined,
        isLosing: false,
        droppedPerSecond: 0,
        dropped: 0,
        isLossOld: false,
        isWindowFull: true,
        inflight: 32,
        maxInflight: 32,
        acknowledgedPerSecond: undefined,
      };
      const { title, facts } = problemParts({ code: 'slow-consumer', evidence });
      await terminal.waitFor((session) => [title, ...facts].every((part) => session.text().includes(plainText(part))), {
        timeoutMs: 60_000,
      });
      expect(
        terminal
          .text()
          .includes(
            plainText(uncheckedText({ code: 'settings-unavailable', apiName: variants.a.capabilities.apiName ?? '' })),
          ),
      ).toBe(variant === 'a');
      terminal.press('enter');
      await waitForFrame(
        terminal,
        (session) =>
          bodyOf(session)[0]?.startsWith(' Client slow ') === true &&
          [/inflight +32 of 32 /u, /queued +68 /u].every((field) => field.test(session.text())),
      );
    } finally {
      await slow?.endAsync(true);
      await quiet.end();
      await cluster.stop();
    }
  }, 120_000);
});
