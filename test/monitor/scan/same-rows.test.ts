import { describe, expect, test } from 'vitest';
import type { Client, ClientTraffic, Session } from '../../../src/domain/client.ts';
import { clientScan } from '../../../src/resources/clients/resource.ts';
import { createRowTable, type RowIdentity } from '../../../src/monitor/scan/scan-rows.ts';
import { sessionScan } from '../../../src/resources/sessions/resource.ts';

const client: Client = {
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
const session: Session = {
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

/** What a second scan makes of a row that it finds again. */
function rescanned<Row extends object>(describe: RowIdentity<Row>, before: Row, after: Row): readonly Row[] {
  const table = createRowTable(describe);
  for (const row of [before, after]) {
    table.begin(['a']);
    table.beginPage();
    table.merge('a', [row], 0, 1);
    table.endNode('a', true);
    table.finish();
  }
  return table.rows();
}

test('a client with a message more is another', () => {
  for (const field of Object.keys(client.traffic ?? {})) {
    const after = { ...client, traffic: { ...(client.traffic as ClientTraffic), [field]: 2 } };
    expect(rescanned(clientScan, client, after)[0]).toBe(after);
  }
});

describe.each([
  ['client', client, (after: object) => rescanned<Client>(clientScan, client, after as Client)[0]],
  ['session', session, (after: object) => rescanned<Session>(sessionScan, session, after as Session)[0]],
] as const)('a %s', (_, row, find) => {
  test('stays the same object when every property is the same', () => {
    expect(find(structuredClone(row))).toBe(row);
  });

  test.each(Object.entries({ ...row, mountpoint: undefined }).filter(([field]) => field !== 'clientId'))(
    'is another with another %s',
    (field, value) => {
      for (const change of [
        { [field]: changed(value) },
        ...(value === undefined ? [] : [{ [field]: undefined, unparsed: { [field]: '?' } }]),
      ]) {
        const after = { ...row, ...change };
        expect(find(after)).toBe(after);
      }
    },
  );
});
