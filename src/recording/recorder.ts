import type { Clock } from '../monitor/clock.ts';
import type { MonitorState, ReadableStore } from '../monitor/state.ts';
import { maxSilenceMs } from './groups.ts';
import { createKeptState } from './kept-state.ts';
import type { RecordedEvent, Recording, SampleTime } from './recording.ts';
import { createRing, type SampleSink } from './ring.ts';
import { createSampleEncoder } from './sample-encoder.ts';

/** The readings of a tick arrive one after the other; a sample waits for most of them. */
const settleMs = 250;

const defaultMaxBytes = 24 * 1_048_576;

export interface RecorderOptions<State extends MonitorState, Event extends RecordedEvent> {
  readonly store: ReadableStore<State>;
  readonly clock: Clock;
  /** Returns the time of day of a steady time. */
  readonly wallMs: (steadyMs: number) => number;
  /** The version of the program. */
  readonly program: string;
  /** Limits the memory of the samples that are kept. */
  readonly maxBytes?: number | undefined;
  /** Returns what has happened, as far as the state tells. */
  readonly eventsOf?: ((state: State) => readonly Event[]) | undefined;
  /** Called when a state cannot be recorded, which is a mistake of the program. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Samples the states of a monitor: at most one an interval, and one a minute where nothing changes. */
export interface Recorder<State extends MonitorState, Event extends RecordedEvent> {
  /** The last samples, in memory. */
  readonly memory: Recording<State, Event>;
  /** Writes the samples to another place as well, from the next one on. Returns a function that ends it. */
  addSink(sink: SampleSink<Event>): () => void;
  /** The next sample is written whole. */
  requestKeyframe(): void;
  /** Takes a last sample. Nothing is recorded afterwards. */
  stop(): Promise<void>;
}

export function createRecorder<State extends MonitorState, Event extends RecordedEvent>(
  options: RecorderOptions<State, Event>,
): Recorder<State, Event> {
  const { store, clock, wallMs } = options;
  const encoder = createSampleEncoder();
  const keep = createKeptState<State>();
  const ring = createRing<State, Event>({
    program: options.program,
    run: crypto.randomUUID(),
    maxBytes: options.maxBytes ?? defaultMaxBytes,
    requestKeyframe: encoder.requestKeyframe,
  });
  const sinks = new Set<SampleSink<Event>>([ring]);
  let known: ReadonlySet<string> = new Set();
  let recorded: State | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  let encoding: Promise<void> | undefined;
  let isStopped = false;

  function plan(): void {
    if (cancel !== undefined || isStopped) return;
    const nowMs = clock.monotonicMs();
    const { intervalSeconds } = store.getState();
    cancel = clock.setTimer(Math.max(settleMs, lastMs + intervalSeconds * 1_000 - nowMs), take);
  }

  function planSilence(): () => void {
    return clock.setTimer(maxSilenceMs, () => {
      recorded = undefined;
      plan();
    });
  }
  let cancelSilence = planSilence();

  function take(): void {
    cancel = undefined;
    // Compression or the disk is slower than the interval.
    if (encoding !== undefined) {
      plan();
      return;
    }
    const state = store.getState();
    if (state === recorded) return;
    recorded = state;
    lastMs = clock.monotonicMs();
    cancelSilence();
    cancelSilence = planSilence();
    encoding = record(state)
      .catch((error: unknown) => options.onError?.(error))
      .finally(() => {
        encoding = undefined;
      });
  }

  async function record(state: State): Promise<void> {
    const steadyMs = clock.nowMs();
    const at: SampleTime = { steadyMs, monotonicMs: clock.monotonicMs(), wallMs: wallMs(steadyMs) };
    const events = newEvents(state);
    const sample = await encoder.encode(at, keep(state));
    for (const sink of sinks) sink.write(sample, events);
  }

  function newEvents(state: State): readonly Event[] {
    const all = options.eventsOf?.(state) ?? [];
    const added = all.filter(({ id }) => !known.has(id));
    if (added.length > 0) known = new Set(all.map(({ id }) => id));
    return added;
  }

  const unsubscribe = store.subscribe(plan);
  plan();

  return {
    memory: ring.recording,
    addSink(sink) {
      sinks.add(sink);
      encoder.requestKeyframe();
      return () => {
        sinks.delete(sink);
      };
    },
    requestKeyframe: encoder.requestKeyframe,
    async stop() {
      if (isStopped) return;
      isStopped = true;
      unsubscribe();
      cancel?.();
      cancelSilence();
      await encoding;
      if (store.getState() !== recorded) await record(store.getState());
      encoder.close();
    },
  };
}
