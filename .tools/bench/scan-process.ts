/** The process behind `withReader`: reads lists with scans, or with bare requests. */
import { Pool } from 'undici';
import { decodeClients } from '../../src/api/dialects/emq-v2/decode.ts';
import { parseRecords } from '../../src/api/dialects/records.ts';
import { clientSchema, isWireClient } from '../../src/api/dialects/emq-v2/wire.ts';
import { createHttpApi } from '../../src/api/dialects/index.ts';
import type { Client } from '../../src/domain/client.ts';
import { type Clock, systemClock } from '../../src/monitor/clock.ts';
import { median, timed } from './measure.ts';
import type { ReaderAnswer, ReaderQuestion } from './scan.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { createScanTask } from '../../src/monitor/scan/scan.ts';

const { url } = JSON.parse(process.argv[2] ?? '') as { url: string };
const pageSize = 5_000;
const nodes = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker3@127.0.0.1'];
const pageRuns = 25;
const pageWarmUps = 5;

const pool = new Pool(url, { connections: 1 });
const authorization = `Basic ${Buffer.from('admin:secret').toString('base64')}`;

async function barePage(node: string, page: number): Promise<string> {
  const { body } = await pool.request({
    method: 'GET',
    path: `/api/v2/nodes/${node}/clients?curr_page=${page}&page_size=${pageSize}`,
    headers: { authorization },
  });
  return body.text();
}

const parsePage = (text: string): { total_page: number; objects: Record<string, unknown>[] } =>
  (JSON.parse(text) as { result: { total_page: number; objects: Record<string, unknown>[] } }).result;

async function readBare(): Promise<ReaderAnswer> {
  const startedMs = performance.now();
  let rows = 0;
  for (const node of nodes) {
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const list = parsePage(await barePage(node, page));
      pages = list.total_page;
      rows += list.objects.length;
    }
  }
  return { firstMs: performance.now() - startedMs, againMs: 0, rows };
}

/** Requests in flight. */
let inFlight = 0;

/**
 * The system's clock, but timers fire as soon as no request is in flight. Timers of 0 ms are unchanged.
 */
function clockWithoutRests(): Clock {
  const timers = new Set<{ readonly dueMs: number; readonly fire: () => void }>();
  let skippedMs = 0;
  const monotonicMs = (): number => performance.now() + skippedMs;
  function skip(): void {
    const next = [...timers].toSorted((one, other) => one.dueMs - other.dueMs)[0];
    if (inFlight > 0 || next === undefined) return;
    skippedMs += Math.max(0, next.dueMs - monotonicMs());
    timers.delete(next);
    next.fire();
    if (timers.size > 0) setImmediate(skip);
  }
  return {
    nowMs: () => Date.now() + skippedMs,
    monotonicMs,
    setTimer(delayMs, fire) {
      if (delayMs <= 0) return systemClock.setTimer(delayMs, fire);
      const timer = { dueMs: monotonicMs() + delayMs, fire };
      timers.add(timer);
      setImmediate(skip);
      return () => timers.delete(timer);
    },
  };
}

/** Scans a new list twice, without rests or drawing. The second scan meets known rows. */
async function readScans(): Promise<ReaderAnswer> {
  const api = createHttpApi({ url, user: 'admin', password: 'secret', variant: 'b' });
  const ends: number[] = [];
  let rows: readonly Client[] = [];
  const done = Promise.withResolvers<void>();
  const scan = createScanTask<Client>({
    api,
    clock: clockWithoutRests(),
    scan: clientScan,
    listNodes: async () => nodes.map((name) => ({ name, expected: undefined })),
    async schedule(request, { kind }) {
      if (kind === 'scan') return request();
      inFlight += 1;
      try {
        return await request();
      } finally {
        inFlight -= 1;
      }
    },
    intervalMs: () => 2_000,
    random: () => 0.5,
    onState(state) {
      rows = state.rows;
      if (state.phase === 'running' || state.nextScanAtMs === undefined || state.finishedAtMs === undefined) return;
      ends.push(performance.now());
      if (ends.length === 2) done.resolve();
    },
    onError: (error) => {
      done.reject(error);
    },
  });
  const startedMs = performance.now();
  scan.start();
  await done.promise;
  scan.stop();
  await api.close();
  const [first = Number.NaN, second = Number.NaN] = ends;
  return { firstMs: first - startedMs, againMs: second - first, rows: rows.length };
}

/** Milliseconds to parse, check and decode one page. */
async function checkPage(): Promise<ReaderAnswer['page']> {
  const text = await barePage(nodes[0] ?? '', 1);
  const { objects } = parsePage(text);
  const works = {
    parseMs: () => parsePage(text),
    guardsMs: () => objects.every((raw) => isWireClient(raw)),
    zodMs: () => objects.every((raw) => clientSchema.safeParse(raw).success),
    decodeMs: () => decodeClients(parsePage(text).objects, nodes[0]),
    decodeByZodMs: () => parseRecords(clientSchema, parsePage(text).objects, 'clients', ({ record }) => record),
  };
  const times = new Map<() => unknown, number[]>();
  for (let run = 0; run < pageWarmUps + pageRuns; run += 1) {
    for (const work of Object.values(works)) {
      const ms = await timed(work);
      if (run >= pageWarmUps) times.set(work, [...(times.get(work) ?? []), ms]);
    }
  }
  const of = (work: () => unknown): number => median(times.get(work) ?? []);
  return {
    rows: objects.length,
    parseMs: of(works.parseMs),
    guardsMs: of(works.guardsMs),
    zodMs: of(works.zodMs),
    decodeMs: of(works.decodeMs),
    decodeByZodMs: of(works.decodeByZodMs),
  };
}

async function answer(question: ReaderQuestion): Promise<ReaderAnswer> {
  switch (question) {
    case 'bare':
      return readBare();
    case 'scan':
      return readScans();
    case 'page':
      return { firstMs: 0, againMs: 0, rows: 0, page: await checkPage() };
  }
}

process.on('message', (question: ReaderQuestion) => void answer(question).then((figures) => process.send?.(figures)));
process.on('disconnect', () => process.exit());
process.send?.('ready');
