import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { BadAnswerError, NotFoundError, UnreachableError } from '../../../src/api/errors.ts';
import { type ListCommand, runList } from '../../../src/cli/list/command.ts';
import { emptyList, readList } from '../../../src/cli/list/read.ts';
import { type ListResource, listFormats, listResources } from '../../../src/cli/list/resources.ts';
import { systemClock } from '../../../src/monitor/clock.ts';
import { createTheme } from '../../../src/terminal/theme.ts';
import {
  type Chain,
  nodeNames,
  password,
  startChain,
  registeredSpeakers,
  type Speaker,
  traitsOf,
} from '../../contract/support.ts';
import { startSilent } from '../../support/silent-server.ts';
import { startV5Replay, v5Key } from '../../support/v5-replay.ts';
import { capabilitiesOfB } from '../../actions/support.ts';
import { sessionOf } from '../../screens/list-fixtures.ts';
import { client, createFakeApi, nodeInfo, nodeStats, stats } from '../../monitor/fake-api.ts';

interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function list(
  url: string,
  command: Partial<ListCommand> & Pick<ListCommand, 'resource'>,
  secret = password,
  maxRows = 1_000,
): Promise<Printed> {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const session = {
    url,
    user: 'admin',
    password: secret,
    variant: 'auto',
    maxRows,
    intervalSeconds: 2,
    isReadOnly: false,
    hasAudit: true,
    isInsecure: false,
  } as const;
  const code = await runList(
    session,
    { format: 'table', filter: undefined, sort: undefined, columns: undefined, limit: undefined, ...command },
    { ...streams, env: { TERM: 'dumb' } },
    0.05,
  );
  const read = (stream: PassThrough): string => String(stream.read() ?? '');
  return { code, stdout: read(streams.stdout), stderr: read(streams.stderr) };
}

const theme = createTheme({ TERM: 'dumb' });
const everything = { filter: undefined, sort: undefined, columns: undefined, limit: undefined };
const idsOf = (resource: ListResource): readonly string[] =>
  emptyList(resource, theme, resource === 'plugins' ? nodeNames : [])
    .select(everything)
    .columns.map(({ id }) => id);

const isOffered = (speaker: Speaker, resource: ListResource): boolean =>
  !traitsOf(speaker).lacksLists.includes(resource);
/** A calm broker has none of them. */
const mayBeEmpty: ReadonlySet<ListResource> = new Set([
  'problems',
  'alarms',
  'ended-alarms',
  'slow-subscriptions',
  'integrations',
  'traces',
]);

type Objects = readonly Readonly<Record<string, unknown>>[];

test('nodes of release 5.0.26 have clients, not sessions', async () => {
  const server = await startV5Replay(undefined, '5.0.26');
  const session = {
    url: server.url,
    user: v5Key.user,
    password: v5Key.password,
    variant: 'auto',
    maxRows: 1_000,
    intervalSeconds: 2,
    isReadOnly: false,
    hasAudit: true,
    isInsecure: false,
  } as const;
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const code = await runList(
    session,
    {
      resource: 'nodes',
      format: 'csv',
      filter: undefined,
      sort: undefined,
      columns: ['node', 'clients'],
      limit: undefined,
    },
    { ...streams, env: { TERM: 'dumb' } },
    0.05,
  );
  await server.close();
  expect({ code, stdout: String(streams.stdout.read()) }).toEqual({
    code: 0,
    stdout: 'node,clients\r\nemqx1@127.0.0.1,70\r\nemqx2@127.0.0.1,16\r\n',
  });
});

