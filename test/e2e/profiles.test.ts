import { connectAsync } from 'mqtt';
import { describe, expect, test } from 'vitest';
import { triageTexts } from '../../src/resources/problems/view/texts.ts';
import { startBuiltCluster } from '../support/built-cluster.ts';
import { bodyOf, closeTerminalsAtEnd, openMonitor } from './support.ts';

closeTerminalsAtEnd();

const { critical } = triageTexts.severityWords;

/**
 * What the first screen says about a client on the second node that acknowledges nothing: one of three releases does
 * not report how much its queue takes.
 */
const stories = [
  ['emq-2.3', / stuck is slow .* queue 68 · inflight 32\/32 · broker2 /u, []],
  [
    'emqx-5.0',
    / stuck is slow .* queue 68\/1,000 · inflight 32\/32 · broker2 /u,
    [/ Listener ws:default is down on broker2 /u],
  ],
  [
    'emqx-5.8',
    / stuck is slow .* queue 68\/1,000 · inflight 32\/32 · broker2 /u,
    [/ Listener ws:default is down on broker2 /u],
  ],
] as const;

describe.concurrent.each(stories)(
  'a cluster that behaves as %s, and answers 503 now and then',
  (profile, slow, others) => {
    test(
      'the first screen names what is wrong, with true figures, and nothing else',
      { timeout: 180_000 },
      async () => {
        const cluster = await startBuiltCluster({
          profile,
          nodes: 2,
          faults: others.length === 0 ? ['busy'] : ['busy', 'listener-down'],
        });
        try {
          const client = await connectAsync({
            host: '127.0.0.1',
            port: cluster.mqttPorts[1] ?? 0,
            clientId: 'stuck',
            reconnectPeriod: 0,
          });
          client.handleMessage = () => {};
          await client.subscribeAsync('work', { qos: 1 });
          const publisher = await connectAsync({
            host: '127.0.0.1',
            port: cluster.mqttPorts[0] ?? 0,
            reconnectPeriod: 0,
          });
          await Promise.all(Array.from({ length: 100 }, () => publisher.publishAsync('work', 'x', { qos: 1 })));
          const terminal = openMonitor(cluster.monitor, {
            cols: 160,
            rows: 40,
            args: ['--interval', '1', '--no-audit'],
          });
          await terminal.waitFor(
            (session) => [slow, ...others].every((story) => story.test(bodyOf(session).join('\n'))),
            { timeoutMs: 120_000 },
          );
          expect(bodyOf(terminal).filter((line) => line.includes(` ${critical} `))).toEqual([]);
          await client.endAsync(true);
          await publisher.endAsync();
        } finally {
          await cluster.stop();
        }
      },
    );
  },
);
