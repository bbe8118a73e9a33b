import fc from 'fast-check';
import { appendFile, mkdtemp, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openRecording } from '../../src/recording/folder-reader.ts';
import { createFolderWriter, type FolderWriterOptions, type OpenFile } from '../../src/recording/folder-writer.ts';
import type { RecordedEvent, RecordedSample, Recording } from '../../src/recording/recording.ts';
import { createSampleEncoder } from '../../src/recording/sample-encoder.ts';

interface State {
  readonly count: number;
  readonly rows: readonly { readonly id: number; readonly queue: number }[];
}

/** 27 November 2026, 14:00 UTC. */
const startMs = Date.UTC(2026, 10, 27, 14);

const stateOf = (count: number): State => ({
  count,
  rows: Array.from({ length: 20 }, (_, id) => ({ id, queue: id === count % 20 ? count : 0 })),
});

async function createFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'recording-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes samples to a folder, one every two seconds. `clock` may be moved. */
function createScene(folder: string, options: Partial<FolderWriterOptions> = {}) {
  const encoder = createSampleEncoder();
  const troubles: (string | undefined)[] = [];
  const clock = { monotonicMs: 0, setByMs: 0 };
  const writer = createFolderWriter<RecordedEvent>({
    folder,
    program: '1.2.3',
    run: crypto.randomUUID(),
    cluster: 'prod',
    maxBytes: 1e9,
    maxAgeMs: 1e12,
    requestKeyframe: encoder.requestKeyframe,
    onTrouble: (code) => troubles.push(code),
    monotonicMs: () => clock.monotonicMs,
    ...options,
  });
  return {
    writer,
    troubles,
    clock,
    async record(count: number, events: readonly RecordedEvent[] = []): Promise<void> {
      clock.monotonicMs += 2_000;
      const steadyMs = startMs + clock.monotonicMs;
      const at = { steadyMs, monotonicMs: clock.monotonicMs, wallMs: steadyMs + clock.setByMs };
      writer.write(await encoder.encode(at, stateOf(count)), events);
      await writer.settled();
    },
    async close(): Promise<void> {
      await writer.close();
      encoder.close();
    },
  };
}

async function recorded(folder: string, from: number, to: number, options?: Partial<FolderWriterOptions>) {
  const scene = createScene(folder, options);
  for (let count = from; count < to; count += 1) await scene.record(count);
  await scene.close();
  return scene;
}

/** Reads all samples in both directions, and returns their counts. */
async function countsOf(recording: Recording<State>): Promise<readonly number[]> {
  const counts: number[] = [];
  let sample = await recording.at(Number.NEGATIVE_INFINITY);
  let last: RecordedSample<State> | undefined;
  while (sample !== undefined) {
    expect(sample.state).toStrictEqual(stateOf(sample.state.count));
    counts.push(sample.state.count);
    last = sample;
    sample = await recording.next(sample);
  }
  const back: number[] = [];
  for (; last !== undefined; last = await recording.previous(last)) back.push(last.state.count);
  expect(back.toReversed()).toStrictEqual(counts);
  expect(recording.samples()).toHaveLength(counts.length);
  return counts;
}

const read = async (place: string): Promise<readonly number[]> =>
  countsOf(await openRecording<State, RecordedEvent>(place));

const upTo = (to: number, from = 0): readonly number[] => Array.from({ length: to - from }, (_, index) => from + index);

const segmentsOf = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.brec')).toSorted();

it('reads what was written, from a folder or from one file of it', async () => {
  const folder = await createFolder();
  await recorded(folder, 0, 50);
  expect(await segmentsOf(folder)).toStrictEqual(['2026-11-27T14-00-02Z.brec']);
  expect(await read(folder)).toStrictEqual(upTo(50));
  expect(await read(path.join(folder, '2026-11-27T14-00-02Z.brec'))).toStrictEqual(upTo(50));
  const recording = await openRecording<State, RecordedEvent>(folder);
  expect(recording.cluster).toBe('prod');
  expect(recording.range()).toStrictEqual({ fromMs: startMs + 2_000, toMs: startMs + 100_000 });
  const found = await recording.at(startMs + 20_900);
  expect(found?.at).toStrictEqual({ wallMs: startMs + 20_000, steadyMs: startMs + 20_000, monotonicMs: 20_000 });
  expect(found?.program).toBe('1.2.3');
  expect(found?.state.count).toBe(9);
});

