import type { ApiError } from '../../api/errors.ts';
import type { UnusableRows } from '../../api/management-api.ts';
import type { Clock } from '../clock.ts';
import { addUnusable } from '../scan/left-out.ts';
import type { ResourceState } from '../state.ts';
import { backoffMs, retryAfterMs, toApiError } from './backoff.ts';

/** The outcome of one attempt. `unchanged`: the answer equals the previous one. */
export type PollOutcome<T> =
  | { readonly kind: 'changed' | 'unchanged'; readonly data: T; readonly unusable: UnusableRows | undefined }
  | { readonly kind: 'failed'; readonly error: ApiError };

export interface PollerOptions<T> {
  readonly clock: Clock;
  /** Makes one attempt, with a deadline of its own; `signal` ends it early. */
  readonly read: (signal: AbortSignal, onUnusable: (rows: UnusableRows) => void) => Promise<T>;
  /** From the start of one attempt to the start of the next; may change. */
  readonly intervalMs: () => number;
  /** Called when an attempt is due: a positive number postpones it. */
  readonly postponeMs?: (() => number) | undefined;
  /** 0 to 1. */
  readonly random: () => number;
  readonly onState: (state: ResourceState<T>) => void;
  /** Called after the new state has been given to `onState`. */
  readonly onOutcome?: ((outcome: PollOutcome<T>) => void) | undefined;
}

/** Reads one resource repeatedly. */
export interface Poller<T> {
  state(): ResourceState<T>;
  /** Starts polling, with an attempt at once unless the last one is more recent than the interval. */
  start(): void;
  /** Cancels timers and the attempt in flight. Can be restarted. */
  stop(): void;
  /** Makes an attempt at once or joins the one in flight; resolves when it is over. Does nothing when stopped or before a 429's Retry-After. */
  refresh(): Promise<void>;
  /** Makes one more attempt after the one in flight, whose answer may predate the change. */
  refreshAfterChange(): Promise<void>;
  /** Ends the back-off after an attempt that found no connection, and no other wait. */
  retryConnection(): void;
  reschedule(): void;
}

/** The state of a resource before its first attempt. */
export function emptyResource<T>(): ResourceState<T> {
  return {
    data: undefined,
    updatedAtMs: undefined,
    durationMs: undefined,
    error: undefined,
    failingSinceMs: undefined,
    nextAttemptAtMs: undefined,
    isFetching: false,
  };
}

/**
 * Never makes two attempts at once. Starts lie on a grid of `intervalMs`, and slots that a slow answer missed are skipped.
 * Failures back off (see `backoffMs`), never faster than the interval. A 401 stops polling.
 */
export function createPoller<T>(options: PollerOptions<T>): Poller<T> {
  const { clock } = options;
  let state = emptyResource<T>();
  let isActive = false;
  let attempt: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;
  let cancelTimer: (() => void) | undefined;
  let startedMs: number | undefined;
  let startedBeforeMs: number | undefined;
  let failures = 0;
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
    if (failures > 0) dueMs = Math.max(dueMs, notBeforeMs);
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
      const postponeMs = options.postponeMs?.() ?? 0;
      if (postponeMs > 0) wait(postponeMs);
      else begin();
    });
    publish({ nextAttemptAtMs: clock.nowMs() + delayMs });
  }

  function begin(): void {
    const controller = new AbortController();
    startedBeforeMs = startedMs;
    startedMs = clock.monotonicMs();
    const done = run(controller, startedMs);
    attempt = { controller, done };
    publish({ isFetching: true, nextAttemptAtMs: undefined });
  }

  async function run(controller: AbortController, beganMs: number): Promise<void> {
    // The attempt has to be registered before its answer can come.
    await Promise.resolve();
    let outcome: PollOutcome<T>;
    try {
      if (controller.signal.aborted) return;
      let unusable: UnusableRows | undefined;
      const answer = await options.read(controller.signal, (rows) => { unusable = addUnusable(unusable, rows); });
      if (attempt?.controller !== controller) return;
      const data = shareStructure(state.data, answer);
      outcome = { kind: state.data !== undefined && Object.is(data, state.data) ? 'unchanged' : 'changed', data, unusable };
    } catch (thrown) {
      if (attempt?.controller !== controller) return;
      outcome = { kind: 'failed', error: toApiError(thrown) };
    }
    attempt = undefined;
    if (outcome.kind === 'failed') fail(outcome.error);
    else succeed(outcome.data, outcome.unusable, clock.monotonicMs() - beganMs);
    options.onOutcome?.(outcome);
    if (isActive && attempt === undefined && cancelTimer === undefined) schedule(true);
  }

  function succeed(data: T, unusable: UnusableRows | undefined, durationMs: number): void {
    failures = 0;
    publish({ data, unusable, durationMs, updatedAtMs: clock.nowMs(), error: undefined, failingSinceMs: undefined, isFetching: false });
  }

  function fail(error: ApiError): void {
    failures += 1;
    const nowMs = clock.monotonicMs();
    const waitMs = retryAfterMs(error);
    if (waitMs !== undefined) retryAfterUntilMs = nowMs + waitMs;
    notBeforeMs = nowMs + (waitMs ?? backoffMs(failures, options.random));
    if (error.kind === 'unauthorized') isActive = false;
    publish({ error, failingSinceMs: state.failingSinceMs ?? clock.nowMs(), isFetching: false, nextAttemptAtMs: undefined });
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
    start() {
      if (isActive) return;
      isActive = true;
      schedule(false);
    },
    stop() {
      if (!isActive && attempt === undefined) return;
      isActive = false;
      clearTimer();
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
      if (failures === 0 || state.error?.kind !== 'unreachable') return;
      notBeforeMs = Number.NEGATIVE_INFINITY;
      if (isActive && attempt === undefined) schedule(false);
    },
    reschedule() {
      if (isActive && attempt === undefined) schedule(false);
    },
  };
}

