import {
  AbortedError,
  type ApiError,
  type ApiErrorKind,
  isRefusal,
  asApiError,
  UnreachableError,
} from '../../api/errors.ts';
import type { NodeName } from '../../domain/node.ts';

const maxInFlight = 6;
/** Limits requests for details, so that slots stay for cluster requests when these hang. */
const maxDetailInFlight = 3;
const minUnreachableInRow = 2;

/** Kinds of errors that a broker returns only after it has accepted the login. */
const provingKinds: ReadonlySet<ApiErrorKind> = new Set(['not-found', 'bad-answer', 'too-large']);

/** Sends one request when it is its turn. */
export type Call = <R>(request: () => Promise<R>, signal: AbortSignal) => Promise<R>;

export interface ScheduleOptions {
  /** Ends the waiting only; the request itself must also listen to it. */
  readonly signal: AbortSignal;
  /**
   * `cluster` includes actions; `detail` is data of one node, client or topic and pages of lists; `scan` is a whole
   * scan, not a request.
   */
  readonly kind: 'cluster' | 'detail' | 'scan';
  /** Allows one request per node at a time: a hanging node delays only itself. */
  readonly node?: NodeName | undefined;
  /** Never takes the last slot for details: pages of a scan go on however long it takes. */
  readonly leavesSlot?: boolean | undefined;
  /** The answer says nothing about the login or reachability of the serving URL. */
  readonly isAtChosenUrl?: boolean | undefined;
}

export interface RequestSchedulerOptions {
  readonly onRequest?: (() => () => void) | undefined;
  readonly onReached?: (() => void) | undefined;
}

export interface RequestScheduler {
  /**
   * Runs a request when a slot is free. @throws what the request throws; AbortedError when the waiting ends;
   * UnauthorizedError, without sending, if another login is rejected meanwhile
   */
  schedule<R>(request: () => Promise<R>, options: ScheduleOptions): Promise<R>;
  stop(): void;
}

interface Entry extends ScheduleOptions {
  readonly start: () => void;
  readonly cancel: (error: ApiError) => void;
}

export function createRequestScheduler({ onRequest, onReached }: RequestSchedulerOptions = {}): RequestScheduler {
  const queue = new Set<Entry>();
  const running = new Set<Entry>();
  let isLoginProven = false;
  /**
   * The request that runs alone until the login is accepted: brokers may lock an account after a few wrong passwords.
   */
  let trial: Entry | undefined;
  let unreachableInRow = 0;

  const count = (isCounted: (entry: Entry) => boolean): number => [...running].filter(isCounted).length;

  function mayStart(entry: Entry): boolean {
    if (entry.kind === 'scan') return count(({ kind }) => kind === 'scan') === 0;
    if (count(({ kind }) => kind !== 'scan') >= maxInFlight) return false;
    if (
      entry.kind === 'detail' &&
      count(({ kind }) => kind === 'detail') >= (entry.leavesSlot === true ? maxDetailInFlight - 1 : maxDetailInFlight)
    )
      return false;
    if (entry.node !== undefined && count(({ node }) => node === entry.node) > 0) return false;
    return !usesLogin(entry) || isLoginProven || trial === undefined;
  }

  function pump(): void {
    const next = [...queue].find((entry) => mayStart(entry));
    if (next === undefined) return;
    queue.delete(next);
    next.start();
    pump();
  }

  async function run<R>(entry: Entry, request: () => Promise<R>): Promise<R> {
    running.add(entry);
    if (usesLogin(entry) && !isLoginProven) trial = entry;
    const end = entry.kind === 'scan' ? undefined : onRequest?.();
    try {
      const answer = await request();
      end?.();
      if (usesLogin(entry)) noteAnswer();
      return answer;
    } catch (thrown) {
      end?.();
      if (usesLogin(entry)) noteFailure(thrown);
      throw thrown;
    } finally {
      running.delete(entry);
      if (trial === entry) trial = undefined;
      pump();
    }
  }

  function noteAnswer(): void {
    isLoginProven = true;
    const wasLost = unreachableInRow >= minUnreachableInRow;
    unreachableInRow = 0;
    if (wasLost) onReached?.();
  }

  function noteFailure(thrown: unknown): void {
    const error = asApiError(thrown);
    if (error instanceof UnreachableError) unreachableInRow += 1;
    if (isRefusal(error.kind) || provingKinds.has(error.kind)) isLoginProven = true;
    if (error.kind !== 'unauthorized') return;
    isLoginProven = false;
    for (const entry of queue) if (usesLogin(entry)) entry.cancel(error);
  }

  return {
    schedule: (request, options) =>
      new Promise((resolve, reject) => {
        const { signal } = options;
        if (signal.aborted) {
          reject(new AbortedError());
          return;
        }
        const onAbort = (): void => {
          entry.cancel(new AbortedError());
        };
        const entry: Entry = {
          ...options,
          start() {
            signal.removeEventListener('abort', onAbort);
            resolve(run(entry, request));
          },
          cancel(error) {
            signal.removeEventListener('abort', onAbort);
            queue.delete(entry);
            reject(error);
          },
        };
        signal.addEventListener('abort', onAbort);
        queue.add(entry);
        pump();
      }),
    stop() {
      for (const entry of queue) entry.cancel(new AbortedError());
    },
  };
}

const usesLogin = ({ kind, isAtChosenUrl }: Entry): boolean => kind !== 'scan' && isAtChosenUrl !== true;
