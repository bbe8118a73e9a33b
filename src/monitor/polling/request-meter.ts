import type { ReadingApi } from '../../api/management-api.ts';
import type { Clock } from '../clock.ts';
import type { CausedLoad } from '../state.ts';

export interface RequestMeterOptions {
  readonly clock: Clock;
  readonly api: Pick<ReadingApi, 'receivedBytes' | 'openConnections'>;
  readonly onLoad: (load: CausedLoad) => void;
}

export interface RequestMeter {
  /** Counts a request; the returned function must be called as it ends. */
  begin(): () => void;
  stop(): void;
}

const windowMs = 60_000;
const updateEveryMs = 5_000;

interface Entry {
  readonly startMs: number;
  bytes: number;
}

export function createRequestMeter({ clock, api, onLoad }: RequestMeterOptions): RequestMeter {
  let entries: Entry[] = [];
  let countedBytes = api.receivedBytes ?? 0;
  let shown: CausedLoad | undefined;
  let isStopped = false;
  let cancelUpdate: (() => void) | undefined;

  function lastMinute(): CausedLoad {
    const fromMs = clock.monotonicMs() - windowMs;
    const first = entries.findIndex(({ startMs }) => startMs > fromMs);
    entries = first === -1 ? [] : entries.slice(first);
    const bytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
    return {
      requests: entries.length,
      answerBytes: api.receivedBytes === undefined ? undefined : bytes,
      connections: api.openConnections,
    };
  }

  function update(): void {
    cancelUpdate?.();
    cancelUpdate = undefined;
    const load = lastMinute();
    if (
      load.requests !== shown?.requests ||
      load.answerBytes !== shown.answerBytes ||
      load.connections !== shown.connections
    ) {
      shown = load;
      onLoad(load);
    }
    // An idle connection closes some time after the last request.
    if ((load.requests > 0 || (load.connections ?? 0) > 0) && !isStopped)
      cancelUpdate = clock.setTimer(updateEveryMs, update);
  }

  return {
    begin() {
      const entry: Entry = { startMs: clock.monotonicMs(), bytes: 0 };
      entries.push(entry);
      update();
      return () => {
        const { receivedBytes: received = 0 } = api;
        // Of concurrent requests, the first to end gets all bytes: only the sum matters.
        entry.bytes = received - countedBytes;
        countedBytes = received;
        update();
      };
    },
    stop() {
      isStopped = true;
      cancelUpdate?.();
    },
  };
}
