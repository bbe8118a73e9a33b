import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { constants, zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { reading } from '../../src/monitor/query/part.ts';
import type { MonitorState } from '../../src/monitor/state.ts';
import { openRecording, type RecordedFolder } from '../../src/recording/folder-reader.ts';
import type { RecordedEvent } from '../../src/recording/recording.ts';
import { decodeRecord, decodeSample, magicLength } from '../../src/recording/segment.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { nodeStats } from '../../src/resources/nodes/resource.ts';
import { type BuiltCluster, builtProgram, startBuiltCluster } from '../support/built-cluster.ts';
import { headerRows, openReadyMonitor, run, waitForFrame } from './support.ts';

let cluster: BuiltCluster;
beforeAll(async () => {
  cluster = await startBuiltCluster({ clients: 20 });
});
afterAll(() => cluster.stop());

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'record-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `brokertop record`, ended by the test. @param maxFileKilobytes the system refuses longer files */
function startRecord(folder: string, maxFileKilobytes?: number): { child: ChildProcess; stderr: () => string } {
  const args = [...cluster.monitor.args, '--out', folder, '--interval', '0.5'];
  const [program = '', ...rest] = args;
  const command =
    maxFileKilobytes === undefined
      ? [process.execPath, program, 'record', ...rest]
      : ['bash', '-c', `ulimit -f ${maxFileKilobytes} && exec "$0" "$@"`, process.execPath, program, 'record', ...rest];
  const [file = '', ...words] = command;
  const child = spawn(file, words, {
    env: { ...process.env, ...cluster.monitor.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return { child, stderr: () => stderr };
}

type Opened = RecordedFolder<MonitorState, RecordedEvent>;

/** Waits until so many samples can be read, beside the program that writes them. */
async function whenRecorded(folder: string, count: number): Promise<Opened> {
  let recording: Opened | undefined;
  await expect
    .poll(
      async () => {
        recording ??= await openRecording<MonitorState, RecordedEvent>(folder).catch(() => undefined);
        await recording?.refresh();
        return recording?.samples().length ?? 0;
      },
      { timeout: 60_000 },
    )
    .toBeGreaterThanOrEqual(count);
  if (recording === undefined) throw new Error('nothing was recorded');
  return recording;
}

/** Reads every sample, and returns how many have read the nodes. */
async function readAll(recording: Opened): Promise<number> {
  let count = 0;
  for (let sample = await recording.at(0); sample !== undefined; sample = await recording.next(sample))
    if (reading(sample.state, nodeStats).data?.length === 3) count += 1;
  return count;
}

const segments = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.brec'));

/** What was recorded, before it was compressed. */
async function plainBytes(folder: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (const name of await segments(folder)) {
    const bytes = await readFile(path.join(folder, name));
    chunks.push(bytes);
    let group: Buffer[] = [];
    const end = (): void => {
      if (group.length > 0)
        chunks.push(zstdDecompressSync(Buffer.concat(group), { finishFlush: constants.ZSTD_e_flush }));
      group = [];
    };
    for (let at = magicLength; ;) {
      const record = decodeRecord(bytes, at);
      if (record === undefined) break;
      at = record.end;
      if (record.kind === 'keyframe') end();
      const sample = record.kind === 'event' || record.kind === 'header' ? undefined : decodeSample(record);
      if (sample !== undefined) group.push(sample.compressed);
    }
    end();
  }
  return Buffer.concat(chunks);
}

test('records without a terminal until SIGTERM, readable by its user alone, and without the password', async () => {
  const folder = path.join(await createFolder(), 'made');
  const { child, stderr } = startRecord(folder);
  const recording = await whenRecorded(folder, 8);
  // Lists that no check needs right away are read, too.
  await expect
    .poll(
      async () => {
        await recording.refresh();
        const state = (await recording.at(Infinity))?.state;
        return state === undefined ? 0 : reading(state, clientScan).rows.length;
      },
      { timeout: 60_000 },
    )
    .toBe(20);
  expect((await readdir(folder)).length).toBe(2);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number | null];
  expect(code).toBe(0);
  expect(stderr()).toBe('');
  // The lock is gone, and the index is there.
  const names = await readdir(folder);
  expect(names.toSorted().map((name) => name.replace(/^[\dTZ-]+/u, ''))).toStrictEqual(['.brec', '.brec.index']);
  for (const name of names) expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600);
  expect(await readAll(await whenRecorded(folder, 8))).toBeGreaterThanOrEqual(7);
  const password = cluster.monitor.env['BROKERTOP_PASSWORD'] ?? '';
  expect(password.length).toBeGreaterThan(8);
  const plain = await plainBytes(folder);
  expect(plain.includes('broker1')).toBe(true);
  for (const form of [password, Buffer.from(`admin:${password}`).toString('base64')])
    expect(plain.includes(form)).toBe(false);
});

test('what was recorded before kill -9 is there, and the next run goes on with it', async () => {
  const folder = await createFolder();
  let before = 0;
  for (let round = 0; round < 3; round += 1) {
    const { child, stderr } = startRecord(folder);
    const recording = await whenRecorded(folder, before + 4);
    before = recording.samples().length;
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(stderr()).toBe('');
  }
  const recording = await whenRecorded(folder, before);
  expect(await readAll(recording)).toBeGreaterThanOrEqual(before - 3);
  expect(recording.gaps()).toHaveLength(2);
});

test('a full disk is said once, and what was written stays readable', async () => {
  const folder = await createFolder();
  const { child, stderr } = startRecord(folder, 8);
  await expect.poll(stderr, { timeout: 60_000 }).not.toBe('');
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(stderr()).toBe(
    `brokertop: Recording to ${folder} failed (file too large). What was recorded is kept. Trying again every minute.\n`,
  );
  expect(await readAll(await whenRecorded(folder, 1))).toBeGreaterThanOrEqual(0);
});

test('refuses a folder that another program records to, and one of another cluster', async () => {
  const folder = await createFolder();
  const { child } = startRecord(folder);
  await whenRecorded(folder, 1);
  const [program = '', ...rest] = cluster.monitor.args;
  expect(program).toBe(builtProgram);
  const second = await run(['record', ...rest, '--out', folder], cluster.monitor.env);
  expect(second).toStrictEqual({
    code: 2,
    stdout: '',
    stderr: `brokertop: Another brokertop is recording to ${folder}. Choose another folder, or end it.\n`,
  });
  child.kill('SIGTERM');
  await once(child, 'exit');
  const other = await startBuiltCluster({ nodes: 1 });
  onTestFinished(() => other.stop());
  const third = await run(['record', ...other.monitor.args.slice(1), '--out', folder], other.monitor.env);
  expect(third.code).toBe(2);
  expect(third.stderr).toContain(`${folder} has a recording of another cluster, `);
});

test('ends with 1 if the password is rejected', async () => {
  const folder = await createFolder();
  const ended = await run(['record', ...cluster.monitor.args.slice(1), '--out', folder], {
    BROKERTOP_PASSWORD: 'wrong-password',
  });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain('brokertop: The broker rejected the password, so recording has ended.\n');
});

test.each([
  { cols: 80, rows: 24 },
  { cols: 200, rows: 60 },
])('starts and stops in the monitor, and the header says so: $cols×$rows', async (size) => {
  const state = await createFolder();
  const terminal = await openReadyMonitor(cluster.monitor, { ...size, env: { XDG_STATE_HOME: state } });
  const header = (): string => terminal.lines().slice(0, headerRows).join('\n');
  expect(header()).not.toContain('RECORDING');
  const toggle = async (): Promise<void> => {
    terminal.press(':');
    await waitForFrame(terminal, (session) => session.text().includes('Esc Close'));
    terminal.type('record');
    await waitForFrame(terminal, (session) => /(?:Start|Stop) recording/u.test(session.text()));
    terminal.press('enter');
  };
  await toggle();
  await waitForFrame(terminal, () => header().includes('RECORDING'));
  await waitForFrame(terminal, (session) => session.text().includes('Recording to '));
  const [name = ''] = await readdir(path.join(state, 'brokertop', 'recordings'));
  const folder = path.join(state, 'brokertop', 'recordings', name);
  await whenRecorded(folder, 2);
  await toggle();
  await waitForFrame(terminal, () => !header().includes('RECORDING'));
  await waitForFrame(terminal, (session) => session.text().includes('Stopped recording. What was recorded is kept.'));
  expect(await readdir(folder)).not.toContain('lock');
  terminal.press('q');
  expect((await terminal.exited).code).toBe(0);
});

test('--record records from the start, and says in the log why it cannot', async () => {
  const folder = await createFolder();
  const terminal = await openReadyMonitor(cluster.monitor, {
    cols: 120,
    rows: 30,
    args: ['--interval', '0.5', '--record', folder],
  });
  await waitForFrame(terminal, (session) => session.lines()[0]?.includes('RECORDING') === true);
  await whenRecorded(folder, 3);
  // The folder is gone while it is recorded.
  await rm(folder, { recursive: true });
  await waitForFrame(terminal, (session) => session.lines()[0]?.includes('NOT RECORDING') === true);
  terminal.press('q');
  expect((await terminal.exited).code).toBe(0);

  const file = path.join(await createFolder(), 'file');
  await writeFile(file, '');
  const second = await openReadyMonitor(cluster.monitor, { cols: 120, rows: 30, args: ['--record', file] });
  await waitForFrame(second, (session) => session.lines()[0]?.includes('NOT RECORDING') === true);
  second.press('L');
  await waitForFrame(second, (session) => session.text().includes('file must be'));
});
