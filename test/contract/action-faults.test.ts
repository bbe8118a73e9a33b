import { disconnectClient } from '../../src/resources/clients/actions.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Outcome } from '../../src/actions/action.ts';
import { createRunner } from '../../src/actions/runner.ts';
import { createHttpApi } from '../../src/api/dialects/index.ts';
import { systemClock } from '../../src/monitor/clock.ts';
import { type Fault, startFaultProxy } from '../support/fault-proxy.ts';
import { type Chain, password, startChain } from './support.ts';

let chain: Chain;
beforeAll(async () => {
  chain = await startChain('b');
});
afterAll(() => chain.close());

/** Shortens the pauses of a verification to a tenth: this broker needs none, but a busy machine needs time to answer. */
const clock = {
  ...systemClock,
  setTimer: (delayMs: number, fire: () => void) => systemClock.setTimer(delayMs / 10, fire),
};

let clients = 0;

/** Disconnects a client while `fault` is set. Returns the outcome, and whether the client is gone in the end. */
async function disconnectUnder(
  fault: Fault,
  lasts: boolean,
): Promise<{ outcome: Outcome; wasSent: boolean; isGone: boolean }> {
  clients += 1;
  const clientId = `victim-${clients}`;
  const client = await chain.connect(clientId);
  const proxy = await startFaultProxy(chain.broker.server.url);
  const api = createHttpApi({ url: proxy.url, user: 'admin', password, variant: 'b', deadlineMs: 300 });
  onTestFinished(async () => {
    await api.close();
    await proxy.close();
  });
  const [shown] = await chain.api.getClient(clientId);
  if (shown === undefined) throw new Error('not connected');
  const faulty: typeof api = Object.create(api, {
    disconnectClient: {
      value: async (...given: Parameters<typeof api.disconnectClient>) => {
        await proxy.set(fault);
        try {
          await api.disconnectClient(...given);
        } finally {
          if (!lasts) await proxy.set({ kind: 'none' });
        }
      },
    },
  });
  const { outcome, wasSent } = await createRunner({ api: faulty, clock }).run(
    disconnectClient.create({ kind: 'client', client: shown }),
  );
  // Delivers what was held.
  await proxy.set({ kind: 'none' });
  await chain.api.listUsers();
  const isGone = (await chain.api.getClient(clientId)).length === 0;
  client.end(true);
  return { outcome, wasSent, isGone };
}

const faults: readonly (readonly [
  string,
  Fault,
  { readonly brief: Outcome; readonly lasting: Outcome; readonly isGone: boolean },
])[] = [
  ['nothing', { kind: 'none' }, { brief: 'done', lasting: 'done', isGone: true }],
  ['delay', { kind: 'delay', ms: 20 }, { brief: 'done', lasting: 'done', isGone: true }],
  ['delay beyond the deadline', { kind: 'delay', ms: 60_000 }, { brief: 'done', lasting: 'unknown', isGone: true }],
  ['drip', { kind: 'drip', bytesPerSecond: 10 }, { brief: 'done', lasting: 'unknown', isGone: true }],
  ['cut in the head', { kind: 'cut', afterBytes: 20 }, { brief: 'done', lasting: 'unknown', isGone: true }],
  ['cut before a byte', { kind: 'cut', afterBytes: 0 }, { brief: 'done', lasting: 'unknown', isGone: true }],
  ['answer swallowed', { kind: 'truncate', afterBytes: 0 }, { brief: 'done', lasting: 'unknown', isGone: true }],
  [
    'answer swallowed in the middle',
    { kind: 'truncate', afterBytes: 30 },
    { brief: 'done', lasting: 'unknown', isGone: true },
  ],
  [
    'reset in place of the answer',
    { kind: 'reset', at: 'answer' },
    { brief: 'done', lasting: 'unknown', isGone: true },
  ],
  [
    'reset before the broker hears of it',
    { kind: 'reset', at: 'request' },
    { brief: 'unknown', lasting: 'unknown', isGone: false },
  ],
  ['corrupt answer', { kind: 'corrupt', every: 3 }, { brief: 'done', lasting: 'unknown', isGone: true }],
  // The proxy forwards it after the fault, when nobody waits any more.
  ['request held on the way', { kind: 'hold' }, { brief: 'done', lasting: 'unknown', isGone: true }],
  ['nobody listens', { kind: 'refuse' }, { brief: 'unknown', lasting: 'unknown', isGone: false }],
];

describe('the reported outcome is true, whatever happens to the request', () => {
  test.each(faults)('%s', async (_, fault, expected) => {
    const brief = await disconnectUnder(fault, false);
    expect(brief).toEqual({ outcome: expected.brief, wasSent: true, isGone: expected.isGone });
    const lasting = await disconnectUnder(fault, true);
    expect(lasting).toEqual({ outcome: expected.lasting, wasSent: true, isGone: expected.isGone });
  });
});
