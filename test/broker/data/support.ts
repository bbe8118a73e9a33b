import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { emqV2Server } from '../../../src/api/dialects/emq-v2/server/server.ts';
import {
  type EmbeddedBroker,
  type EmbeddedBrokerOptions,
  startEmbeddedBroker,
} from '../../../src/broker/embedded-broker.ts';

/** A private folder that is gone after the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'brokertop-data-'));
  onTestFinished(async () => {
    await chmod(folder, 0o700);
    await rm(folder, { recursive: true });
  });
  return folder;
}

export const password = 'only for tests';

/** A broker on free ports that keeps its data in that folder. It ends with the test unless it was closed before. */
export async function startBroker(data: string, options: Partial<EmbeddedBrokerOptions> = {}): Promise<EmbeddedBroker> {
  const broker = await startEmbeddedBroker({
    version: '1.2.3',
    nodes: 3,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    wsPort: 0,
    dialect: emqV2Server,
    variant: 'b',
    user: 'admin',
    password,
    data,
    ...options,
  });
  onTestFinished(() => broker.close());
  return broker;
}

export function readStored(folder: string, name: string): Promise<string> {
  return readFile(path.join(folder, `${name}.jsonl`), 'utf8');
}

/** The port of a node's TCP listener. */
export function portAt({ cluster }: EmbeddedBroker, index: number): number {
  const node = cluster.nodes[index];
  if (node === undefined) throw new Error('no such node');
  return node.ports.tcp;
}
