import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HttpMethod } from '../../src/api/dialect.ts';
import { ApiError, NotSupportedError, UnreachableError } from '../../src/api/errors.ts';
import { type ApiOperations, operationNames, operations } from '../../src/api/management-api.ts';
import { createFailover, operationsWith, type Address } from '../../src/api/transport/failover.ts';
import { createHttp } from '../../src/api/transport/http.ts';
import { createAccount, createTokenLogin } from '../../src/api/transport/token-login.ts';
import { type Chain, clientOfSpeaker, nodeNames, password, registeredSpeakers, startChain } from './support.ts';

const [node] = nodeNames;
const page = { page: 1, pageSize: 10 };
const key = { name: 'monitor' };

/** Arguments for every call. */
const samples: { readonly [Name in keyof ApiOperations]-?: Parameters<NonNullable<ApiOperations[Name]>> } = {
  listNodes: [],
  getNode: [node],
  listNodeStats: [],
  getNodeStats: [node],
  getClusterView: [],
  listListeners: [],
  getListeners: [node],
  listMetrics: [],
  getMetrics: [node],
  listStats: [],
  listLoadHistory: [3_600],
  getStats: [node],
  listClients: [node, page],
  getNodeClient: [node, 'c'],
  getClient: ['c'],
  disconnectClient: ['c'],
  clearAclCache: ['c', 'a'],
  listAclCache: ['c'],
  listSessions: [node, page],
  getNodeSession: [node, 'c'],
  getSession: ['c'],
  listSubscriptions: [node, page],
  getNodeSubscriptions: [node, 'c'],
  getSubscriptions: ['c'],
  subscribe: [{ clientId: 'c', topic: 'b', qos: 0 }],
  unsubscribe: [{ clientId: 'c', topic: 'a' }],
  publish: [{ topic: 'a' }],
  listRoutes: [page],
  getRoutes: ['a'],
  listPlugins: [node],
  startPlugin: [node, 'p'],
  stopPlugin: [node, 'p'],
  listSettings: [],
  getSettings: [node],
  changeSetting: [node, { app: 'mqtt', key: 'k', value: 'v' }],
  getPluginSettings: [node, 'p'],
  replacePluginSettings: [node, 'p', {}],
  listAlarms: [node],
  listEndedAlarms: [page],
  clearEndedAlarms: [],
  searchClients: [{ clientId: 'c' }, page],
  startListener: ['tcp:default'],
  stopListener: ['tcp:default'],
  listBans: [page],
  addBan: [{ kind: 'client-id', value: 'x' }],
  liftBan: [{ kind: 'client-id', value: 'banned' }],
  listAccessBackends: [],
  listIntegrations: [],
  startIntegration: ['connector', 'http:a'],
  setRuleEnabled: ['r', false],
  listSlowSubscriptions: [],
  listRetained: [undefined, page],
  getRetained: ['a'],
  deleteRetained: ['a'],
  listSessionMessages: ['c', 'queue'],
  listTraces: [],
  readTrace: ['brokertop-1', 'broker1@127.0.0.1', { from: 0, maxBytes: 1_000 }],
  startTrace: [{ name: 'brokertop-1', kind: 'client-id', value: 'c', endAt: 2_000_000_000 }],
  stopTrace: ['brokertop-1'],
  deleteTrace: ['brokertop-1'],
  listApiKeys: [],
  addApiKey: [{ name: 'another' }],
  setApiKeyEnabled: [key.name, false],
  deleteApiKey: [key.name],
  listUsers: [],
  addUser: [{ username: 'u', password: 'only for tests', tags: '' }],
  changeUserTags: ['u', 'viewer'],
  deleteUser: ['u'],
  checkCredentials: ['u', 'wrong'],
  changePassword: ['u', 'old', 'new'],
};

describe.each(registeredSpeakers)('API %s: two calls at once send', (speaker) => {
  const dialect = clientOfSpeaker(speaker);
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain(speaker);
    const client = await chain.connect('c');
    await client.subscribeAsync('a', { qos: 0 });
    await chain.api.addApiKey?.(key);
    await chain.api.addBan?.({ kind: 'client-id', value: 'banned' });
  });
  afterAll(() => chain.close());

  /** Each of two addresses answers reads, and cannot be reached by anything else. */
  const open = async () => {
    const sent: HttpMethod[] = [];
    const account = createAccount();
    const address = (url: string): Address => {
      const { token } = dialect.http;
      const http = createHttp({
        url: chain.broker.server.url,
        user: 'admin',
        password,
        format: dialect.http,
        tokenLogin: token && createTokenLogin(token, account),
      });
      return {
        url,
        http: {
          ...http,
          get hasToken() {
            return http.hasToken;
          },
          async send(request) {
            sent.push(request.method);
            if (request.method !== 'GET') throw new UnreachableError('ECONNREFUSED');
            return http.send(request);
          },
        },
      };
    };
    const failover = createFailover([address('http://one'), address('http://two')]);
    const api = operationsWith(dialect.createSession(speaker), failover);
    // Signs in, and learns the version.
    await api.listNodes();
    const close = (): Promise<void> => failover.close();
    return { sent, api, close };
  };

  test.each(operationNames)(
    '%s: reads only, or one write for each call and no second one at the next address',
    async (name) => {
      const { sent, api, close } = await open();
      try {
        sent.length = 0;
        const call = api[name];
        if (call === undefined) return;
        const both = [0, 1].map(() => Promise.resolve(Reflect.apply(call, api, samples[name])));
        const failures = (await Promise.allSettled(both)).flatMap((result) =>
          result.status === 'rejected' ? [result.reason as unknown] : [],
        );
        for (const failure of failures) expect(failure).toBeInstanceOf(ApiError);
        const isSent = operations[name] !== 'read' && !failures.some((failure) => failure instanceof NotSupportedError);
        expect(sent.filter((method) => method !== 'GET')).toHaveLength(isSent ? 2 : 0);
      } finally {
        await close();
      }
    },
  );
});