describe.each(registeredSpeakers)('list on %s', (speaker) => {
  let chain: Chain;
  beforeAll(async () => {
    chain = await startChain(speaker);
    const one = await chain.connect('one', 0);
    await chain.connect('two\u009B31m', 1, { clean: false });
    await one.subscribeAsync('a/+', { qos: 1 });
    await one.publishAsync('kept', 'x', { retain: true, qos: 1 });
    await chain.api.addBan?.({ kind: 'client-id', value: 'bad' });
    await chain.api.addApiKey?.({ name: 'script' });
  });
  afterAll(() => chain.close());
  const url = (): string => chain.broker.server.url;

  test.each(listResources.filter((resource) => !isOffered(speaker, resource)))(
    '%s fails with one sentence, because the API lacks it',
    async (resource) => {
      const { code, stdout, stderr } = await list(url(), { resource });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^brokertop: [^\n]+: Not available on this broker[^\n]*\n$/u);
    },
  );

  describe.each(listResources.filter((resource) => isOffered(speaker, resource)))('%s', (resource) => {
    it.each(listFormats)('as %s', async (format) => {
      const { code, stdout, stderr } = await list(url(), { resource, format });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const ids = idsOf(resource);
      const lines = stdout.split(format === 'csv' ? '\r\n' : '\n').slice(0, -1);
      const objects: Objects =
        format === 'json'
          ? (JSON.parse(stdout) as Objects)
          : format === 'ndjson'
            ? lines.map((line) => JSON.parse(line) as Objects[number])
            : [];
      const keys = format === 'csv' ? [lines[0]?.split(',')] : objects.map((each) => Object.keys(each));
      expect(keys).toEqual(keys.map(() => ids));
      expect(format !== 'table' || /^[A-Z]/u.test(lines[0] ?? '')).toBe(true);
      const count = format === 'csv' || format === 'table' ? lines.length - 1 : objects.length;
      expect(count > 0 || mayBeEmpty.has(resource)).toBe(true);
    });
  });

  it('has the rows of the broker', async () => {
    const read = async (resource: ListResource): Promise<Objects> =>
      JSON.parse((await list(url(), { resource, format: 'json' })).stdout) as Objects;
    const clients = await read('clients');
    expect(
      clients
        .map(({ id, node, clean }) => ({ id, node, clean }))
        .toSorted((a, b) => String(a.id).localeCompare(String(b.id))),
    ).toEqual([
      { id: 'one', node: nodeNames[0], clean: true },
      { id: 'two\u009B31m', node: nodeNames[1], clean: false },
    ]);
    // By the clock of the machine, whatever the zone of the broker.
    for (const { since } of clients) expect(Math.abs(Date.parse(String(since)) - Date.now())).toBeLessThan(120_000);
    const sessions = await read('sessions');
    // Rates need a whole refresh of the counters, every 15 s.
    expect(sessions.find(({ id }) => id === 'one')).toMatchObject({ connected: true, growth: null, queue: 0 });
    expect(await read('subscriptions')).toEqual([{ id: 'one', topic: 'a/+', qos: 1, node: nodeNames[0] }]);
    expect(await read('routes')).toEqual([{ topic: 'a/+', wildcard: true, nodes: 1, node: nodeNames[0] }]);
    expect((await read('nodes')).map(({ node, status }) => ({ node, status }))).toEqual(
      nodeNames.map((node) => ({ node, status: 'running' })),
    );
    expect(await read('users')).toMatchObject([{ name: 'admin', own: true }]);
  });

  it('prints the rows that were asked for', async () => {
    const { stdout } = await list(url(), {
      resource: 'nodes',
      format: 'csv',
      sort: '-node',
      columns: ['node', 'clients'],
      limit: 2,
    });
    expect(stdout).toBe(`node,clients\r\n${nodeNames[2]},0\r\n${nodeNames[1]},1\r\n`);
    expect((await list(url(), { resource: 'clients', format: 'csv', filter: 'id:one', columns: ['id'] })).stdout).toBe(
      'id\r\none\r\n',
    );
    expect(
      (await list(url(), { resource: 'clients', format: 'csv', filter: 'id:nobody', columns: ['id'] })).stdout,
    ).toBe('id\r\n');
    const limited = await list(url(), { resource: 'clients', format: 'ndjson', columns: ['clean'], limit: 1 });
    expect(limited).toEqual({ code: 0, stderr: '', stdout: expect.stringMatching(/^\{"clean":(?:true|false)\}\n$/u) });
  });

  it('escapes the text of the broker in a table', async () => {
    const { stdout } = await list(url(), { resource: 'clients' });
    expect(stdout).toContain(String.raw`two\x9b31m`);
    expect(stdout).toMatch(/^[ -~\n]*$/u);
  });

  it('says in one sentence that the list was cut, and exits with 3', async () => {
    const { code, stdout, stderr } = await list(url(), { resource: 'clients', format: 'ndjson' }, password, 1);
    expect(code).toBe(3);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).toMatch(/^brokertop: [^\n]*--max-rows[^\n]*\n$/u);
  });

  it.each(listResources)('%s fails with one sentence if the login is wrong', async (resource) => {
    const { code, stdout, stderr } = await list(url(), { resource }, 'wrong');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    // API v5 adds what it tried.
    expect(stderr.startsWith(`brokertop: ${url()}: The broker rejected the username or password (401)`)).toBe(true);
    expect(stderr).toMatch(/^[^\n]+\n$/u);
  });
});

