import { setTimeout as pass } from 'node:timers/promises';
import type { TerminalSession } from '../../test/support/terminal.ts';
import { type Asked, withLoadServer } from './load-server.ts';
import { median, result, type Result } from './measure.ts';
import { hasFigures, withMonitor } from './monitor.ts';
import { cpuSeconds } from './process-figures.ts';

const windows = 3;
const windowSeconds = 6;
const warmUpMs = 3_000;

/** A screen to measure. */
export interface Screen {
  readonly name: string;
  readonly key: string;
  /** Whether the screen shows its figures. */
  readonly isShown: (terminal: TerminalSession) => boolean;
  /** The request that is sent once per refresh. */
  readonly asks: RegExp;
}

const lastNode = 'broker3@127\\.0\\.0\\.1';
const shows = (...texts: readonly string[]) => (terminal: TerminalSession): boolean => texts.every((text) => terminal.text().includes(text));

export const screens = {
  overview: { name: 'overview', key: '1', isShown: hasFigures, asks: /^monitoring\/nodes/u },
  metrics: { name: 'metrics', key: '9', isShown: shows('bytes.received'), asks: /^monitoring\/metrics/u },
  clients: { name: 'clients', key: '4', isShown: shows(' ADDRESS ', 'showing 1,000 of 1,000'), asks: new RegExp(`^nodes/${lastNode}/clients`, 'u') },
  sessions: { name: 'sessions', key: '5', isShown: shows('INFLIGHT', 'showing 1,000 of 1,000'), asks: new RegExp(`^nodes/${lastNode}/sessions`, 'u') },
  listeners: { name: 'listeners', key: '3', isShown: shows('mqtt:tcp'), asks: /^monitoring\/listeners/u },
} as const satisfies Readonly<Record<string, Screen>>;

/** Number of refreshes of a screen, by its requests. */
export function refreshesOf({ asks }: Pick<Screen, 'asks'>, { byPath }: Pick<Asked, 'byPath'>): number {
  return Object.entries(byPath).reduce((count, [asked, times]) => (asks.test(decodeURIComponent(asked)) ? count + times : count), 0);
}

interface Watched {
  readonly name: string;
  /** Bytes per refresh. */
  readonly bytes: number;
  /** Share of a core. */
  readonly cpu: number;
}

/** Output and processor time of an idle monitor at 1 Hz: medians of several windows. */
function watch(cols: number, rows: number, changing: number, shown: readonly Screen[]): Promise<Watched[]> {
  return withLoadServer({ clients: 1_000, changing }, (server) => withMonitor({ url: server.url, cols, rows, intervalSeconds: 1 }, async (terminal) => {
    await terminal.waitFor(hasFigures);
    const watched: Watched[] = [];
    for (const screen of shown) {
      terminal.press(screen.key);
      await terminal.waitFor(screen.isShown);
      // Warm-up.
      await pass(warmUpMs);
      const bytes: number[] = [];
      const cpu: number[] = [];
      for (let window = 0; window < windows; window += 1) {
        await server.asked();
        const [bytesBefore, cpuBefore, startedMs] = [terminal.bytesReceived, cpuSeconds(terminal.pid), performance.now()];
        await pass(windowSeconds * 1_000);
        const seconds = (performance.now() - startedMs) / 1_000;
        cpu.push((cpuSeconds(terminal.pid) - cpuBefore) / seconds);
        bytes.push((terminal.bytesReceived - bytesBefore) / refreshesOf(screen, await server.asked()));
      }
      watched.push({ name: screen.name, bytes: median(bytes), cpu: median(cpu) });
    }
    return watched;
  }));
}

/** Measures the bytes of a refresh and the processor time of a second. */
export async function measureRefreshes(): Promise<Result[]> {
  const { overview, metrics, clients, sessions, listeners } = screens;
  const lists = [overview, metrics, clients, sessions];
  // Bytes do not depend on the machine's load, so these run in parallel.
  const [small, large, largest, still] = await Promise.all([
    watch(80, 24, 0.2, lists), watch(200, 50, 0.2, lists), watch(200, 60, 0.2, lists), watch(80, 24, 0, [clients, sessions, listeners]),
  ]);
  const busy = await watch(200, 60, 1, [metrics, clients]);
  return [
    ...small.map(({ name, bytes }) => result(`bytes, a fifth changing, 80×24, ${name}`, bytes, 'B', { atMost: 1_000 })),
    ...large.map(({ name, bytes }) => result(`bytes, a fifth changing, 200×50, ${name}`, bytes, 'B', { atMost: 4_000 })),
    ...largest.map(({ name, bytes }) => result(`bytes, a fifth changing, 200×60, ${name}`, bytes, 'B', { isDetail: true })),
    ...still.map(({ name, bytes }) => result(`bytes, nothing changing, 80×24, ${name}`, bytes, 'B', { atMost: 400 })),
    ...busy.map(({ name, cpu }) => result(`processor at 1 Hz, all changing, 200×60, ${name}`, cpu * 100, '% of a core', { atMost: 2 })),
  ];
}
