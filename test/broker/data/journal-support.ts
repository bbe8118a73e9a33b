import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { createHttpApi, type HttpApi } from '../../../src/api/dialects/index.ts';
import type { EmbeddedBroker } from '../../../src/broker/embedded-broker.ts';
import { makeFolder, password } from './support.ts';

export const nodeName = 'broker1@127.0.0.1';

/** A client of the management interface; it ends with the test. */
export function openApi({ server }: EmbeddedBroker, pair = { user: 'admin', password }): HttpApi {
  const api = createHttpApi({ url: server.url, variant: 'b', ...pair });
  onTestFinished(() => api.close());
  return api;
}

/** The data folder as a process that ends now would leave it. */
export async function copyFolder(folder: string): Promise<string> {
  const copy = path.join(await makeFolder(), 'data');
  await cp(folder, copy, { recursive: true });
  await rm(path.join(copy, 'lock'), { force: true });
  return copy;
}

export const publish = (topic: string, payload: string, qos: 0 | 1 | 2, messageId: number, retain = false) =>
  ({ cmd: 'publish', topic, payload, qos, messageId, retain, dup: false }) as const;
