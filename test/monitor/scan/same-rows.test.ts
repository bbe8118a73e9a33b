import { describe, expect, test } from 'vitest';
import type { Client, ClientTraffic, Session } from '../../../src/domain/client.ts';
import { clientScan } from '../../../src/resources/clients/resource.ts';
import { sessionScan } from '../../../src/resources/sessions/resource.ts';

const client: Required<Client> = {
  clientId: 'c',
  username: 'u',
  ipAddress: '10.0.0.1',
  port: 1,
  cleanSession: true,
  protocolVersion: 4,
  keepaliveSeconds: 60,
  connectedAt: 1,
  node: 'a',
  unparsed: {},
  traffic: { receivedMessages: 1, sentMessages: 1, receivedBytes: 1, sentBytes: 1 },
};
const session: Required<Session> = {
  clientId: 'c',
  cleanSession: true,
  createdAt: 1,
  node: 'a',
  maxInflight: 1,
  inflight: 1,
  queueLength: 1,
  dropped: 1,
  awaitingRel: 1,
  awaitingAck: 1,
  awaitingComp: 1,
  subscriptions: 1,
  delivered: 1,
  deliveredAboveQos0: 1,
  deliveredQos2: 1,
  enqueued: 1,
  maxQueueLength: 1,
  isConnected: true,
  unparsed: {},
};

function changed(value: unknown): unknown {
  if (typeof value === 'number') return value + 1;
  return typeof value === 'string' ? `${value}x` : typeof value === 'boolean' ? !value : { port: '1883x' };
}

test('a client with a message more is another', () => {
  for (const field of Object.keys(client.traffic ?? {}))
    expect(
      clientScan.isSame(client, { ...client, traffic: { ...(client.traffic as ClientTraffic), [field]: 2 } }),
    ).toBe(false);
  expect(clientScan.isSame(client, structuredClone(client))).toBe(true);
});

describe.each([
  ['client', client, (other: object) => clientScan.isSame(client, { ...client, ...other })],
  ['session', session, (other: object) => sessionScan.isSame(session, { ...session, ...other })],
] as const)('a %s', (_, row, isSame) => {
  test('is the same when every field is', () => {
    expect(isSame({ unparsed: {} })).toBe(true);
  });

  test.each(Object.entries(row).filter(([field]) => field !== 'clientId'))(
    'is another with another %s',
    (field, value) => {
      expect([isSame({ [field]: changed(value) }), isSame({ [field]: undefined, unparsed: { [field]: '?' } })]).toEqual(
        [false, false],
      );
    },
  );
});
