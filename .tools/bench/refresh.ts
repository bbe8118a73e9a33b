import { setTimeout as pass } from 'node:timers/promises';
import { withLoadServer } from './load-server.ts';
import { withMonitor } from './monitor.ts';
import { percentile, result } from './measure.ts';
import type { Result } from './measure.ts';
import { cpuSeconds } from './process-figures.ts';

const windows = 5;
const windowSeconds = 5;

interface Screen {
  readonly name: string;
  readonly key: string;
  readonly shows: string;
}

const screens = {
  overview: { name: 'overview', key: '1', shows: 'messages in' },
  metrics: { name: 'metrics', key: '9', shows: 'bytes/received' },
  clients: { name: 'clients', key: '4', shows: 'showing 1,000' },
  sessions: { name: 'sessions', key: '5', shows: 'showing 1,000' },
  listeners: { name: 'listeners', key: '3', shows: 'mqtt:tcp' },
} as const satisfies Readonly<Record<string, Screen>>;

/** Output and processor time of a monitor that is only looked at, refreshing once a second: medians of several windows. */
function watch(cols: number, rows: number, changing: number, shown: readonly Screen[]): Promise<{ name: string; bytes: number; cpu: number }[]> {
  return withLoadServer({ clients: 1_000, changing }, ({ url }) => withMonitor({ url, cols, rows, intervalSeconds: 1 }, async (terminal) => {
    await terminal.waitFor('Overview');
    const watched = [];
    for (const { name, key, shows } of shown) {
      terminal.press(key);
      await terminal.waitFor(shows);
      // What is still being compiled and drawn for the first time is not what is measured.
      await pass(5_000);
      const bytes: number[] = [];
      const cpu: number[] = [];
      for (let window = 0; window < windows; window += 1) {
        const [bytesBefore, cpuBefore] = [terminal.bytesReceived, cpuSeconds(terminal.pid)];
        await pass(windowSeconds * 1_000);
        bytes.push((terminal.bytesReceived - bytesBefore) / windowSeconds);
        cpu.push((cpuSeconds(terminal.pid) - cpuBefore) / windowSeconds);
      }
      watched.push({ name, bytes: percentile(bytes, 50), cpu: percentile(cpu, 50) });
    }
    return watched;
  }));
}

export async function measureRefreshes(): Promise<Result[]> {
  const { overview, metrics, clients, sessions, listeners } = screens;
  const lists = [overview, metrics, clients, sessions];
  const small = await watch(80, 24, 0.2, lists);
  const large = await watch(200, 50, 0.2, lists);
  const still = await watch(80, 24, 0, [clients, sessions, listeners]);
  const busy = await watch(200, 60, 1, [metrics, clients]);
  return [
    ...small.map(({ name, bytes }) => result(`bytes a refresh, a fifth changing, 80×24, ${name}`, bytes, 'B', 1_000)),
    ...large.map(({ name, bytes }) => result(`bytes a refresh, a fifth changing, 200×50, ${name}`, bytes, 'B', 4_000)),
    ...still.map(({ name, bytes }) => result(`bytes a refresh, nothing changing, 80×24, ${name}`, bytes, 'B', 400)),
    ...busy.map(({ name, cpu }) => result(`idle CPU at 1 Hz, every row changing, 200×60, ${name}`, cpu * 100, '% of a core', 2)),
  ];
}
