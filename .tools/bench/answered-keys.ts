import { setTimeout as pass } from 'node:timers/promises';
import type { TerminalSession } from '../../test/support/terminal.ts';

/** Between two keys: two in one frame would count as one. */
const restMs = 30;
/** So long after a refresh the next one is not due yet, of programs that refresh once a second. */
const quietMs = 600;

/**
 * Times keys: milliseconds to the output by which the screen shows another sign. For a program whose screen does not say
 * what its keys do there is no sign: it is pressed when it has just refreshed, so that the next output is the answer.
 */
export function createKeyTimer(terminal: TerminalSession, sign: ((terminal: TerminalSession) => string | undefined) | undefined, arrivedMs: () => number): (key: string) => Promise<number> {
  let refreshedMs = Number.NEGATIVE_INFINITY;
  async function whenQuiet(): Promise<void> {
    if (performance.now() - refreshedMs < quietMs) return;
    await terminal.nextOutput();
    refreshedMs = performance.now();
    await pass(restMs);
  }
  return async (key) => {
    if (sign === undefined) await whenQuiet();
    const before = sign?.(terminal);
    const pressedMs = performance.now();
    terminal.type(key);
    if (sign === undefined) await terminal.nextOutput();
    else await terminal.waitFor(() => sign(terminal) !== before);
    const ms = arrivedMs() - pressedMs;
    await pass(restMs);
    return ms;
  };
}
