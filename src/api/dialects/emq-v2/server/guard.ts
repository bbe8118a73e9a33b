import type { IncomingMessage } from 'node:http';
import { pageQueryNames } from '../paths.ts';
import { type Answer, badRequest, expectationFailed, forbidden } from './answer.ts';

/** Returns the refusal of a request by its head alone; `undefined` if there is none. */
export function judgeRequest(request: IncomingMessage): Answer | undefined {
  if (!isUnambiguous(request)) return badRequest;
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return expectationFailed;
  return isForged(request) ? forbidden : undefined;
}

/** Whether proxies and the parser cannot read the request differently (request smuggling). */
function isUnambiguous({ httpVersion, headers, headersDistinct, url = '' }: IncomingMessage): boolean {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false;
  if ((headersDistinct['host']?.length ?? 0) > 1) return false;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) return false;
  // An absolute URL names the host a second time.
  const [, authority] = /^https?:\/\/([^/?]*)/iu.exec(url) ?? [];
  if (authority !== undefined && authority.toLowerCase() !== headers.host?.toLowerCase()) return false;
  // Everything after `#` would be lost, and with it the end of an id.
  return !url.includes('#');
}

/** Whether a page parameter is repeated: programs disagree on which value counts. */
export function asksTwoPages(query: URLSearchParams): boolean {
  return Object.values(pageQueryNames).some((name) => query.getAll(name).length > 1);
}

/** Whether a page of another site may have made a browser send it (CSRF). Reads are harmless, and programs send neither header. */
function isForged({ method, headers }: IncomingMessage): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin, host } = headers;
  return origin !== undefined && origin.toLowerCase() !== `http://${host ?? ''}`.toLowerCase()
    && origin.toLowerCase() !== `https://${host ?? ''}`.toLowerCase();
}

/** A user name and password as HTTP Basic authentication carries them (§5). */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const basic = /^basic +([a-z0-9+/_=-]+) *$/iu;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the `Authorization` headers of a request; `undefined` when there is none, more than one, or
 * one that is not a user name and a password in UTF-8 by the Basic scheme.
 */
export function parseAuthorization(headers: readonly string[] | undefined): Credentials | undefined {
  // A proxy may have checked the other one of two.
  if (headers?.length !== 1) return undefined;
  const encoded = basic.exec(headers[0] ?? '')?.[1];
  if (encoded === undefined) return undefined;
  let text: string;
  try {
    text = utf8.decode(Buffer.from(encoded, 'base64'));
  } catch {
    // Replaced by U+FFFD, different invalid bytes would be the same password.
    return undefined;
  }
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

interface UntrustedConnection {
  /** Requests without an answer yet. */
  pending: number;
  hasAsked: boolean;
  /** It failed to sign in once. */
  isRefused: boolean;
  readonly sinceMs: number;
}

/** Limits the connections of a listener. A new one evicts the oldest that has not signed in, so that silent connections cannot block others. */
export class ConnectionSlots<T> {
  readonly #limit: number;
  readonly #graceMs: number | undefined;
  readonly #evict: (connection: T) => void;
  readonly #trusted = new Set<T>();
  /** In the order in which they came, or first asked. */
  readonly #strangers = new Map<T, UntrustedConnection>();

  /**
   * `evict` has to close the connection. One that came less than `graceMs` ago has not had the time to ask, and does not
   * count as idle; where none is, the first one goes that is being judged. Without `graceMs`, those stay.
   */
  constructor(limit: number, evict: (connection: T) => void, graceMs?: number) {
    this.#limit = limit;
    this.#evict = evict;
    this.#graceMs = graceMs;
  }

  get size(): number {
    return this.#trusted.size + this.#strangers.size;
  }

  all(): readonly T[] {
    return [...this.#trusted, ...this.#strangers.keys()];
  }

  /** Returns false when one more has to be rejected. */
  makeRoom(): boolean {
    if (this.size < this.#limit) return true;
    const strangers = [...this.#strangers];
    const idleSinceMs = performance.now() - (this.#graceMs ?? 0);
    // Failed logins must not fill the slots either.
    const [connection] = strangers.find(([, { isRefused }]) => isRefused)
      ?? strangers.find(([, { pending, sinceMs }]) => pending === 0 && sinceMs <= idleSinceMs)
      ?? (this.#graceMs === undefined ? undefined : strangers[0]) ?? [];
    if (connection === undefined) return false;
    // At once, because its close event comes later.
    this.remove(connection);
    this.#evict(connection);
    return true;
  }

  add(connection: T): void {
    this.#strangers.set(connection, { pending: 0, hasAsked: false, isRefused: false, sinceMs: performance.now() });
  }

  /** The connection has signed in and is never evicted. */
  trust(connection: T): void {
    if (this.#strangers.delete(connection)) this.#trusted.add(connection);
  }

  /** The connection is signing in. It is not evicted meanwhile, except with a grace period when no other is idle. */
  begin(connection: T): void {
    const stranger = this.#strangers.get(connection);
    if (stranger === undefined) return;
    stranger.pending += 1;
    if (stranger.hasAsked) return;
    stranger.hasAsked = true;
    this.#strangers.delete(connection);
    this.#strangers.set(connection, stranger);
  }

  /** Signing in failed: the connection is evicted first. */
  refuse(connection: T): void {
    const stranger = this.#strangers.get(connection);
    if (stranger !== undefined) stranger.isRefused = true;
  }

  /** The request that `begin` was called for has been answered. */
  end(connection: T): void {
    const stranger = this.#strangers.get(connection);
    if (stranger !== undefined) stranger.pending -= 1;
  }

  /** The connection has closed. Returns false when it is not known. */
  remove(connection: T): boolean {
    return this.#strangers.delete(connection) || this.#trusted.delete(connection);
  }
}