it('writes files that only their user can read', async () => {
  const folder = await createFolder();
  await recorded(folder, 0, 2);
  const names = await readdir(folder);
  expect(names.toSorted()).toStrictEqual(['2026-11-27T14-00-02Z.brec', '2026-11-27T14-00-02Z.brec.index']);
  for (const name of names) expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600);
});

it('begins a file an hour, with a whole state', async () => {
  const folder = await createFolder();
  const scene = createScene(folder);
  for (let count = 0; count < 6; count += 1) {
    await scene.record(count);
    scene.clock.monotonicMs += 25 * 60_000;
  }
  await scene.close();
  expect(await segmentsOf(folder)).toStrictEqual([
    '2026-11-27T14-00-02Z.brec',
    '2026-11-27T15-15-08Z.brec',
    '2026-11-27T16-05-12Z.brec',
  ]);
  expect(await read(folder)).toStrictEqual(upTo(6));
  await rm(path.join(folder, '2026-11-27T14-00-02Z.brec'));
  expect(await read(folder)).toStrictEqual([3, 4, 5]);
});

it('goes on with the file of the hour after a restart, and shows the gap', async () => {
  const folder = await createFolder();
  await recorded(folder, 0, 5);
  const scene = createScene(folder);
  scene.clock.monotonicMs = 600_000;
  for (let count = 5; count < 9; count += 1) await scene.record(count);
  await scene.close();
  expect(await segmentsOf(folder)).toHaveLength(1);
  expect(await read(folder)).toStrictEqual(upTo(9));
  const recording = await openRecording(folder);
  expect(recording.gaps()).toStrictEqual([{ fromMs: startMs + 10_000, toMs: startMs + 602_000 }]);
});

it('cuts a recording that ends anywhere, and goes on', async () => {
  const folder = await createFolder();
  await recorded(folder, 0, 8);
  const [name = ''] = await segmentsOf(folder);
  const whole = await readFile(path.join(folder, name));
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), fc.uint8Array({ maxLength: 40 }), async (length, junk) => {
      const cut = await mkdtemp(path.join(folder, 'cut-'));
      await writeFile(path.join(cut, name), whole.subarray(0, length));
      // What a file system may leave after a crash.
      await appendFile(path.join(cut, name), junk);
      const before = await read(cut).catch(() => []);
      expect(before).toStrictEqual(upTo(before.length));
      await recorded(cut, 100, 103);
      expect(await read(cut)).toStrictEqual([...before, 100, 101, 102]);
    }),
    { numRuns: 120 },
  );
});

it('reads whole records only while others are being written, piece by piece', async () => {
  const folder = await createFolder();
  let beside: Awaited<ReturnType<typeof openRecording<State, RecordedEvent>>> | undefined;
  let expected = 0;
  const seen: [number, readonly number[]][] = [];
  const openFile: OpenFile = async (file, flags, mode) => {
    const handle = await open(file, flags, mode);
    return Object.assign(Object.create(handle) as typeof handle, {
      async write(bytes: Buffer, offset: number, length: number, position: number) {
        const written = await handle.write(bytes, offset, Math.min(length, 9), position);
        await beside?.refresh();
        // The last piece completes the record.
        if (beside !== undefined && length > 9) seen.push([expected, await countsOf(beside)]);
        return written;
      },
      truncate: (length: number) => handle.truncate(length),
      datasync: () => handle.datasync(),
      close: () => handle.close(),
      stat: () => handle.stat(),
    });
  };
  const scene = createScene(folder, { openFile });
  await scene.record(0);
  beside = await openRecording<State, RecordedEvent>(folder);
  for (expected = 1; expected < 12; expected += 1) await scene.record(expected);
  await beside.refresh();
  expect(await countsOf(beside)).toStrictEqual(upTo(12));
  expect(seen.length).toBeGreaterThan(20);
  for (const [written, counts] of seen) expect(counts).toStrictEqual(upTo(written));
  await scene.close();
  expect(scene.troubles).toStrictEqual([]);
});

