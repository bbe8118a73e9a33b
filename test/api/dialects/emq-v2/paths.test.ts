import FindMyWay from 'find-my-way';
import { describe, expect, test } from 'vitest';
import type { HttpMethod } from '../../../../src/api/dialect.ts';
import { buildPageQuery, encodeSegment, endpoints } from '../../../../src/api/dialects/emq-v2/paths.ts';
import { UnusableIdError } from '../../../../src/api/errors.ts';

const awkward = [
  'a/b',
  '/lead',
  'tail/',
  '..',
  '.',
  'a+b',
  'a%2Fb',
  '%',
  '%zz',
  'é',
  ' ',
  '\n',
  '\u0000',
  'a?b=c&d',
  'a#b',
  'a:b',
  '*',
  ';',
  "'()!",
  '😀',
  '\u202e',
  'clients',
  'configs',
];
const params = { node: 'a@b', clientId: 'id', topic: 't', plugin: 'p', app: 'app', username: 'u' };

describe('endpoints', () => {
  const router = FindMyWay({ maxParamLength: 4096 });
  for (const [name, { method, pattern, aliases }] of Object.entries(endpoints)) {
    for (const route of [pattern, ...aliases]) router.on(method, route, () => name);
  }
  const route = (method: HttpMethod, path: string) => {
    const found = router.find(method, path);
    return found && { name: (found.handler as () => unknown)(), params: { ...found.params } };
  };

  test.each(Object.entries(endpoints))('%s is built so that its own route matches', (name, endpoint) => {
    const names = [...endpoint.pattern.matchAll(/:(\w+)/gu)].map((match) => match[1] ?? '');
    const own = Object.fromEntries(names.map((key) => [key, params[key as keyof typeof params]]));
    expect(route(endpoint.method, endpoint.build(params))).toEqual({ name, params: own });
  });

  test.each(awkward)('%j arrives unchanged', (id) => {
    for (const [name, path] of [
      ['getClient', endpoints.getClient.build({ clientId: id })],
      ['getNodeClient', endpoints.getNodeClient.build({ node: 'a@b', clientId: id })],
    ] as const) {
      expect(route('GET', path)).toEqual({
        name,
        params: name === 'getClient' ? { clientId: id } : { node: 'a@b', clientId: id },
      });
    }
    expect(route('GET', endpoints.getRoutes.build({ topic: id }))).toEqual({
      name: 'getRoutes',
      params: { topic: id },
    });
  });

  test('list names as ids below a node have one letter encoded, and only there', () => {
    for (const word of ['clients', 'sessions', 'subscriptions', 'alarms', 'plugins', 'configs']) {
      const path = endpoints.getNodeSession.build({ node: 'a@b', clientId: word });
      expect(path).toMatch(/^\/nodes\/a@b\/sessions\/%[0-9a-f]{2}[a-z]+$/u);
      expect(decodeURIComponent(path.split('/').at(-1) ?? '')).toBe(word);
      expect(endpoints.getClient.build({ clientId: word })).toBe(`/clients/${word}`);
    }
    expect(endpoints.getNodeClient.build({ node: 'a@b', clientId: 'clients' })).toBe('/nodes/a@b/clients/%63lients');
  });

  test('the documented aliases reach the same route', () => {
    expect(route('GET', '/node/a@b/sessions')).toEqual({ name: 'listSessions', params: { node: 'a@b' } });
    expect(route('GET', '/monitoring/metrics/')?.name).toBe('listMetrics');
    expect(route('GET', '/nodes/a@b/plugins/')?.name).toBe('listPlugins');
    expect(route('GET', '/routes//lead/x')).toEqual({ name: 'getRoutes', params: { '*': '/lead/x' } });
    expect(route('PUT', '/nodes/plugins/p')?.name).toBe('setPlugin');
  });
});

describe('encodeSegment', () => {
  test('encodes . and ..', () => {
    expect(encodeSegment('.')).toBe('%2e');
    expect(encodeSegment('..')).toBe('%2e%2e');
    expect(encodeSegment('...')).toBe('...');
  });

  test.each(['', '\ud800', 'a\udc00b'])('refuses %j', (id) => {
    expect(() => encodeSegment(id)).toThrow(UnusableIdError);
    expect(() => endpoints.getNodeClient.build({ node: id, clientId: 'x' })).toThrow(UnusableIdError);
  });

  test('refuses a slash where the broker would truncate the id', () => {
    expect(() => endpoints.clearAclCache.build({ clientId: 'a/b' })).toThrow(UnusableIdError);
    expect(endpoints.clearAclCache.build({ clientId: 'a b' })).toBe('/clients/a%20b/clean_acl_cache');
  });
});

test('paging parameters are as documented', () => {
  expect(buildPageQuery({ page: 2, pageSize: 500 })).toBe('?curr_page=2&page_size=500');
});
