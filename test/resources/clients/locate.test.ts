import { describe, expect, test } from 'vitest';
import { NoAnswerError, UnauthorizedError } from '../../../src/api/errors.ts';
import type { ManagementApi } from '../../../src/api/management-api.ts';
import type { Client, Session } from '../../../src/domain/client.ts';
import { createLocator } from '../../../src/resources/clients/locate.ts';
import { client, createFakeApi, nodeStats } from '../../monitor/fake-api.ts';
import type { ClientDetail } from '../../../src/resources/clients/client-detail.ts';
import { unknownSession } from '../../support/records.ts';

const byId: Client = { ...client('c1', 'b', 100), node: undefined };
const session: Session = {
  clientId: 'c1',
  cleanSession: false,
  createdAt: 90,
  node: undefined,
  ...unknownSession,
};
const nobodyListed = { client: undefined, session: undefined };

/** Nodes a, b and c; the connection is on b, its session on c. */
function setUp(parts: Partial<ManagementApi> = {}) {
  const asked: string[] = [];
  const api = createFakeApi({
    listNodeStats: async () => {
      asked.push('nodes');
      return [nodeStats('a'), nodeStats('b'), nodeStats('c'), nodeStats('d', 'stopped')];
    },
    getNodeClient: async (node) => {
      asked.push(`client on ${node}`);
      return node === 'b' ? [{ ...byId, node }] : [];
    },
    getNodeSession: async (node) => {
      asked.push(`session on ${node}`);
      return node === 'c' ? [{ ...session, node }] : [];
    },
    ...parts,
  });
  const locate = createLocator();
  return {
    asked,
    locate: (detail: Partial<ClientDetail>, listed: Parameters<typeof locate>[1] = nobodyListed) =>
      locate({ clients: [], sessions: [], subscriptions: [], ...detail }, listed, (request) => request(api, {})),
  };
}

describe('the nodes of a client that was read by id', () => {
  test('are asked for once, and again for another connection', async () => {
    const { locate, asked } = setUp();
    const detail = { clients: [byId], sessions: [session] };
    expect(await locate(detail)).toMatchObject({ clients: [{ node: 'b' }], sessions: [{ node: 'c' }] });
    expect(asked).toEqual([
      'nodes',
      'client on a',
      'client on b',
      'session on b',
      'nodes',
      'session on a',
      'session on c',
    ]);
    asked.length = 0;
    expect(await locate(detail)).toMatchObject({ clients: [{ node: 'b' }], sessions: [{ node: 'c' }] });
    expect(asked).toEqual([]);
    expect(await locate({ clients: [{ ...byId, port: 1 }] })).toMatchObject({ clients: [{ node: undefined }] });
    expect(asked).not.toEqual([]);
  });

  test('are taken from the lists if these show the same connection and session', async () => {
    const { locate, asked } = setUp();
    expect(
      await locate(
        { clients: [byId], sessions: [session] },
        { client: { ...byId, node: 'x' }, session: { ...session, node: 'y' } },
      ),
    ).toMatchObject({ clients: [{ node: 'x' }], sessions: [{ node: 'y' }] });
    expect(asked).toEqual([]);
    expect(
      await locate({ clients: [byId] }, { client: { ...byId, port: 1, node: 'x' }, session: undefined }),
    ).toMatchObject({ clients: [{ node: 'b' }] });
  });

  test('the node of the listed session is asked first', async () => {
    const { locate, asked } = setUp();
    await locate({ clients: [byId] }, { client: undefined, session: { ...session, node: 'b' } });
    expect(asked).toEqual(['client on b']);
  });

  test('stay unknown after three attempts, and where nothing can be read', async () => {
    const { locate, asked } = setUp({
      getNodeClient: () => Promise.reject(new NoAnswerError()),
      getNodeSession: () => Promise.reject(new UnauthorizedError()),
    });
    for (let attempt = 0; attempt < 5; attempt += 1)
      expect(await locate({ clients: [byId], sessions: [session] })).toMatchObject({
        clients: [{ node: undefined }],
        sessions: [{ node: undefined }],
      });
    expect(asked).toEqual(Array.from({ length: 6 }, () => 'nodes'));
    const failed = new NoAnswerError();
    expect(await setUp().locate({ clients: failed, sessions: failed })).toMatchObject({
      clients: failed,
      sessions: failed,
    });
  });
});
