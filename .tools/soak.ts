/**
 * Runs the demo for hours (cluster, clients, and the monitor in a terminal) and visits all screens:
 *
 *   npm run soak [-- --hours 8]
 *
 * Prints a line per process every minute, and at the end the growth per hour after the first quarter.
 * Exits with 1 when something grew too much; runs under an hour are not checked. Linux only.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Key, openTerminal } from '../test/support/terminal.ts';
import { afterWarmUp, type Point, readProcess, slopePerHour } from './soak/figures.ts';

const { values: flags } = parseArgs({ options: { hours: { type: 'string', default: '8' } } });
const hours = Number(flags.hours);
if (!(hours > 0)) {
  console.error('--hours must be a number above 0.');
  process.exit(2);
}

const minuteMs = 60_000;
/** Keys that open every screen in turn. */
const walk: readonly Key[] = [
  '4',
  'j',
  'enter',
  'esc',
  '5',
  '6',
  '7',
  '8',
  '9',
  '2',
  'enter',
  'esc',
  '3',
  ',',
  '@',
  'L',
  'T',
  '?',
  'esc',
  'P',
  'esc',
  '1',
];
const keyEveryMs = 5_000;
/** Allowed growth of a process after the first quarter. */
const allowed: Readonly<Record<string, number>> = { 'rss MB': 20, 'heap MB': 10, fds: 5, handles: 20 };
/** Shorter runs are not checked: the broker's heap varies by 10 MB within minutes. */
const minHours = 1;

const root = path.join(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'brokertop-soak-'));

interface ProbeFigures {
  readonly heapUsed: number;
  readonly handles: number;
}

/** The last figures that the process wrote; `undefined` before the first. */
function probeFigures(pid: number): ProbeFigures | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, String(pid)), 'utf8')) as ProbeFigures;
  } catch {
    return undefined;
  }
}

function nameOf(command: string): string {
  return /brokertop\.cjs (broker|fleet)\b/.exec(command)?.[1] ?? 'monitor';
}

const figures = new Map<string, Point[]>();

function note(name: string, figure: string, atHours: number, value: number | undefined): void {
  if (value === undefined) return;
  const key = `${name}: ${figure}`;
  figures.set(key, [...(figures.get(key) ?? []), { hours: atHours, value }]);
}

const terminal = openTerminal({
  command: process.execPath,
  args: [
    '--require',
    path.join(root, '.tools', 'soak', 'probe.cjs'),
    path.join(root, 'dist', 'brokertop.cjs'),
    'demo',
    '--no-audit',
    '--interval',
    '1',
  ],
  env: { BROKERTOP_SOAK_FOLDER: folder },
  cols: 120,
  rows: 40,
});
let hasEnded = false;
let isEnding = false;
void terminal.ended.then(() => {
  hasEnded = !isEnding;
});

try {
  await terminal.waitFor('Overview', { timeoutMs: 30_000 });
  const startedMs = Date.now();
  let keys = 0;
  for (let minute = 1; minute <= Math.max(1, Math.round(hours * 60)) && !hasEnded; minute += 1) {
    const bytesBefore = terminal.bytesReceived;
    while (Date.now() < startedMs + minute * minuteMs && !hasEnded) {
      terminal.press(walk[keys % walk.length] ?? '1');
      keys += 1;
      await pass(keyEveryMs);
    }
    const atHours = (Date.now() - startedMs) / 3_600_000;
    const requests = /([\d,]+) requests/.exec(terminal.text())?.[1] ?? '–';
    for (const { pid, command } of terminal.processes()) {
      const name = nameOf(command);
      const system = readProcess(pid);
      if (system === undefined) continue;
      const itself = probeFigures(pid);
      const measured: Readonly<Record<string, number | undefined>> = {
        'rss MB': system.residentMegabytes,
        'heap MB': itself && itself.heapUsed / 1e6,
        fds: system.descriptors,
        handles: itself?.handles,
      };
      for (const [figure, value] of Object.entries(measured)) note(name, figure, atHours, value);
      const shown = Object.entries(measured).map(
        ([figure, value]) => `${figure} ${value === undefined ? '–' : Number(value.toFixed(1))}`,
      );
      const ofScreen =
        name === 'monitor'
          ? `  requests/min ${requests}  bytes to the terminal ${terminal.bytesReceived - bytesBefore}`
          : '';
      console.log(
        `${String(minute).padStart(4)} min  ${name.padEnd(8)} ${shown.join('  ')}  cpu s ${system.cpuSeconds.toFixed(1)}${ofScreen}`,
      );
    }
  }
} finally {
  isEnding = true;
  await terminal.close();
  rmSync(folder, { recursive: true, force: true });
}

let isFlat = !hasEnded;
if (hasEnded) console.log('The monitor exited early.');
const isLongEnough = hours >= minHours;
console.log();
for (const [key, points] of figures) {
  const measured = afterWarmUp(points);
  const slope = slopePerHour(measured);
  const grown = slope * ((measured.at(-1)?.hours ?? 0) - (measured[0]?.hours ?? 0));
  const isFine = grown <= (allowed[key.slice(key.indexOf(': ') + 2)] ?? 0);
  if (isLongEnough) isFlat &&= isFine;
  console.log(
    `${key.padEnd(20)} ${slope.toFixed(2)} per hour, ${grown.toFixed(1)} in total${isLongEnough ? (isFine ? '  ok' : '  GROWS') : ''}`,
  );
}
if (isFlat) console.log(isLongEnough ? 'No growth.' : `Too short: a result needs at least ${minHours} h.`);
else console.log('Something grew, or the monitor exited early.');
process.exitCode = isFlat ? 0 : 1;
