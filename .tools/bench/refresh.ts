import { setTimeout as pass } from 'node:timers/promises';
import { openTerminal, type TerminalSession } from '../../test/support/terminal.ts';
import { bareProgram, hasBareRows } from './bare-ink.ts';
import { type Load, type ServerLoad, withLoadServer } from './load-server.ts';
import { median, result, type Result } from './measure.ts';
import { hasFigures, withMonitor } from './monitor.ts';
import { cpuSeconds } from './process-figures.ts';

const windows = 3;
const windowSeconds = 6;
const warmUpMs = 3_000;
/** How long V8 takes to compile most of what a refresh runs. */
const compiledMs = 40_000;

/** A screen to measure. */
export interface Screen {
  readonly name: string;
  readonly key: string;
  /** The graphs of the screen move, which takes more bytes than changed rows. */
  readonly hasGraphs?: boolean | undefined;
  /** Whether the screen shows its figures. */
  readonly isShown: (terminal: TerminalSession) => boolean;
  /** The request that is sent once per refresh. */
  readonly asks: RegExp;
}

const lastNode = 'broker3@127\\.0\\.0\\.1';
const shows =
  (...texts: readonly string[]) =>
  (terminal: TerminalSession): boolean =>
    texts.every((text) => terminal.text().includes(text));

export const screens = {
  triage: { name: 'triage', key: 'T', isShown: shows(' Triage '), asks: /^monitoring\/nodes/u },
  nodes: { name: 'nodes', key: '2', isShown: shows('broker3', 'LOAD1', 'worst first'), asks: /^monitoring\/nodes/u },
  node: { name: 'node', key: '\r', hasGraphs: true, isShown: shows('Node broker1@'), asks: /^monitoring\/nodes/u },
  metrics: {
    name: 'metrics',
    key: '9',
    hasGraphs: true,
    isShown: shows('bytes.received'),
    asks: /^monitoring\/metrics(?:\?|$)/u,
  },
  clients: {
    name: 'clients',
    key: '4',
    isShown: shows(' ADDRESS ', 'showing 1,000 of 1,000'),
    asks: new RegExp(`^nodes/${lastNode}/clients`, 'u'),
  },
  sessions: {
    name: 'sessions',
    key: '5',
    isShown: shows('INFLIGHT', 'showing 1,000 of 1,000'),
    asks: new RegExp(`^nodes/${lastNode}/sessions`, 'u'),
  },
  listeners: { name: 'listeners', key: '3', isShown: shows('mqtt:tcp'), asks: /^monitoring\/listeners/u },
  // The last one: before all checks have been made, panels move.
  overview: { name: 'overview', key: '1', hasGraphs: true, isShown: hasFigures, asks: /^monitoring\/nodes/u },
} as const satisfies Readonly<Record<string, Screen>>;

/** Number of refreshes of a screen, by its requests. */
export function refreshesOf({ asks }: Pick<Screen, 'asks'>, { byPath }: Pick<ServerLoad, 'byPath'>): number {
  return Object.entries(byPath).reduce(
    (count, [asked, times]) => (asks.test(decodeURIComponent(asked)) ? count + times : count),
    0,
  );
}

interface Watched {
  readonly name: string;
  readonly hasGraphs: boolean;
  /** Bytes per refresh. */
  readonly bytes: number;
  /** Bytes of the largest refresh, in which graphs moved. */
  readonly maxBytes: number;
  /** Share of a core. */
  readonly cpu: number;
}

/** Pause in the output after which another refresh begins. */
const quietMs = 350;

/** Finds the largest refresh. */
function createBurst(): {
  readonly add: (bytes: Uint8Array) => void;
  readonly forget: () => void;
  readonly maxBytes: () => number;
} {
  let [atMs, bytes, max] = [0, 0, 0];
  return {
    add(chunk) {
      const nowMs = performance.now();
      bytes = chunk.length + (nowMs - atMs < quietMs ? bytes : 0);
      atMs = nowMs;
      max = Math.max(max, bytes);
    },
    forget() {
      bytes = max = 0;
    },
    maxBytes: () => max,
  };
}

