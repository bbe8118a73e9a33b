import { withChild } from './child.ts';

/** The broker to measure. */
export interface TargetOptions {
  readonly kind: 'embedded' | 'aedes';
  /** Offline sessions, each with a subscription; embedded broker only. */
  readonly sessions?: number;
  /** As with `--data`, in a folder of its own. */
  readonly isKept?: boolean;
}

export interface TargetReady {
  readonly port: number;
  /** URL of the management API; empty for aedes. */
  readonly url: string;
  /** The name of its node. */
  readonly node: string;
}

/** The longest stall of the event loop, in milliseconds. */
export interface Stall {
  /** Elapsed time, which includes other programs on a busy machine. */
  readonly ms: number;
  /** Processor time of the thread. */
  readonly processorMs: number;
}

export type TargetQuestion = 'watch' | 'stall';

export interface Target extends TargetReady {
  readonly pid: number;
  /** Starts measuring stalls. */
  watch(): Promise<void>;
  /** The longest stall since `watch`. */
  longestStall(): Promise<Stall>;
}

/** Runs a broker in its own process while `use` runs. */
export function withTarget<T>(options: TargetOptions, use: (target: Target) => Promise<T>): Promise<T> {
  return withChild<TargetReady, TargetQuestion, Stall, T>('broker-target-process.ts', options, ({ pid, ready, ask }) => use({
    ...ready,
    pid,
    watch: async () => { await ask('watch'); },
    longestStall: () => ask('stall'),
  }));
}
