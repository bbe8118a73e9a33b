import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoints } from '../../../../src/api/dialects/emq-v2/paths.ts';
import { variants } from '../../../../src/api/dialects/emq-v2/variants.ts';
import { createHttpApi, type HttpApi } from '../../../../src/api/dialects/index.ts';
import { RefusedError, UnusableIdError } from '../../../../src/api/errors.ts';
import { type RawRequest, type RawServer, startRawServer, success } from '../../../support/raw-http-server.ts';

/** Words of paths, parts of paths, and topics: ids that could be taken for something else on the way. */
const awkward = [
  'a/b',
  '/lead',
  'tail/',
  '//',
  'a//b',
  '.',
  '..',
  '...',
  './a',
  '../users',
  'a/../../users',
  'a%2Fb',
  '%2e%2e',
  '%',
  '%zz',
  'a+b',
  '+',
  '#',
  'a/+/#',
  'a b',
  ' ',
  '\t',
  'a?b=c&d#e',
  'a;b',
  'a:b@c',
  '*',
  'a\\b',
  '\r\nHost: x',
  '\u0000',
  '\u001B[2J',
  '\u202Ea',
  'é',
  'e\u0301',
  '日本',
  '😀',
  '\u{E0041}',
  '\uFFFD',
  'clients',
  'sessions',
  'subscriptions',
  'alarms',
  'plugins',
  'configs',
  'users',
  'nodes',
  'routes',
  'clean_acl_cache',
  'change_pwd',
  'api',
  'v2',
  '__proto__',
  'constructor',
  'toString',
  'undefined',
  'null',
  "~!*'()-_",
  'x'.repeat(4_000),
] as const;

/** Texts that a path cannot contain. */
const unusable = ['', '\uD83D', 'a\uDC00', '\uDC00\uD83D'] as const;

/** Stands in a path or body where the text goes. */
const here = Symbol('the text');
type Segment = string | typeof here;

interface Call {
  readonly run: (api: HttpApi, text: string) => Promise<unknown>;
  readonly line: readonly [method: string, ...path: readonly Segment[]];
  readonly body?: (text: string) => unknown;
  readonly only?: 'a' | 'b';
  /** The id stands below a node, where brokers take words for lists. */
  readonly isBelowNode?: boolean;
  /** Says which texts are refused here and not elsewhere. */
  readonly refuses?: (text: string) => boolean;
}

const node = 'one@127.0.0.1';
const page = { page: 2, pageSize: 50 };

