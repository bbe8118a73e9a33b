import type { Clock } from './clock.ts';
import type { CausedLoad } from './state.ts';

/** Counts what the requests of the last minute cost. */
export interface RequestMeter {
  /** A request begins; the answer is to be called when it has ended. */
  begin(): () => void;
  lastMinute(): CausedLoad;
}

const windowMs = 60_000;

interface Entry {
  readonly startMs: number;
  /** What is known once it has ended. */
  tookMs: number;
  bytes: number;
}

/** `receivedBytes`: bytes of all answers so far; `undefined` where nothing is transferred. */
export function createRequestMeter(clock: Clock, receivedBytes: () => number | undefined): RequestMeter {
  let entries: Entry[] = [];
  let countedBytes = receivedBytes() ?? 0;
  return {
    begin() {
      const entry: Entry = { startMs: clock.monotonicMs(), tookMs: 0, bytes: 0 };
      entries.push(entry);
      return () => {
        const received = receivedBytes() ?? 0;
        entry.tookMs = clock.monotonicMs() - entry.startMs;
        // Of several at a time, the first to end has the bytes of all: their sum is what counts.
        entry.bytes = received - countedBytes;
        countedBytes = received;
      };
    },
    lastMinute() {
      const fromMs = clock.monotonicMs() - windowMs;
      const first = entries.findIndex(({ startMs }) => startMs > fromMs);
      entries = first === -1 ? [] : entries.slice(first);
      let [tookMs, bytes] = [0, 0];
      for (const entry of entries) {
        tookMs += entry.tookMs;
        bytes += entry.bytes;
      }
      return { requests: entries.length, answerBytes: receivedBytes() === undefined ? undefined : bytes, seconds: tookMs / 1_000 };
    },
  };
}