export interface PollerMapOptions<T> {
  /** How many pollers are kept after their last watcher left; the oldest go first. */
  readonly maxUnwatched: number;
  readonly create: (key: string, onState: (state: ResourceState<T>) => void) => Poller<T>;
  readonly onStates: (states: ReadonlyMap<string, ResourceState<T>>) => void;
}

/** Pollers of one kind by key, created on first use. */
export interface PollerMap<T> {
  get(key: string): Poller<T>;
  keep(key: string): void;
  /** Called when the last watcher leaves: the data stays until the poller is forgotten. */
  release(key: string): void;
}

export function createPollerMap<T>(options: PollerMapOptions<T>): PollerMap<T> {
  const pollers = new Map<string, Poller<T>>();
  /** Unwatched keys, the longest unwatched first. */
  const idle = new Set<string>();
  let states: ReadonlyMap<string, ResourceState<T>> = new Map();

  function publish(key: string, state: ResourceState<T>): void {
    states = new Map(states).set(key, state);
    options.onStates(states);
  }

  function forget(key: string): void {
    idle.delete(key);
    pollers.delete(key);
    const next = new Map(states);
    next.delete(key);
    states = next;
    options.onStates(states);
  }

  function get(key: string): Poller<T> {
    let poller = pollers.get(key);
    if (poller === undefined) {
      poller = options.create(key, (state) => { if (pollers.has(key)) publish(key, state); });
      pollers.set(key, poller);
      publish(key, emptyResource());
    }
    return poller;
  }

  return {
    get,
    keep(key) {
      idle.delete(key);
      get(key);
    },
    release(key) {
      idle.add(key);
      for (const oldest of [...idle].slice(0, Math.max(0, idle.size - options.maxUnwatched))) forget(oldest);
    },
  };
}

/**
 * Returns `next` with every part that equals its counterpart in `previous` replaced by it, or `previous` if all is equal,
 * so that changes are found by reference. Descends into plain objects, arrays and maps.
 */
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
    const kept = shareStructure(previous[index], item);
    if (same && !Object.is(kept, previous[index])) same = false;
    return kept;
  });
  return same ? previous : shared;
}

function shareMap(previous: ReadonlyMap<unknown, unknown>, next: ReadonlyMap<unknown, unknown>): ReadonlyMap<unknown, unknown> {
  let same = previous.size === next.size;
  const shared = new Map<unknown, unknown>();
  for (const [key, item] of next) {
    const kept = shareStructure(previous.get(key), item);
    if (!previous.has(key) || !Object.is(kept, previous.get(key))) same = false;
    shared.set(key, kept);
  }
  return same ? previous : shared;
}

function shareObject(previous: PlainObject, next: PlainObject): PlainObject {
  const keys = Object.keys(next);
  let same = keys.length === Object.keys(previous).length && Object.getPrototypeOf(previous) === Object.getPrototypeOf(next);
  const shared: Record<string, unknown> = Object.create(Object.getPrototypeOf(next));
  for (const key of keys) {
    const kept = shareStructure(Object.hasOwn(previous, key) ? previous[key] : undefined, next[key]);
    if (!Object.hasOwn(previous, key) || !Object.is(kept, previous[key])) same = false;
    // A key such as `__proto__` must stay a key.
    Object.defineProperty(shared, key, { value: kept, enumerable: true, configurable: true, writable: true });
  }
  return same ? previous : shared;
}
