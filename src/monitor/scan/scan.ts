import { AbortedError, type ApiError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Clock } from '../clock.ts';
import { backoffMs, retryAfterMs, toApiError } from '../polling/backoff.ts';
import type { RequestScheduler } from '../polling/request-scheduler.ts';
import type { ScanCoverage, ScanState } from '../state.ts';
import { emptyScan, type ScanDescription } from './lists.ts';
import { scanLimits, type ScanLimits } from './left-out.ts';
import { beginPace, type Pace, readNode, type ScanNode, unreadCoverage } from './scan-node.ts';
import { createRowTable } from './scan-rows.ts';

export interface ScanOptions<T> {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly description: ScanDescription<T>;
  /** The nodes to be read now; a rejection means that no scan can begin. */
  readonly listNodes: (signal: AbortSignal) => Promise<readonly ScanNode[]>;
  /** One scan runs at a time; each page is one request. */
  readonly schedule: RequestScheduler['schedule'];
  readonly intervalMs: () => number;
  readonly random: () => number;
  readonly onState: (state: ScanState<T>) => void;
  /** A node or the whole scan failed; `node` is `undefined` for the whole. */
  readonly onError: (error: ApiError, node: NodeName | undefined) => void;
  /** Reading a node's list ended without a failure; not all of the list may have been read. */
  readonly onNodeRead?: ((node: NodeName, coverage: ScanCoverage) => void) | undefined;
  readonly limits?: ScanLimits | undefined;
}

/** A list over all nodes, read in the background again and again. */
export interface Scan {
  start(): void;
  /** Ends the running scan and all timers; rows stay. Can be started again. */
  stop(): void;
  /** Ends the running scan; the next one comes after a minute at the earliest, or with `refresh`. */
  abort(): boolean;
  refresh(): void;
  /**
   * After a change: the same, unless the last scan took longer than a second; then the broker keeps the rest that it
   * earned. What a running scan has read may be from before the change: another one follows it.
   */
  refreshAfterChange(): void;
  /** Takes a row out that is known to be gone; it is shown as GONE. A page on its way does not bring it back. */
  drop(identity: string): void;
  /** The broker was reached elsewhere: what failed for want of a connection need not wait any longer. */
  retryConnection(): void;
  reschedule(): void;
  isRunning(): boolean;
}

/** A scan whose answered pages took this long is repeated after ten times as long: the broker rests ten elevenths of the time. */
export const restFactor = 10;
const restAfterAbortMs = 60_000;
const emitEveryMs = 250;
/** What a row costs who looks at all of them: 100,000 are given out once a second. */
const emitEveryMsPerRow = 0.01;
const quickMs = 1_000;

/**
 * Scans a list: nodes one after the other, pages one after the other with pauses (see `Pace`). The
 * next scan begins `max(interval, 10 × duration of the last)` after the last one ended, without the time for which it waited in vain: small clusters
 * are read at every tick, large ones rarely. One that failed, or waited in vain for a node, is tried again after 1 to 30 s at the earliest. Every scan reads all pages, a list that fits one page with one request: no
 * answer proves that a list has not changed. Its length is the same when one left and one came, its order is that
 * of ids or hashes (§4.2–4.5), and it has neither version nor filter. State is given out at most four times a second, a long
 * list more rarely, and at the end; a scan shorter than that shows only its end.
 */
