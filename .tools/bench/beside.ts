import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { openTerminal } from '../../test/support/terminal.ts';
import type { TerminalOptions } from '../../test/support/terminal.ts';
import { withLoadServer } from './load-server.ts';
import { percentile } from './measure.ts';
import type { Row } from './measure.ts';
import { program } from './monitor.ts';
import { cpuSeconds, residentMegabytes } from './process-figures.ts';

/** A program that shows what is going on, and a key that changes what it shows. */
interface Contender {
  readonly name: string;
  readonly intervalSeconds: number;
  readonly command: Pick<TerminalOptions, 'command' | 'args' | 'env'>;
  /** Is on the screen once it has drawn. */
  readonly shows: string;
  readonly key: 'j' | 'down' | 'c';
  /** Pressed first, to be where it is measured. */
  readonly first?: { readonly key: string; readonly shows: string } | undefined;
}

const sizes = [[80, 24], [200, 60]] as const;
const runs = 3;
const warmUpMs = 3_000;
const watchedSeconds = 8;
const keys = 40;

function versionOf(command: string, flag: string): string | undefined {
  try {
    return /\d+(?:\.\d+)+/u.exec(execFileSync(command, [flag], { encoding: 'utf8' }))?.[0];
  } catch {
    return undefined;
  }
}

/** The monitor on a cluster that changes all the time, and of the others those that are installed. */
function contenders(url: string, home: string): readonly Contender[] {
  const others = [
    { command: 'htop', flag: '--version', args: ['-d', '10'], shows: 'Load average', key: 'down', intervalSeconds: 1 },
    { command: 'btop', flag: '--version', args: ['--utf-force'], shows: 'cpu', key: 'down', intervalSeconds: 1 },
    { command: 'top', flag: '-V', args: ['-d', '1'], shows: 'load average', key: 'c', intervalSeconds: 1 },
  ] as const;
  const monitor = (name: string, first?: Contender['first']): Contender => ({
    name,
    intervalSeconds: 1,
    command: { command: process.execPath, args: [program, '--url', url, '--variant', 'b', '--interval', '1'], env: { BROKERTOP_PASSWORD: 'secret', XDG_STATE_HOME: home } },
    shows: 'Overview',
    key: 'j',
    first,
  });
  return [
    monitor('brokertop, metrics', { key: '9', shows: 'bytes/received' }),
    monitor('brokertop, clients', { key: '4', shows: 'showing 1,000' }),
    ...others.flatMap(({ command, flag, args, shows, key, intervalSeconds }): Contender[] => {
      const version = versionOf(command, flag);
      return version === undefined ? [] : [{ name: `${command} ${version}`, intervalSeconds, command: { command, args: [...args], env: { XDG_CONFIG_HOME: home } }, shows, key }];
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

async function measure({ command, shows, key, first, intervalSeconds }: Contender, cols: number, rows: number): Promise<Figures> {
  let arrivedMs = 0;
  const startedMs = performance.now();
  const terminal = openTerminal({ ...command, cols, rows, onOutput: () => { arrivedMs = performance.now(); } });
  try {
    await terminal.waitFor(shows);
    const firstMs = arrivedMs - startedMs;
    if (first !== undefined) {
      terminal.press(first.key);
      await terminal.waitFor(first.shows);
    }
    await pass(warmUpMs);
    const [cpu, bytes] = [cpuSeconds(terminal.pid), terminal.bytesReceived];
    await pass(watchedSeconds * 1_000);
    const refreshes = watchedSeconds / intervalSeconds;
    const figures = { cpuPercent: 100 * (cpuSeconds(terminal.pid) - cpu) / watchedSeconds, bytes: (terminal.bytesReceived - bytes) / refreshes, megabytes: residentMegabytes(terminal.pid) };
    const times: number[] = [];
    for (let run = 0; run < keys; run += 1) {
      const pressedMs = performance.now();
      terminal.press(key);
      await terminal.nextOutput();
      times.push(arrivedMs - pressedMs);
      // Two keys in one frame would count as one.
      await pass(30);
    }
    return { ...figures, firstMs, keyMs: percentile(times, 50) };
  } finally {
    await terminal.close();
  }
}

/** All of them on the same terminals in turns, so that a slow moment of the machine hits all. */
export async function measureBeside(): Promise<Row[]> {
  const home = mkdtempSync(path.join(tmpdir(), 'brokertop-bench-'));
  try {
    // Not every version of btop takes its interval from a flag.
    mkdirSync(path.join(home, 'btop'));
    writeFileSync(path.join(home, 'btop', 'btop.conf'), 'update_ms = 1000\n');
    return await withLoadServer({ clients: 1_000, changing: 1 }, async ({ url }) => {
      const measured = contenders(url, home).flatMap((contender) => sizes.map(([cols, rows]) => ({ contender, cols, rows, runs: [] as Figures[] })));
      // The first run fills caches, and is not counted.
      for (let run = 0; run <= runs; run += 1) {
        for (const each of measured) {
          const figures = await measure(each.contender, each.cols, each.rows);
          if (run > 0) each.runs.push(figures);
        }
      }
      return measured.map(({ contender, cols, rows, runs: figures }): Row => {
        const median = (pick: (run: Figures) => number): number => percentile(figures.map(pick), 50);
        return {
          program: contender.name,
          terminal: `${cols}×${rows}`,
          'CPU, % of a core': median((run) => run.cpuPercent).toFixed(1),
          'bytes a refresh': Math.round(median((run) => run.bytes)).toLocaleString('en'),
          'memory, MB': Math.round(median((run) => run.megabytes)).toString(),
          'first frame, ms': Math.round(median((run) => run.firstMs)).toString(),
          'key to paint, ms': median((run) => run.keyMs).toFixed(1),
        };
      });
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}
