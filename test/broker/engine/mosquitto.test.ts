import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BrokerCluster } from '../../../src/broker/cluster.ts';
import { startOperated } from '../operator-support.ts';
import { disconnection, nodeAt, RawClient, startTestCluster } from '../support.ts';

const [publisher, subscriber] = ['/usr/bin/mosquitto_pub', '/usr/bin/mosquitto_sub'];
const isInstalled = existsSync(publisher) && existsSync(subscriber);

function run(program: string, cluster: BrokerCluster, node: number, args: readonly string[]): ChildProcess {
  const child = spawn(program, ['-h', '127.0.0.1', '-p', String(nodeAt(cluster, node).ports.tcp), ...args]);
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

async function pub(cluster: BrokerCluster, node: number, ...args: string[]): Promise<number | null> {
  const child = run(publisher, cluster, node, args);
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : null;
}

interface Subscriber {
  readonly child: ChildProcess;
  /** All that it printed, when it has received its count of messages and ended. */
  readonly output: Promise<string>;
}

/** Starts a subscriber and waits until the broker knows its subscription. */
async function sub(cluster: BrokerCluster, node: number, ...args: string[]): Promise<Subscriber> {
  const subscribed = new Promise<void>((resolve) => {
    cluster.events.once('subscribed', () => resolve());
  });
  const child = run(subscriber, cluster, node, ['-F', '%t|%p|%q|%r', ...args]);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const output = once(child, 'close').then(() => text.trim());
  await subscribed;
  return { child, output };
}

describe.skipIf(!isInstalled)("Debian's mosquitto clients", () => {
  const versions = ['mqttv31', 'mqttv311'];
  it.each(versions.flatMap((version) => ['0', '1', '2'].map((qos) => [version, qos] as const)))(
    'publish and subscribe across nodes: %s, QoS %s',
    async (version, qos) => {
      const cluster = await startTestCluster({ nodes: 2 });
      const { output } = await sub(cluster, 1, '-V', version, '-q', qos, '-t', 'm/+/x', '-C', '1');
      expect(await pub(cluster, 0, '-V', version, '-q', qos, '-t', 'm/1/x', '-m', 'hello')).toBe(0);
      expect(await output).toBe(`m/1/x|hello|${qos}|0`);
    },
  );

  it('get retained messages until they are cleared', async () => {
    const cluster = await startTestCluster();
    await pub(cluster, 0, '-q', '1', '-r', '-t', 'r/1', '-m', 'kept');
    await pub(cluster, 0, '-q', '1', '-r', '-t', 'r/2', '-m', 'cleared');
    await pub(cluster, 0, '-q', '1', '-r', '-t', 'r/2', '-n');
    const { output } = await sub(cluster, 0, '-q', '1', '-t', 'r/#', '-C', '2');
    await pub(cluster, 0, '-q', '1', '-t', 'r/end', '-m', 'end');
    expect(await output).toBe('r/1|kept|1|1\nr/end|end|1|0');
  });

  it('leave a will when killed, but not when they disconnect', async () => {
    const cluster = await startTestCluster();
    const watcher = await sub(cluster, 0, '-q', '1', '-t', 'will', '-C', '1');
    const args = ['-q', '1', '-t', 'any', '--will-topic', 'will', '--will-qos', '1'];
    await sub(cluster, 0, ...args, '-i', 'polite', '--will-payload', 'polite', '-C', '1');
    const politeGone = disconnection(cluster, 'polite');
    await pub(cluster, 0, '-q', '1', '-t', 'any', '-m', 'enough');
    expect(await politeGone).toBe('client-disconnect');
    const killed = await sub(cluster, 0, ...args, '-i', 'killed', '--will-payload', 'killed');
    killed.child.kill('SIGKILL');
    expect(await watcher.output).toBe('will|killed|1|0');
  });

  it.each(versions)('resume a persistent session on another node (%s)', async (version) => {
    const cluster = await startTestCluster({ nodes: 2 });
    const session = ['-V', version, '-i', 'keeper', '-c', '-q', '2', '-t', 'p/#'];
    const first = await sub(cluster, 0, ...session, '-C', '1');
    await pub(cluster, 0, '-q', '2', '-t', 'p/1', '-m', 'live');
    expect(await first.output).toBe('p/1|live|2|0');
    for (const qos of ['1', '2']) await pub(cluster, 0, '-q', qos, '-t', 'p/2', '-m', `queued ${qos}`);
    expect(cluster.session('keeper')?.describe().queueLength).toBe(2);
    const second = await sub(cluster, 1, ...session, '-C', '2');
    expect((await second.output).split('\n')).toEqual(['p/2|queued 1|1|0', 'p/2|queued 2|2|0']);
    expect(cluster.session('keeper')?.nodeName).toBe('broker2@127.0.0.1');
  });

  it('that subscribe below $SYS stay connected for any client id', async () => {
    const { cluster } = await startOperated();
    const { output } = await sub(cluster, 0, '-i', 'watch', '-t', '$SYS/brokers/+/clients/+/connected', '-C', '2');
    await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'one\u001B\u009B\uFFFFesc' });
    await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'two' });
    const topics = (await output).split('\n').map((line) => line.split('|', 1)[0]);
    expect(topics).toEqual(
      ['one%1B%C2%9B%EF%BF%BFesc', 'two'].map((id) => `$SYS/brokers/broker1@127.0.0.1/clients/${id}/connected`),
    );
  });

  it('carry many messages in order', async () => {
    const cluster = await startTestCluster();
    const { output } = await sub(cluster, 0, '-q', '2', '-t', 'many', '-C', '500');
    const child = run(publisher, cluster, 0, ['-q', '2', '-t', 'many', '-l']);
    const lines = Array.from({ length: 500 }, (_, index) => `line ${index}`);
    child.stdin?.end(`${lines.join('\n')}\n`);
    await once(child, 'exit');
    expect((await output).split('\n')).toEqual(lines.map((line) => `many|${line}|2|0`));
  });
});
