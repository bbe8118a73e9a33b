import { setTimeout as pass } from 'node:timers/promises';
import { withLoadServer } from './load-server.ts';
import { withMonitor } from './monitor.ts';
import { result } from './measure.ts';
import type { Result } from './measure.ts';

const intervalSeconds = 2;
const ticks = 15;

/** What the overview costs the broker: requests and connections. */
export function measureRequests(): Promise<Result[]> {
  return withLoadServer({ clients: 300, changing: 0.5 }, (server) => (
    withMonitor({ url: server.url, cols: 120, rows: 36, intervalSeconds }, async (terminal) => {
      await terminal.waitFor('Overview');
      await pass(3 * intervalSeconds * 1000);
      const start = await server.asked();
      await pass(ticks * intervalSeconds * 1000);
      const { requests, sentBytes, busyMs, openConnections, mostConnections } = await server.asked();
      const perMinute = 60 / (ticks * intervalSeconds);
      return [
        result('requests a tick, overview at 2 s', requests / ticks, 'requests', 4),
        result('cost to the broker a minute, overview at 2 s: requests', requests * perMinute, 'requests'),
        result('cost to the broker a minute, overview at 2 s: answers', sentBytes * perMinute / 1_000, 'kB'),
        result('cost to the broker a minute, overview at 2 s: time', busyMs * perMinute, 'ms'),
        result('connections, most', Math.max(start.mostConnections, mostConnections), 'connections', 4),
        result('connections, at rest', openConnections, 'connections'),
      ];
    })
  ));
}
