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

/** `watch` begins to measure the delays of the event loop, `delay` ends it. */
export type TargetQuestion = 'watch' | 'delay';

export interface Target extends TargetReady {
  readonly pid: number;
  /** Begins to watch how long the event loop is held up. */
  watch(): Promise<void>;
  /** The longest delay of the event loop since `watch`, in milliseconds; the timer that measures it is about 1 of them. */
  longestDelayMs(): Promise<number>;
}

/** A broker in a process of its own, for as long as `use` takes. */
export async function withTarget<T>(options: TargetOptions, use: (target: Target) => Promise<T>): Promise<T> {
  const child = fork(path.join(import.meta.dirname, 'broker-target-process.ts'), [JSON.stringify(options)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const exited = once(child, 'exit');
  const [ready] = await once(child, 'message') as [TargetReady];
  const ask = async (question: TargetQuestion): Promise<number> => {
    const answer = once(child, 'message');
    child.send(question);
    const [delayMs] = await answer as [number];
    return delayMs;
  };
  try {
    return await use({
      ...ready,
      pid: child.pid ?? 0,
      watch: async () => { await ask('watch'); },
      longestDelayMs: () => ask('delay'),
    });
  } finally {
    child.disconnect();
    await exited;
  }
}
