import type { DialectSession, HttpRequest, Transport } from '../dialect.ts';
import {
  ApiError,
  BrokerError,
  HttpStatusError,
  isNeverConnected,
  InsecureHttpError,
  ProxyLoginError,
  RefusedError,
  TlsError,
} from '../errors.ts';
import { type ApiOperations, makeOperations, operationOf, operations } from '../management-api.ts';
import { notSentTexts } from '../texts.ts';
import type { Http } from './http.ts';

export interface Address {
  readonly url: string;
  readonly http: Http;
}

export interface ServingChange {
  readonly url: string;
  readonly insteadOf: string;
  readonly because: ApiError;
}

export interface SkippedAddress {
  readonly url: string;
  readonly because: ApiError;
}

export interface Failover extends Http {
  /** Sends a request again to the next address where one fails; the failover itself sends each once. */
  readonly repeating: Transport;
  readonly servingUrl: string;
  /** Names the address that was given up, and why, until another one has answered. */
  whyLost(): string | undefined;
  onServingChange(listener: (change: ServingChange) => void): () => void;
  /** Called once per address and reason, until the address has answered. Returns a function that unsubscribes. */
  onAddressSkipped(listener: (skip: SkippedAddress) => void): () => void;
  at(url: string): Http;
}

/** An address that has answered is given up after so many failures in a row. */
const maxFailures = 3;

/** Returns what a failure says about the address; `undefined` for nothing. */
function verdictOf(error: unknown): 'gone' | 'maybe-gone' | 'answers' | undefined {
  if (!(error instanceof ApiError) || error instanceof ProxyLoginError) return undefined;
  if (error instanceof BrokerError) return 'answers';
  switch (error.kind) {
    case 'unreachable':
    case 'timeout':
      return isNeverConnected(error) ? 'gone' : 'maybe-gone';
    case 'http-status':
      return error instanceof HttpStatusError && error.status >= 500 ? 'maybe-gone' : 'answers';
    case 'busy':
    case 'not-found':
    case 'unauthorized':
      return 'answers';
    default:
      return undefined;
  }
}

/** Makes the calls of a session: reads are tried at each address, writes are sent once. */
export function operationsWith(session: DialectSession, failover: Failover): ApiOperations {
  const reads = session.operations(failover.repeating);
  const writes = session.operations(failover);
  return makeOperations((name) => operationOf(operations[name] === 'read' ? reads : writes, name));
}

/** Sends requests to one address until it is gone, then to the next. */
export function createFailover(addresses: readonly [Address, ...Address[]]): Failover {
  const listeners = new Set<(change: ServingChange) => void>();
  const skipListeners = new Set<(skip: SkippedAddress) => void>();
  const skipped = new Map<number, string>();
  let current = 0;
  let serving = 0;
  let answers = 0;
  let failures = 0;
  let lostBecause: ApiError | undefined;

  const addressAt = (index: number): Address => addresses[index] ?? addresses[0];

  function noteAnswer(index: number): void {
    if (index !== current) return;
    answers += 1;
    failures = 0;
    skipped.delete(index);
    const because = lostBecause;
    lostBecause = undefined;
    if (index === serving || because === undefined) return;
    const change: ServingChange = { url: addressAt(index).url, insteadOf: addressAt(serving).url, because };
    serving = index;
    for (const listener of listeners) listener(change);
  }

  function noteSkip(index: number, because: ApiError): void {
    if (
      !(because instanceof TlsError || because instanceof InsecureHttpError) ||
      skipped.get(index) === because.message
    )
      return;
    skipped.set(index, because.message);
    for (const listener of skipListeners) listener({ url: addressAt(index).url, because });
  }

  /** @param answersBefore `answers` when the request began: a later answer shows that the address works */
  function noteFailure(
    index: number,
    answersBefore: number,
    error: unknown,
    { waitsForNodes = false }: HttpRequest,
  ): void {
    const verdict = verdictOf(error);
    if (waitsForNodes && verdict === 'maybe-gone') return;
    if (verdict === 'answers') noteAnswer(index);
    if (index !== current || !(error instanceof ApiError)) return;
    if (verdict === 'maybe-gone' && answers === answersBefore) failures += 1;
    const isGone = verdict === 'gone' || (verdict === 'maybe-gone' && failures >= (answers === 0 ? 1 : maxFailures));
    if (!isGone || addresses.length === 1) return;
    if (current === serving) lostBecause = error;
    else noteSkip(current, error);
    current = (current + 1) % addresses.length;
    answers = 0;
    failures = 0;
  }

  async function send(request: HttpRequest, mayRepeat: boolean): Promise<unknown> {
    const tried = new Set<number>();
    for (;;) {
      const index = current;
      const answersBefore = answers;
      tried.add(index);
      try {
        const result = await addressAt(index).http.send(request);
        noteAnswer(index);
        return result;
      } catch (error) {
        noteFailure(index, answersBefore, error, request);
        const isOver =
          !mayRepeat ||
          verdictOf(error) === 'answers' ||
          error instanceof ProxyLoginError ||
          request.signal?.aborted === true;
        if (!isOver && !tried.has(current)) continue;
        if (index !== serving && error instanceof ApiError) error.nameAddress(addressAt(index).url);
        throw error;
      }
    }
  }

  return {
    get prefix() {
      return addressAt(current).http.prefix;
    },
    get hasToken() {
      return addressAt(current).http.hasToken;
    },
    get servingUrl() {
      return addressAt(serving).url;
    },
    whyLost: () => lostBecause && `${addressAt(serving).url}: ${lostBecause.message}`,
    onServingChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onAddressSkipped(listener) {
      skipListeners.add(listener);
      return () => skipListeners.delete(listener);
    },
    send: (request) => send(request, false),
    repeating: {
      get prefix() {
        return addressAt(current).http.prefix;
      },
      get hasToken() {
        return addressAt(current).http.hasToken;
      },
      send: (request) => send(request, true),
    },
    at(url) {
      const index = addresses.findIndex((address) => address.url === url);
      const address = addresses[index];
      if (address === undefined) throw new RefusedError(notSentTexts.otherUrl(url));
      return {
        ...address.http,
        get hasToken() {
          return address.http.hasToken;
        },
        async send(request) {
          const answersBefore = answers;
          try {
            const result = await address.http.send(request);
            noteAnswer(index);
            return result;
          } catch (error) {
            noteFailure(index, answersBefore, error, request);
            throw error;
          }
        },
      };
    },
    setPassword(password) {
      for (const { http } of addresses) http.setPassword(password);
    },
    hide: (text) => addressAt(current).http.hide(text),
    async close() {
      await Promise.all(addresses.map(({ http }) => http.close()));
    },
  };
}
