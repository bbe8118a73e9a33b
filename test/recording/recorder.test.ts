import { expect, it, onTestFinished } from 'vitest';
import { definePart, reading, withReading } from '../../src/monitor/query/part.ts';
import type { MonitorState } from '../../src/monitor/state.ts';
import { createStateWriter, initialState } from '../../src/monitor/store.ts';
import { createRecorder, type RecorderOptions } from '../../src/recording/recorder.ts';
import type { RecordedEvent, RecordedSample } from '../../src/recording/recording.ts';
import { createFakeClock } from '../support/fake-clock.ts';

interface Row {
  readonly id: number;
  readonly queue: number;
}

const rows = definePart<readonly Row[]>('recorderTestRows', []);
const secrets = definePart<string>('recorderTestSecrets', '', { recorded: 'no' });
const messages = definePart<{ readonly topic: string; readonly text?: string }>(
  'recorderTestMessages',
  { topic: '' },
  { recorded: ({ topic }) => ({ topic }) },
);

interface Happened extends RecordedEvent {
  readonly text: string;
}

function createScene(options: Partial<RecorderOptions<MonitorState, Happened>> = {}) {
  const clock = createFakeClock();
  const writer = createStateWriter(initialState(2));
  let happened: readonly Happened[] = [];
  let setByMs = 0;
  const recorder = createRecorder<MonitorState, Happened>({
    store: writer.store,
    clock,
    wallMs: (steadyMs) => steadyMs + setByMs,
    program: '1.2.3',
    eventsOf: () => happened,
    ...options,
  });
  onTestFinished(() => recorder.stop());
  let samples = 0;
  recorder.memory.follow(() => {
    samples += 1;
  });
  const write = (value: readonly Row[]): void => {
    writer.write(withReading(writer.state(), rows, value));
    writer.flush();
  };
  return {
    clock,
    recorder,
    writer,
    memory: recorder.memory,
    write,
    count: () => samples,
    setClock: (ms: number) => {
      setByMs += ms;
    },
    happens(text: string) {
      happened = [...happened, { id: String(happened.length), atMs: clock.nowMs(), text }];
    },
    /** Writes rows and lets an interval pass, until they are recorded. */
    async tick(value: readonly Row[]): Promise<void> {
      const before = samples;
      write(value);
      await clock.advance(2_000);
      await expect.poll(() => samples).toBe(before + 1);
    },
  };
}

const rowsOf = (sample: RecordedSample | undefined): readonly Row[] | undefined =>
  sample && reading(sample.state, rows);

it('takes one sample an interval, of the state at its end', async () => {
  const scene = createScene();
  await scene.tick([{ id: 0, queue: 0 }]);
  // Many readings in one interval are one sample.
  for (let queue = 1; queue < 19; queue += 1) {
    scene.write([{ id: 0, queue }]);
    await scene.clock.advance(100);
  }
  await expect.poll(scene.count).toBe(2);
  await scene.tick([{ id: 0, queue: 19 }]);
  expect(rowsOf(await scene.memory.at(Infinity))).toStrictEqual([{ id: 0, queue: 19 }]);
});

it('takes a sample a minute where nothing changes', async () => {
  const scene = createScene();
  await scene.tick([]);
  await scene.clock.advance(59_000);
  expect(scene.count()).toBe(1);
  await scene.clock.advance(4_000);
  await expect.poll(scene.count).toBe(2);
});

it('finds the state of any moment, steps in both directions, and shares what did not change', async () => {
  const scene = createScene();
  const states: (readonly Row[])[] = [];
  const times: number[] = [];
  let value = Array.from({ length: 300 }, (_, id) => ({ id, queue: 0 }));
  for (let tick = 0; tick < 90; tick += 1) {
    value = value.map((row) => (row.id % 90 === tick ? { ...row, queue: tick } : row));
    await scene.tick(value);
    states.push(value);
    times.push(scene.clock.nowMs());
  }
  const range = scene.memory.range();
  expect(range?.toMs).toBeLessThanOrEqual(times.at(-1) ?? 0);
  expect(scene.memory.gaps()).toStrictEqual([]);
  for (const index of [70, 3, 89, 33, 32, 31, 0, 64])
    expect(rowsOf(await scene.memory.at(times[index] ?? 0))).toStrictEqual(states[index]);

  let sample = await scene.memory.at(times[60] ?? 0);
  for (let index = 60; index > 20; index -= 1) {
    expect(rowsOf(sample)).toStrictEqual(states[index]);
    sample = sample && (await scene.memory.previous(sample));
  }
  for (let index = 20; index < 89; index += 1) {
    expect(rowsOf(sample)).toStrictEqual(states[index]);
    const next: RecordedSample | undefined = sample && (await scene.memory.next(sample));
    expect(rowsOf(next)?.[0]).toBe(rowsOf(sample)?.[0]);
    sample = next;
  }
  expect(sample && (await scene.memory.next(sample))).toBeUndefined();
  // Before the beginning, the first one; at its end, the last one.
  expect(rowsOf(await scene.memory.at(0))).toStrictEqual(states[0]);
  expect(scene.memory.samples()).toHaveLength(90);
  expect(scene.memory.samples()).toBe(scene.memory.samples());
  const first = await scene.memory.at(0);
  expect(first?.program).toBe('1.2.3');
  expect(first && (await scene.memory.previous(first))).toBeUndefined();
});

