import { createRecording, type LoadedGroup, type SampleGroup } from './groups.ts';
import type { RecordedEvent, Recording, SampleTime } from './recording.ts';
import type { EncodedSample } from './sample-encoder.ts';

/** Receives the samples of a recorder. */
export interface SampleSink<Event extends RecordedEvent> {
  write(sample: EncodedSample, events: readonly Event[]): void;
}

export interface Ring<State, Event extends RecordedEvent> extends SampleSink<Event> {
  readonly recording: Recording<State, Event>;
}

interface HeldGroup {
  readonly group: SampleGroup;
  readonly walls: number[];
  readonly times: SampleTime[];
  readonly chunks: Buffer[];
  bytes: number;
}

const maxEvents = 5_000;

/** Keeps the last samples in memory, in at most `maxBytes`. The oldest are dropped, from one keyframe to the next. */
export function createRing<State, Event extends RecordedEvent>(options: {
  readonly program: string;
  readonly run: string;
  readonly maxBytes: number;
  readonly requestKeyframe: () => void;
}): Ring<State, Event> {
  let held: HeldGroup[] = [];
  let events: Event[] = [];
  const listeners = new Set<() => void>();

  function begin(): HeldGroup {
    const times: SampleTime[] = [];
    const walls: number[] = [];
    const chunks: Buffer[] = [];
    const group: SampleGroup = {
      program: options.program,
      run: options.run,
      walls,
      load: (): Promise<LoadedGroup> => Promise.resolve({ times: [...times], bytes: Buffer.concat(chunks) }),
    };
    const next = { group, times, walls, chunks, bytes: 0 };
    held = [...held, next];
    return next;
  }

  function dropOldest(): void {
    let bytes = held.reduce((sum, each) => sum + each.bytes, 0);
    while (bytes > options.maxBytes && held.length > 1) {
      const [oldest, ...rest] = held;
      bytes -= oldest?.bytes ?? 0;
      held = rest;
    }
    // One group alone is too much.
    if (bytes > options.maxBytes) options.requestKeyframe();
  }

  return {
    write(sample, added) {
      const into = sample.isKeyframe ? begin() : held.at(-1);
      if (into === undefined) return;
      into.times.push(sample.at);
      into.chunks.push(sample.bytes);
      into.bytes += sample.bytes.length;
      into.walls.push(sample.at.wallMs);
      if (added.length > 0) events = [...events, ...added].slice(-maxEvents);
      dropOldest();
      for (const listener of listeners) listener();
    },
    recording: createRecording<State, Event>({
      groups: () => held.map(({ group }) => group),
      events: (fromMs, toMs) =>
        Promise.resolve(
          events.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).toSorted((a, b) => a.atMs - b.atMs),
        ),
      follow(onMore) {
        listeners.add(onMore);
        return () => {
          listeners.delete(onMore);
        };
      },
      close: () => Promise.resolve(),
    }),
  };
}
