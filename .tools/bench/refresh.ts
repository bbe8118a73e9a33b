import { setTimeout as pass } from 'node:timers/promises';
import { withLoadServer } from './load-server.ts';
import { withMonitor } from './monitor.ts';
import { result } from './measure.ts';
import type { Result } from './measure.ts';
import { cpuSeconds } from './process-figures.ts';

const seconds = 20;

interface Refreshes {
  readonly cols: number;
  readonly rows: number;
  readonly changing: number;
  readonly screen: { readonly key: string; readonly shows: string };
}

const metricsScreen = { key: '9', shows: 'bytes/received' };

/** Output and processor time of a monitor that is only looked at, refreshing once a second. */
function watch({ cols, rows, changing, screen }: Refreshes): Promise<{ bytes: number; cpu: number }> {
  return withLoadServer({ clients: 1_000, changing }, ({ url }) => withMonitor({ url, cols, rows, intervalSeconds: 1 }, async (terminal) => {
    await terminal.waitFor('Overview');
    terminal.press(screen.key);
    await terminal.waitFor(screen.shows);
    // What is still being compiled and drawn for the first time is not what is measured.
    await pass(5_000);
    const [bytes, cpu] = [terminal.bytesReceived, cpuSeconds(terminal.pid)];
    await pass(seconds * 1000);
    return { bytes: (terminal.bytesReceived - bytes) / seconds, cpu: (cpuSeconds(terminal.pid) - cpu) / seconds };
  }));
}

export async function measureRefreshes(): Promise<Result[]> {
  const small = await watch({ cols: 80, rows: 24, changing: 0.2, screen: metricsScreen });
  const large = await watch({ cols: 200, rows: 50, changing: 0.2, screen: metricsScreen });
  const still = await watch({ cols: 80, rows: 24, changing: 0, screen: { key: '3', shows: 'mqtt:tcp' } });
  const busy = await watch({ cols: 200, rows: 60, changing: 1, screen: metricsScreen });
  return [
    result('bytes a refresh, a fifth changing, 80×24', small.bytes, 'B', 1_000),
    result('bytes a refresh, a fifth changing, 200×50', large.bytes, 'B', 4_000),
    result('bytes a refresh, nothing changing', still.bytes, 'B', 400),
    result('idle CPU at 1 Hz, every row changing, 200×60', busy.cpu * 100, '% of a core', 4),
  ];
}
