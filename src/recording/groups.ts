import { BrokenBytesError } from './bytes.ts';
import { decompress } from './compression.ts';
import { readDifference } from './differences.ts';
import type { RecordedEvent, RecordedSample, Recording, SampleTime, TimeRange } from './recording.ts';
import { ValueReader } from './values.ts';

/** The samples from one keyframe to the next, which are read in order. The wall clock was not set in between. */
export interface SampleGroup {
  readonly program: string;
  /** The process that recorded it: samples of two have a gap between them. */
  readonly run: string;
  /** When the samples were taken, by the time of day. Grows while the group is recorded. */
  readonly walls: readonly number[];
  /** Returns the times of the samples and their compressed bytes, as many as there are now. */
  load(): Promise<LoadedGroup>;
}

export interface LoadedGroup {
  readonly times: readonly SampleTime[];
  readonly bytes: Buffer;
}

export interface GroupSource<Event extends RecordedEvent> {
  /** Lists the groups, in the order in which they were recorded. The same objects as before. */
  groups(): readonly SampleGroup[];
  events(fromMs: number, toMs: number): Promise<readonly Event[]>;
  follow(onMore: () => void): () => void;
  close(): Promise<void>;
}

/** Samples are taken at least this often, so a longer time without one is a gap. */
export const maxSilenceMs = 60_000;

/** States are kept for going back: each of so many, and the last of those in between. */
const checkpointEvery = 32;

/** Makes a recording of groups of samples, which are read when they are asked for. */
export function createRecording<State, Event extends RecordedEvent>(
  source: GroupSource<Event>,
): Recording<State, Event> {
  let open: { readonly group: SampleGroup; readonly states: GroupStates } | undefined;
  /** One at a time: reading a group goes on where the last reading ended. */
  let reading: Promise<unknown> = Promise.resolve();
  let samples: readonly number[] = [];
  let firstGroup: SampleGroup | undefined;

  function sampleOf(group: SampleGroup, index: number): Promise<RecordedSample<State>> {
    const next = reading.then(async () => {
      if (open?.group !== group) open = { group, states: createGroupStates(group) };
      const { at, state } = await open.states.read(index);
      return { at, program: group.program, state: state as State, place: { group, index } };
    });
    reading = next.catch(() => {});
    return next;
  }

  async function at(wallMs: number): Promise<RecordedSample<State> | undefined> {
    const groups = source.groups();
    const group = groupAt(groups, wallMs) ?? groups[0];
    if (group === undefined) return undefined;
    return sampleOf(group, Math.max(0, lastIndex(group.walls, wallMs)));
  }

  return {
    range() {
      const groups = source.groups();
      if (groups.length === 0) return undefined;
      return {
        fromMs: groups.reduce((min, group) => Math.min(min, firstOf(group)), Infinity),
        toMs: groups.reduce((max, group) => Math.max(max, lastOf(group)), -Infinity),
      };
    },
    gaps: () => gapsOf(source.groups()),
    samples() {
      const groups = source.groups();
      const count = groups.reduce((sum, { walls }) => sum + walls.length, 0);
      if (count !== samples.length || groups[0] !== firstGroup) {
        samples = groups.flatMap(({ walls }) => walls);
        [firstGroup] = groups;
      }
      return samples;
    },
    at,
    async next({ place: { group, index } }) {
      const groups = source.groups();
      const place = groups.indexOf(group as SampleGroup);
      const current = groups[place];
      // What memory holds may have passed on.
      if (current === undefined) return groups[0] && sampleOf(groups[0], 0);
      if (index + 1 < current.walls.length) return sampleOf(current, index + 1);
      const following = groups[place + 1];
      return following === undefined ? undefined : sampleOf(following, 0);
    },
    async previous({ place: { group, index } }) {
      const groups = source.groups();
      const place = groups.indexOf(group as SampleGroup);
      const current = groups[place];
      if (current === undefined) return undefined;
      if (index > 0) return sampleOf(current, index - 1);
      const before = groups[place - 1];
      return before === undefined ? undefined : sampleOf(before, before.walls.length - 1);
    },
    events: (fromMs, toMs) => source.events(fromMs, toMs),
    follow: (onMore) => source.follow(onMore),
    close() {
      open = undefined;
      return source.close();
    },
  };
}

const firstOf = ({ walls }: SampleGroup): number => walls[0] ?? Infinity;
const lastOf = ({ walls }: SampleGroup): number => walls.at(-1) ?? Number.NEGATIVE_INFINITY;

/** Finds the group with the last sample at or before a time. Where two have it, the clock was set: the later one counts. */
function groupAt(groups: readonly SampleGroup[], wallMs: number): SampleGroup | undefined {
  let found: SampleGroup | undefined;
  for (const group of groups) {
    if (firstOf(group) > wallMs) continue;
    if (found === undefined || Math.min(lastOf(group), wallMs) >= Math.min(lastOf(found), wallMs)) found = group;
  }
  return found;
}

/** Returns the index of the last sample at or before a time; -1 if all are later. */
function lastIndex(times: readonly number[], wallMs: number): number {
  let [from, to] = [0, times.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((times[middle] ?? Infinity) <= wallMs) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

function gapsOf(groups: readonly SampleGroup[]): readonly TimeRange[] {
  const gaps: TimeRange[] = [];
  for (const [index, group] of groups.entries()) {
    const before = groups[index - 1];
    if (before === undefined) continue;
    const [fromMs, toMs] = [lastOf(before), firstOf(group)];
    if (fromMs < toMs && (group.run !== before.run || toMs - fromMs > 2 * maxSilenceMs)) gaps.push({ fromMs, toMs });
  }
  return gaps;
}

interface GroupStates {
  read(index: number): Promise<{ readonly at: SampleTime; readonly state: unknown }>;
}

/** Reads the states of a group. Those read last, and one of 32, are kept. */
function createGroupStates(group: SampleGroup): GroupStates {
  const reader = new ValueReader();
  const checkpoints: Checkpoint[] = [];
  const recent = new Map<number, unknown>();
  let loaded: LoadedGroup = { times: [], bytes: Buffer.alloc(0) };
  /** The last state that the reader has read, and its index. */
  let last: { readonly index: number; readonly state: unknown } = { index: -1, state: undefined };

  function keep(index: number, state: unknown): void {
    last = { index, state };
    recent.set(index, state);
    for (const oldest of recent.keys()) {
      if (recent.size <= 2 * checkpointEvery) break;
      recent.delete(oldest);
    }
    if (index % checkpointEvery === 0 && index / checkpointEvery === checkpoints.length)
      checkpoints.push({ index, state, mark: reader.mark() });
  }

  /** Goes back to the closest checkpoint, unless reading on from where the reader is takes less. */
  function goTo(index: number): void {
    const checkpoint = checkpoints.findLast((each) => each.index <= index);
    if (checkpoint === undefined || (last.index <= index && last.index >= checkpoint.index)) return;
    reader.reset(checkpoint.mark);
    last = checkpoint;
  }

  return {
    async read(index) {
      if (index >= loaded.times.length) {
        loaded = await group.load();
        reader.continueWith(await decompress(loaded.bytes));
      }
      const at = loaded.times[index];
      if (at === undefined) throw new BrokenBytesError();
      if (recent.has(index)) return { at, state: recent.get(index) };
      goTo(index);
      while (last.index < index)
        keep(last.index + 1, last.index === -1 ? reader.whole() : readDifference(reader, last.state));
      return { at, state: last.state };
    },
  };
}

interface Checkpoint {
  readonly index: number;
  readonly state: unknown;
  readonly mark: ReturnType<ValueReader['mark']>;
}