export function createScan<T>(options: ScanOptions<T>): Scan {
  const { clock, description, limits = scanLimits } = options;
  const table = createRowTable<T>(description);
  const sizes = new Map<NodeName, number>();
  let state = emptyScan<T>();
  let coverage = new Map<NodeName, ScanCoverage>();
  let isActive = false;
  let running: AbortController | undefined;
  /** Of the running scan, once its pages are read: waiting for other scans, or to learn of the nodes, is no load. */
  let pace: Pace | undefined;
  let cancelNext: (() => void) | undefined;
  let cancelEmit: (() => void) | undefined;
  let cancelForget: (() => void) | undefined;
  let emittedMs = Number.NEGATIVE_INFINITY;
  let endedMs: number | undefined;
  /** Rest after the last scan beside the interval, which itself may change meanwhile: for the load that it was, */
  let earnedMs = 0;
  /** and because it failed. */
  let backoffUntilMs = Number.NEGATIVE_INFINITY;
  let retryAfterUntilMs = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let requests = 0;
  /** Something was changed while the running scan read. */
  let isOutdated = false;

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
    else cancelEmit = clock.setTimer(waitMs, () => { emit(); });
  }

  function clearTimers(): void {
    for (const cancel of [cancelNext, cancelEmit, cancelForget]) cancel?.();
    cancelNext = cancelEmit = cancelForget = undefined;
  }

  function schedule(): void {
    cancelNext?.();
    cancelNext = undefined;
    const nowMs = clock.monotonicMs();
    const dueMs = endedMs === undefined ? nowMs : Math.max(endedMs + Math.max(options.intervalMs(), earnedMs), backoffUntilMs, retryAfterUntilMs);
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
    pace = undefined;
    requests = 0;
    isOutdated = false;
    state = { ...state, phase: 'running', startedAtMs: clock.nowMs(), nextScanAtMs: undefined };
    // A rescan that is over in a moment need not flicker.
    if (state.finishedAtMs === undefined) emit();
    else { emittedMs = clock.monotonicMs(); emitSoon(); }
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
      nodes = await options.listNodes(signal);
    } catch (thrown) {
      if (!signal.aborted) endWithout(toApiError(thrown));
      return;
    }
    if (signal.aborted) return;
    state = { ...state, error: undefined };
    table.begin(nodes.map((node) => node.name));
    coverage = new Map(nodes.map((node) => [node.name, unreadCoverage]));
    if (state.leftOut.size > 0) state = { ...state, leftOut: new Map([...state.leftOut].filter(([node]) => coverage.has(node))) };
    const scanPace = beginPace(clock.monotonicMs());
    pace = scanPace;
    for (const node of nodes) {
      const error = await tryNode(node, scanPace, signal);
      if (signal.aborted) return;
      if (error?.kind === 'unauthorized' || error?.kind === 'rate-limited') break;
    }
    end(nodes);
  }

  async function tryNode(node: ScanNode, scanPace: Pace, signal: AbortSignal): Promise<ApiError | undefined> {
    const isFirstRead = state.rows.length === 0;
    try {
      await readNode<T>({
        clock, table, signal, sizes, limits,
        list: (name, page, callOptions) => options.schedule(() => description.list(options.api, name, page, callOptions), { signal, kind: 'aside' }),
        onRequest: () => { requests += 1; },
        onProgress: (name, progress) => {
          coverage = new Map(coverage).set(name, progress);
          // The very first rows appear at once.
          if (isFirstRead && state.rows.length === 0) emit();
          else emitSoon();
        },
      }, node, scanPace);
      if (!signal.aborted) noteRead(node.name, coverage.get(node.name) ?? unreadCoverage);
      return undefined;
    } catch (thrown) {
      if (signal.aborted) return undefined;
      const error = toApiError(thrown);
      coverage = new Map(coverage).set(node.name, { ...(coverage.get(node.name) ?? unreadCoverage), error });
      const waitMs = retryAfterMs(error);
      if (waitMs !== undefined) retryAfterUntilMs = clock.monotonicMs() + waitMs;
      emitSoon();
      options.onError(error, node.name);
      return error;
    }
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
    const hasHung = read < nodes.length && pace !== undefined && pace.lostMs >= quickMs;
    failures = isEndless || hasHung || (!hasAnswered && nodes.length > 0) ? failures + 1 : 0;
    close(read === nodes.length ? 'complete' : 'partial', {});
  }

  function endWithout(error: ApiError): void {
    failures += 1;
    const waitMs = retryAfterMs(error);
    if (waitMs !== undefined) retryAfterUntilMs = clock.monotonicMs() + waitMs;
    // Nothing was read, so what was known before is as known as it was.
    close(state.rows.length > 0 ? 'partial' : 'idle', { error });
    options.onError(error, undefined);
  }

  function close(phase: ScanState<T>['phase'], patch: Partial<ScanState<T>>): void {
    const nowMs = clock.monotonicMs();
    running = undefined;
    endedMs = nowMs;
    earnedMs = pace === undefined ? 0 : restFactor * Math.max(0, nowMs - pace.startedMs - pace.lostMs);
    if (phase === 'aborted') earnedMs = Math.max(earnedMs, restAfterAbortMs);
    // What failed, or hangs, is tried again as any reading is.
    backoffUntilMs = failures > 0 ? nowMs + backoffMs(failures, options.random) : Number.NEGATIVE_INFINITY;
    state = { ...state, ...patch, phase, finishedAtMs: clock.nowMs() };
    forgetGoneLater();
    if (!isActive) emit();
    else if (isOutdated && mayFollowAtOnce()) {
      emit();
      begin();
    } else schedule();
  }

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

  /** The last scan was short enough for the next to follow at once. */
  function mayFollowAtOnce(): boolean {
    return earnedMs <= restFactor * quickMs && clock.monotonicMs() >= retryAfterUntilMs;
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
        // Cut short by us, not by the operator: the next start goes on at once.
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
      else if (mayFollowAtOnce()) refresh();
    },
    drop(identity) {
      if (!table.remove(identity)) return;
      forgetGoneLater();
      emit();
    },
    retryConnection() {
      const errors = [state.error, ...[...coverage.values()].map(({ error }) => error)];
      if (failures === 0 || !errors.some((error) => error?.kind === 'unreachable')) return;
      backoffUntilMs = Number.NEGATIVE_INFINITY;
      if (isActive && running === undefined) schedule();
    },
    reschedule() {
      if (isActive && running === undefined) schedule();
    },
    isRunning: () => running !== undefined,
  };
}
