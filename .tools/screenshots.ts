/**
 * Takes the pictures of screenshots/: the built program on a cluster with a fleet, driven by keys.
 *
 *   npm run screenshots [-- NAME…]      writes only these pictures, but runs all steps
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { startBuiltCluster } from '../test/support/built-cluster.ts';
import { openTerminal, type TerminalSession } from '../test/support/terminal.ts';
import { screenPng } from './png.ts';
import { type Run, runs, type Step } from './shots.ts';

const wanted = process.argv.slice(2);
const folder = path.join(import.meta.dirname, '..', 'screenshots');

// Keeps these actions out of the user's audit.
const stateFolder = mkdtempSync(path.join(tmpdir(), 'brokertop-'));
// Random ports in a picture would look meaningful.
const cluster = await startBuiltCluster({ clients: 300, ports: { management: 8080, mqtt: 1883, webSocket: 8083 } });
try {
  mkdirSync(folder, { recursive: true });
  for (const run of runs) await takeRun(run);
} finally {
  await cluster.stop();
  rmSync(stateFolder, { recursive: true, force: true });
}

async function takeRun({ password, shots: [first, ...others] }: Run): Promise<void> {
  if (first === undefined) return;
  const { cols, rows } = first;
  const env = { ...cluster.monitor.env, XDG_STATE_HOME: stateFolder, ...(password === undefined ? {} : { BROKERTOP_PASSWORD: password }) };
  const terminal = openTerminal({ command: process.execPath, args: [...cluster.monitor.args, '--interval', '1'], env, cols, rows });
  try {
    await takeAll(terminal, [first, ...others]);
  } finally {
    await terminal.close();
  }
}

async function takeAll(terminal: TerminalSession, shots: Run['shots']): Promise<void> {
  for (const { name, cols, rows, steps } of shots) {
    if (cols !== terminal.screen.cols || rows !== terminal.screen.rows) {
      const redrawn = terminal.nextOutput();
      terminal.resize(cols, rows);
      await redrawn;
    }
    for (const step of steps) await take(terminal, step);
    // Not in the middle of a frame.
    await terminal.waitFor(() => true);
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const png = screenPng(terminal.screen);
    writeFileSync(path.join(folder, `${name}.png`), png);
    console.log(`screenshots/${name}.png  ${cols}×${rows}  ${Math.round(png.length / 1024)} KiB`);
  }
}

async function take(session: TerminalSession, step: Step): Promise<void> {
  if ('press' in step) {
    for (const key of step.press) {
      // One key per frame: together they would be read as a paste.
      const drawn = session.nextOutput();
      session.press(key);
      await drawn;
    }
  } else if ('type' in step) session.type(step.type);
  else if ('until' in step) await session.waitFor(step.until, { timeoutMs: 30_000 });
  else await pass(step.passSeconds * 1000);
}
