import { ApiError, BrokerError, HttpStatusError, isNeverConnected, OtherMachineRefusal, ProxyLoginError, RefusedError, TlsError } from '../errors.ts';
import type { Http } from './http.ts';

/** One of the addresses of a management interface. */
export interface Site {
  readonly url: string;
  readonly http: Http;
}

/** Another address than before answers now. */
export interface ServingChange {
  readonly url: string;
  readonly insteadOf: string;
  /** Why the one before was given up. */
  readonly because: ApiError;
}

/** An address that does not serve was passed over because it is not trusted. */
export interface SkippedAddress {
  readonly url: string;
  readonly because: ApiError;
}

export interface Failover extends Http {
  /** The address that answered last, the first one before that. */
  readonly servingUrl: string;
  /** Calls `listener` when another address has answered. Returns a function that ends this. */
  onServingChange(listener: (change: ServingChange) => void): () => void;
  /** Calls `listener` when an address is skipped for its certificate or because it is another machine; not again for the same reason until it has answered. */
  onAddressSkipped(listener: (skip: SkippedAddress) => void): () => void;
  /** The transport to one of the addresses, without failover. @throws RefusedError for another URL */
  at(url: string): Http;
}

/** An address that has answered is given up after this many failures in a row. */
const maxFailures = 3;

/** What a failure says about the address: nobody is there, it may be gone, it answers, or nothing. */
function judge(error: unknown): 'gone' | 'doubtful' | 'answers' | undefined {
  if (!(error instanceof ApiError) || error instanceof ProxyLoginError) return undefined;
  if (error instanceof BrokerError) return 'answers';
  switch (error.kind) {
    case 'unreachable':
    case 'timeout':
      return isNeverConnected(error) ? 'gone' : 'doubtful';
    case 'no-answer':
      return 'doubtful';
    case 'http-status':
      return error instanceof HttpStatusError && error.status >= 500 ? 'doubtful' : 'answers';
    case 'not-found':
    case 'rate-limited':
    case 'unauthorized':
      return 'answers';
    default:
      return undefined;
  }
}

/**
 * Several addresses of one cluster as one transport. Requests go to the current address until it is gone, then to the next, and
 * never back except in turn. Reads are retried at the next address at once, each address at most once a request; actions are sent once.
 * The message of a failure at another address than the serving one begins with that address.
 */
export function createFailover(sites: readonly [Site, ...Site[]]): Failover {
  const listeners = new Set<(change: ServingChange) => void>();
  const skipListeners = new Set<(skip: SkippedAddress) => void>();
  /** Why addresses were skipped, by index. */
  const skipped = new Map<number, string>();
  let current = 0;
  let serving = 0;
  let answers = 0;
  let failures = 0;
  /** Why `serving` was given up. */
  let lostBecause: ApiError | undefined;

  const siteAt = (index: number): Site => sites[index] ?? sites[0];

  function noteAnswer(index: number): void {
    if (index !== current) return;
    answers += 1;
    failures = 0;
    skipped.delete(index);
    const because = lostBecause;
    lostBecause = undefined;
    if (index === serving || because === undefined) return;
    const change: ServingChange = { url: siteAt(index).url, insteadOf: siteAt(serving).url, because };
    serving = index;
    for (const listener of listeners) listener(change);
  }

  function noteSkip(index: number, because: ApiError): void {
    if (!(because instanceof TlsError || because instanceof OtherMachineRefusal) || skipped.get(index) === because.message) return;
    skipped.set(index, because.message);
    for (const listener of skipListeners) listener({ url: siteAt(index).url, because });
  }

  /** @param answersBefore answers of the address when the request began: one that came since shows that it lives */
  function noteFailure(index: number, answersBefore: number, error: unknown): void {
    const verdict = judge(error);
    if (verdict === 'answers') noteAnswer(index);
    if (index !== current || !(error instanceof ApiError)) return;
    if (verdict === 'doubtful' && answers === answersBefore) failures += 1;
    const isGone = verdict === 'gone' || (verdict === 'doubtful' && failures >= (answers === 0 ? 1 : maxFailures));
    if (!isGone || sites.length === 1) return;
    if (current === serving) lostBecause = error;
    else noteSkip(current, error);
    current = (current + 1) % sites.length;
    answers = 0;
    failures = 0;
  }

  return {
    get prefix() {
      return siteAt(current).http.prefix;
    },
    get servingUrl() {
      return siteAt(serving).url;
    },
    onServingChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onAddressSkipped(listener) {
      skipListeners.add(listener);
      return () => skipListeners.delete(listener);
    },
    async send(request) {
      const tried = new Set<number>();
      for (;;) {
        const index = current;
        const answersBefore = answers;
        tried.add(index);
        try {
          const result = await siteAt(index).http.send(request);
          noteAnswer(index);
          return result;
        } catch (error) {
          noteFailure(index, answersBefore, error);
          const isOver = request.method !== 'GET' || judge(error) === 'answers' || error instanceof ProxyLoginError || request.signal?.aborted === true;
          if (!isOver && !tried.has(current)) continue;
          if (index !== serving && error instanceof ApiError) error.nameAddress(siteAt(index).url);
          throw error;
        }
      }
    },
    at(url) {
      const index = sites.findIndex((site) => site.url === url);
      const site = sites[index];
      if (site === undefined) throw new RefusedError(`${url} is none of the addresses given with --url`);
      return {
        ...site.http,
        async send(request) {
          const answersBefore = answers;
          try {
            const result = await site.http.send(request);
            noteAnswer(index);
            return result;
          } catch (error) {
            noteFailure(index, answersBefore, error);
            throw error;
          }
        },
      };
    },
    setPassword(password) {
      for (const { http } of sites) http.setPassword(password);
    },
    // All know the passwords of all.
    hide: (text) => siteAt(current).http.hide(text),
    async close() {
      await Promise.all(sites.map(({ http }) => http.close()));
    },
  };
}
