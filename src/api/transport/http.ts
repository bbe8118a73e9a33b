import { setImmediate } from 'node:timers/promises';
import type { HttpFormat, HttpRequest, Transport } from '../dialect.ts';
import { AbortedError, BadAnswerError, type RequestLine, TooLargeError, UnreachableError } from '../errors.ts';
import { statusError, toApiError } from './failures.ts';
import { withoutLogin } from './login.ts';
import { NestingGuard, nestsDeeper } from './nesting-guard.ts';
import { createPatientLimit } from './patient-limit.ts';
import { type AnswerBody, type HttpAnswer, isForwarded, openPool, type PoolOptions, type TlsOptions } from './pool.ts';
import { proxyLogin, type ProxyOptions, proxyRefusal } from './tunnel.ts';

export interface HttpOptions {
  /** How the API of this address uses HTTP. */
  readonly format: HttpFormat;
  /** `http(s)://host[:port]`, with or without the base path of the API; a prefix before it (of a proxy) is kept. */
  readonly url: string;
  /** Without it no `Authorization` is sent, and the broker answers 401. */
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Collects every password used, shared by the addresses of a cluster, so that each hides those of all. */
  readonly knownPasswords?: Set<string> | undefined;
  /** Of the whole exchange: connecting, head and body, but not waiting for a free connection. */
  readonly deadlineMs?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly maxNesting?: number | undefined;
  /** Connections, and so requests in flight; more wait. Only one is used as long as it is quick enough. */
  readonly maxConnections?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Forwards requests to an `http:` URL, and opens a tunnel to an `https:` one. */
  readonly proxy?: ProxyOptions | undefined;
  readonly lookup?: PoolOptions['lookup'];
  /** Without it `http:` is only allowed to this machine or through a proxy. */
  readonly isPlainRemoteAllowed?: boolean | undefined;
  /** Called with the length of every chunk of an answer: the load that this program causes. */
  readonly onReceived?: ((bytes: number) => void) | undefined;
  /** Called at the end of every request with its duration, without waiting for its turn. */
  readonly onEnded?: ((ms: number) => void) | undefined;
}

/** A transport over HTTP to one address. */
export interface Http extends Transport {
  /** For every request from now on. */
  setPassword(password: string): void;
  /** A text without the login, whichever of the passwords that it has had. */
  hide(text: string): string;
  /** Ends what is in flight with `AbortedError` and closes every connection. */
  close(): Promise<void>;
}

/** A page of 5,000 sessions has 1.5 MB and 80,000 values. Parsing blocks: 15 ms for 8 MB of ordinary rows, 150 ms for 200,000 tiny objects. */
export const httpDefaults = { deadlineMs: 5000, maxBodyBytes: 8 * 2 ** 20, maxValues: 200_000, maxNesting: 32, maxConnections: 4 } as const;

/** How long a request waits for the first connection before another is opened. All requests of a tick to a healthy broker take less. */
const patienceMs = 250;

/** An unwanted body is read up to this size, so that its connection can be reused. */
const maxUnwantedBytes = 16_384;

/** @throws UnreachableError when it is no http(s) URL */
function readUrl(given: string, basePath: string): { origin: string; prefix: string } {
  // The parser's own error would repeat the URL, and with it a password in it.
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) throw new UnreachableError('the URL is not an http or https URL');
  const path = url.pathname.replace(/\/+$/u, '');
  return { origin: url.origin, prefix: path.endsWith(basePath) ? path : path + basePath };
}

function describeBrokenJson(text: string, isOpen: boolean): string {
  if (text === '') return 'an empty body';
  if (text.trimStart().startsWith('<')) return 'HTML, not JSON';
  return isOpen ? 'JSON that is cut short' : 'not JSON';
}

function requestHeaders(format: HttpFormat, user: string | undefined, password: string): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    'user-agent': 'brokertop',
    ...(user !== undefined && { authorization: format.authorization(user, password) }),
  };
}

/** Never unpacked: a few kilobytes can become gigabytes. */
function isCompressed(encoding: string | readonly string[] | undefined): boolean {
  return encoding !== undefined && String(encoding).toLowerCase() !== 'identity';
}

/** Fits a page of a large list. A larger buffer is not kept. */
const maxBufferBytes = 4 * 2 ** 20;
let bodyBuffer = Buffer.alloc(0);

/** Joins a body in one shared buffer: one for each page of a list would cost 20 MB until collected. */
function joinText(chunks: readonly Uint8Array[], bytes: number): string {
  if (bodyBuffer.length < bytes) bodyBuffer = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const chunk of chunks) {
    bodyBuffer.set(chunk, at);
    at += chunk.length;
  }
  const text = bodyBuffer.toString('utf8', 0, bytes);
  if (bodyBuffer.length > maxBufferBytes) bodyBuffer = Buffer.alloc(0);
  return text;
}

/** An answer up to this size is parsed first and measured then, which is ten times faster and takes 60 MB at worst. Longer ones could take gigabytes. */
const maxUnwatchedBytes = 2 ** 20;

/** An answer with more values than `httpDefaults.maxValues`. */
export const tooManyValues = (request: RequestLine): TooLargeError => new TooLargeError(`more than ${httpDefaults.maxValues} values`, { request });