/** Every operation of the port that names something, with the text as the name. */
const calls: Readonly<Record<string, Call>> = {
  getNode: { run: (api, text) => api.getNode(text), line: ['GET', 'management', 'nodes', here] },
  getNodeStats: { run: (api, text) => api.getNodeStats(text), line: ['GET', 'monitoring', 'nodes', here] },
  getListeners: { run: (api, text) => api.getListeners(text), line: ['GET', 'monitoring', 'listeners', here] },
  getMetrics: { run: (api, text) => api.getMetrics(text), line: ['GET', 'monitoring', 'metrics', here] },
  getStats: { run: (api, text) => api.getStats(text), line: ['GET', 'monitoring', 'stats', here] },
  listClients: {
    run: (api, text) => api.listClients(text, page),
    line: ['GET', 'nodes', here, 'clients?curr_page=2&page_size=50'],
  },
  listSessions: {
    run: (api, text) => api.listSessions(text, page),
    line: ['GET', 'nodes', here, 'sessions?curr_page=2&page_size=50'],
  },
  listSubscriptions: {
    run: (api, text) => api.listSubscriptions(text, page),
    line: ['GET', 'nodes', here, 'subscriptions?curr_page=2&page_size=50'],
  },
  listPlugins: { run: (api, text) => api.listPlugins(text), line: ['GET', 'nodes', here, 'plugins'] },
  getNodeClient: {
    run: (api, text) => api.getNodeClient(node, text),
    line: ['GET', 'nodes', node, 'clients', here],
    isBelowNode: true,
  },
  'getNodeClient of a node': {
    run: (api, text) => api.getNodeClient(text, 'id'),
    line: ['GET', 'nodes', here, 'clients', 'id'],
  },
  getNodeSession: {
    run: (api, text) => api.getNodeSession(node, text),
    line: ['GET', 'nodes', node, 'sessions', here],
    isBelowNode: true,
  },
  'getNodeSession of a node': {
    run: (api, text) => api.getNodeSession(text, 'id'),
    line: ['GET', 'nodes', here, 'sessions', 'id'],
  },
  getNodeSubscriptions: {
    run: (api, text) => api.getNodeSubscriptions(node, text),
    line: ['GET', 'nodes', node, 'subscriptions', here],
    isBelowNode: true,
    only: 'b',
  },
  'getNodeSubscriptions of a node': {
    run: (api, text) => api.getNodeSubscriptions(text, 'id'),
    line: ['GET', 'nodes', here, 'subscriptions', 'id'],
    only: 'b',
  },
  getClient: { run: (api, text) => api.getClient(text), line: ['GET', 'clients', here] },
  getSession: { run: (api, text) => api.getSession(text), line: ['GET', 'sessions', here] },
  getSubscriptions: { run: (api, text) => api.getSubscriptions(text), line: ['GET', 'subscriptions', here] },
  getRoutes: { run: (api, text) => api.getRoutes(text), line: ['GET', 'routes', here] },
  disconnectClient: { run: (api, text) => api.disconnectClient(text), line: ['DELETE', 'clients', here] },
  clearAclCache: {
    run: (api, text) => api.clearAclCache(text, 'a/#'),
    line: ['PUT', 'clients', here, 'clean_acl_cache'],
    body: () => ({ topic: 'a/#' }),
    refuses: (text) => text.includes('/'),
  },
  'startPlugin in variant A': {
    run: (api, text) => api.startPlugin(undefined, text),
    line: ['PUT', 'nodes', 'plugins', here],
    body: () => ({ active: true }),
    only: 'a',
  },
  stopPlugin: {
    run: (api, text) => api.stopPlugin(node, text),
    line: ['PUT', 'nodes', node, 'plugins', here],
    body: () => ({ active: false }),
    only: 'b',
  },
  'startPlugin on a node': {
    run: (api, text) => api.startPlugin(text, 'p'),
    line: ['PUT', 'nodes', here, 'plugins', 'p'],
    body: () => ({ active: true }),
    only: 'b',
  },
  getSettings: { run: (api, text) => api.getSettings(text), line: ['GET', 'nodes', here, 'configs'], only: 'b' },
  changeSetting: {
    run: (api, text) => api.changeSetting(undefined, { app: text, key: 'k', value: 'v' }),
    line: ['PUT', 'configs', here],
    body: () => ({ key: 'k', value: 'v' }),
    only: 'b',
  },
  'changeSetting on a node': {
    run: (api, text) => api.changeSetting(text, { app: 'broker', key: 'k', value: 'v' }),
    line: ['PUT', 'nodes', here, 'configs', 'broker'],
    body: () => ({ key: 'k', value: 'v' }),
    only: 'b',
  },
  'changeSetting of an application on a node': {
    run: (api, text) => api.changeSetting(node, { app: text, key: 'k', value: 'v' }),
    line: ['PUT', 'nodes', node, 'configs', here],
    body: () => ({ key: 'k', value: 'v' }),
    only: 'b',
  },
  getPluginSettings: {
    run: (api, text) => api.getPluginSettings(node, text),
    line: ['GET', 'nodes', node, 'plugin_configs', here],
    only: 'b',
  },
  'getPluginSettings of a node': {
    run: (api, text) => api.getPluginSettings(text, 'p'),
    line: ['GET', 'nodes', here, 'plugin_configs', 'p'],
    only: 'b',
  },
  replacePluginSettings: {
    run: (api, text) => api.replacePluginSettings(node, text, { k: 'v' }),
    line: ['PUT', 'nodes', node, 'plugin_configs', here],
    body: () => ({ k: 'v' }),
    only: 'b',
  },
  changeUserTags: {
    run: (api, text) => api.changeUserTags(text, 't'),
    line: ['PUT', 'users', here],
    body: () => ({ tags: 't' }),
  },
  deleteUser: { run: (api, text) => api.deleteUser(text), line: ['DELETE', 'users', here] },
  'changePassword in variant A': {
    run: (api, text) => api.changePassword(text, 'o', 'n'),
    line: ['PUT', 'change_pwd', here],
    body: () => ({ oldpassword: 'o', password: 'n' }),
    only: 'a',
  },
  'changePassword in variant B': {
    run: (api, text) => api.changePassword(text, 'o', 'n'),
    line: ['PUT', 'change_pwd', here],
    body: () => ({ old_pwd: 'o', new_pwd: 'n' }),
    only: 'b',
  },
};

