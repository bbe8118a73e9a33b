import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { openEventFile } from '../../../src/cli/files/event-file.ts';
import { keepEvents } from '../../../src/cli/files/keep-events.ts';
import { reading, withReading } from '../../../src/monitor/query/part.ts';
import type { MonitorState } from '../../../src/monitor/state.ts';
import { initialState } from '../../../src/monitor/store.ts';
import type { TimelineEvent } from '../../../src/domain/event.ts';
import { timelineEvents } from '../../../src/monitor/events.ts';

const eventOf = (run: string, count: number): TimelineEvent => ({
  id: `${run} ${count}`,
  atMs: 100_000 * count,
  kind: 'node',
  severity: 'warning',
  text: `event ${count} of ${run}`,
  run,
});

let started = 0;

/** A run of the program, whose events a test sets. */
function run(file: string) {
  const store = createStore<MonitorState>(() => initialState(2));
  let earlier: readonly TimelineEvent[] | undefined;
  const others: TimelineEvent[] = [];
  const unreadable: string[] = [];
  const show = (events: readonly TimelineEvent[]): void => {
    store.setState(withReading(store.getState(), timelineEvents, events));
  };
  const kept = keepEvents(store, openEventFile(file), {
    onEarlier(events) {
      earlier = events.filter(({ kind }) => kind !== 'note');
      show([...events, ...reading(store.getState(), timelineEvents)]);
    },
    onOthers: (events) => others.push(...events),
    onStart(text) {
      started += 1;
      const note: TimelineEvent = {
        ...eventOf(`start ${crypto.randomUUID()}`, started),
        kind: 'note',
        severity: 'info',
        text,
      };
      show([...reading(store.getState(), timelineEvents), note]);
    },
    onUnreadable: (code) => unreadable.push(code),
  });
  return { show, close: kept.close, earlier: () => earlier, others, unreadable };
}

/** The events in the file, without those of the program's start and end. */
const eventsIn = async (file: string): Promise<readonly TimelineEvent[]> =>
  (await openEventFile(file).read()).filter(({ kind }) => kind !== 'note');

describe('the events of a monitor', () => {
  test('are known to the next run, each once', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'keep-events-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'events', 'prod.ndjson');
    const first = run(file);
    // Before the file is read.
    first.show([eventOf('a', 1)]);
    await first.close();
    const second = run(file);
    second.show([eventOf('b', 2)]);
    await second.close();
    expect(second.earlier()).toEqual([eventOf('a', 1)]);
    const third = run(file);
    await third.close();
    third.show([eventOf('c', 4)]);
    expect(third.earlier()).toEqual([eventOf('a', 1), eventOf('b', 2)]);
    // It has ended.
    expect(await eventsIn(file)).toEqual([eventOf('a', 1), eventOf('b', 2)]);
  });

  test('are written as they come, while the monitor forgets the oldest', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'keep-events-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'events', 'prod.ndjson');
    const program = run(file);
    for (let count = 0; count < 50; count += 1)
      program.show(Array.from({ length: 5 }, (_, index) => eventOf('a', count + index)));
    await program.close();
    expect((await eventsIn(file)).map(({ id }) => id)).toEqual(
      Array.from({ length: 5 }, (_, index) => `a ${49 + index}`),
    );
    const another = run(file);
    await expect.poll(another.earlier).toHaveLength(5);
    for (let count = 50; count < 60; count += 1) another.show([eventOf('b', count), eventOf('b', count + 1)]);
    await another.close();
    expect((await eventsIn(file)).filter(({ run: by }) => by === 'b').map(({ id }) => id)).toEqual(
      Array.from({ length: 11 }, (_, index) => `b ${50 + index}`),
    );
  });

  test('of another program come as they are written, and its start and end are told', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'keep-events-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'events', 'prod.ndjson');
    const program = run(file);
    program.show([eventOf('a', 1)]);
    const other = openEventFile(file);
    await expect.poll(async () => (await eventsIn(file)).length).toBe(1);
    other.append([eventOf('b', 2)]);
    await expect.poll(() => program.others.length, { timeout: 10_000 }).toBe(1);
    expect(program.others).toEqual([eventOf('b', 2)]);
    await program.close();
    const texts = (await other.read()).map(({ text }) => text);
    expect(texts.toSorted()).toEqual(['brokertop started', 'brokertop stopped', 'event 1 of a', 'event 2 of b']);
  });

  test('that cannot be read are missed aloud, and those of now are written', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'keep-events-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'prod.ndjson');
    await symlink('/etc/hostname', file);
    const program = run(file);
    await expect.poll(() => program.unreadable).toEqual(['ELOOP']);
    await rm(file);
    program.show([eventOf('a', 1)]);
    await program.close();
    expect(await eventsIn(file)).toEqual([eventOf('a', 1)]);
  });

  test('that go on being repeated are written more and more seldom, as one', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'keep-events-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'prod.ndjson');
    const program = run(file);
    const event = eventOf('a', 1);
    program.show([event]);
    await expect.poll(async () => (await eventsIn(file)).length).toBe(1);
    for (let times = 2; times <= 100; times += 1)
      program.show([{ ...event, atMs: event.atMs + times, repeated: { times, sinceMs: event.atMs } }]);
    await program.close();
    expect(await eventsIn(file)).toMatchObject([{ id: event.id, repeated: { times: 64 } }]);
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes(event.text));
    expect(lines).toHaveLength(7);
  });
});
