import { AbortedError, type ApiError, type ApiErrorKind, isRefusal, UnreachableError } from '../../api/errors.ts';
import type { NodeName } from '../../domain/node.ts';
import { toApiError } from './backoff.ts';

const maxInFlight = 6;
/** Of `maxInFlight`: when these hang, the cluster's figures still have slots. */
const maxAsideInFlight = 3;
/** Consecutive unreachable requests after which the broker counts as lost, rather than one connection. */
const minUnreachable = 2;

/** Answers that a broker gives only after it has accepted the login. */
const provingKinds: ReadonlySet<ApiErrorKind> = new Set(['not-found', 'bad-answer', 'too-large']);

export interface ScheduleOptions {
  /** Ends the waiting. The request itself has to listen to the signal too. */
  readonly signal: AbortSignal;
  /**
   * `cluster`: figures of the cluster, and actions. `aside`: data of one node, client or topic, and pages of lists.
   * `scan`: a whole scan, which is not a request itself; its pages are scheduled as `aside`.
   */
  readonly kind: 'cluster' | 'aside' | 'scan';
  /** The node that the data is about: one request per node, so that a hanging node delays only itself. */
  readonly node?: NodeName | undefined;
  /** Sent to a URL that the operator chose: the answer says nothing about the login or the reachability of the serving URL. */
  readonly isAtChosenUrl?: boolean | undefined;
}

export interface RequestSchedulerOptions {
  /** Called as a request starts; the returned function is called as it ends. */
  readonly onRequest?: (() => () => void) | undefined;
  /** Called when a request is answered after several unreachable ones in a row. */
  readonly onReached?: (() => void) | undefined;
}

/** Decides when each request starts. Whatever may start does so in the order of scheduling. */
export interface RequestScheduler {
  /**
   * Starts the request as soon as the limits allow it.
   * @throws what the request throws; AbortedError when `signal` or `stop` ends the waiting; without starting the request,
   * the UnauthorizedError of another request that the broker rejected meanwhile
   */
  schedule<R>(request: () => Promise<R>, options: ScheduleOptions): Promise<R>;
  /** Rejects everything that waits. */
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
  /** The one request that runs while the login is unproven: brokers may lock an account after a few wrong passwords. */
  let trial: Entry | undefined;
  let unreachableInRow = 0;

  const count = (isCounted: (entry: Entry) => boolean): number => [...running].filter(isCounted).length;

  function mayStart(entry: Entry): boolean {
    if (entry.kind === 'scan') return count(({ kind }) => kind === 'scan') === 0;
    if (count(({ kind }) => kind !== 'scan') >= maxInFlight) return false;
    if (entry.kind === 'aside' && count(({ kind }) => kind === 'aside') >= maxAsideInFlight) return false;
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
    const wasLost = unreachableInRow >= minUnreachable;
    unreachableInRow = 0;
    if (wasLost) onReached?.();
  }

  function noteFailure(thrown: unknown): void {
    const error = toApiError(thrown);
    if (error instanceof UnreachableError) unreachableInRow += 1;
    if (isRefusal(error.kind) || provingKinds.has(error.kind)) isLoginProven = true;
    if (error.kind !== 'unauthorized') return;
    isLoginProven = false;
    for (const entry of queue) if (usesLogin(entry)) entry.cancel(error);
  }

  return {
    schedule: (request, options) => new Promise((resolve, reject) => {
      const { signal } = options;
      if (signal.aborted) {
        reject(new AbortedError());
        return;
      }
      const onAbort = (): void => { entry.cancel(new AbortedError()); };
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
