import { type ApiError, TimeoutError, UnauthorizedError } from '../../api/errors.ts';
import type { ReadingApi } from '../../api/management-api.ts';
import type { Clock } from '../../monitor/clock.ts';
import { createMonitorCore } from '../../monitor/monitor.ts';
import { asWatch, type Query, reading, type Watch, type Watchable, withReading } from '../../monitor/query/part.ts';
import type { MonitorState, ResourceState, ScanState } from '../../monitor/state.ts';
import { createStateWriter, initialState } from '../../monitor/store.ts';
import { mqttCluster } from '../../resources/cluster.ts';

/** The interval by which data that was read at the start is still current at the end. */
const intervalSeconds = 2;
/** Nothing is read again by itself before a command ends. */
const everySeconds = 3_600;
const repeatMs = 1_000;

export interface ClusterReaderOptions {
  readonly api: ReadingApi;
  readonly clock: Clock;
  readonly maxRows: number;
  readonly deadlineMs?: number | undefined;
  /** Returns what is known of the cause when the deadline ends requests. */
  readonly whyLost?: (() => string | undefined) | undefined;
  /** Called with every new state, in which what was read last is complete. */
  readonly onState?: ((state: MonitorState) => void) | undefined;
}

/** A monitor that reads what a command needs, each thing when it is asked to. */
export interface ClusterReader {
  readonly state: () => MonitorState;
  /** Aborts when the deadline has passed. */
  readonly signal: AbortSignal;
  /** Reads each of these, again if it has been read, and resolves when all are read or have failed. What the deadline ends has failed. */
  readonly read: (...watches: readonly Watchable[]) => Promise<void>;
  /** Ends the scan, whose rows stay. */
  readonly stopScan: (scan: Query<unknown, []>) => void;
  readonly cancelDeadline: () => void;
  readonly stop: () => void;
}

/** Runs the monitor without a screen. Nothing rejects: errors are in the state. */
export function createClusterReader({
  api,
  clock,
  maxRows,
  deadlineMs,
  whyLost,
  onState = () => {},
}: ClusterReaderOptions): ClusterReader {
  // At once: whoever has read enough of a list stops it before the next page is asked for.
  const writer = createStateWriter(initialState(intervalSeconds), (publish) => {
    publish();
  });
  const { monitor } = createMonitorCore({ api, cluster: mqttCluster, clock, writer, maxRows, random: () => 0 });
  const deadline = new AbortController();
  const cancelDeadline =
    deadlineMs === undefined
      ? () => {}
      : clock.setTimer(deadlineMs, () => {
          deadline.abort();
        });
  const watched = new Set<Watchable>();
  /** Lists that will never be read, and why. */
  const lost: (readonly [Watch, ApiError])[] = [];
  writer.store.subscribe(onState);

  /** Says why what has not been read never will be. */
  function lostError(): ApiError | undefined {
    const { isUnauthorized } = writer.state();
    if (isUnauthorized) return rejection() ?? new UnauthorizedError();
    return deadline.signal.aborted && deadlineMs !== undefined
      ? new TimeoutError(deadlineMs, { hint: whyLost?.() })
      : undefined;
  }

  const rejection = (): ApiError | undefined =>
    [...watched]
      .map((each) => stateOf(writer.state(), asWatch(each)).error)
      .find((error) => error?.kind === 'unauthorized');

  async function readOne(watchable: Watchable): Promise<void> {
    const watch = asWatch(watchable);
    const before = stateOf(writer.state(), watch);
    const isRead = (): boolean => isNewReading(before, stateOf(writer.state(), watch));
    if (watched.has(watchable)) monitor.refresh(watchable);
    else {
      watched.add(watchable);
      monitor.watch(watchable, everySeconds);
    }
    const isDone = (): boolean => isRead() || lostError() !== undefined;
    let cancelRepeat: (() => void) | undefined;
    /** A failure that may pass is repeated soon: the next attempt of the monitor is as far as its interval is long. */
    const repeatSoon = (): void => {
      const now = stateOf(writer.state(), watch);
      if ('rows' in now || now.isFetching || now.nextAttemptAtMs === undefined) return;
      cancelRepeat ??= clock.setTimer(repeatMs, () => {
        cancelRepeat = undefined;
        monitor.refresh(watchable);
        repeatSoon();
      });
    };
    await new Promise<void>((resolve) => {
      const end = (): void => {
        if (!isDone()) {
          repeatSoon();
          return;
        }
        cancelRepeat?.();
        unsubscribe();
        deadline.signal.removeEventListener('abort', end);
        resolve();
      };
      const unsubscribe = writer.store.subscribe(() => {
        end();
      });
      deadline.signal.addEventListener('abort', end);
      end();
    });
    const error = lostError();
    if (isRead() || error === undefined) return;
    lost.push([watch, error]);
    writeLost();
  }

  function writeLost(): void {
    for (const [watch, error] of lost)
      writer.write(
        withReading(writer.state(), watch.query, { ...stateOf(writer.state(), watch), error }, ...(watch.key as never)),
      );
    writer.flush();
  }

  return {
    state: writer.state,
    signal: deadline.signal,
    read: async (...watches) => {
      await Promise.all(watches.map(readOne));
    },
    stopScan: (scan) => {
      monitor.abortScan(scan);
    },
    cancelDeadline,
    stop: () => {
      cancelDeadline();
      monitor.stop();
      writeLost();
    },
  };
}

export type AnyState = ResourceState<unknown> | ScanState<unknown>;

export const stateOf = (state: MonitorState, { query, key }: Watch): AnyState =>
  reading(state, query, ...(key as never)) as AnyState;

/** Whether a reading has ended since `before`, and is no failure that is about to be repeated. */
function isNewReading(before: AnyState, now: AnyState): boolean {
  if (now.error !== undefined && now.error !== before.error) return true;
  return 'rows' in now
    ? now.phase !== 'running' && 'rows' in before && now.finishedAtMs !== before.finishedAtMs
    : !now.isFetching && now.data !== undefined && 'data' in before && now.updatedAtMs !== before.updatedAtMs;
}