/** Output and processor time of an idle monitor at 1 Hz: medians of several windows. */
function watch(
  cols: number,
  rows: number,
  changing: number,
  shown: readonly Screen[],
  pauseMs = warmUpMs,
  queues: Load['queues'] = 'moving',
): Promise<Watched[]> {
  const burst = createBurst();
  return withLoadServer({ clients: 1_000, changing, queues }, (server) =>
    withMonitor({ url: server.url, cols, rows, intervalSeconds: 1, onOutput: burst.add }, async (terminal) => {
      await terminal.waitFor(hasFigures);
      const watched: Watched[] = [];
      for (const screen of shown) {
        terminal.type(screen.key);
        await terminal.waitFor(screen.isShown);
        await pass(pauseMs);
        burst.forget();
        const bytes: number[] = [];
        const cpu: number[] = [];
        for (let window = 0; window < windows; window += 1) {
          await server.takeLoad();
          const [bytesBefore, cpuBefore, startedMs] = [
            terminal.bytesReceived,
            cpuSeconds(terminal.pid),
            performance.now(),
          ];
          await pass(windowSeconds * 1_000);
          const seconds = (performance.now() - startedMs) / 1_000;
          cpu.push((cpuSeconds(terminal.pid) - cpuBefore) / seconds);
          bytes.push((terminal.bytesReceived - bytesBefore) / refreshesOf(screen, await server.takeLoad()));
        }
        watched.push({
          name: screen.name,
          hasGraphs: screen.hasGraphs === true,
          bytes: median(bytes),
          maxBytes: burst.maxBytes(),
          cpu: median(cpu),
        });
      }
      return watched;
    }),
  );
}

/** The bare program's share of a core, once V8 has compiled most of it. */
function watchBare(cols: number, rows: number, seconds: number): Promise<number> {
  return withLoadServer({ clients: 1_000, changing: 1 }, async ({ url }) => {
    const terminal = openTerminal({ ...bareProgram(url), cols, rows });
    try {
      await terminal.waitFor(hasBareRows);
      await pass(compiledMs);
      const [cpuBefore, startedMs] = [cpuSeconds(terminal.pid), performance.now()];
      await pass(seconds * 1_000);
      return (1_000 * (cpuSeconds(terminal.pid) - cpuBefore)) / (performance.now() - startedMs);
    } finally {
      await terminal.close();
    }
  });
}

/** Measures the bytes of a refresh and the processor time of a second. */
export async function measureRefreshes(): Promise<Result[]> {
  const { overview, clients } = screens;
  const all = Object.values(screens);
  // Bytes do not depend on the machine's load, so these run in parallel.
  const [small, large, still, largeStill] = await Promise.all([
    watch(80, 24, 0.2, all),
    watch(200, 60, 0.2, all),
    watch(80, 24, 0, all),
    watch(200, 60, 0, all),
  ]);
  const graphs = (watched: readonly Watched[], size: string, atMost: number): Result[] =>
    watched
      .filter(({ hasGraphs }) => hasGraphs)
      .map(({ name, maxBytes }) => result(`bytes of the largest refresh, ${size}, ${name}`, maxBytes, 'B', { atMost }));
  const watched = [clients, overview];
  // As long as they are watched, after the pause before the first.
  const bareSeconds = watched.length * windows * windowSeconds + ((watched.length - 1) * compiledMs) / 1_000;
  // Queues stand still: how many sessions are slow would differ from run to run.
  const [busy, bare] = await Promise.all([
    watch(200, 60, 1, watched, compiledMs, 'still'),
    watchBare(200, 60, bareSeconds),
  ]);
  return [
    ...small.map(({ name, bytes, hasGraphs }) =>
      result(`bytes, 20 % changing, 80×24, ${name}`, bytes, 'B', { atMost: hasGraphs ? 2_000 : 1_000 }),
    ),
    ...large.map(({ name, bytes, hasGraphs }) =>
      result(`bytes, 20 % changing, 200×60, ${name}`, bytes, 'B', { atMost: hasGraphs ? 6_000 : 4_000 }),
    ),
    ...graphs(small, '80×24', 2_000),
    ...graphs(large, '200×60', 6_000),
    ...still.map(({ name, bytes }) => result(`bytes, nothing changing, 80×24, ${name}`, bytes, 'B', { atMost: 400 })),
    // Ages of up to 58 rows, and figures of nodes, change even then.
    ...largeStill.map(({ name, bytes }) =>
      result(`bytes, nothing changing, 200×60, ${name}`, bytes, 'B', { isDetail: true }),
    ),
    ...busy.map(({ name, cpu }) =>
      result(`CPU at 1 Hz, all changing, 200×60, ${name}`, cpu * 100, '% of a core', { atMost: 2 }),
    ),
    result('CPU at 1 Hz, all changing, 200×60, bare Ink program', bare * 100, '% of a core'),
    ...busy.map(({ name, cpu }) => result(`CPU relative to the bare Ink program, ${name}`, cpu / bare, 'times')),
  ];
}
