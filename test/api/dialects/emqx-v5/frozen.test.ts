import { afterEach, describe, expect, test } from 'vitest';
import { openPage } from '../../../../src/api/dialects/emqx-v5/decode-lists.ts';
import { pageQuery } from '../../../../src/api/dialects/emqx-v5/paths.ts';
import { Caller } from '../../../../src/api/dialects/caller.ts';
import { ClusterReads, KnownCluster } from '../../../../src/api/dialects/emqx-v5/cluster.ts';
import { decodeStats } from '../../../../src/api/dialects/emqx-v5/decode-nodes.ts';
import { openHttpApi } from '../../../../src/api/dialects/index.ts';
import { TimeoutError } from '../../../../src/api/errors.ts';
import { startV5Replay, v5Key, v5Recording } from '../../../support/v5-replay.ts';

const [node1, node2] = ['emqx1@127.0.0.1', 'emqx2@127.0.0.1'] as const;

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Whether a request waits for a frozen node, by the recordings 501 to 533. */
const isBlocked = (line: string): boolean =>
  /^GET \/(?:nodes|stats|metrics|listeners|alarms|plugins|slow_subscriptions)(?:\?|$)/u.test(line) ||
  line.includes(`/nodes/${node2}`) ||
  line.includes(`node=${node2}`);

async function open(isStalled: (line: string) => boolean) {
  const server = await startV5Replay((line) => (isStalled(line) ? 'stall' : undefined));
  const api = openHttpApi({ url: server.url, api: 'v5', ...v5Key, deadlineMs: 300 });
  closing.push(
    () => server.close(),
    () => api.close(),
  );
  let told = 0;
  const newRequests = (): readonly string[] => {
    const lines = server.requests.slice(told);
    told = server.requests.length;
    return lines;
  };
  return { api, newRequests };
}

const page = { page: 1, pageSize: 100 };

describe('a node that freezes', () => {
  async function frozen() {
    let isFrozen = false;
    const opened = await open((line) => isFrozen && isBlocked(line));
    await opened.api.listNodes();
    isFrozen = true;
    return {
      ...opened,
      thaw: () => {
        isFrozen = false;
      },
    };
  }

  test('is listed with a status of its own, and the other one with its values', async () => {
    const { api } = await frozen();
    const nodes = await api.listNodeStats();
    // The list read before serves this one, too.
    expect(nodes.map(({ status }) => status)).toEqual(['running', 'running']);
    const infos = await api.listNodes();
    expect(infos.map(({ name, status, statusText }) => [name, status, statusText])).toEqual([
      [node1, 'running', 'running'],
      [node2, 'other', 'silent'],
    ]);
    expect(infos[0]?.uptimeSeconds).toBe(303.423);
    const stats = await api.listNodeStats();
    expect(stats[0]?.clients).toBe(70);
    expect(stats[1]?.clients).toBeUndefined();
  });

  test('holds up nothing of the other one', async () => {
    const { api, newRequests } = await frozen();
    await api.listStats();
    newRequests();
    await expect(api.listStats()).resolves.toHaveProperty('size', 1);
    await expect(api.listMetrics()).resolves.toMatchObject({
      kind: 'by-node',
      nodes: new Map([[node1, expect.anything()]]),
    });
    await expect(api.getMetrics(node1)).resolves.toHaveProperty(['bytes.received']);
    await expect(api.listClients(node1, page)).resolves.toHaveProperty('items.length', 70);
    const lines = newRequests();
    expect(lines).toHaveLength(4);
    expect(lines.filter(isBlocked)).toEqual([]);
  });

  test('is named by what would wait for it, and nothing is sent', async () => {
    const { api, newRequests } = await frozen();
    await api.listStats();
    newRequests();
    const notRead = {
      kind: 'node-unreachable',
      message: 'Not read: emqx2@127.0.0.1 is not responding.',
      brief: 'emqx2@127.0.0.1 is not responding',
    };
    await expect(api.listListeners()).rejects.toMatchObject(notRead);
    await expect(api.listAlarms?.(node1)).rejects.toMatchObject(notRead);
    await expect(api.listPlugins(node1)).rejects.toMatchObject(notRead);
    await expect(api.listClients(node2, page)).rejects.toMatchObject(notRead);
    expect(newRequests()).toEqual([]);
  });

  test('does not answer from the start: its name comes from the cluster', async () => {
    const { api } = await open(isBlocked);
    const nodes = await api.listNodes();
    expect(nodes.map(({ name, status }) => [name, status])).toEqual([
      [node1, 'running'],
      [node2, 'other'],
    ]);
  });
});

