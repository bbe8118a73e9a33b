import { AbortedError, type ApiError, asApiError } from '../../api/errors.ts';
import type { ReadingApi } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Clock } from '../clock.ts';
import { backoffMs, retryAfterMs } from '../polling/intervals.ts';
import { mayPass, readTwice } from '../polling/repeat.ts';
import type { RequestScheduler } from '../polling/request-scheduler.ts';
import type { Scan } from '../query/query.ts';
import { emptyScan, type ScanCoverage, type ScanState } from '../state.ts';
import { scanLimits, type ScanLimits } from './missing-rows.ts';
import { beginTiming, type ScanTiming, readNode, restartTiming, type ScanNode, unreadCoverage } from './scan-node.ts';
import { createRowTable, forgetOldest } from './scan-rows.ts';

export interface ScanOptions<T> {
  readonly api: ReadingApi;
  readonly clock: Clock;
  readonly scan: Scan<T>;
  readonly listNodes: (signal: AbortSignal) => Promise<readonly ScanNode[]>;
  readonly schedule: RequestScheduler['schedule'];
  readonly intervalMs: () => number;
  readonly random: () => number;
  readonly onState: (state: ScanState<T>) => void;
  /** Called with failures; `node` is `undefined` if the whole scan failed. */
  readonly onError: (error: ApiError, node: NodeName | undefined) => void;
  readonly onNodeRead?: ((node: NodeName, coverage: ScanCoverage) => void) | undefined;
  readonly limits?: ScanLimits | undefined;
}

export interface ScanTask {
  start(): void;
  /** Stops the scan, which keeps its rows and can be restarted. */
  stop(): void;
  /** Ends the running scan. The next one starts after a minute, or with `refresh`. */
  abort(): boolean;
  refresh(): void;
  /** Scans again if the last scan was short. A running scan, which may predate the change, is followed by another. */
  refreshAfterChange(): void;
  /** Moves a row to `gone`; a page in flight does not restore it. */
  drop(identity: string): void;
  /**
   * Scans sooner, because the API, or a node, is back: the next scan only pauses for as long as the last one took. One
   * that has missed something of it is followed by another.
   */
  retryConnection(): void;
  reschedule(): void;
  isRunning(): boolean;
}

/** The pause after a scan, in multiples of the time of its answered pages. */
export const restFactor = 10;
/** The longest pause after the first complete scan: rates and losses need a second one. */
const firstRestMs = 12_000;
const restAfterAbortMs = 60_000;
const emitEveryMs = 250;
const emitEveryMsPerRow = 0.01;
const shortScanMs = 1_000;
/** Readings that are more intervals apart say nothing of what happened between them. */
const gapIntervals = 2;
const maxNodes = 256;

/**
 * Reads all pages of all nodes, because lists have neither version nor filter, then pauses for `max(interval, 10 ×
 * duration)`, the first time for 12 s at most.
 */