it('tells those who follow of samples and files that came', async () => {
  const folder = await createFolder();
  const scene = createScene(folder);
  await scene.record(0);
  const recording = await openRecording<State, RecordedEvent>(folder);
  const more = new Promise<void>((resolve) => {
    onTestFinished(recording.follow(resolve));
  });
  await scene.record(1);
  await more;
  expect(await countsOf(recording)).toStrictEqual([0, 1]);
  scene.clock.monotonicMs += 3_600_000;
  for (const count of [2, 3]) await scene.record(count);
  await expect.poll(() => recording.samples().length).toBe(4);
  expect(await countsOf(recording)).toStrictEqual([0, 1, 2, 3]);
  await scene.close();
});

it('needs no index: one that is missing, broken or old is made of the file', async () => {
  const folder = await createFolder();
  await recorded(folder, 0, 30);
  const [name = ''] = await segmentsOf(folder);
  const index = path.join(folder, `${name}.index`);
  const bytes = await readFile(index);
  for (const damage of [
    () => rm(index),
    () => writeFile(index, bytes.subarray(0, 20)),
    () => writeFile(index, Buffer.from('not an index')),
    () =>
      writeFile(
        index,
        bytes.map((byte, at) => (at === 50 ? byte ^ 1 : byte)),
      ),
  ]) {
    await damage();
    expect(await read(folder)).toStrictEqual(upTo(30));
  }
  await writeFile(index, bytes);
  await truncate(path.join(folder, name), (await stat(path.join(folder, name))).size - 5);
  expect(await read(folder)).toStrictEqual(upTo(29));
});

it('keeps the order of recording when the clock is set, and finds the last of two moments', async () => {
  const folder = await createFolder();
  const scene = createScene(folder);
  for (let count = 0; count < 10; count += 1) await scene.record(count);
  scene.clock.setByMs = -7_200_000;
  for (let count = 10; count < 20; count += 1) await scene.record(count);
  scene.clock.setByMs = 7_200_000;
  for (let count = 20; count < 22; count += 1) await scene.record(count);
  scene.clock.setByMs = -6_000;
  for (let count = 22; count < 30; count += 1) await scene.record(count);
  await scene.close();
  const recording = await openRecording<State, RecordedEvent>(folder);
  expect((await countsOf(recording)).toSorted((a, b) => a - b)).toStrictEqual(upTo(30));
  // 14:00:20 was the end of the first run; 12:00:22 its continuation with the clock set back.
  expect((await recording.at(startMs + 20_000))?.state.count).toBe(9);
  expect((await recording.at(startMs - 7_200_000 + 22_000))?.state.count).toBe(10);
  expect((await recording.at(startMs + 7_200_000 + 42_000))?.state.count).toBe(20);
  expect((await recording.at(startMs + 40_000))?.state.count).toBe(22);
});

/** A disk with room for so many bytes. */
function createDisk(maxBytes: number): { readonly openFile: OpenFile; room: number } {
  const disk: { room: number; openFile: OpenFile } = {
    room: maxBytes,
    async openFile(file, flags, mode) {
      const handle = await open(file, flags, mode);
      return Object.assign(Object.create(handle) as typeof handle, {
        async write(bytes: Buffer, offset: number, length: number, position: number) {
          if (disk.room === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
          const result = await handle.write(bytes, offset, Math.min(length, disk.room), position);
          disk.room -= result.bytesWritten;
          return result;
        },
        truncate: (length: number) => handle.truncate(length),
        datasync: () => handle.datasync(),
        close: () => handle.close(),
        stat: () => handle.stat(),
      });
    },
  };
  return disk;
}

it('loses nothing that was written when the disk is full, says so once, and goes on when there is room', async () => {
  const folder = await createFolder();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 300, max: 2_000 }), async (room) => {
      const place = await mkdtemp(path.join(folder, 'disk-'));
      const disk = createDisk(room);
      const scene = createScene(place, { openFile: disk.openFile });
      for (let count = 0; count < 40; count += 1) await scene.record(count);
      expect(scene.troubles).toStrictEqual(['ENOSPC']);
      const before = await read(place).catch(() => []);
      expect(before).toStrictEqual(upTo(before.length));
      disk.room = Infinity;
      for (let count = 40; count < 80; count += 1) await scene.record(count);
      await scene.close();
      expect(scene.troubles).toStrictEqual(['ENOSPC', undefined]);
      const after = await read(place);
      expect(after.slice(0, before.length)).toStrictEqual(before);
      expect(after.at(-1)).toBe(79);
      expect(after.length).toBeGreaterThan(before.length + 5);
    }),
    { numRuns: 30 },
  );
});

