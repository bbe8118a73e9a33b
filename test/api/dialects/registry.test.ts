import { expect, test } from 'vitest';
import type { RegisteredDialect, Transport } from '../../../src/api/dialect.ts';
import { detectDialect } from '../../../src/api/dialects/detect.ts';
import { aboutEmqV2 } from '../../../src/api/dialects/emq-v2/about.ts';
import { aboutEmqxV5 } from '../../../src/api/dialects/emqx-v5/about.ts';
import { clientOf } from '../../../src/api/dialects/index.ts';
import { dialects } from '../../../src/api/dialects/registry.ts';

const all: readonly RegisteredDialect[] = dialects;

test('every name belongs to one dialect', () => {
  for (const names of [
    all.map(({ id }) => id),
    all.map(({ api }) => api),
    all.map(({ basePath }) => basePath),
    all.flatMap(({ variants }) => variants),
    all.flatMap(({ profiles }) => profiles.map(({ name }) => name)),
  ])
    expect(names).toEqual([...new Set(names)]);
});

test.each(all)('$id serves what it is registered with, and nothing else', async (dialect) => {
  const { variants, servedVariant, profiles, basePath, loadServer } = dialect;
  const [client, server] = [clientOf(dialect), await loadServer()];
  expect(client.http.basePath).toBe(basePath);
  const served: readonly (string | undefined)[] = variants.length === 0 ? [undefined] : variants;
  expect(served).toContain(servedVariant);
  for (const variant of served) expect(server.extraPlugins(variant)).toBeInstanceOf(Array);
  for (const variant of variants) expect(client.createSession(variant).info.version).toBe(variant);
  for (const { name, variant } of profiles) {
    expect(server.meaning(name)).toBeInstanceOf(Object);
    expect(served).toContain(variant);
  }
  expect(() => server.meaning('other')).toThrow(TypeError);
  expect(() => server.extraPlugins('other')).toThrow(TypeError);
});

test('a further dialect is detected by its probe, before the older ones', async () => {
  const further: RegisteredDialect = {
    id: 'small',
    api: 'v9',
    basePath: '/admin/v9',
    brokers: 'small brokers',
    servedBroker: 'small brokers',
    defaultPort: 8009,
    variants: [],
    servedVariant: undefined,
    profiles: [],
    probe: { path: '/version', isAnswer: ({ text }) => text === 'small' },
    loadServer: () => expect.fail(),
  };
  const asked: string[] = [];
  const transport = (own: string): Transport => ({
    prefix: '',
    send: async ({ path }) => {
      asked.push(path);
      return path === own ? { status: 200, text: 'small' } : { status: 404, text: '' };
    },
  });
  const candidates = [aboutEmqV2, aboutEmqxV5, further];
  expect(await detectDialect(transport('/admin/v9/version'), undefined, candidates)).toBe(further);
  expect(asked).toEqual(['/admin/v9/version']);
  await expect(detectDialect(transport('/none'), undefined, candidates)).rejects.toMatchObject({
    hint: 'No management API was found at /api/v2 or /api/v5 or /admin/v9. If a proxy hides it, set --api.',
  });
  expect(asked.slice(1)).toEqual(['/admin/v9/version', '/api/v5/status?format=json', '/api/v2/management/nodes']);
});
