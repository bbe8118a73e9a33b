import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import type { MonitorState } from '../../src/monitor/state.ts';
import { createKeptState } from '../../src/recording/kept-state.ts';
import { openRecording } from '../../src/recording/folder-reader.ts';
import { createFolderWriter } from '../../src/recording/folder-writer.ts';
import type { RecordedEvent, RecordedSample } from '../../src/recording/recording.ts';
import { createSampleEncoder } from '../../src/recording/sample-encoder.ts';
// It loads the definitions to which recorded states refer.
import { recordedReads } from '../../src/resources/recorded-reads.ts';
import { startBuiltCluster } from '../../test/support/built-cluster.ts';
import { openTerminal } from '../../test/support/terminal.ts';
import { median, percentile, result, type Result } from './measure.ts';
import { hasFigures, program } from './monitor.ts';
import { cpuSeconds } from './process-figures.ts';

const intervalSeconds = 2;
const daySeconds = 86_400;
/** The demo is recorded for so long, after its first minute. */
const recordedMs = 120_000;
const warmUpMs = 60_000;
const keyframesADay = 24 * 4;

type Sample = RecordedSample<MonitorState>;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const bytesIn = async (folder: string): Promise<number> => {
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => (await stat(path.join(folder, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

interface Written {
  readonly cpuMs: number;
  readonly bytes: number;
}

/** Writes states as samples of every two seconds, as the recorder does. */
export async function write(folder: string, count: number, stateAt: (index: number) => object): Promise<Written> {
  const encoder = createSampleEncoder();
  const keep = createKeptState<MonitorState>();
  const writer = createFolderWriter<RecordedEvent>({
    folder,
    program: 'bench',
    run: 'bench',
    cluster: 'bench',
    maxBytes: 1e12,
    maxAgeMs: 1e15,
    requestKeyframe: encoder.requestKeyframe,
    onTrouble: (code) => {
      if (code !== undefined) throw new Error(`the samples cannot be written: ${code}`);
    },
    monotonicMs: () => 0,
  });
  const startMs = Date.UTC(2026, 10, 27);
  const before = cpuMs();
  for (let index = 0; index < count; index += 1) {
    const ms = index * intervalSeconds * 1_000;
    const state = stateAt(index) as MonitorState;
    const at = { wallMs: startMs + ms, steadyMs: startMs + ms, monotonicMs: ms };
    writer.write(await encoder.encode(at, 'readings' in state ? keep(state) : state), []);
  }
  await writer.settled();
  const used = cpuMs() - before;
  await writer.close();
  encoder.close();
  return { cpuMs: used, bytes: await bytesIn(folder) };
}

/** Runs the demo's cluster, records it, and measures the processor time of a monitor that shows Overview meanwhile. */
async function recordDemo(
  folder: string,
): Promise<{ readonly samples: readonly Sample[]; readonly monitorShare: number; readonly bytesPerSecond: number }> {
  const cluster = await startBuiltCluster({ clients: 300, profile: 'emq-2.3' });
  const [, ...args] = cluster.monitor.args;
  const env = { ...process.env, ...cluster.monitor.env };
  const recorder = spawn(process.execPath, [program, 'record', ...args, '--out', folder], { env, stdio: 'ignore' });
  const terminal = openTerminal({
    command: process.execPath,
    args: [program, ...args],
    env: cluster.monitor.env,
    cols: 200,
    rows: 60,
  });
  try {
    await terminal.waitFor(hasFigures, { timeoutMs: 60_000 });
    await pass(warmUpMs);
    const fromMs = Date.now();
    const before = cpuSeconds(terminal.pid);
    const bytesBefore = await bytesIn(folder);
    await pass(recordedMs);
    const bytesPerSecond = ((await bytesIn(folder)) - bytesBefore) / ((Date.now() - fromMs) / 1_000);
    const monitorShare = ((cpuSeconds(terminal.pid) - before) * 1_000) / (Date.now() - fromMs);
    const recording = await openRecording<MonitorState, RecordedEvent>(folder);
    const samples: Sample[] = [];
    for (let sample = await recording.at(fromMs); sample !== undefined; sample = await recording.next(sample))
      samples.push(sample);
    await recording.close();
    return { samples, monitorShare, bytesPerSecond };
  } finally {
    await terminal.close();
    const ended = once(recorder, 'exit');
    recorder.kill('SIGTERM');
    await ended;
    await cluster.stop();
  }
}

const sessionOf = (id: number): object => ({
  clientId: `worker-${String(id).padStart(6, '0')}`,
  node: `broker${(id % 3) + 1}@127.0.0.1`,
  cleanSession: id % 2 === 0,
  createdAt: 1_700_000_000 + id * 3,
  maxInflight: 32,
  inflight: id % 7,
  queueLength: (id * 7_919) % 1_000,
  dropped: (id * 31) % 100,
  awaitingRel: 0,
  awaitingAck: id % 7,
  delivered: id * 1_000 + ((id * 7_919) % 977),
  enqueued: id * 10 + (id % 13),
  unparsed: {},
});

/** Sessions of which 5 % change in each reading, which is every 30 s, by chance. */
function changingSessions(count: number): (index: number) => object {
  let rows = Array.from({ length: count }, (_, id) => sessionOf(id) as Record<string, number>);
  const every = 30 / intervalSeconds;
  let seed = 1;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  return (index) => {
    if (index > 0 && index % every === 0)
      rows = rows.map((row) =>
        random(20) === 0
          ? {
              ...row,
              inflight: random(32),
              queueLength: random(1_000),
              delivered: (row['delivered'] ?? 0) + random(3_000),
              enqueued: (row['enqueued'] ?? 0) + random(3_000),
            }
          : row,
      );
    return { rows };
  };
}

/** Measures what a recording costs, and how long it takes to find a moment of a day. */
export async function measureRecording(): Promise<Result[]> {
  if (recordedReads.length !== 1) throw new Error('the definitions are not loaded');
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-recording-'));
  const inFolder = async (name: string): Promise<string> => mkdtemp(path.join(folder, `${name}-`));
  try {
    const { samples, monitorShare, bytesPerSecond } = await recordDemo(await inFolder('demo'));
    const perDay = daySeconds / intervalSeconds;
    // There and back again, so that one state never follows another that it did not follow or precede.
    const states = [...samples, ...samples.slice(1, -1).toReversed()].map(({ state }) => state);
    const stateAt = (index: number): object => states[index % states.length] ?? {};
    await write(await inFolder('warm'), 2 * states.length, stateAt);
    const short = await write(await inFolder('cost'), 4 * states.length, stateAt);
    const msPerSample = short.cpuMs / (4 * states.length);
    const dayFolder = await inFolder('day');
    await write(dayFolder, perDay, stateAt);
    // Repeated states compress too well to count their bytes, but for a whole one.
    const keyframe = await write(await inFolder('keyframe'), 1, stateAt);
    const bytesADay = bytesPerSecond * daySeconds + keyframe.bytes * keyframesADay;

    const opened: number[] = [];
    const sought: number[] = [];
    for (let seek = 0; seek < 20; seek += 1) {
      const startedMs = performance.now();
      const recording = await openRecording<MonitorState, RecordedEvent>(dayFolder);
      const openMs = performance.now();
      const { fromMs = 0, toMs = 0 } = recording.range() ?? {};
      await recording.at(fromMs + ((seek * 7_919) % 20) * ((toMs - fromMs) / 20));
      opened.push(openMs - startedMs);
      sought.push(performance.now() - openMs);
      await recording.close();
    }

    const lists: Result[] = [];
    for (const count of [10_000, 100_000]) {
      const name = `${count.toLocaleString('en-US')} sessions, 5 % changing`;
      const hour = await write(await inFolder(String(count)), 3_600 / intervalSeconds, changingSessions(count));
      lists.push(
        result(`${name}: bytes a day`, (hour.bytes * 24) / 1e6, 'MB'),
        result(`${name}: processor time a sample`, hour.cpuMs / (3_600 / intervalSeconds), 'ms'),
      );
    }
    return [
      result('a monitor of the demo, Overview, 200×60', 100 * monitorShare, '% of a core'),
      result('recording the demo, a sample', msPerSample, 'ms'),
      result(
        'recording, relative to the monitor',
        (100 * msPerSample) / (intervalSeconds * 1_000 * monitorShare),
        '%',
        { atMost: 3 },
      ),
      result('the demo, bytes a day', bytesADay / 1e6, 'MB', { atMost: 20 }),
      result('opening a day of the demo, median', median(opened), 'ms'),
      result('finding a moment of the day, median', median(sought), 'ms', { atMost: 300 }),
      result('finding a moment of the day, max', percentile(sought, 100), 'ms'),
      ...lists,
    ];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
