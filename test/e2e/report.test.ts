import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { reading } from '../../src/monitor/query/part.ts';
import type { MonitorState } from '../../src/monitor/state.ts';
import { openRecording } from '../../src/recording/folder-reader.ts';
import type { RecordedEvent } from '../../src/recording/recording.ts';
import { nodeStats } from '../../src/resources/nodes/resource.ts';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../support/built-cluster.ts';
import type { TerminalSession } from '../support/terminal.ts';
import { dialogIs } from './actions/dialogs.ts';
import { closeTerminalsAtEnd, open } from './support.ts';

closeTerminalsAtEnd();

const patient = { timeoutMs: 90_000, poll: { timeout: 90_000, interval: 500 } };

let cluster: BuiltCluster;
beforeAll(async () => {
  cluster = await startBuiltCluster({ clients: 20 });
});
afterAll(() => cluster.stop());

/** Counts the nodes in the last sample; 0 while there is none. */
async function recordedNodes(folder: string): Promise<number> {
  const recording = await openRecording<MonitorState, RecordedEvent>(folder).catch(() => undefined);
  const last = await recording?.at(Infinity);
  await recording?.close();
  return last === undefined ? 0 : (reading(last.state, nodeStats).data?.length ?? 0);
}

async function openForm(terminal: TerminalSession): Promise<void> {
  terminal.type(':report');
  await terminal.waitFor(/:report/u, patient);
  terminal.press('enter');
  await terminal.waitFor(dialogIs('Incident report'), patient);
}

/** Waits until the report is saved, and returns the file in a folder that has it. */
async function savedIn(terminal: TerminalSession, folder: string): Promise<string> {
  await terminal.waitFor('Saved', patient);
  const name = (await readdir(folder)).find((each) => each.startsWith('report-')) ?? '';
  return path.join(folder, name);
}

test.each([
  [80, 24],
  [200, 60],
])('writes a report from the monitor and from its recording, at %d×%d', { timeout: 300_000 }, async (cols, rows) => {
  const cwd = await mkdtemp(path.join(tmpdir(), 'report-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const folder = path.join(cwd, 'recording');
  const [program = '', ...args] = cluster.monitor.args;
  const monitor = open({
    command: process.execPath,
    args: [program, ...args, '--interval', '0.5', '--record', folder],
    env: cluster.monitor.env,
    cwd,
    cols,
    rows,
  });
  await monitor.waitFor('3/3 nodes', patient);
  await monitor.waitFor('RECORDING', patient);
  await expect.poll(() => recordedNodes(folder), patient.poll).toBe(3);
  await openForm(monitor);
  monitor.press('ctrl-s');
  const html = await savedIn(monitor, cwd);
  expect(path.extname(html)).toBe('.html');
  expect((await stat(html)).mode & 0o777).toBe(0o600);
  const written = await readFile(html, 'utf8');
  expect(written).toMatch(/^<!doctype html>/u);
  expect(written).toContain('broker1');
  expect(written).toContain('</html>');
  monitor.press('enter');
  await monitor.waitFor((session) => !session.text().includes('Saved'), patient);
  monitor.press('q');
  await monitor.exited;
  await rm(html);

  const replay = open({ command: process.execPath, args: [builtProgram, 'replay', folder], cwd, cols, rows });
  await replay.waitFor('3/3 nodes', patient);
  await openForm(replay);
  // To the format, and from HTML to Markdown.
  for (const key of ['tab', 'tab', 'right'] as const) replay.press(key);
  await replay.waitFor(/markdown/u, patient);
  replay.press('ctrl-s');
  const markdown = await savedIn(replay, cwd);
  expect(path.extname(markdown)).toBe('.md');
  expect(await readFile(markdown, 'utf8')).toContain('# Incident report: ');
});
