import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { openEventFile } from '../../../src/cli/files/event-file.ts';
import { keepEvents } from '../../../src/cli/files/keep-events.ts';
import { withReading } from '../../../src/monitor/query/part.ts';
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

/** A run of the program, whose events a test sets. */
function run(file: string) {
  const store = createStore<MonitorState>(() => initialState(2));
  let earlier: readonly TimelineEvent[] | undefined;
  const show = (events: readonly TimelineEvent[]): void => {
    store.setState(withReading(store.getState(), timelineEvents, events));
  };
  const kept = keepEvents(store, openEventFile(file), (events) => {
    earlier = events;
    show([
      ...events,
      ...((store.getState().readings['timeline']?.get('') as readonly TimelineEvent[] | undefined) ?? []),
    ]);
  });
  return { show, close: kept.close, earlier: () => earlier };
}

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
    expect(await openEventFile(file).read()).toEqual([eventOf('a', 1), eventOf('b', 2)]);
  });

  test('are written as they come, while the monitor forgets the oldest', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'keep-events-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'events', 'prod.ndjson');
    const program = run(file);
    for (let count = 0; count < 50; count += 1)
      program.show(Array.from({ length: 5 }, (_, index) => eventOf('a', count + index)));
    await program.close();
    expect((await openEventFile(file).read()).map(({ id }) => id)).toEqual(
      Array.from({ length: 5 }, (_, index) => `a ${49 + index}`),
    );
    const another = run(file);
    await expect.poll(another.earlier).toHaveLength(5);
    for (let count = 50; count < 60; count += 1) another.show([eventOf('b', count), eventOf('b', count + 1)]);
    await another.close();
    expect((await openEventFile(file).read()).filter(({ run: by }) => by === 'b').map(({ id }) => id)).toEqual(
      Array.from({ length: 11 }, (_, index) => `b ${50 + index}`),
    );
  });
});
