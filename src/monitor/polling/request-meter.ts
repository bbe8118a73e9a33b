import type { ManagementApi } from '../../api/management-api.ts';
import type { Clock } from '../clock.ts';
import type { CausedLoad } from '../state.ts';

export interface RequestMeterOptions {
  readonly clock: Clock;
  readonly api: Pick<ManagementApi, 'receivedBytes' | 'waitedMs'>;
  /** Called when the load of the last minute has changed. */
  readonly onLoad: (load: CausedLoad) => void;
}

/** Measures what the requests of the last minute cost the broker. */
export interface RequestMeter {
  /** Called as a request starts; the returned function has to be called as it ends. */
  begin(): () => void;
  stop(): void;
}

const windowMs = 60_000;
/** How often the load is updated while it only falls. */
const updateEveryMs = 5_000;

interface Entry {
  readonly startMs: number;
  /** Set when the request has ended. */
  tookMs: number;
  bytes: number;
}

/** Takes bytes and waiting time from the API; without the latter the duration of each request counts. */
export function createRequestMeter({ clock, api, onLoad }: RequestMeterOptions): RequestMeter {
  let entries: Entry[] = [];
  let countedBytes = api.receivedBytes ?? 0;
  let countedMs = api.waitedMs ?? 0;
  let shown: CausedLoad | undefined;
  let isStopped = false;
  let cancelUpdate: (() => void) | undefined;

  function lastMinute(): CausedLoad {
    const fromMs = clock.monotonicMs() - windowMs;
    const first = entries.findIndex(({ startMs }) => startMs > fromMs);
    entries = first === -1 ? [] : entries.slice(first);
    let [tookMs, bytes] = [0, 0];
    for (const entry of entries) {
      tookMs += entry.tookMs;
      bytes += entry.bytes;
    }
    return { requests: entries.length, answerBytes: api.receivedBytes === undefined ? undefined : bytes, seconds: tookMs / 1_000 };
  }

  function update(): void {
    cancelUpdate?.();
    cancelUpdate = undefined;
    const load = lastMinute();
    if (load.requests !== shown?.requests || load.answerBytes !== shown.answerBytes || load.seconds !== shown.seconds) {
      shown = load;
      onLoad(load);
    }
    if (load.requests > 0 && !isStopped) cancelUpdate = clock.setTimer(updateEveryMs, update);
  }

  return {
    begin() {
      const entry: Entry = { startMs: clock.monotonicMs(), tookMs: 0, bytes: 0 };
      entries.push(entry);
      update();
      return () => {
        const { receivedBytes: received = 0, waitedMs } = api;
        // Of concurrent requests, the first to end gets the bytes and the time of all: only their sums matter.
        entry.tookMs = waitedMs === undefined ? clock.monotonicMs() - entry.startMs : waitedMs - countedMs;
        countedMs = waitedMs ?? 0;
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
