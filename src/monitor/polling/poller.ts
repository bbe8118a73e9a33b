import { type ApiError, asApiError, isAbsent } from '../../api/errors.ts';
import type { UnusableRows } from '../../api/management-api.ts';
import type { Clock } from '../clock.ts';
import { addUnusable } from '../scan/missing-rows.ts';
import { emptyResource, type ResourceState } from '../state.ts';
import { backoffMs, retryAfterMs } from './intervals.ts';
import { confirmAfterMs, mayPass } from './repeat.ts';

export type PollOutcome<T> =
  | { readonly kind: 'changed' | 'unchanged'; readonly data: T; readonly unusable: UnusableRows | undefined }
  | { readonly kind: 'failed'; readonly error: ApiError };

export interface PollerOptions<T> {
  readonly clock: Clock;
  readonly read: (signal: AbortSignal, onUnusable: (rows: UnusableRows) => void) => Promise<T>;
  /** The time from start to start; may change. */
  readonly intervalMs: () => number;
  /** A positive result postpones an attempt that is due, for an interval at most. */
  readonly postponeMs?: (() => number) | undefined;
  readonly random: () => number;
  readonly onState: (state: ResourceState<T>) => void;
  readonly onOutcome?: ((outcome: PollOutcome<T>) => void) | undefined;
}

export interface Poller<T> {
  state(): ResourceState<T>;
  /** The error of the last attempt, also while it is not confirmed. */
  lastError(): ApiError | undefined;
  /** Starts at once, unless the last attempt is more recent than the interval. */
  start(): void;
  stop(): void;
  /** Attempts now, or joins an attempt in flight. Does nothing when stopped or before a 429's Retry-After. */
  refresh(): Promise<void>;
  /** Attempts again after the attempt in flight, which may predate the change. */
  refreshAfterChange(): Promise<void>;
  /** Reads at once what failed, because the API, or a node, is back; also if the attempt in flight fails. */
  retryConnection(): void;
  reschedule(): void;
}

/** The time until an absent reading is asked for again: somebody may grant it, or upgrade the broker. */
const absentMs = 5 * 60_000;

/** The longest delay until a failed attempt is repeated, however long the interval. */
const maxRepeatDelayMs = 5_000;

/**
 * Polls on a grid of `intervalMs`; missed slots are skipped. A failure that may pass is repeated, and is in the state
 * and an outcome only if it fails again or goes on for ten seconds. Failures back off, a 401 stops polling.
 */
