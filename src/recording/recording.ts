import type { MonitorState } from '../monitor/state.ts';

/** When a sample was taken, on the three clocks of the process that recorded it. */
export interface SampleTime {
  /** The time of day, in milliseconds since 1970. It may jump. */
  readonly wallMs: number;
  /** `Clock.nowMs`, in which times in the state are given. */
  readonly steadyMs: number;
  readonly monotonicMs: number;
}

/** A state of the monitor, as it was recorded. */
export interface RecordedSample<State = MonitorState> {
  readonly at: SampleTime;
  /** The version of the program that recorded it. */
  readonly program: string;
  readonly state: State;
  /** Tells samples apart whose times are equal, as after a clock was set back. */
  readonly place: SamplePlace;
}

export interface SamplePlace {
  readonly group: unknown;
  readonly index: number;
}

/** Something that happened, as the timeline has it. */
export interface RecordedEvent {
  /** Unique. */
  readonly id: string;
  readonly atMs: number;
}

export interface TimeRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** What was recorded of one cluster, in a folder or in memory. States that follow each other share what did not change. */
export interface Recording<State = MonitorState, Event extends RecordedEvent = RecordedEvent> {
  /** From the first sample to the last; `undefined` without any. */
  range(): TimeRange | undefined;
  /** The times in which nothing was recorded, oldest first. */
  gaps(): readonly TimeRange[];
  /** The times of day of all samples, in the order in which they were recorded. The same array until there are more. */
  samples(): readonly number[];
  /** Returns the last sample at or before a time of day, else the first one; `undefined` without any. */
  at(wallMs: number): Promise<RecordedSample<State> | undefined>;
  /** Returns the sample that was recorded after another; `undefined` for the last one. */
  next(after: RecordedSample<State>): Promise<RecordedSample<State> | undefined>;
  previous(before: RecordedSample<State>): Promise<RecordedSample<State> | undefined>;
  /** Lists what happened in a range, both ends included, by time. */
  events(fromMs: number, toMs: number): Promise<readonly Event[]>;
  /** Calls `onMore` when there are more samples. Returns a function that ends it. */
  follow(onMore: () => void): () => void;
  close(): Promise<void>;
}
