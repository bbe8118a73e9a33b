import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import type { Cell } from '../../test/support/terminal-screen.ts';
import { openTerminal, type TerminalOptions, type TerminalSession } from '../../test/support/terminal.ts';
import { bareProgram, hasBareRows } from './bare-ink.ts';
import { createKeyTimer, cursorId } from './timed-keys.ts';
import { type LoadServer, withLoadServer } from './load-server.ts';
import { median, type Row } from './measure.ts';
import { hasFigures, keepCode, program } from './monitor.ts';
import { cpuSeconds, residentMegabytes } from './process-figures.ts';
import { refreshesOf, type Screen, screens } from './refresh.ts';

/** A program to compare, and a key that changes its screen. */
interface Contender {
  readonly name: string;
  readonly command: Pick<TerminalOptions, 'command' | 'args' | 'env'>;
  /** Whether the screen shows rows and figures. */
  readonly hasContent: (terminal: TerminalSession) => boolean;
  /** Pressed alternately. */
  readonly keys: readonly string[];
  /** The part of the screen that a key changes; without it, the next output counts. */
  readonly sign?: ((terminal: TerminalSession) => string | undefined) | undefined;
  /** The screen to measure. */
  readonly screen?: Screen | undefined;
}

const sizes = [
  [80, 24],
  [200, 60],
] as const;
const runs = 3;
const warmUpMs = 2_000;
const watchedSeconds = 4;
const warmUpKeys = 6;
const keysCounted = 30;
const intervalSeconds = 1;

function versionOf(command: string, flag: string): string | undefined {
  try {
    return /\d+(?:\.\d+)+/u.exec(execFileSync(command, [flag], { encoding: 'utf8' }))?.[0];
  } catch {
    return undefined;
  }
}

/** The row that htop or btop highlights by its background. `column` is a share of the width. */
const markedRow =
  (column: number, isMarked: (cell: Cell) => boolean) =>
  ({ screen }: TerminalSession): string | undefined => {
    // The last row of htop has its labels.
    for (let y = 0; y < screen.rows - 1; y += 1)
      if (isMarked(screen.cell(Math.floor(column * screen.cols), y))) return String(y);
    return undefined;
  };
/** Arrow keys for programs in application cursor mode, such as htop. */
const applicationArrows = ['\u001BOB', '\u001BOA'];
const arrows = ['\u001B[B', '\u001B[A'];

/** A row that begins with a process id. */
const hasProcesses = (terminal: TerminalSession): boolean => /PID[^]*^ *\d+ \S/mu.test(terminal.text());

/** The monitor, and those of the other programs that are installed. */
function contenders(url: string, home: string): readonly Contender[] {
  const others = [
    {
      command: 'htop',
      flag: '--version',
      args: ['-d', '10'],
      hasContent: hasProcesses,
      keys: applicationArrows,
      sign: markedRow(0.05, ({ background }) => background === 6),
    },
    {
      command: 'btop',
      flag: '--version',
      args: ['--utf-force'],
      hasContent: (terminal: TerminalSession) => /Pid:[^]*\d+ \S+ /u.test(terminal.text()),
      keys: arrows,
      sign: markedRow(0.6, ({ background }) => background !== '#000000' && background !== 'default'),
    },
    { command: 'top', flag: '-V', args: ['-d', '1'], hasContent: hasProcesses, keys: ['c'] },
  ] as const;
  const monitor = (screen: Screen): Contender => ({
    name: `brokertop, ${screen.name}`,
    command: {
      command: process.execPath,
      args: [program, '--url', url, '--variant', 'b', '--interval', String(intervalSeconds)],
      env: { BROKERTOP_PASSWORD: 'secret', XDG_STATE_HOME: home, XDG_CACHE_HOME: home },
    },
    hasContent: hasFigures,
    keys: ['j', 'k'],
    sign: cursorId,
    screen,
  });
  return [
    monitor(screens.metrics),
    monitor(screens.clients),
    { name: 'bare Ink program', command: bareProgram(url), hasContent: hasBareRows, keys: ['j', 'k'], sign: cursorId },
    ...others.flatMap(({ command, flag, args, ...rest }): Contender[] => {
      const version = versionOf(command, flag);
      return version === undefined
        ? []
        : [
            {
              name: `${command} ${version}`,
              command: { command, args: [...args], env: { XDG_CONFIG_HOME: home } },
              ...rest,
            },
          ];
    }),
  ];
}

