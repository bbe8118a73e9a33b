import { setTimeout as pass } from 'node:timers/promises';
import type { TerminalSession } from '../../test/support/terminal.ts';
import { type ServerLoad, withLoadServer } from './load-server.ts';
import { median, result, type Result } from './measure.ts';
import { withMonitor } from './monitor.ts';
import { screens } from './refresh.ts';

const intervalSeconds = 2;
const ticks = 10;
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

/** Requests, bytes and connections of the overview, and of lists after they were left. */
export function measureRequests(): Promise<Result[]> {
  return withLoadServer({ clients: 300, changing: 0.5 }, (server) =>
    withMonitor({ url: server.url, cols: 120, rows: 36, intervalSeconds }, async (terminal) => {
      await terminal.waitFor(screens.overview.isShown);
      await pass(3 * intervalSeconds * 1000);
      await server.takeLoad();
      const looks: ServerLoad[] = [];
      for (const startedMs = performance.now(); performance.now() - startedMs < seconds * 1000;) {
        await pass(lookEveryMs);
        looks.push(await server.takeLoad());
      }
      const sum = (pick: (look: ServerLoad) => number): number => looks.reduce((total, look) => total + pick(look), 0);
      const perMinute = 60 / seconds;

      for (const [key, expected] of openedLists) await terminal.pressAndWaitFor(key, expected);
      await terminal.pressAndWaitFor(screens.metrics.key, screens.metrics.isShown);
      await pass(3 * intervalSeconds * 1000);
      await server.takeLoad();
      await pass(seconds * 1000);
      const { byPath } = await server.takeLoad();
      const ofLists = Object.entries(byPath).reduce(
        (count, [path, times]) => (lists.test(path) ? count + times : count),
        0,
      );

      return [
        result('Overview at 2 s: requests per refresh', sum(({ requests }) => requests) / ticks, '', { atMost: 4 }),
        result('Overview at 2 s: requests per minute', sum(({ requests }) => requests) * perMinute, ''),
        result(
          'Overview at 2 s: response bytes per minute, with headers',
          (sum(({ sentBytes }) => sentBytes) * perMinute) / 1_000,
          'kB',
        ),
        result(
          'Overview at 2 s: time of the synthetic server per minute',
          sum(({ busyMs }) => busyMs) * perMinute,
          'ms',
        ),
        result('connections, max', Math.max(...looks.map(({ maxConnections }) => maxConnections)), '', { atMost: 4 }),
        result('connections, median', median(looks.map(({ openConnections }) => openConnections)), '', { atMost: 1 }),
        result('new connections per minute', sum(({ newConnections }) => newConnections) * perMinute, '', {
          atMost: 0,
        }),
        result('four closed lists: requests per minute', ofLists * perMinute, '', { atMost: 0 }),
      ];
    }),
  );
}