describe('a list that was read in part', () => {
  const twoNodes = {
    listNodes: () => Promise.resolve([nodeInfo('a'), nodeInfo('b')]),
    listNodeStats: () =>
      Promise.resolve([nodeStats('a', 'running', { clients: 1 }), nodeStats('b', 'running', { clients: 1 })]),
    listStats: () =>
      Promise.resolve(
        new Map([
          ['a', stats({ clients: 1 })],
          ['b', stats({ clients: 1 })],
        ]),
      ),
  };
  const options = { clock: systemClock, theme, ownUser: 'admin', rateSeconds: 0, maxRows: 1_000 };
  const page = <T>(items: readonly T[]) => ({
    page: 1,
    pageSize: 5_000,
    items,
    totalItems: items.length,
    totalPages: 1,
  });

  test('names the node that did not answer, and has the rows of the others', async () => {
    const error = new UnreachableError('ECONNRESET');
    const api = createFakeApi({
      ...twoNodes,
      listClients: (node) => (node === 'a' ? Promise.resolve(page([client('x', 'a', 1)])) : Promise.reject(error)),
    });
    const { listing, missing } = await readList('clients', { api, ...options });
    expect(listing?.select(everything).count).toBe(1);
    expect(missing).toEqual([
      'b: Cannot connect to the management API (connection reset). Check the URL and that the broker is running',
    ]);
  });

  test('of sessions is whole where the broker does not list its settings, as clusters of two or more nodes', async () => {
    const rows = page([sessionOf('s', { node: 'a' })]);
    const api = createFakeApi({
      ...twoNodes,
      capabilities: { ...capabilitiesOfB, queueLimitSetting: 'mqtt.mqueue.max_length' },
      listSettings: () => Promise.reject(new NotFoundError()),
      listSessions: (node) => Promise.resolve(node === 'a' ? rows : page([])),
      listClients: () => Promise.resolve(page([])),
    });
    const { listing, missing } = await readList('sessions', { api, ...options });
    expect({ count: listing?.select(everything).count, missing }).toEqual({ count: 1, missing: [] });
    const failing = createFakeApi({ ...api, listSettings: () => Promise.reject(new UnreachableError('ECONNRESET')) });
    expect((await readList('sessions', { api: failing, ...options })).missing.join()).toContain('settings');
  });

  test('names the limit that cut it', async () => {
    const many = Array.from({ length: 30 }, (_, at) => client(`c${at}`, 'a', 1));
    const api = createFakeApi({ ...twoNodes, listClients: (node) => Promise.resolve(page(node === 'a' ? many : [])) });
    const { listing, missing } = await readList('clients', { api, ...options, maxRows: 10 });
    expect(listing?.select(everything).count).toBe(10);
    expect(missing.join('; ')).toContain('--max-rows');
  });

  test('gives the rows of a page before the next one is answered, and each once', async () => {
    const gate = Promise.withResolvers<undefined>();
    const api = createFakeApi({
      ...twoNodes,
      listClients: async (node) => {
        if (node === 'b') await gate.promise;
        // It moved to the other node meanwhile.
        return page([client('moved', node, 1), client(`of-${node}`, node, 1)]);
      },
    });
    const given: string[] = [];
    const { missing } = await readList('clients', {
      api,
      ...options,
      onRows: (rows) => {
        const { columns, count, rawOf } = rows.select({ ...everything, columns: ['id'] });
        expect(columns.map(({ id }) => id)).toEqual(['id']);
        given.push(...Array.from({ length: count }, (_, row) => String(rawOf(row)[0])));
        gate.resolve(undefined);
        return true;
      },
    });
    expect({ given, missing }).toEqual({ given: ['moved', 'of-a', 'of-b'], missing: [] });
  });

  test('reads no further once there are enough rows', async () => {
    const asked: string[] = [];
    const api = createFakeApi({
      ...twoNodes,
      listClients: (node) => {
        asked.push(node);
        return Promise.resolve(page([client(`of-${node}`, node, 1)]));
      },
    });
    const { missing } = await readList('clients', { api, ...options, onRows: () => false });
    expect({ asked, missing }).toEqual({ asked: ['a'], missing: [] });
  });

  test('counts rows that could not be decoded', async () => {
    const api = createFakeApi({
      ...twoNodes,
      listUsers: (call) => {
        call?.onUnusable?.({ count: 2, example: '{}' });
        return Promise.resolve([{ username: 'u', tags: '' }]);
      },
    });
    const { listing, missing } = await readList('users', { api, ...options });
    expect(listing?.select(everything).count).toBe(1);
    expect(missing).toHaveLength(1);
  });

  test('is no list if nothing was read', async () => {
    const error = new BadAnswerError('nothing');
    const api = createFakeApi({ ...twoNodes, listUsers: () => Promise.reject(error) });
    expect(await readList('users', { api, ...options })).toEqual({
      listing: undefined,
      missing: ['Unexpected response (nothing). Check that the URL is the management API'],
    });
  });
});

test('every list has one deadline for all addresses that do not answer, and names the first', async () => {
  const [url, ...otherUrls] = [await startSilent(), await startSilent(), await startSilent(), await startSilent()];
  const session = {
    url: url ?? '',
    otherUrls,
    user: 'admin',
    password,
    variant: 'auto',
    maxRows: 1_000,
    intervalSeconds: 2,
    isReadOnly: false,
    hasAudit: true,
    isInsecure: false,
  } as const;
  const resources = ['nodes', 'clients', 'sessions', 'users', 'problems'] as const;
  const ended = await Promise.all(
    resources.map(async (resource) => {
      const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
      const command = { resource, format: 'csv', ...everything } as const;
      const code = await runList(session, command, { ...streams, env: {} }, 0.05, 6_000);
      return { resource, code, stderr: String(streams.stderr.read()) };
    }),
  );
  const stderr = `brokertop: The broker did not respond within 6 s. It may be overloaded, or a node may be hung. ${url}: The broker did not respond within 5 s. It may be overloaded, or a node may be hung.\n`;
  expect(ended).toEqual(resources.map((resource) => ({ resource, code: 1, stderr })));
});