export function createScanTask<T>(options: ScanOptions<T>): ScanTask {
  const { clock, scan, limits = scanLimits } = options;
  const table = createRowTable<T>(scan);
  const sizes = new Map<NodeName, number>();
  const readAtMs = new Map<NodeName, number>();
  let state = emptyScan<T>();
  let coverage = new Map<NodeName, ScanCoverage>();
  let isActive = false;
  let running: AbortController | undefined;
  /** Set from the first page on: waiting for other scans or the node list is no load. */
  let timing: ScanTiming | undefined;
  let cancelNext: (() => void) | undefined;
  let cancelEmit: (() => void) | undefined;
  let cancelForget: (() => void) | undefined;
  let emittedMs = Number.NEGATIVE_INFINITY;
  let endedMs: number | undefined;
  let restMs = 0;
  let answeredMs = 0;
  /** The longest pause that was planned after the last scan. */
  let plannedMs = 0;
  let backoffUntilMs = Number.NEGATIVE_INFINITY;
  let retryAfterUntilMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let requests = 0;
  let isOutdated = false;
  let isBack = false;
  let hasCompleted = false;

  function emit(patch: Partial<ScanState<T>> = {}): void {
    cancelEmit?.();
    cancelEmit = undefined;
    emittedMs = clock.monotonicMs();
    state = { ...state, ...patch, rows: table.rows(), added: table.added(), gone: table.gone(), coverage, requests };
    options.onState(state);
  }

  function emitSoon(): void {
    if (cancelEmit !== undefined) return;
    const waitMs = emittedMs + Math.max(emitEveryMs, emitEveryMsPerRow * state.rows.length) - clock.monotonicMs();
    if (waitMs <= 0) emit();
    else
      cancelEmit = clock.setTimer(waitMs, () => {
        emit();
      });
  }

  function clearTimers(): void {
    for (const cancel of [cancelNext, cancelEmit, cancelForget]) cancel?.();
    cancelNext = cancelEmit = cancelForget = undefined;
  }

  function schedule(): void {
    cancelNext?.();
    cancelNext = undefined;
    const nowMs = clock.monotonicMs();
    plannedMs = Math.max(plannedMs, options.intervalMs(), restMs);
    const dueMs =
      endedMs === undefined
        ? nowMs
        : Math.max(
            endedMs + (isBack ? restMs / restFactor : Math.max(options.intervalMs(), restMs)),
            backoffUntilMs,
            retryAfterUntilMs,
          );
    if (dueMs <= nowMs) {
      begin();
      return;
    }
    cancelNext = clock.setTimer(dueMs - nowMs, begin);
    emit({ nextScanAtMs: clock.nowMs() + dueMs - nowMs });
  }

  function begin(): void {
    clearTimers();
    const controller = new AbortController();
    running = controller;
    timing = undefined;
    requests = 0;
    isOutdated = isBack = false;
    state = { ...state, phase: 'running', startedAtMs: clock.nowMs(), nextScanAtMs: undefined };
    // A quick rescan only publishes its end.
    if (state.finishedAtMs === undefined) emit();
    else {
      emittedMs = clock.monotonicMs();
      emitSoon();
    }
    void run(controller.signal);
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      await options.schedule(() => readNodes(signal), { signal, kind: 'scan' });
    } catch (thrown) {
      if (!(thrown instanceof AbortedError)) throw thrown;
    }
  }

  async function readNodes(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    let nodes: readonly ScanNode[];
    try {
      nodes = await readTwice(() => options.listNodes(signal), { clock, signal });
    } catch (thrown) {
      if (!signal.aborted) endWithout(asApiError(thrown));
      return;
    }
    if (signal.aborted) return;
    state = { ...state, error: undefined };
    table.begin(nodes.map((node) => node.name));
    coverage = new Map(nodes.map((node) => [node.name, unreadCoverage]));
    if (state.leftOut.size > 0)
      state = { ...state, leftOut: new Map([...state.leftOut].filter(([node]) => coverage.has(node))) };
    const scanTiming = beginTiming(clock.monotonicMs());
    timing = scanTiming;
    for (const node of nodes) {
      const error = await tryNode(node, scanTiming, signal);
      if (signal.aborted) return;
      if (error?.kind === 'unauthorized' || error?.kind === 'busy') break;
    }
    end(nodes);
  }

  async function tryNode(node: ScanNode, scanTiming: ScanTiming, signal: AbortSignal): Promise<ApiError | undefined> {
    const isFirstRead = state.rows.length === 0;
    try {
      await readNode<T>(
        {
          clock,
          table,
          signal,
          sizes,
          limits,
          // A page that times out has taken long enough, and may be read in smaller ones.
          list: (name, page, callOptions) =>
            readTwice(
              () =>
                options.schedule(() => scan.list(options.api, name, page, callOptions), {
                  signal,
                  kind: 'detail',
                }),
              { clock, signal, isRepeated: ({ kind }) => kind !== 'timeout' },
            ),
          onRequest: () => {
            requests += 1;
          },
          onProgress: (name, progress) => {
            coverage = new Map(coverage).set(name, withGap(name, progress));
            if (isFirstRead && state.rows.length === 0) emit();
            else emitSoon();
          },
        },
        node,
        scanTiming,
      );
      if (!signal.aborted) noteRead(node.name, coverage.get(node.name) ?? unreadCoverage);
      return undefined;
    } catch (thrown) {
      if (signal.aborted) return undefined;
      const error = asApiError(thrown);
      coverage = new Map(coverage).set(node.name, { ...(coverage.get(node.name) ?? unreadCoverage), error });
      const waitMs = retryAfterMs(error);
      if (waitMs !== undefined) retryAfterUntilMs = clock.monotonicMs() + waitMs;
      emitSoon();
      options.onError(error, node.name);
      return error;
    }
  }

  function withGap(node: NodeName, progress: ScanCoverage): ScanCoverage {
    if (progress.readAtMs === undefined) return progress;
    const beforeMs = readAtMs.get(node);
    readAtMs.delete(node);
    readAtMs.set(node, progress.readAtMs);
    forgetOldest(readAtMs, maxNodes);
    const isAfterGap =
      beforeMs !== undefined && progress.readAtMs - beforeMs > gapIntervals * (plannedMs + answeredMs) + shortScanMs;
    return isAfterGap ? { ...progress, isAfterGap } : progress;
  }

  function noteRead(node: NodeName, read: ScanCoverage): void {
    const leftOut = new Map(state.leftOut);
    if (read.cut === undefined && read.unusable === undefined) leftOut.delete(node);
    else leftOut.set(node, read);
    if (leftOut.size > 0 || state.leftOut.size > 0) state = { ...state, leftOut };
    options.onNodeRead?.(node, read);
  }

  function end(nodes: readonly ScanNode[]): void {
    table.finish();
    const all = [...coverage.values()];
    const read = all.filter((node) => node.isComplete).length;
    const isEndless = all.some(({ cut }) => cut === 'growth' || cut === 'repeats' || cut === 'time');
    const hasAnswered = all.some(({ isComplete, cut }) => isComplete || cut !== undefined);
    const hasHung = read < nodes.length && timing !== undefined && timing.lostMs >= shortScanMs;
    failures = isEndless || hasHung || (!hasAnswered && nodes.length > 0) ? failures + 1 : 0;
    close(read === nodes.length ? 'complete' : 'partial', {});
  }

  function endWithout(error: ApiError): void {
    failures += 1;
    const waitMs = retryAfterMs(error);
    if (waitMs !== undefined) retryAfterUntilMs = clock.monotonicMs() + waitMs;
    close(state.rows.length > 0 ? 'partial' : 'idle', { error });
    options.onError(error, undefined);
  }

  function close(phase: ScanState<T>['phase'], patch: Partial<ScanState<T>>): void {
    const nowMs = clock.monotonicMs();
    running = undefined;
    endedMs = nowMs;
    answeredMs = timing === undefined ? 0 : Math.max(0, nowMs - timing.startedMs - timing.lostMs);
    restMs = restFactor * answeredMs;
    plannedMs = 0;
    if (phase === 'complete' && !hasCompleted) {
      hasCompleted = true;
      restMs = Math.min(restMs, firstRestMs);
    }
    if (phase === 'aborted') restMs = Math.max(restMs, restAfterAbortMs);
    isBack &&= phase !== 'aborted' && hasMissed(patch.error);
    backoffUntilMs = failures > 0 && !isBack ? nowMs + backoffMs(failures, options.random) : Number.NEGATIVE_INFINITY;
    state = { ...state, ...patch, phase, finishedAtMs: clock.nowMs() };
    forgetGoneLater();
    if (!isActive) emit();
    else if (isOutdated && canRescanNow()) {
      emit();
      begin();
    } else schedule();
  }

  const hasMissed = (error: ApiError | undefined): boolean =>
    [error, ...[...coverage.values()].map((node) => node.error)].some((each) => each !== undefined && mayPass(each));

  function forgetGoneLater(): void {
    if (table.gone().length === 0 || !isActive) return;
    cancelForget?.();
    cancelForget = clock.setTimer(options.intervalMs(), () => {
      cancelForget = undefined;
      table.forgetGone();
      emitSoon();
    });
  }

  function refresh(): void {
    if (isActive && running === undefined && clock.monotonicMs() >= retryAfterUntilMs) begin();
  }

  function canRescanNow(): boolean {
    return restMs <= restFactor * shortScanMs && clock.monotonicMs() >= retryAfterUntilMs;
  }

  return {
    start() {
      if (isActive) return;
      isActive = true;
      schedule();
    },
    stop() {
      if (!isActive) return;
      isActive = false;
      clearTimers();
      if (running !== undefined) {
        running.abort();
        running = undefined;
        // Not stopped by the operator: the next start scans at once.
        endedMs = undefined;
        state = { ...state, phase: 'aborted', finishedAtMs: clock.nowMs() };
      }
      emit({ nextScanAtMs: undefined });
    },
    abort() {
      if (running === undefined) return false;
      running.abort();
      close('aborted', {});
      return true;
    },
    refresh,
    refreshAfterChange() {
      if (running !== undefined) isOutdated = requests > 0;
      else if (canRescanNow()) refresh();
    },
    drop(identity) {
      if (!table.remove(identity)) return;
      forgetGoneLater();
      emit();
    },
    retryConnection() {
      if (state.phase === 'aborted' && endedMs !== undefined) return;
      isBack = true;
      backoffUntilMs = Number.NEGATIVE_INFINITY;
      if (timing !== undefined && running !== undefined) restartTiming(timing, clock.monotonicMs());
      else if (isActive && running === undefined) schedule();
    },
    reschedule() {
      if (isActive && running === undefined) schedule();
    },
    isRunning: () => running !== undefined,
  };
}
