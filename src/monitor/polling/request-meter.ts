import type { ManagementApi } from '../../api/management-api.ts';
import type { Clock } from '../clock.ts';
import type { CausedLoad } from '../state.ts';

export interface RequestMeterOptions {
  readonly clock: Clock;
  readonly api: Pick<ManagementApi, 'receivedBytes' | 'waitedMs' | 'openConnections'>;
  readonly onLoad: (load: CausedLoad) => void;
}

export interface RequestMeter {
  /** Call the returned function as the request ends. */
  begin(): () => void;
  stop(): void;
}

const windowMs = 60_000;
const updateEveryMs = 5_000;

interface Entry {
  readonly startMs: number;
  tookMs: number;
  bytes: number;
}

/** Without waiting time from the API, each request's duration counts. */
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
    return { requests: entries.length, answerBytes: api.receivedBytes === undefined ? undefined : bytes, seconds: tookMs / 1_000, connections: api.openConnections };
  }

  function update(): void {
    cancelUpdate?.();
    cancelUpdate = undefined;
    const load = lastMinute();
    if (load.requests !== shown?.requests || load.answerBytes !== shown.answerBytes || load.seconds !== shown.seconds || load.connections !== shown.connections) {
      shown = load;
      onLoad(load);
    }
    // An idle connection closes some time after the last request.
    if ((load.requests > 0 || (load.connections ?? 0) > 0) && !isStopped) cancelUpdate = clock.setTimer(updateEveryMs, update);
  }

  return {
    begin() {
      const entry: Entry = { startMs: clock.monotonicMs(), tookMs: 0, bytes: 0 };
      entries.push(entry);
      update();
      return () => {
        const { receivedBytes: received = 0, waitedMs } = api;
        // Of concurrent requests, the first to end gets all bytes and time: only the sums matter.
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
