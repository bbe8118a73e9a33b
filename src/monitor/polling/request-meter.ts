import type { ManagementApi } from '../../api/management-api.ts';
import type { Clock } from '../clock.ts';
import type { CausedLoad } from '../state.ts';

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

/** By what the interface says was transferred and waited for; where it says nothing of the time, the whole call counts. */
export function createRequestMeter(clock: Clock, api: Pick<ManagementApi, 'receivedBytes' | 'waitedMs'>): RequestMeter {
  let entries: Entry[] = [];
  let countedBytes = api.receivedBytes ?? 0;
  let countedMs = api.waitedMs ?? 0;
  return {
    begin() {
      const entry: Entry = { startMs: clock.monotonicMs(), tookMs: 0, bytes: 0 };
      entries.push(entry);
      return () => {
        const { receivedBytes: received = 0, waitedMs } = api;
        // Of several at a time, the first to end has the bytes and the time of all: their sums are what counts.
        entry.tookMs = waitedMs === undefined ? clock.monotonicMs() - entry.startMs : waitedMs - countedMs;
        countedMs = waitedMs ?? 0;
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
      return { requests: entries.length, answerBytes: api.receivedBytes === undefined ? undefined : bytes, seconds: tookMs / 1_000 };
    },
  };
}