it('keeps long lists, which are written in blocks', async () => {
  const scene = createScene();
  const value = Array.from({ length: 10_000 }, (_, id) => ({ id, queue: id % 7 }));
  await scene.tick(value);
  await scene.tick(value.slice(1));
  const first = await scene.memory.at(0);
  expect(rowsOf(first)).toStrictEqual(value);
  expect(rowsOf(first && (await scene.memory.next(first)))).toStrictEqual(value.slice(1));
});

it('follows while it is read: later samples are there, and earlier ones stay', async () => {
  const scene = createScene();
  await scene.tick([{ id: 1, queue: 1 }]);
  const first = await scene.memory.at(Infinity);
  await scene.tick([{ id: 1, queue: 2 }]);
  const second = first && (await scene.memory.next(first));
  expect(rowsOf(second)).toStrictEqual([{ id: 1, queue: 2 }]);
  await scene.tick([{ id: 1, queue: 3 }]);
  expect(rowsOf(await scene.memory.at(Infinity))).toStrictEqual([{ id: 1, queue: 3 }]);
  expect(rowsOf(second && (await scene.memory.previous(second)))).toStrictEqual([{ id: 1, queue: 1 }]);
});

it('keeps the order of recording when the clock is set back, and finds what was recorded last at a time', async () => {
  const scene = createScene();
  for (let queue = 0; queue < 10; queue += 1) await scene.tick([{ id: 0, queue }]);
  const beforeMs = (await scene.memory.at(Infinity))?.at.wallMs ?? 0;
  scene.setClock(-10_000);
  for (let queue = 10; queue < 20; queue += 1) await scene.tick([{ id: 0, queue }]);
  // 8 s before the clock was set, which is 2 s after.
  const found = await scene.memory.at(beforeMs - 6_000);
  expect(rowsOf(found)?.[0]?.queue).toBe(11);
  const seen = [];
  let sample = await scene.memory.at(0);
  while (sample !== undefined) {
    seen.push(rowsOf(sample)?.[0]?.queue);
    sample = await scene.memory.next(sample);
  }
  expect(seen).toStrictEqual(Array.from({ length: 20 }, (_, queue) => queue));
});

it('records what a definition keeps', async () => {
  const scene = createScene();
  const { writer } = scene;
  writer.write(withReading(writer.state(), secrets, 'hunter2'));
  writer.write(withReading(writer.state(), messages, { topic: 'work/alarms', text: 'a payload' }));
  await scene.tick([]);
  const state = (await scene.memory.at(Infinity))?.state;
  expect(state && reading(state, secrets)).toBe('');
  expect(state && reading(state, messages)).toStrictEqual({ topic: 'work/alarms' });
});

it('tells what happened, each once', async () => {
  const scene = createScene();
  scene.happens('began');
  await scene.tick([]);
  const fromMs = scene.clock.nowMs();
  scene.happens('ended');
  await scene.tick([{ id: 0, queue: 0 }]);
  await scene.tick([{ id: 0, queue: 1 }]);
  expect((await scene.memory.events(0, Infinity)).map(({ text }) => text)).toStrictEqual(['began', 'ended']);
  expect((await scene.memory.events(fromMs, Infinity)).map(({ text }) => text)).toStrictEqual(['ended']);
});

it('drops the oldest samples when the memory is full', async () => {
  const scene = createScene({ maxBytes: 5_000 });
  for (let tick = 0; tick < 40; tick += 1)
    await scene.tick(
      Array.from({ length: 100 }, (_, id) => ({ id, queue: Math.round(Math.sin(tick * 100 + id) * 1e9) })),
    );
  const first = await scene.memory.at(0);
  expect(rowsOf(first)?.[0]?.queue).not.toBe(0);
  expect(scene.memory.samples().length).toBeLessThan(40);
  expect(scene.memory.range()?.fromMs).toBe(first?.at.wallMs);
  const last = await scene.memory.at(Infinity);
  expect(rowsOf(last)?.[0]?.queue).toBe(Math.round(Math.sin(39 * 100) * 1e9));
});

it('takes a last sample when it stops', async () => {
  const scene = createScene();
  await scene.tick([]);
  scene.write([{ id: 7, queue: 7 }]);
  await scene.recorder.stop();
  expect(rowsOf(await scene.memory.at(Infinity))).toStrictEqual([{ id: 7, queue: 7 }]);
  expect(scene.clock.pendingTimers()).toBe(0);
});