export function createPoller<T>(options: PollerOptions<T>): Poller<T> {
  const { clock } = options;
  let state = emptyResource<T>();
  let isActive = false;
  let attempt: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;
  let cancelTimer: (() => void) | undefined;
  let startedMs: number | undefined;
  let startedBeforeMs: number | undefined;
  let dueSinceMs: number | undefined;
  let failures = 0;
  let lastError: ApiError | undefined;
  let firstFailedAtMs: number | undefined;
  let cancelConfirm: (() => void) | undefined;
  let isBack = false;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let retryAfterUntilMs = Number.NEGATIVE_INFINITY;

  function publish(patch: Partial<ResourceState<T>>): void {
    state = { ...state, ...patch };
    options.onState(state);
  }

  function clearTimer(): void {
    cancelTimer?.();
    cancelTimer = undefined;
  }

  function delayUntilDueMs(isAfterAttempt: boolean): number {
    const nowMs = clock.monotonicMs();
    if (startedMs === undefined) return 0;
    const intervalMs = options.intervalMs();
    let dueMs = startedMs + intervalMs;
    if (isBack) dueMs = retryAfterUntilMs;
    else if (failures > 0)
      dueMs = Math.max(isConfirmed() ? dueMs : Math.min(dueMs, startedMs + maxRepeatDelayMs), notBeforeMs);
    else if (isAfterAttempt && dueMs <= nowMs) dueMs += Math.floor((nowMs - startedMs) / intervalMs) * intervalMs;
    return Math.max(0, dueMs - nowMs);
  }

  function schedule(isAfterAttempt: boolean): void {
    clearTimer();
    const delayMs = delayUntilDueMs(isAfterAttempt);
    if (delayMs === 0) begin();
    else wait(delayMs);
  }

  function wait(delayMs: number): void {
    cancelTimer = clock.setTimer(delayMs, () => {
      cancelTimer = undefined;
      dueSinceMs ??= clock.monotonicMs();
      const postponeMs = options.postponeMs?.() ?? 0;
      // Many others must not keep one from being read at all.
      if (postponeMs > 0 && clock.monotonicMs() - dueSinceMs < options.intervalMs()) wait(postponeMs);
      else begin();
    });
    publish({ nextAttemptAtMs: clock.nowMs() + delayMs });
  }

  function begin(): void {
    const controller = new AbortController();
    dueSinceMs = undefined;
    isBack = false;
    startedBeforeMs = startedMs;
    startedMs = clock.monotonicMs();
    const done = run(controller, startedMs);
    attempt = { controller, done };
    publish({ isFetching: true, nextAttemptAtMs: undefined });
  }

  async function run(controller: AbortController, beganMs: number): Promise<void> {
    // The attempt must be registered before its answer can arrive.
    await Promise.resolve();
    let outcome: PollOutcome<T>;
    try {
      if (controller.signal.aborted) return;
      let unusable: UnusableRows | undefined;
      const answer = await options.read(controller.signal, (rows) => {
        unusable = addUnusable(unusable, rows);
      });
      if (attempt?.controller !== controller) return;
      const data = shareStructure(state.data, answer);
      outcome = {
        kind: state.data !== undefined && Object.is(data, state.data) ? 'unchanged' : 'changed',
        data,
        unusable,
      };
    } catch (thrown) {
      if (attempt?.controller !== controller) return;
      outcome = { kind: 'failed', error: asApiError(thrown) };
    }
    attempt = undefined;
    if (outcome.kind === 'failed') fail(outcome.error, beganMs);
    else {
      succeed(outcome.data, outcome.unusable, clock.monotonicMs() - beganMs);
      options.onOutcome?.(outcome);
    }
    if (isActive && attempt === undefined && cancelTimer === undefined) schedule(true);
  }

  function succeed(data: T, unusable: UnusableRows | undefined, durationMs: number): void {
    failures = 0;
    isBack = false;
    lastError = firstFailedAtMs = undefined;
    cancelConfirm?.();
    publish({
      data,
      unusable,
      durationMs,
      updatedAtMs: clock.nowMs(),
      error: undefined,
      failingSinceMs: undefined,
      isFetching: false,
    });
  }

  const isConfirmed = (): boolean => state.error !== undefined;

  function confirm(error: ApiError): void {
    cancelConfirm?.();
    publish({ error, failingSinceMs: state.failingSinceMs ?? firstFailedAtMs, isFetching: attempt !== undefined });
    options.onOutcome?.({ kind: 'failed', error });
  }

  function fail(error: ApiError, beganMs: number): void {
    failures += 1;
    lastError = error;
    firstFailedAtMs ??= clock.nowMs();
    const nowMs = clock.monotonicMs();
    const waitMs = retryAfterMs(error);
    if (waitMs !== undefined) retryAfterUntilMs = nowMs + waitMs;
    notBeforeMs = nowMs + (waitMs ?? (isAbsent(error) ? absentMs : backoffMs(failures, options.random)));
    if (error.kind === 'unauthorized') isActive = false;
    publish({ isFetching: false, nextAttemptAtMs: undefined });
    if (failures > 1 || isConfirmed() || !mayPass(error) || nowMs - beganMs >= confirmAfterMs) {
      confirm(error);
      return;
    }
    cancelConfirm?.();
    cancelConfirm = clock.setTimer(beganMs + confirmAfterMs - nowMs, () => {
      confirm(error);
    });
  }

  async function refresh(): Promise<void> {
    if (!isActive) return;
    if (attempt === undefined) {
      if (clock.monotonicMs() < retryAfterUntilMs) return;
      clearTimer();
      begin();
    }
    await attempt?.done;
  }

  return {
    state: () => state,
    lastError: () => lastError,
    start() {
      if (isActive) return;
      isActive = true;
      schedule(false);
    },
    stop() {
      if (!isActive && attempt === undefined) return;
      isActive = false;
      clearTimer();
      cancelConfirm?.();
      if (attempt !== undefined) {
        attempt.controller.abort();
        attempt = undefined;
        // The aborted attempt does not delay the next start.
        startedMs = startedBeforeMs;
      }
      publish({ isFetching: false, nextAttemptAtMs: undefined });
    },
    refresh,
    async refreshAfterChange() {
      await attempt?.done;
      await refresh();
    },
    retryConnection() {
      if (lastError === undefined || !mayPass(lastError)) return;
      isBack = true;
      if (isActive && attempt === undefined) schedule(false);
    },
    reschedule() {
      if (isActive && attempt === undefined) schedule(false);
    },
  };
}

/** Keeps every part of `previous` that is equal in `next`, so that changes are found by reference. */
export function shareStructure<T>(previous: unknown, next: T): T;
export function shareStructure(previous: unknown, next: unknown): unknown {
  if (Object.is(previous, next)) return previous;
  if (Array.isArray(previous) && Array.isArray(next)) return shareArray(previous, next);
  if (previous instanceof Map && next instanceof Map) return shareMap(previous, next);
  if (isPlainObject(previous) && isPlainObject(next)) return shareObject(previous, next);
  return next;
}

type PlainObject = Readonly<Record<string, unknown>>;

function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function shareArray(previous: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  let same = previous.length === next.length;
  const shared = next.map((item, index) => {
    const reused = shareStructure(previous[index], item);
    if (same && !Object.is(reused, previous[index])) same = false;
    return reused;
  });
  return same ? previous : shared;
}

function shareMap(
  previous: ReadonlyMap<unknown, unknown>,
  next: ReadonlyMap<unknown, unknown>,
): ReadonlyMap<unknown, unknown> {
  let same = previous.size === next.size;
  const shared = new Map<unknown, unknown>();
  for (const [key, item] of next) {
    const reused = shareStructure(previous.get(key), item);
    if (!previous.has(key) || !Object.is(reused, previous.get(key))) same = false;
    shared.set(key, reused);
  }
  return same ? previous : shared;
}

function shareObject(previous: PlainObject, next: PlainObject): PlainObject {
  const keys = Object.keys(next);
  let same =
    keys.length === Object.keys(previous).length && Object.getPrototypeOf(previous) === Object.getPrototypeOf(next);
  const shared: Record<string, unknown> = Object.create(Object.getPrototypeOf(next));
  for (const key of keys) {
    const reused = shareStructure(Object.hasOwn(previous, key) ? previous[key] : undefined, next[key]);
    if (!Object.hasOwn(previous, key) || !Object.is(reused, previous[key])) same = false;
    // A key such as `__proto__` must stay a key.
    Object.defineProperty(shared, key, { value: reused, enumerable: true, configurable: true, writable: true });
  }
  return same ? previous : shared;
}
