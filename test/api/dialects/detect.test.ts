import { afterEach, expect, test } from 'vitest';
import { openHttpApi } from '../../../src/api/dialects/index.ts';
import { answer, type RawScript, startRawServer, success } from '../../support/raw-http-server.ts';
import { startV5Replay, v5Key } from '../../support/v5-replay.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const v5Status = 'GET /api/v5/status?format=json';
const v2Probe = 'GET /api/v2/management/nodes';

/** Without the probes of further dialects. */
const ownLines = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => /^GET \/api\/v[25]\//u.test(line));

async function open(
  script: RawScript,
  options: { readonly api?: 'auto' | 'v2' | 'v5'; readonly variant?: string } = {},
) {
  const server = await startRawServer(script);
  const api = openHttpApi({ url: server.url, user: 'admin', password: 'secret', deadlineMs: 500, ...options });
  closing.push(
    () => server.close(),
    () => api.close(),
  );
  const lines = (): readonly string[] => ownLines(server.requests.map(({ method, path }) => `${method} ${path}`));
  return { api, server, lines };
}

test('a broker with a v5 status is one: one request without a login', async () => {
  const server = await startV5Replay();
  const api = openHttpApi({ url: server.url, ...v5Key });
  closing.push(
    () => server.close(),
    () => api.close(),
  );
  expect(api.info).toEqual({ version: undefined, label: 'API unknown' });
  expect(api.capabilities).toBeUndefined();
  await Promise.all([api.listNodes(), api.listStats()]);
  const asked = server.requests.filter((line) => /^GET \/(?:nodes|stats|status)\b/u.test(line));
  expect(asked.toSorted()).toEqual(['GET /nodes', 'GET /stats', 'GET /status?format=json']);
  expect(api.info.version).toBe('v5');
  expect(api.capabilities?.bans).toBe(true);
});

test('the status as text is one too', async () => {
  const { api, lines } = await open({
    [v5Status]: answer(200, 'Node emqx@127.0.0.1 is started\nemqx is running'),
    'GET /api/v5/nodes': answer(200, '[]'),
  });
  await expect(api.listNodes()).resolves.toEqual([]);
  expect(lines()).toEqual([v5Status, 'GET /api/v5/nodes']);
});

test.each([
  ['404', answer(404, '')],
  ['401', answer(401, 'login')],
  ['a page', answer(200, '<html>', { 'content-type': 'text/html' })],
])('another answer (%s) leads to v2, with two requests without a login', async (_, status) => {
  const { api, server, lines } = await open({
    [v5Status]: status,
    'GET /api/v4/': status,
    [v2Probe]: [answer(401, ''), success([{ name: 'emq@127.0.0.1', node_status: 'Running' }])],
  });
  await expect(api.listNodes()).resolves.toHaveLength(1);
  expect(lines()).toEqual([v5Status, v2Probe, v2Probe]);
  const logins = server.requests.map(({ headers }) => headers.has('authorization'));
  expect(logins.indexOf(true)).toBe(logins.length - 1);
  expect(api.capabilities?.bans).toBeUndefined();
});

test('a connection closed without an answer leads to v2', async () => {
  const { api } = await open({
    [v5Status]: (_, socket) => void socket.destroy(),
    [v2Probe]: success([{ name: 'emq@127.0.0.1', node_status: 'Running' }]),
  });
  await expect(api.listNodes()).resolves.toHaveLength(1);
});

test('a broker that has neither is asked again later', async () => {
  const { api, lines } = await open({ '*': answer(404, '') });
  await expect(api.listNodes()).rejects.toMatchObject({
    kind: 'not-found',
    hint: expect.stringMatching(/^No management API was found at \/api\/v2 or \/api\/v4 or \/api\/v5\b/u) as string,
  });
  await expect(api.listNodes()).rejects.toMatchObject({ kind: 'not-found' });
  expect(lines()).toEqual([v5Status, v2Probe, v5Status, v2Probe]);
});

test('an overloaded broker is not taken for another one', async () => {
  const { api, lines } = await open({
    [v5Status]: [answer(502, ''), answer(200, '{"node_name":"a"}')],
    'GET /api/v5/nodes': answer(200, '[]'),
  });
  await expect(api.listNodes()).rejects.toMatchObject({ kind: 'http-status' });
  await expect(api.listNodes()).resolves.toEqual([]);
  expect(lines()).toEqual([v5Status, v5Status, 'GET /api/v5/nodes']);
});

test('a password given before the answer is used', async () => {
  const { api, server } = await open({
    [v5Status]: answer(200, '{"node_name":"a"}'),
    'GET /api/v5/nodes': answer(200, '[]'),
  });
  api.setPassword('other');
  await api.listNodes();
  expect(server.requests.at(-1)?.headers.get('authorization')).toBe(
    `Basic ${Buffer.from('admin:other').toString('base64')}`,
  );
  expect(api.hide('other')).not.toContain('other');
});

test.each([[{ api: 'v2' as const }], [{ variant: 'b' }]])('nothing is probed with %j', async (options) => {
  const { api, lines } = await open({ [v2Probe]: success([]) }, options);
  await api.listNodes();
  expect(lines()).toEqual([v2Probe]);
});

test('a call that the found API lacks is refused', async () => {
  const { api } = await open({ [v5Status]: answer(404, ''), [v2Probe]: success([]) });
  await expect(api.listBans?.({ page: 1, pageSize: 10 })).rejects.toMatchObject({ kind: 'not-supported' });
});
