import { onTestFinished } from 'vitest';

/** From here on a timeout is for the operator (how long a message is shown), not for drawing. */
const operatorMs = 1_000;

interface Waiting {
  readonly dueMs: number;
  readonly run: () => void;
}

/**
 * Holds timeouts of `longMs` and more until `pass` is called, for the rest of the test: on a busy machine they would
 * come between any two steps.
 */
export function holdLongTimeouts(longMs = operatorMs): { readonly pass: (ms: number) => void } {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const held = new Map<unknown, Waiting>();
  let nowMs = 0;
  const hold = (run: (...given: unknown[]) => void, ms = 0, ...given: unknown[]): NodeJS.Timeout => {
    const timeout = set(run, ms, ...given);
    if (ms < longMs) return timeout;
    clear(timeout);
    held.set(timeout, { dueMs: nowMs + ms, run: () => run(...given) });
    return timeout;
  };
  const release = (timeout?: NodeJS.Timeout): void => {
    if (!held.delete(timeout)) clear(timeout);
  };
  Object.assign(globalThis, { setTimeout: hold, clearTimeout: release });
  onTestFinished(() => {
    Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  });
  return {
    pass: (ms) => {
      nowMs += ms;
      for (const [timeout, { dueMs, run }] of [...held].toSorted(([, a], [, b]) => a.dueMs - b.dueMs)) {
        if (dueMs > nowMs || !held.delete(timeout)) continue;
        run();
      }
    },
  };
}
