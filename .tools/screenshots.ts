/**
 * Takes the pictures of screenshots/: the built program on a cluster with a fleet, driven by keys.
 *
 *   npm run screenshots [-- NAME…]      only these pictures; the steps of all are done
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { startBuiltCluster } from '../test/support/built-cluster.ts';
import { openTerminal } from '../test/support/terminal.ts';
import type { TerminalSession } from '../test/support/terminal.ts';
import { screenPng } from './png.ts';
import { shots } from './shots.ts';
import type { Step } from './shots.ts';

const wanted = process.argv.slice(2);
const folder = path.join(import.meta.dirname, '..', 'screenshots');
const firstShot = shots[0];
if (firstShot === undefined) throw new Error('There is nothing to take a picture of.');

// The well-known ports: random ones in a picture would look like something that matters.
const cluster = await startBuiltCluster({ clients: 300, ports: { management: 8080, mqtt: 1883, webSocket: 8083 } });
try {
  const terminal = openTerminal({
    command: process.execPath,
    args: [...cluster.monitor.args, '--interval', '1'],
    env: cluster.monitor.env,
    cols: firstShot.cols,
    rows: firstShot.rows,
  });
  try {
    await takeAll(terminal);
  } finally {
    await terminal.close();
  }
} finally {
  await cluster.stop();
}

async function takeAll(terminal: TerminalSession): Promise<void> {
  mkdirSync(folder, { recursive: true });
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
      // Each key after the frame of the one before: together they would be read as a paste.
      const drawn = session.nextOutput();
      session.press(key);
      await drawn;
    }
  } else if ('type' in step) session.type(step.type);
  else if ('until' in step) await session.waitFor(step.until, { timeoutMs: 30_000 });
  else await pass(step.passSeconds * 1000);
}