/** @throws TooLargeError, BadAnswerError */
async function readJson(body: AnswerBody, maxBytes: number, maxNesting: number, request: RequestLine, onReceived: HttpOptions['onReceived']): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  const guard = new NestingGuard(maxNesting, httpDefaults.maxValues);
  let watched = 0;
  let bytes = 0;
  const refuseNesting = (): never => { throw new TooLargeError(`nested deeper than ${maxNesting}`, { request }); };
  const watch = (): void => {
    for (const chunk of chunks.slice(watched)) {
      if (guard.push(chunk)) continue;
      if (guard.hasTooManyValues) throw tooManyValues(request);
      refuseNesting();
    }
    watched = chunks.length;
  };
  const stream: AsyncIterable<unknown> = body;
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.length;
    onReceived?.(chunk.length);
    if (bytes > maxBytes) throw new TooLargeError(`over ${maxBytes} bytes`, { request });
    chunks.push(chunk);
    if (bytes > maxUnwatchedBytes) watch();
  }
  const text = joinText(chunks, bytes);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    watch();
    // The parser's error quotes the answer, which is not ours to repeat.
    throw new BadAnswerError(describeBrokenJson(text, guard.isOpen), { request });
  }
  if (watched === 0 && nestsDeeper(json, maxNesting)) refuseNesting();
  return json;
}

/** Rejects as soon as the caller aborts, also while the request waits for its turn. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, request: RequestLine): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new AbortedError({ request }));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** @throws UnreachableError when `url` is no http(s) URL */
export function createHttp(options: HttpOptions): Http {
  const { origin, prefix } = readUrl(options.url, options.format.basePath);
  const deadlineMs = options.deadlineMs ?? httpDefaults.deadlineMs;
  const maxBodyBytes = options.maxBodyBytes ?? httpDefaults.maxBodyBytes;
  const maxNesting = options.maxNesting ?? httpDefaults.maxNesting;
  const maxConnections = options.maxConnections ?? httpDefaults.maxConnections;
  let pool: ReturnType<typeof openPool> | undefined;
  const limit = createPatientLimit(maxConnections, patienceMs);
  const { format, tls = {}, proxy } = options;
  const closing = new AbortController();
  const forwarding = proxy !== undefined && isForwarded({ origin, proxy }) ? { host: new URL(origin).host, ...proxyLogin(proxy) } : undefined;
  const { user, password = '' } = options;
  const passwords = options.knownPasswords ?? new Set();
  passwords.add(password);
  let headers = requestHeaders(format, user, password);
  const forwardedBy = forwarding && proxy?.url;
  let mayBeTls = origin.startsWith('http:') && proxy === undefined;
  const hide = (text: string): string => withoutLogin(text, user ?? '', [...passwords]);

  async function readAnswer({ statusCode, headers: answerHeaders, body }: HttpAnswer, line: RequestLine): Promise<unknown> {
    // What nginx, Go and others say to a request without TLS.
    if (statusCode !== 400) mayBeTls = false;
    const expected = format.bodyOf(statusCode);
    if (expected === 'none') {
      await body.dump({ limit: maxUnwantedBytes }).catch(() => undefined);
      return format.openAnswer({ status: statusCode, json: undefined, request: line, hide });
    }
    if (expected === 'unexpected') {
      await body.dump({ limit: maxUnwantedBytes }).catch(() => undefined);
      if (statusCode === 407 && forwarding !== undefined && proxy !== undefined) throw proxyRefusal(proxy, statusCode);
      throw statusError(statusCode, answerHeaders['retry-after'], { request: line, proxyUrl: forwardedBy, mayBeTls });
    }
    if (isCompressed(answerHeaders['content-encoding'])) {
      await body.dump({ limit: maxUnwantedBytes }).catch(() => undefined);
      throw new BadAnswerError('compressed, which was not asked for', { request: line });
    }
    const json = await readJson(body, maxBodyBytes, maxNesting, line, options.onReceived);
    return format.openAnswer({ status: statusCode, json, request: line, hide });
  }

  async function exchange({ method, body, signal }: HttpRequest, line: RequestLine, path: string): Promise<unknown> {
    if (signal?.aborted) throw new AbortedError({ request: line });
    const controller = new AbortController();
    let endedBy: 'deadline' | 'caller' | undefined;
    let hasHead = false;
    let sentMs: number | undefined;
    const end = (by: 'deadline' | 'caller'): void => {
      endedBy ??= by;
      controller.abort();
    };
    const onAbort = (): void => end('caller');
    const timer = setTimeout(end, deadlineMs, 'deadline');
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      pool ??= openPool({ origin, deadlineMs, maxConnections, tls, proxy, lookup: options.lookup, isPlainRemoteAllowed: options.isPlainRemoteAllowed, signal: closing.signal });
      const open = await pool;
      sentMs = performance.now();
      const answer = await open.request({
        method,
        path: forwarding === undefined ? path : origin + path,
        headers: { ...headers, ...forwarding, ...(body !== undefined && { 'content-type': 'application/json' }) },
        body: body === undefined ? null : JSON.stringify(body),
        signal: controller.signal,
      });
      hasHead = true;
      return await readAnswer(answer, line);
    } catch (error) {
      throw toApiError(error, { request: line, deadlineMs, endedBy, hasHead, proxyUrl: forwardedBy, mayBeTls });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      if (sentMs !== undefined) options.onEnded?.(performance.now() - sentMs);
      // undici can reuse a connection one turn of the event loop later; an earlier request would open another one.
      await setImmediate();
    }
  }

  return {
    prefix,
    async send(request) {
      const path = prefix + request.path;
      const line: RequestLine = { method: request.method, path };
      if (request.signal?.aborted) throw new AbortedError({ request: line });
      return orAborted(limit(() => exchange(request, line, path)), request.signal, line);
    },
    setPassword(next) {
      passwords.add(next);
      headers = requestHeaders(format, user, next);
    },
    hide,
    async close() {
      closing.abort();
      await (await pool)?.destroy();
    },
  };
}

