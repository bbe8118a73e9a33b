import type { IncomingMessage } from 'node:http';
import { pageQueryNames } from '../paths.ts';
import { type Answer, badRequest, expectationFailed, forbidden } from './answer.ts';

/** What speaks against a request that its path and body do not show; `undefined` when nothing does. */
export function judgeRequest(request: IncomingMessage): Answer | undefined {
  if (!isUnambiguous(request)) return badRequest;
  const { expect } = request.headers;
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') return expectationFailed;
  return isForged(request) ? forbidden : undefined;
}

/** Whether everybody on the way understands the same by it: the parser lets some things through that others read differently. */
function isUnambiguous({ httpVersion, headers, headersDistinct, url = '' }: IncomingMessage): boolean {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return false;
  if ((headersDistinct['host']?.length ?? 0) > 1) return false;
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) return false;
  // Whose host counts, and so which broker was meant, is told twice.
  const [, authority] = /^https?:\/\/([^/?]*)/iu.exec(url) ?? [];
  if (authority !== undefined && authority.toLowerCase() !== headers.host?.toLowerCase()) return false;
  // What is behind it would be lost, and with it the end of an id.
  return !url.includes('#');
}

/** Whether the page stands twice: some programs take the first value, some the last. */
export function asksTwoPages(query: URLSearchParams): boolean {
  return Object.values(pageQueryNames).some((name) => query.getAll(name).length > 1);
}

/**
 * Whether a page of another site may have made a browser, which remembers the password, send it.
 * Reading is harmless: such a page does not get to see the answer. Programs send neither header.
 */
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
  // Of two, a proxy on the way may have judged the other one.
  if (headers?.length !== 1) return undefined;
  const encoded = basic.exec(headers[0] ?? '')?.[1];
  if (encoded === undefined) return undefined;
  let text: string;
  try {
    text = utf8.decode(Buffer.from(encoded, 'base64'));
  } catch {
    // With U+FFFD for what is broken, different bytes would be the same password.
    return undefined;
  }
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

interface UntrustedConnection {
  /** What it has asked for and was not answered yet. */
  pending: number;
  hasAsked: boolean;
  /** It was turned away once. */
  isRefused: boolean;
  readonly sinceMs: number;
}

/**
 * The connections that a listener may have at a time. When there is no room, the one that has shown no
 * right to be there for longest makes it, so that connections which send nothing, or not enough, do
 * not shut out others.
 */
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

  /** False when one more has to be turned away. */
  makeRoom(): boolean {
    if (this.size < this.#limit) return true;
    const strangers = [...this.#strangers];
    const idleSinceMs = performance.now() - (this.#graceMs ?? 0);
    // Logins that are checked in vain must not fill the place either.
    const [connection] = strangers.find(([, { isRefused }]) => isRefused)
      ?? strangers.find(([, { pending, sinceMs }]) => pending === 0 && sinceMs <= idleSinceMs)
      ?? (this.#graceMs === undefined ? undefined : strangers[0]) ?? [];
    if (connection === undefined) return false;
    // At once, because it says that it is closed only later.
    this.remove(connection);
    this.#evict(connection);
    return true;
  }

  add(connection: T): void {
    this.#strangers.set(connection, { pending: 0, hasAsked: false, isRefused: false, sinceMs: performance.now() });
  }

  /** It stays from now on until it ends by itself. */
  trust(connection: T): void {
    if (this.#strangers.delete(connection)) this.#trusted.add(connection);
  }

  /** It has asked to be let in, and stays while that is being judged, unless there is a grace and no other is idle. */
  begin(connection: T): void {
    const stranger = this.#strangers.get(connection);
    if (stranger === undefined) return;
    stranger.pending += 1;
    if (stranger.hasAsked) return;
    stranger.hasAsked = true;
    this.#strangers.delete(connection);
    this.#strangers.set(connection, stranger);
  }

  /** It has no right to be there: it is the first to make room. */
  refuse(connection: T): void {
    const stranger = this.#strangers.get(connection);
    if (stranger !== undefined) stranger.isRefused = true;
  }

  /** What `begin` was called for has been answered. */
  end(connection: T): void {
    const stranger = this.#strangers.get(connection);
    if (stranger !== undefined) stranger.pending -= 1;
  }

  /** The connection is over. False when it is not known. */
  remove(connection: T): boolean {
    return this.#strangers.delete(connection) || this.#trusted.delete(connection);
  }
}
