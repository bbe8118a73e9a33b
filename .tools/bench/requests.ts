import { setTimeout as pass } from 'node:timers/promises';
import type { TerminalSession } from '../../test/support/terminal.ts';
import { type Load, type ServerLoad, withLoadServer } from './load-server.ts';
import { median, result, type Result } from './measure.ts';
import { withMonitor } from './monitor.ts';
import { screens } from './refresh.ts';

const intervalSeconds = 2;
const ticks = 30;
const seconds = ticks * intervalSeconds;
/** The time between samples. The interval is not a multiple of it, so that samples spread over it. */
const lookEveryMs = 390;
/** Keys of the long lists, and a text that each shows. */
const openedLists = [
  ['4', /KEEPALIVE/u],
  ['5', /INFLIGHT/u],
  ['6', /QOS/u],
  ['7', (terminal: TerminalSession) => !terminal.text().includes('QOS')],
] as const;
/** Paths that only an open list requests. */
const lists = /^nodes\/[^/]+\/(?:clients|sessions|subscriptions)|^routes/u;

/** By then the checks have compared sessions several times, which they read often until then. */
const settledMs = 45_000;

/**
 * Requests, bytes and connections of Overview: calm, and while the checks look for the causes of problems; and those of
 * lists after they were left.
 */
export async function measureRequests(): Promise<Result[]> {
  return [
    ...(await measureOverview({ clients: 300, changing: 0, queues: 'none' }, 'calm', 4)),
    ...(await measureOverview({ clients: 300, changing: 0.5 }, 'with problems', 8)),
  ];
}

function measureOverview(load: Load, label: string, maxPerRefresh: number): Promise<Result[]> {
  return withLoadServer(load, (server) =>
    withMonitor({ url: server.url, cols: 120, rows: 36, intervalSeconds }, async (terminal) => {
      await terminal.waitFor(screens.overview.isShown);
      await pass(settledMs);
      await server.takeLoad();
      const looks: ServerLoad[] = [];
      for (const startedMs = performance.now(); performance.now() - startedMs < seconds * 1000;) {
        await pass(lookEveryMs);
        looks.push(await server.takeLoad());
      }
      const sum = (pick: (look: ServerLoad) => number): number => looks.reduce((total, look) => total + pick(look), 0);
      const perMinute = 60 / seconds;

      const ofLists = (byPath: ServerLoad['byPath']): number =>
        Object.entries(byPath).reduce((count, [path, times]) => (lists.test(path) ? count + times : count), 0);
      const before = sum(({ byPath }) => ofLists(byPath));
      for (const [key, expected] of openedLists) await terminal.pressAndWaitFor(key, expected);
      await terminal.pressAndWaitFor(screens.overview.key, screens.overview.isShown);
      await pass(3 * intervalSeconds * 1000);
      await server.takeLoad();
      await pass(seconds * 1000);
      const after = ofLists((await server.takeLoad()).byPath);
      const name = `Overview at ${intervalSeconds} s, ${label}`;

      return [
        result(`${name}: requests per refresh`, sum(({ requests }) => requests) / ticks, '', { atMost: maxPerRefresh }),
        result(`${name}: requests per minute`, sum(({ requests }) => requests) * perMinute, ''),
        result(
          `${name}: response bytes per minute, with headers`,
          (sum(({ sentBytes }) => sentBytes) * perMinute) / 1_000,
          'kB',
        ),
        result(`${name}: time of the synthetic server per minute`, sum(({ busyMs }) => busyMs) * perMinute, 'ms'),
        result(`${name}: connections, max`, Math.max(...looks.map(({ maxConnections }) => maxConnections)), '', {
          atMost: 4,
        }),
        result(`${name}: connections, median`, median(looks.map(({ openConnections }) => openConnections)), '', {
          atMost: 1,
        }),
        result(`${name}: new connections per minute`, sum(({ newConnections }) => newConnections) * perMinute, '', {
          atMost: 0,
        }),
        result(
          `${name}: requests per minute for lists that were left, more than for the checks`,
          (after - before) * perMinute,
          '',
          { atMost: 0 },
        ),
      ];
    }),
  );
}
