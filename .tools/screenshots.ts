/**
 * Takes the pictures of screenshots/: the built program on a cluster with a fleet, driven by keys. Fails if a picture does
 * not show what it must.
 *
 *   npm run screenshots [-- NAME…]      writes only these pictures, and skips the runs that have none of them
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../test/support/built-cluster.ts';
import { openTerminal, type TerminalSession } from '../test/support/terminal.ts';
import { screenPicture } from './png.ts';
import { encodePng, type Frame } from './png-file.ts';
import { lacking, pictureNames, type Run, runs, type Shot, type Step } from './shots.ts';

const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);
const unknown = wanted.filter((name) => !pictureNames.includes(name));
if (unknown.length > 0) throw new RangeError(`Unknown picture: ${unknown.join(', ')}.`);
const folder = path.join(import.meta.dirname, '..', 'screenshots');

// Keeps these actions out of the user's audit.
const stateFolder = mkdtempSync(path.join(tmpdir(), 'brokertop-'));
// Random ports in a picture would look meaningful.
const ports = { management: 8080, mqtt: 1883, webSocket: 8083 };
try {
  mkdirSync(folder, { recursive: true });
  for (const api of ['v2', 'v5'] as const) {
    const those = runs.filter(
      (run) => (run.api ?? 'v2') === api && [...run.shots.map(({ name }) => name), run.animation ?? ''].some(isWanted),
    );
    for (const [rules, own] of Map.groupBy(those, (run) => run.rules)) {
      const cluster = await startBuiltCluster({ api, clients: 300, ports, rules });
      try {
        for (const run of own) await takeRun(cluster, run);
      } finally {
        await cluster.stop();
      }
    }
  }
} finally {
  rmSync(stateFolder, { recursive: true, force: true });
}

async function takeRun(
  cluster: BuiltCluster,
  { password, isOfAll, shots: [first, ...others], animation }: Run,
): Promise<void> {
  if (first === undefined) return;
  const { cols, rows } = first;
  const other =
    isOfAll === true
      ? await startBuiltCluster({
          api: 'v5',
          nodes: 2,
          clients: 60,
          ports: { management: 8082, mqtt: 1893, webSocket: 8093 },
        })
      : undefined;
  const env = {
    ...cluster.monitor.env,
    XDG_STATE_HOME: stateFolder,
    ...(password === undefined ? {} : { BROKERTOP_PASSWORD: password }),
  };
  const args =
    other === undefined
      ? cluster.monitor.args
      : [builtProgram, '--all', '--config', writeContexts({ 'plant-a': cluster, 'plant-b': other })];
  const terminal = openTerminal({ command: process.execPath, args: [...args, '--interval', '1'], env, cols, rows });
  const frames: Frame[] = [];
  try {
    for (const shot of [first, ...others]) frames.push(...(await takeShot(terminal, shot)));
  } finally {
    await terminal.close();
    await other?.stop();
  }
  if (animation !== undefined) write(animation, frames);
}

/** Returns the path of a configuration with these contexts. */
function writeContexts(clusters: Readonly<Record<string, BuiltCluster>>): string {
  const contexts = Object.entries(clusters).map(([name, { url, user, password }]) => {
    const passwordFile = path.join(stateFolder, `${name}-password`);
    writeFileSync(passwordFile, password, { mode: 0o600 });
    return `[contexts.${name}]\nurl = "${url}"\nuser = "${user}"\npassword-file = "${passwordFile}"\n`;
  });
  const file = path.join(stateFolder, 'config.toml');
  writeFileSync(file, contexts.join('\n'));
  return file;
}

/** Returns the frame for the moving picture, if it is one. */
async function takeShot(terminal: TerminalSession, shot: Shot): Promise<readonly Frame[]> {
  const { name, cols, rows, steps, frameMs } = shot;
  if (cols !== terminal.screen.cols || rows !== terminal.screen.rows) {
    const redrawn = terminal.nextOutput();
    terminal.resize(cols, rows);
    await redrawn;
  }
  for (const step of steps) await take(terminal, step);
  // Not in the middle of a frame.
  await terminal
    .waitFor(({ screen }) => lacking(shot, screen).length === 0, { timeoutMs: 30_000 })
    .catch((error: unknown) => {
      throw new Error(`${name}: ${lacking(shot, terminal.screen).join(', ')}`, { cause: error });
    });
  const frame = { picture: screenPicture(terminal.screen), milliseconds: frameMs ?? 0 };
  write(name, [frame]);
  return frameMs === undefined ? [] : [frame];
}

function write(name: string, frames: readonly Frame[]): void {
  const [first] = frames;
  if (first === undefined || !isWanted(name)) return;
  const png = encodePng(frames);
  writeFileSync(path.join(folder, `${name}.png`), png);
  const what = frames.length === 1 ? '' : `, ${frames.length} frames`;
  console.log(
    `screenshots/${name}.png  ${first.picture.width}×${first.picture.height}${what}  ${Math.round(png.length / 1024)} KiB`,
  );
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
