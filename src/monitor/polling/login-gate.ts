import { AbortedError, type ApiError, type ApiErrorKind } from '../../api/errors.ts';
import { toApiError } from './backoff.ts';

/** Keeps a wrong password from costing more than one request: brokers may lock an account after a few. */
export interface LoginGate {
  /** To be taken before a request waits for anything. */
  ticket(): Ticket;
  /**
   * Makes the request at once when the broker is known to take the login. Until then one is made at a time, and the others
   * wait for what comes of it.
   * @throws what the request throws; the UnauthorizedError of another one, then without being made, when the broker
   * rejected the login since the ticket was taken; AbortedError when `signal` ends the waiting
   */
  through<R>(ticket: Ticket, request: () => Promise<R>, signal?: AbortSignal): Promise<R>;
}

/** How often the login had been rejected. */
export type Ticket = number;

/** Answers that a broker gives only after it has taken the login. */
const provingKinds: ReadonlySet<ApiErrorKind> = new Set(['broker', 'not-found', 'bad-answer', 'too-large']);

export function createLoginGate(): LoginGate {
  let isProven = false;
  let rejections = 0;
  let rejection: ApiError | undefined;
  /** Settles when the one request that is made while nothing is known has come to its end. */
  let trial: Promise<void> | undefined;

  async function make<R>(request: () => Promise<R>): Promise<R> {
    try {
      const answer = await request();
      isProven = true;
      return answer;
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.kind === 'unauthorized') {
        isProven = false;
        rejections += 1;
        rejection = error;
      } else if (provingKinds.has(error.kind)) isProven = true;
      throw thrown;
    }
  }

  return {
    ticket: () => rejections,
    async through(ticket, request, signal) {
      for (;;) {
        if (signal?.aborted === true) throw new AbortedError();
        if (rejection !== undefined && rejections > ticket) throw rejection;
        if (isProven || trial === undefined) break;
        await endOf(trial, signal);
      }
      if (isProven) return make(request);
      const made = make(request);
      const ended = made.then(() => {}, () => {}).then(() => { trial = undefined; });
      trial = ended;
      return made;
    },
  };
}

/** Resolves when the promise does, or the signal comes. */
function endOf(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return promise;
  return new Promise((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    signal.addEventListener('abort', end);
    void promise.then(end);
  });
}
