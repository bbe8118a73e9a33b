import { Pool } from 'undici';
import { createHttpApi } from '../../src/api/v2/client.ts';
import type { Client } from '../../src/domain/client.ts';
import { clientScan } from '../../src/store/client-scan.ts';
import { createRowTable } from '../../src/store/scan-rows.ts';
import type { LoadServer } from './load-server.ts';
import { percentile, result } from './measure.ts';
import type { Result } from './measure.ts';

const pageSize = 5_000;
const nodes = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker3@127.0.0.1'];
const runs = 5;

/**
 * A scan of all clients, without the pauses that it leaves the broker, against the bare requests with
 * `JSON.parse`.
 * @returns the results, and all the clients.
 */
export async function measureScan(server: LoadServer): Promise<{ results: Result[]; clients: readonly Client[] }> {
  const bare: number[] = [];
  const full: number[] = [];
  let clients: readonly Client[] = [];
  // In turns, so that a slow moment of the machine hits both.
  for (let run = 0; run < runs; run += 1) {
    bare.push(await timed(() => readBare(server.url)));
    full.push(await timed(async () => { clients = await readAll(server.url); }));
  }
  const [bareMs, fullMs] = [percentile(bare, 50), percentile(full, 50)];
  return {
    clients,
    results: [
      result(`bare requests for ${clients.length} clients`, bareMs, 'ms'),
      result(`full scan of ${clients.length} clients`, fullMs, 'ms'),
      result('full scan against bare requests', fullMs / bareMs, 'times', 1.3),
    ],
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

async function readBare(url: string): Promise<number> {
  const pool = new Pool(url, { connections: 1 });
  const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;
  let count = 0;
  for (const node of nodes) {
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await pool.request({
        method: 'GET', path: `/api/v2/nodes/${node}/clients?curr_page=${page}&page_size=${pageSize}`, headers: { authorization },
      });
      const { result: list } = JSON.parse(await body.text()) as { result: { total_page: number; objects: unknown[] } };
      pages = list.total_page;
      count += list.objects.length;
    }
  }
  await pool.close();
  return count;
}

async function readAll(url: string): Promise<readonly Client[]> {
  const api = createHttpApi({ url, user: 'admin', password: 'secret', variant: 'b' });
  const table = createRowTable(clientScan);
  table.begin(nodes);
  for (const node of nodes) {
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const list = await clientScan.list(api, node, { page, pageSize }, {});
      pages = list.totalPages ?? 1;
      table.merge(node, list.items, 0, list.items.length);
    }
    table.endNode(node, true);
  }
  await api.close();
  return table.rows();
}
