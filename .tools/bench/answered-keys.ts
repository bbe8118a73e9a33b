import { setTimeout as pass } from 'node:timers/promises';
import type { TerminalSession } from '../../test/support/terminal.ts';

/** Pause between keys, so that each gets its own frame. */
const restMs = 30;
/** Time after a refresh in which no other is due, at one refresh a second. */
const quietMs = 600;

/**
 * Times a key, in milliseconds, to the output that changes `sign`. Without a sign the key is pressed right after a refresh, and the
 * next output counts.
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
