import { afterEach, describe, expect, test } from 'vitest';
import { type Variant, variants, variantTexts } from '../../../../src/api/dialects/emq-v2/variants.ts';
import { createHttpApi, type HttpApi } from '../../../../src/api/dialects/index.ts';
import { answer, type RawServer, startRawServer, success } from '../../../support/raw-http-server.ts';
import { loadRecordings, replay } from './recordings.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const recordings = loadRecordings();
const counts = { 'clients/count': 1 };
const metrics = { 'bytes/sent': 1 };
const sessionA = { client_id: 'c', inflight_queue: 'undefined' };
const sessionB = { client_id: 'c', mqueue_len: 0 };

/** Answers by path below the base; anything else as `*`, or with an empty list. */
const knowledgeOf = ({ info, apiDoubt }: HttpApi) => ({ variant: info.version, doubt: apiDoubt });

async function start(
  results: Readonly<Record<string, unknown>>,
  variant?: Variant | 'auto',
): Promise<{ server: RawServer; api: HttpApi }> {
  const server = await startRawServer(({ path }) => {
    const below = (path.split('?')[0] ?? '').replace('/api/v2', '');
    const result = results[below] ?? results['*'];
    return result instanceof Buffer ? result : success(result);
  });
  const api = createHttpApi({ url: server.url, user: 'admin', password: 'public', variant });
  closing.push(
    () => server.close(),
    () => api.close(),
  );
  return { server, api };
}

const lines = (server: RawServer): string[] =>
  server.requests.map(({ method, path }) => `${method} ${path.replace('/api/v2', '')}`);

describe('detected by shape', () => {
  test('unknown, and nothing is sent, without evidence', async () => {
    const { server, api } = await start({ '/monitoring/stats': {}, '/monitoring/metrics': [] });
    expect(api.capabilities).toBeUndefined();
    expect(knowledgeOf(api)).toEqual({ variant: undefined, doubt: undefined });
    await api.listNodes();
    await api.listStats();
    await api.listMetrics();
    expect(api.info.version).toBeUndefined();
    expect(server.requests).toHaveLength(3);
  });

  test.each<[string, (api: HttpApi) => Promise<unknown>, unknown, Variant]>([
    ['statistics by node', (api) => api.listStats(), { 'n@h': counts }, 'a'],
    ['statistics as a list', (api) => api.listStats(), [{ 'n@h': counts }, { 'm@h': counts }], 'b'],
    ['statistics in one element', (api) => api.listStats(), [{ 'n@h': counts, 'm@h': counts }], 'b'],
    ['metrics by node', (api) => api.listMetrics(), { 'n@h': metrics }, 'a'],
    ['metrics as one total', (api) => api.listMetrics(), metrics, 'b'],
    ['metrics as a list', (api) => api.listMetrics(), [{ 'n@h': metrics }], 'b'],
    ['a session of A', (api) => api.getSession('c'), { objects: [sessionA] }, 'a'],
    ['a session of B', (api) => api.getSession('c'), { objects: [sessionB] }, 'b'],
    ['a page of sessions', (api) => api.listSessions('n@h', { page: 1, pageSize: 9 }), { objects: [sessionB] }, 'b'],
  ])('%s', async (_, call, result, variant) => {
    const { server, api } = await start({
      '/monitoring/stats': result,
      '/monitoring/metrics': result,
      '/sessions/c': result,
      '/nodes/n@h/sessions': result,
    });
    await call(api);
    expect(api.info.version).toBe(variant);
    expect(api.capabilities).toMatchObject({ unsubscribe: variant === 'b', settings: variant === 'b' });
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, Variant]>([
    ['cluster', 'b'],
    ['single-node', 'b'],
    ['older', 'a'],
  ])('the recorded broker "%s" is taken for variant %s by each of its answers', async (folder, variant) => {
    const names = [...recordings.keys()].filter(
      (name) =>
        /\/get-(?:monitoring-(?:stats|metrics)(?:-single-node)?|sessions-dev-0001)$/u.test(name) &&
        name.startsWith(`${folder}/`),
    );
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) {
      const recording = recordings.get(name);
      const bytes = recording && replay(recording);
      const { api } = await start({
        '/monitoring/stats': bytes,
        '/monitoring/metrics': bytes,
        '/sessions/dev-0001': bytes,
      });
      await (/stats/u.test(name)
        ? api.listStats()
        : /metrics/u.test(name)
          ? api.listMetrics()
          : api.getSession('dev-0001'));
      expect([name, api.info.version]).toEqual([name, variant]);
    }
  });

  test('weaker evidence does not replace stronger', async () => {
    const { api } = await start({
      '/monitoring/stats': { 'n@h': counts },
      '/monitoring/metrics': { 'n@h': metrics },
      '/sessions/c': { objects: [sessionB] },
    });
    await api.listMetrics();
    expect(api.info.version).toBe('a');
    await api.listStats();
    expect(api.info.version).toBe('a');
    await api.getSession('c');
    await api.listStats();
    expect(api.info.version).toBe('b');
  });

  test('capabilities follow answers if a broker mixes variants', async () => {
    const { api } = await start({
      '/monitoring/metrics': [{ 'n@h': metrics, 'm@h': metrics }],
      '/sessions/c': { objects: [sessionB] },
    });
    await api.getSession('c');
    expect(api.capabilities).toEqual(variants.b.capabilities);
    await api.listMetrics();
    expect(api.capabilities).toEqual({ ...variants.b.capabilities, metricsByNode: true });
  });

  test('capabilities are the same object until an answer shows others', async () => {
    const { api } = await start({
      '/monitoring/stats': [{ 'n@h': counts }],
      '/monitoring/metrics': [{ 'n@h': metrics }],
    });
    await api.listStats();
    const { capabilities } = api;
    await api.listStats();
    expect(api.capabilities).toBe(capabilities);
    await api.listMetrics();
    expect(api.capabilities).not.toBe(capabilities);
  });
});