test('a broker that answers nothing is late, and no node is blamed', async () => {
  let isSlow = false;
  const { api } = await open(() => isSlow);
  await api.listNodes();
  isSlow = true;
  await expect(api.listStats()).rejects.toBeInstanceOf(TimeoutError);
  isSlow = false;
  await expect(api.listListeners()).resolves.toHaveProperty('size', 2);
});

describe('a silent node', () => {
  const silentNode = new TimeoutError(2_500);
  const rows = (start: string): unknown => JSON.parse(v5Recording(start).body);

  function create() {
    const sent: string[] = [];
    let nowMs = 0;
    let isFrozen = true;
    const caller = new Caller(
      {
        prefix: '',
        send: ({ path }) => {
          sent.push(path);
          if (isFrozen && isBlocked(`GET ${path}`)) return Promise.reject(silentNode);
          const body =
            path === '/nodes'
              ? rows('022')
              : path === '/stats'
                ? rows('032')
                : path.endsWith('/stats')
                  ? rows(path.includes(node2) ? '030' : '028')
                  : rows(path.includes(node2) ? '025' : '023');
          return Promise.resolve({ status: 200, body, sentAt: undefined });
        },
      },
      { query: pageQuery, open: openPage },
    );
    const known = new KnownCluster(() => nowMs);
    known.running.add(node1).add(node2);
    const cluster = new ClusterReads(caller, known, () => nowMs);
    const readStats = () =>
      cluster.figures({ all: '/stats', of: (node) => `/nodes/${node}/stats` }, undefined, 'statistics', decodeStats);
    return {
      cluster,
      sent,
      readStats,
      pass: (ms: number) => {
        nowMs += ms;
      },
      thaw: () => {
        isFrozen = false;
      },
    };
  }

  test('is asked every ten seconds, and is back when it answers', async () => {
    const { sent, readStats, pass, thaw } = create();
    await readStats();
    expect(sent).toEqual(['/stats', `/nodes/${node1}/stats`, `/nodes/${node2}/stats`]);
    sent.length = 0;
    for (let tick = 0; tick < 4; tick += 1) {
      pass(2_000);
      await expect(readStats()).resolves.toHaveProperty('size', 1);
    }
    expect(sent.filter((path) => path.includes(node2))).toEqual([]);
    pass(3_000);
    thaw();
    await expect(readStats()).resolves.toHaveProperty('size', 2);
    sent.length = 0;
    await readStats();
    expect(sent).toEqual(['/stats']);
  });

  test('that is probed occupies one connection', async () => {
    const { sent, readStats, cluster, pass } = create();
    await readStats();
    pass(11_000);
    sent.length = 0;
    await Promise.all([readStats(), readStats(), cluster.rows('info', undefined)]);
    expect(sent.filter((path) => path.includes(node2))).toHaveLength(1);
  });
});

test('a stopped node is listed as stopped', async () => {
  const server = await startV5Replay((line) =>
    line === 'GET /nodes' ? { status: 200, body: v5Recording('602').body } : undefined,
  );
  const api = openHttpApi({ url: server.url, api: 'v5', ...v5Key });
  closing.push(
    () => server.close(),
    () => api.close(),
  );
  expect((await api.listNodeStats()).map(({ status }) => status)).toEqual(['running', 'stopped']);
  expect((await api.listNodes()).map(({ name }) => name)).toEqual([node1]);
});

test('a node that the list leaves out is asked itself', async () => {
  let isLeftOut = false;
  const server = await startV5Replay((line) => {
    if (!isLeftOut) return undefined;
    if (line === 'GET /nodes') return { status: 200, body: v5Recording('520').body };
    return line.includes(node2) ? 'stall' : undefined;
  });
  const api = openHttpApi({ url: server.url, api: 'v5', ...v5Key, deadlineMs: 300 });
  closing.push(
    () => server.close(),
    () => api.close(),
  );
  await api.listNodes();
  isLeftOut = true;
  expect((await api.listNodes()).map(({ status }) => status)).toEqual(['running', 'other']);
});

test('a node that hangs does not lead to another address', async () => {
  let isFrozen = false;
  const [server, other] = [
    await startV5Replay((line) => (isFrozen && isBlocked(line) ? 'stall' : undefined)),
    await startV5Replay(),
  ];
  const api = openHttpApi({ url: server.url, otherUrls: [other.url], api: 'v5', ...v5Key, deadlineMs: 300 });
  closing.push(
    () => server.close(),
    () => other.close(),
    () => api.close(),
  );
  await api.listNodes();
  isFrozen = true;
  await Promise.allSettled([
    api.listListeners(),
    api.listStats(),
    api.listMetrics(),
    api.listNodes(),
    api.listAlarms?.(node1),
  ]);
  await expect(api.listStats()).resolves.toHaveProperty('size', 1);
  expect(api.servingUrl).toBe(server.url);
  expect(other.requests).toEqual([]);
});