interface Figures {
  readonly cpuPercent: number;
  readonly bytes: number;
  readonly megabytes: number;
  readonly firstMs: number;
  readonly keyMs: number;
}

async function measure(
  { command, hasContent, keys, sign, screen }: Contender,
  server: LoadServer,
  cols: number,
  rows: number,
): Promise<Figures> {
  let arrivedMs = 0;
  const startedMs = performance.now();
  const terminal = openTerminal({
    ...command,
    cols,
    rows,
    onOutput: () => {
      arrivedMs = performance.now();
    },
  });
  try {
    await terminal.waitFor(hasContent);
    const firstMs = arrivedMs - startedMs;
    if (screen !== undefined) {
      terminal.type(screen.key);
      await terminal.waitFor(screen.isShown);
    }
    await pass(warmUpMs);
    await server.takeLoad();
    const [cpu, bytes, watchedMs] = [cpuSeconds(terminal.pid), terminal.bytesReceived, performance.now()];
    await pass(watchedSeconds * 1_000);
    const seconds = (performance.now() - watchedMs) / 1_000;
    const refreshes = screen === undefined ? seconds / intervalSeconds : refreshesOf(screen, await server.takeLoad());
    const figures = {
      cpuPercent: (100 * (cpuSeconds(terminal.pid) - cpu)) / seconds,
      bytes: (terminal.bytesReceived - bytes) / refreshes,
      megabytes: residentMegabytes(terminal.pid),
    };
    const timeKey = createKeyTimer(terminal, sign, () => arrivedMs);
    const times: number[] = [];
    for (let run = 0; run < warmUpKeys + keysCounted; run += 1) {
      const ms = await timeKey(keys[run % keys.length] ?? '');
      if (run >= warmUpKeys) times.push(ms);
    }
    return { ...figures, firstMs, keyMs: median(times) };
  } finally {
    await terminal.close();
  }
}

/** Runs a program once to fill its caches. */
async function warmUp({ command, hasContent }: Contender): Promise<void> {
  const terminal = openTerminal(command);
  try {
    await terminal.waitFor(hasContent);
    terminal.type('q');
    await terminal.exited;
  } finally {
    await terminal.close();
  }
}

/** Measures all programs alternately, so that a busy machine affects all of them. */
export async function measureComparison(): Promise<Row[]> {
  const home = mkdtempSync(path.join(tmpdir(), 'brokertop-bench-'));
  try {
    // Not every version of btop takes its interval from a flag.
    mkdirSync(path.join(home, 'btop'));
    writeFileSync(path.join(home, 'btop', 'btop.conf'), `update_ms = ${intervalSeconds * 1_000}\n`);
    return await withLoadServer({ clients: 1_000, changing: 1 }, async (server) => {
      await keepCode(server.url, home);
      const all = contenders(server.url, home);
      for (const contender of all) await warmUp(contender);
      const measured = all.flatMap((contender) =>
        sizes.map(([cols, rows]) => ({ contender, cols, rows, runs: [] as Figures[] })),
      );
      for (let run = 0; run < runs; run += 1) {
        for (const each of measured) each.runs.push(await measure(each.contender, server, each.cols, each.rows));
      }
      return measured.map(({ contender, cols, rows, runs: figures }): Row => {
        const middle = (pick: (run: Figures) => number): number => median(figures.map(pick));
        return {
          program: contender.name,
          terminal: `${cols}×${rows}`,
          'CPU, % of a core': middle((run) => run.cpuPercent).toFixed(1),
          'bytes a refresh': Math.round(middle((run) => run.bytes)).toLocaleString('en-US'),
          'memory, MB': Math.round(middle((run) => run.megabytes)).toString(),
          'first figures, ms': Math.round(middle((run) => run.firstMs)).toString(),
          'key to paint, ms': middle((run) => run.keyMs).toFixed(1),
        };
      });
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