describe('detected when a call needs it', () => {
  test.each<[string, unknown, string[]]>([
    ['a', { 'n@h': counts }, ['GET /monitoring/stats', 'PUT /change_pwd/u', 'PUT /nodes/plugins/p']],
    ['b', [{ 'n@h': counts }], ['GET /monitoring/stats', 'PUT /change_pwd/u', 'PUT /nodes/n@h/plugins/p']],
  ])('by one read, once: variant %s', async (_, stats, expected) => {
    const { server, api } = await start({ '/monitoring/stats': stats });
    await api.changePassword('u', 'old', 'new');
    await api.startPlugin('n@h', 'p');
    expect(lines(server)).toEqual(expected);
  });

  test('on variant A an unsupported call sends the probe only', async () => {
    const { server, api } = await start({ '/monitoring/stats': { 'n@h': counts } });
    await expect(api.unsubscribe({ clientId: 'c', topic: 't' })).rejects.toMatchObject({ kind: 'not-supported' });
    await expect(api.listSettings()).rejects.toMatchObject({ kind: 'not-supported' });
    expect(lines(server)).toEqual(['GET /monitoring/stats']);
  });

  test('if the probe is inconclusive, the call fails and nothing is changed', async () => {
    const { server, api } = await start({ '/monitoring/stats': {} });
    await expect(api.changePassword('u', 'old', 'new')).rejects.toMatchObject({
      kind: 'not-supported',
      message: variantTexts.undetected('change a password'),
    });
    expect(lines(server)).toEqual(['GET /monitoring/stats']);
  });

  test('a failed probe fails the call with its error', async () => {
    const { server, api } = await start({ '/monitoring/stats': answer(401, '') });
    await expect(api.stopPlugin('n@h', 'p')).rejects.toMatchObject({ kind: 'unauthorized' });
    expect(lines(server)).toEqual(['GET /monitoring/stats']);
  });
});

describe('given', () => {
  test.each(['a', 'b'] as const)('variant %s holds without a request', async (variant) => {
    const { server, api } = await start({}, variant);
    expect(api.capabilities).toEqual(variants[variant].capabilities);
    expect(knowledgeOf(api)).toEqual({ variant, doubt: undefined });
    await api.changePassword('u', 'old', 'new');
    expect(lines(server)).toEqual(['PUT /change_pwd/u']);
  });

  test('it stays if answers look like the other, which is reported', async () => {
    const { api } = await start({ '/sessions/c': { objects: [sessionA] } }, 'b');
    await api.getSession('c');
    expect(knowledgeOf(api)).toEqual({
      variant: 'b',
      doubt: variantTexts.contradiction('a', 'b', variantTexts.sessionFields('a')),
    });
    expect(api.capabilities).toEqual({ ...variants.b.capabilities, sessionTotals: false });
  });

  test('metrics alone raise no doubt, and stronger answers remove it', async () => {
    const { api } = await start(
      { '/monitoring/metrics': [{ 'n@h': { 'bytes/received': 1 } }], '/sessions/c': { objects: [sessionA] } },
      'a',
    );
    await api.listMetrics();
    expect(api.apiDoubt).toBeUndefined();
    await api.getSession('c');
    expect(knowledgeOf(api)).toEqual({ variant: 'a', doubt: undefined });
  });

  test('a 404 of an endpoint of one variant hints that the given one may be wrong', async () => {
    const messageOf = async (
      variant: 'auto' | 'a' | 'b',
      call: (api: HttpApi) => Promise<unknown>,
    ): Promise<string> => {
      const { api } = await start(
        { '/monitoring/stats': [{ 'n@h': { 'clients/count': 1 } }], '*': answer(404, '') },
        variant,
      );
      return call(api).then(
        () => 'no error',
        (error: unknown) => (error instanceof Error ? error.message : ''),
      );
    };
    const notFound = (given: Variant): string =>
      `Not found (404). The node may be down, the URL may be wrong, or the broker may lack this feature. ${variantTexts.maybeOther(given)}`;
    expect(await messageOf('b', (api) => api.listSettings())).toBe(notFound('b'));
    expect(await messageOf('b', (api) => api.unsubscribe({ clientId: 'c', topic: 't' }))).toBe(notFound('b'));
    expect(await messageOf('a', (api) => api.stopPlugin(undefined, 'p'))).toBe(notFound('a'));
    expect(await messageOf('b', (api) => api.listUsers())).toBe(
      'Not found (404). The node may be down, the URL may be wrong, or the broker may lack this feature.',
    );
    expect(await messageOf('auto', (api) => api.listSettings())).toBe(
      'Not found (404). The node may be down, the URL may be wrong, or the broker may lack this feature.',
    );
  });
});