/** Operations that carry the text in the body; their paths are always the same. */
const bodies: Readonly<Record<string, Call>> = {
  subscribe: {
    run: (api, text) => api.subscribe({ clientId: text, topic: 'a/#', qos: 1 }),
    line: ['POST', 'mqtt', 'subscribe'],
    body: (text) => ({ topic: 'a/#', qos: 1, client_id: text }),
  },
  'subscribe to a topic': {
    run: (api, text) => api.subscribe({ clientId: 'id', topic: text, qos: 0 }),
    line: ['POST', 'mqtt', 'subscribe'],
    body: (text) => ({ topic: text, qos: 0, client_id: 'id' }),
  },
  unsubscribe: {
    run: (api, text) => api.unsubscribe({ clientId: text, topic: 'a' }),
    line: ['POST', 'mqtt', 'unsubscribe'],
    body: (text) => ({ topic: 'a', client_id: text }),
    only: 'b',
  },
  publish: {
    run: (api, text) => api.publish({ topic: text }),
    line: ['POST', 'mqtt', 'publish'],
    body: (text) => ({ topic: text }),
    refuses: (text) => /[+#]/u.test(text),
  },
  'publish for a client': {
    run: (api, text) => api.publish({ topic: 'a', payload: 'x', clientId: text }),
    line: ['POST', 'mqtt', 'publish'],
    body: (text) => ({ topic: 'a', payload: 'x', client_id: text }),
  },
  addUser: {
    run: (api, text) => api.addUser({ username: text, password: 'p', tags: 't' }),
    line: ['POST', 'users'],
    body: (text) => ({ username: text, password: 'p', tags: 't' }),
  },
};

/** Calls whose text may be empty; brokers have a meaning for that, or say what is wrong with it. */
const contents: Readonly<Record<string, Call>> = {
  'a payload': {
    run: (api, text) => api.publish({ topic: 'a', payload: text }),
    line: ['POST', 'mqtt', 'publish'],
    body: (text) => ({ topic: 'a', payload: text }),
  },
  tags: {
    run: (api, text) => api.changeUserTags('u', text),
    line: ['PUT', 'users', 'u'],
    body: (text) => ({ tags: text }),
  },
  'a name to check': {
    run: (api, text) => api.checkCredentials(text, 'p'),
    line: ['POST', 'auth'],
    body: (text) => ({ username: text, password: 'p' }),
  },
  'a value': {
    run: (api, text) => api.changeSetting(undefined, { app: 'broker', key: 'k', value: text }),
    line: ['PUT', 'configs', 'broker'],
    body: (text) => ({ key: 'k', value: text }),
    only: 'b',
  },
  'a key': {
    run: (api, text) => api.replacePluginSettings(node, 'p', Object.fromEntries([[text, 'v']])),
    line: ['PUT', 'nodes', node, 'plugin_configs', 'p'],
    body: (text) => Object.fromEntries([[text, 'v']]),
    only: 'b',
  },
};

/** Percent-encoding undone by hand: the bytes that a server gets. */
const bytesOf = (segment: string): Buffer =>
  Buffer.concat(
    [...segment.matchAll(/%([0-9a-f]{2})|[^%]/giu)].map(([part, hex]) =>
      hex === undefined ? Buffer.from(part, 'latin1') : Buffer.from(hex, 'hex'),
    ),
  );

const jsonOf = (value: unknown): string => JSON.stringify(value) ?? '';

/** Below a node brokers take these for lists. */
const listWords = /^(?:clients|sessions|subscriptions|alarms|plugins|configs)$/u;

let server: RawServer;
beforeAll(async () => {
  const none = success({ objects: [], 'clients/count': 1 });
  server = await startRawServer(() => none);
});
afterAll(() => server.close());

describe.each(['a', 'b'] as const)('variant %s', (variant) => {
  let api: HttpApi;
  beforeAll(() => {
    api = createHttpApi({ url: server.url, user: 'admin', password: 'public', variant });
  });
  afterAll(() => api.close());

  test('refuses a message that is larger than the broker takes', async () => {
    const sent = server.requests.length;
    await expect(api.publish({ topic: 't', payload: 'x'.repeat(1_048_576) })).rejects.toBeInstanceOf(RefusedError);
    expect(server.requests).toHaveLength(sent);
  });

  const inVariant = (all: Readonly<Record<string, Call>>): [string, Call][] =>
    Object.entries(all).filter(([, { only }]) => only === undefined || only === variant);

  /**
   * Returns what a call sent, and its error. A read always fails here, because the answers have the shape of no read;
   * that is not looked at.
   */
  const attempt = async (
    run: Promise<unknown>,
  ): Promise<{ readonly sent: readonly RawRequest[]; readonly error: unknown }> => {
    const before = server.requests.length;
    const error = await run.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return { sent: server.requests.slice(before), error };
  };

  /** `refused` where nothing was sent and one sentence says why; else what was sent. */
  const told = ({ sent, error }: Awaited<ReturnType<typeof attempt>>): string => {
    if (sent.length > 0) return sent.map(({ method, path, body }) => `${method} ${path} ${body}`).join('\n');
    if (!(error instanceof UnusableIdError) && !(error instanceof RefusedError)) return `no refusal: ${String(error)}`;
    return /^[^.]+\.$/u.test(error.message) ? 'refused' : error.message;
  };

  /** Returns what is wrong with a path in which a text should be a segment of its own. */
  const faultsOf = (
    path: string,
    expected: readonly Segment[],
    text: string,
    isBelowNode: boolean,
  ): readonly string[] => {
    const segments = path.slice('/api/v2/'.length).split('/');
    return [
      ...(/^\/api\/v2\/[!-"$-~]+$/u.test(path) ? [] : ['bytes that a path cannot have']),
      ...(segments.some((segment) => /^\.{0,2}$/u.test(segment)) ? ['a segment that is merged away'] : []),
      ...(segments.length === expected.length ? [] : [`${segments.length} segments`]),
      ...segments.flatMap((segment, at) => {
        if (expected[at] !== here)
          return segment === expected[at] ? [] : [`${segment} instead of ${String(expected[at])}`];
        const isWhole = !segment.includes('?') && bytesOf(segment).equals(Buffer.from(text, 'utf8'));
        return [
          ...(isWhole ? [] : [`${segment} for ${text}`]),
          ...(isBelowNode && listWords.test(segment) ? ['a word that is taken for a list'] : []),
        ];
      }),
    ];
  };

  test.each(inVariant(calls))(
    '%s: the text is one segment of the path, byte for byte',
    async (_, { run, line: [method, ...path], body = () => undefined, isBelowNode = false, refuses = () => false }) => {
      for (const text of awkward.filter((each) => !refuses(each))) {
        const { sent } = await attempt(run(api, text));
        expect(
          sent.map((request) => [request.method, faultsOf(request.path, path, text, isBelowNode), request.body]),
        ).toEqual([[method, [], jsonOf(body(text))]]);
      }
      for (const text of awkward.filter(refuses)) expect(told(await attempt(run(api, text)))).toBe('refused');
    },
  );

  test.each(inVariant({ ...bodies, ...contents }))(
    '%s: the text is in the body unchanged',
    async (_, { run, line: [method, ...path], body = () => undefined, refuses = () => false }) => {
      for (const text of awkward) {
        expect(told(await attempt(run(api, text)))).toBe(
          refuses(text) ? 'refused' : `${method} /api/v2/${path.map(String).join('/')} ${jsonOf(body(text))}`,
        );
      }
    },
  );

  test.each(inVariant({ ...calls, ...bodies }))(
    '%s: a text that cannot be sent is refused with a sentence, and nothing is sent',
    async (_, { run }) => {
      for (const text of unusable) expect(told(await attempt(run(api, text)))).toBe('refused');
    },
  );

  test.each(inVariant(contents))('%s: half of a surrogate pair is refused, and nothing is sent', async (_, { run }) => {
    for (const text of unusable.slice(1)) expect(told(await attempt(run(api, text)))).toBe('refused');
    expect((await attempt(run(api, ''))).sent).toHaveLength(1);
  });

  test('every path of the API is covered', async () => {
    const before = server.requests.length;
    for (const [, { run }] of inVariant({ ...calls, ...bodies, ...contents })) await attempt(run(api, 'é'));
    const lines = new Set(
      server.requests.slice(before).map(({ method, path }) => `${method} ${path.split('?', 1)[0]}`),
    );
    const named = Object.values(endpoints).filter(
      ({ pattern, method, isIn }) =>
        (pattern.includes(':') || method !== 'GET') && isIn(variants[variant].capabilities),
    );
    // Each of the others stands in its place with another name beside it.
    const patterns = named.map(
      ({ method, pattern }) => new RegExp(`^${method} /api/v2${pattern.replaceAll(/:\w+/gu, '[^/]+')}$`, 'u'),
    );
    expect(patterns.filter((pattern) => ![...lines].some((line) => pattern.test(line)))).toEqual([]);
  });
});
