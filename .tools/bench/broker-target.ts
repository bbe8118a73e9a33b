import { withChild } from './child.ts';

/** Which broker is measured. */
export interface TargetOptions {
  readonly kind: 'embedded' | 'aedes';
  /** Sessions of clients that are away, each with a subscription; the embedded broker's alone. */
  readonly sessions?: number;
  /** As with `--data`, in a folder of its own. */
  readonly isKept?: boolean;
}

export interface TargetReady {
  readonly port: number;
  /** Of the management interface; empty where there is none. */
  readonly url: string;
  /** The name of its node. */
  readonly node: string;
}

/** The longest time between two looks of the event loop at its timers. */
export interface Stall {
  /** By the clock; what other programs take of a busy machine is in it. */
  readonly ms: number;
  /** What the thread itself took of the processor. */
  readonly processorMs: number;
}

/** `watch` begins to look for stalls, `stall` ends it. */
export type TargetQuestion = 'watch' | 'stall';

export interface Target extends TargetReady {
  readonly pid: number;
  /** Begins to watch how long the event loop is held up. */
  watch(): Promise<void>;
  /** The longest since `watch`. */
  longestStall(): Promise<Stall>;
}

/** A broker in a process of its own, for as long as `use` takes. */
export function withTarget<T>(options: TargetOptions, use: (target: Target) => Promise<T>): Promise<T> {
  return withChild<TargetReady, TargetQuestion, Stall, T>('broker-target-process.ts', options, ({ pid, ready, ask }) => use({
    ...ready,
    pid,
    watch: async () => { await ask('watch'); },
    longestStall: () => ask('stall'),
  }));
}
