import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpApi, type HttpApi } from '../../../../src/api/dialects/index.ts';
import { type RawServer, startRawServer, success } from '../../../support/raw-http-server.ts';

let server: RawServer;
let api: HttpApi;

beforeAll(async () => {
  const none = success({ objects: [] });
  server = await startRawServer(() => none);
  api = createHttpApi({ url: server.url, user: 'admin', password: 'public', variant: 'b' });
});

afterAll(async () => {
  await api.close();
  await server.close();
});

const sent = (): string => server.requests.at(-1)?.path ?? '';

test.each([
  ['a/b', 'a%2Fb'],
  ['..', '%2e%2e'],
  ['.', '%2e'],
  ['a/../b', 'a%2F..%2Fb'],
  ['a+b', 'a%2Bb'],
  ['a%2Fb', 'a%252Fb'],
  ['é', '%C3%A9'],
  ['日本', '%E6%97%A5%E6%9C%AC'],
  ['😀', '%F0%9F%98%80'],
  [' ', '%20'],
  ['a\nb', 'a%0Ab'],
  ['\r\nX: y', '%0D%0AX%3A%20y'],
  ['\u0000', '%00'],
  ['?a=b#c', '%3Fa%3Db%23c'],
  ['a\\b', 'a%5Cb'],
  ["~!*'()-_", "~!*'()-_"],
  ['clients', 'clients'],
  ['sessions', 'sessions'],
  ['\u202eevil', '%E2%80%AEevil'],
])('%j goes over the wire as %s', async (id, bytes) => {
  await api.getClient(id);
  expect(sent()).toBe(`/api/v2/clients/${bytes}`);
  await api.getRoutes(id);
  expect(sent()).toBe(`/api/v2/routes/${bytes}`);
  await api.disconnectClient(id);
  expect(sent()).toBe(`/api/v2/clients/${bytes}`);
});

test('below a node, ids equal to list names are addressed correctly', async () => {
  await api.getNodeClient('emq@127.0.0.1', 'clients');
  expect(sent()).toBe('/api/v2/nodes/emq@127.0.0.1/clients/%63lients');
  await api.getNodeSession('emq@127.0.0.1', 'sessions');
  expect(sent()).toBe('/api/v2/nodes/emq@127.0.0.1/sessions/%73essions');
  await api.getNodeSubscriptions('emq@127.0.0.1', 'subscriptions');
  expect(sent()).toBe('/api/v2/nodes/emq@127.0.0.1/subscriptions/%73ubscriptions');
});

test('10,000 generated ids survive encoding and decoding', async () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(...'./%+?#\\ \n\r\t:@&=;"<>'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    ),
    minLength: 1,
    maxLength: 40,
  });
  const ids = [...new Set(fc.sample(text, 10_000))];
  // A few hundred short ids are alike.
  expect(ids.length).toBeGreaterThan(9000);
  const before = server.requests.length;
  await Promise.all(ids.map((id) => api.getNodeClient('a@b', id)));
  const paths = server.requests.slice(before).map(({ path }) => path);
  expect(paths.every((path) => /^[!-~]+$/u.test(path))).toBe(true);
  const decoded = paths.map((path) => path.split('/').map(decodeURIComponent));
  expect(decoded.every((segments) => segments.length === 7 && segments[4] === 'a@b')).toBe(true);
  expect(decoded.map((segments) => segments[6]).toSorted()).toEqual(ids.toSorted());
  expect(server.connections.most).toBeLessThanOrEqual(4);
});