it('says once that the folder is gone, and goes on when it is back', async () => {
  const folder = await createFolder();
  const scene = createScene(folder);
  for (let count = 0; count < 5; count += 1) await scene.record(count);
  const [name = ''] = await segmentsOf(folder);
  const bytes = await readFile(path.join(folder, name));
  await rm(path.join(folder, name));
  for (let count = 5; count < 10; count += 1) await scene.record(count);
  expect(scene.troubles).toStrictEqual(['ENOENT']);
  await writeFile(path.join(folder, name), bytes, { mode: 0o600 });
  for (let count = 10; count < 50; count += 1) await scene.record(count);
  await scene.close();
  expect(scene.troubles).toStrictEqual(['ENOENT', undefined]);
  const counts = await read(folder);
  expect(counts.slice(0, 5)).toStrictEqual(upTo(5));
  expect(counts.at(-1)).toBe(49);
});

it('deletes the oldest files where all are too large, never the one in use', async () => {
  const folder = await createFolder();
  const scene = createScene(folder, { maxBytes: 8_000 });
  for (let count = 0; count < 400; count += 1) {
    await scene.record(count);
    scene.clock.monotonicMs += 60_000;
  }
  await scene.close();
  const sizes = await Promise.all(
    (await segmentsOf(folder)).map(async (name) => (await stat(path.join(folder, name))).size),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(8_000 + Math.max(...sizes));
  expect(sizes.length).toBeGreaterThan(2);
  const counts = await read(folder);
  expect(counts).toStrictEqual(upTo(400, counts[0]));
  const names = await readdir(folder);
  for (const name of names.filter((each) => each.endsWith('.index')))
    expect(names).toContain(name.slice(0, -'.index'.length));
});

it('deletes files that are too old', async () => {
  const folder = await createFolder();
  await recorded(folder, 0, 5);
  const scene = createScene(folder, { maxAgeMs: 86_400_000 });
  // The files have just been written, so only a clock that is far ahead makes them old.
  scene.clock.setByMs = Date.now() + 2 * 86_400_000 - startMs;
  for (let count = 5; count < 8; count += 1) await scene.record(count);
  await scene.close();
  expect(await read(folder)).toStrictEqual([5, 6, 7]);
});

it('keeps events, also those that happened while nothing could be written', async () => {
  const folder = await createFolder();
  const disk = createDisk(Infinity);
  const scene = createScene(folder, { openFile: disk.openFile });
  const event = (id: string, afterMs: number): RecordedEvent => ({ id, atMs: startMs + afterMs });
  await scene.record(0, [event('b', 1_500), event('a', 1_000)]);
  disk.room = 0;
  await scene.record(1, [event('c', 3_000)]);
  disk.room = Infinity;
  for (let count = 2; count < 40; count += 1) await scene.record(count);
  await scene.close();
  for (const delete_ of [() => Promise.resolve(), () => rm(path.join(folder, '2026-11-27T14-00-02Z.brec.index'))]) {
    await delete_();
    const recording = await openRecording(folder);
    expect((await recording.events(0, Infinity)).map(({ id }) => id)).toStrictEqual(['a', 'b', 'c']);
    expect((await recording.events(startMs + 1_200, startMs + 2_999)).map(({ id }) => id)).toStrictEqual(['b']);
  }
});

it('says why nothing can be read', async () => {
  const folder = await createFolder();
  await expect(openRecording(folder)).rejects.toThrow(`${folder} has no recording`);
  await expect(openRecording(path.join(folder, 'none'))).rejects.toThrow('none cannot be read');
  await writeFile(path.join(folder, '2026-11-27T14-00-02Z.brec'), 'not a recording');
  await expect(openRecording(folder)).rejects.toThrow(`${folder} has no recording`);
});
