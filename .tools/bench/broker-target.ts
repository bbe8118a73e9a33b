import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

/** Which broker is measured. */
export interface TargetOptions {
  readonly kind: 'embedded' | 'aedes';
  /** Sessions of clients that are away, each with a subscription; the embedded broker's alone. */
  readonly sessions?: number;
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
export async function withTarget<T>(options: TargetOptions, use: (target: Target) => Promise<T>): Promise<T> {
  const child = fork(path.join(import.meta.dirname, 'broker-target-process.ts'), [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const [ready] = await once(child, 'message') as [TargetReady];
  const ask = async (question: TargetQuestion): Promise<Stall> => {
    const answer = once(child, 'message');
    child.send(question);
    const [stall] = await answer as [Stall];
    return stall;
  };
  try {
    return await use({
      ...ready,
      pid: child.pid ?? 0,
      watch: async () => { await ask('watch'); },
      longestStall: () => ask('stall'),
    });
  } finally {
    child.disconnect();
    await exited;
  }
}
