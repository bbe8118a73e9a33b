import { setImmediate } from 'node:timers/promises';
import { runSliced } from '../../domain/sliced-task.ts';
import type { HttpFormat, HttpRequest, Transport } from '../dialect.ts';
import { AbortedError, BadAnswerError, type RequestLine, TooLargeError, UnreachableError } from '../errors.ts';
import { withoutLogin } from '../login.ts';
import { badAnswerTexts, hintTexts, tooLargeTexts, unreachableTexts } from '../texts.ts';
import { parseRetryAfter, redirectTarget, statusError, toApiError } from './failures.ts';
import { NestingGuard, nestsDeeper } from './nesting-guard.ts';
import { type AnswerBody, type HttpAnswer, isForwarded, openPool, type PoolOptions, type TlsOptions } from './pool.ts';
import { parseInSlices } from './sliced-json.ts';
import type { TokenLogin } from './token-login.ts';
import { proxyLogin, type ProxyOptions, proxyRefusal } from './tunnel.ts';

export interface HttpOptions {
  readonly format: HttpFormat;
  /** `http(s)://host[:port]`, with or without the base path of the API; a path prefix of a proxy is kept. */
  readonly url: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** All passwords used so far, shared by the addresses of a cluster, so that each hides all of them. */
  readonly knownPasswords?: Set<string> | undefined;
  /** Logs in at this address. */
  readonly tokenLogin?: TokenLogin | undefined;
  /** Includes connecting and the whole answer, but not waiting for a free connection. */
  readonly deadlineMs?: number | undefined;
  readonly maxBodyBytes?: number | undefined;
  readonly maxNesting?: number | undefined;
  /** Limits requests in flight. One connection is used while it is fast enough. */
  readonly maxConnections?: number | undefined;
  readonly tls?: TlsOptions | undefined;
  readonly proxy?: ProxyOptions | undefined;
  readonly lookup?: PoolOptions['lookup'];
  /** Allows `http:` to other machines; by default it is only allowed to this machine or through a proxy. */
  readonly isPlainRemoteAllowed?: boolean | undefined;
  readonly onReceived?: ((bytes: number) => void) | undefined;
  readonly onConnection?: PoolOptions['onConnection'];
}

export interface Http extends Transport {
  setPassword(password: string): void;
  /** Removes the login, with any password used so far, from a text. */
  hide(text: string): string;
  /** Aborts requests in flight with `AbortedError` and closes all connections. */
  close(): Promise<void>;
}

/**
 * Limits that leave room: a page of 5,000 sessions has 1.5 MB and 80,000 values. Parsing 8 MB blocks for 15 ms, 200,000
 * tiny objects for 150 ms.
 */
export const httpDefaults = {
  deadlineMs: 5000,
  maxBodyBytes: 8 * 2 ** 20,
  maxValues: 200_000,
  maxNesting: 32,
  maxConnections: 4,
} as const;

/**
 * How long a request waits before another connection is opened. A healthy broker answers all requests of a tick sooner.
 */
const patienceMs = 250;

const maxUnwantedBytes = 16_384;

/** How often one request renews its token. The token of a login that another request made may have ended too. */
const maxRenewals = 2;

function readUrl(given: string, basePath: string): { origin: string; prefix: string } {
  // The parser's error would repeat the URL, which may contain a password.
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new UnreachableError(unreachableTexts.notUrl);
  const path = url.pathname.replace(/\/+$/u, '');
  return { origin: url.origin, prefix: path.endsWith(basePath) ? path : path + basePath };
}

function describeBrokenJson(text: string, isOpen: boolean): string {
  if (text === '') return badAnswerTexts.empty;
  if (text.trimStart().startsWith('<')) return badAnswerTexts.html;
  return isOpen ? badAnswerTexts.cutJson : badAnswerTexts.notJson;
}

/** Headers of every request. Unless it says `identity`, a proxy may compress. */
const commonHeaders = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'brokertop' } as const;

const loginHeaders = (
  format: HttpFormat,
  user: string | undefined,
  password: string,
): Readonly<Record<string, string>> =>
  user === undefined ? {} : { authorization: format.authorization(user, password) };

function secondsOf(date: unknown): number | undefined {
  const atMs = typeof date === 'string' ? Date.parse(date) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs / 1000;
}

/** Whether an answer is compressed. It is never unpacked: a few kilobytes can become gigabytes. */
function isCompressed(encoding: string | readonly string[] | undefined): boolean {
  return encoding !== undefined && String(encoding).toLowerCase() !== 'identity';
}

const maxBufferBytes = 4 * 2 ** 20;
let spareBuffer: Buffer | undefined;

function giveBack(buffer: Buffer): void {
  if (buffer.length <= maxBufferBytes && buffer.length > (spareBuffer?.length ?? 0)) spareBuffer = buffer;
}

/** Joins the chunks in the same memory again and again: one buffer per page would cost 20 MB until collected. */
async function parseJoined(chunks: readonly Uint8Array[], bytes: number): Promise<unknown> {
  const buffer = spareBuffer !== undefined && spareBuffer.length >= bytes ? spareBuffer : Buffer.allocUnsafeSlow(bytes);
  // Another answer may arrive while this one is parsed.
  spareBuffer = undefined;
  let at = 0;
  for (const chunk of chunks) {
    buffer.set(chunk, at);
    at += chunk.length;
  }
  try {
    return await runSliced(parseInSlices(buffer.subarray(0, bytes)));
  } finally {
    giveBack(buffer);
  }
}

/**
 * Answers up to this size are parsed first and checked afterwards: ten times faster, at most 60 MB. Longer ones could
 * take gigabytes.
 */
const maxUnwatchedBytes = 2 ** 20;

export const tooManyValues = (request: RequestLine): TooLargeError =>
  new TooLargeError(tooLargeTexts.values(httpDefaults.maxValues), { request });

/** @returns at most `maxUnwantedBytes` */
async function readText(body: AnswerBody, onReceived: HttpOptions['onReceived']): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const stream: AsyncIterable<unknown> = body;
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.length;
    onReceived?.(chunk.length);
    chunks.push(chunk);
    if (bytes > maxUnwantedBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, Math.min(bytes, maxUnwantedBytes));
}

interface JsonLimits {
  readonly maxBytes: number;
  readonly maxNesting: number;
  readonly mayBeEmpty: boolean;
  readonly onReceived: HttpOptions['onReceived'];
}

async function readJson(
  body: AnswerBody,
  request: RequestLine,
  { maxBytes, maxNesting, mayBeEmpty, onReceived }: JsonLimits,
): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  const guard = new NestingGuard(maxNesting, httpDefaults.maxValues);
  let watched = 0;
  let bytes = 0;
  const refuseNesting = (): never => {
    throw new TooLargeError(tooLargeTexts.nesting(maxNesting), { request });
  };
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
    if (bytes > maxBytes) throw new TooLargeError(tooLargeTexts.bytes(maxBytes), { request });
    chunks.push(chunk);
    if (bytes > maxUnwatchedBytes) watch();
  }
  if (bytes === 0 && mayBeEmpty) return undefined;
  let json: unknown;
  try {
    json = await parseJoined(chunks, bytes);
  } catch {
    watch();
    // The parser's error would quote the answer.
    throw new BadAnswerError(describeBrokenJson(Buffer.concat(chunks).toString(), guard.isOpen), { request });
  }
  if (watched === 0 && nestsDeeper(json, maxNesting)) refuseNesting();
  return json;
}

/** Rejects as soon as the caller aborts, even while the request is queued. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined, request: RequestLine): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new AbortedError({ request }));
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** @throws UnreachableError if `url` is not an http(s) URL */
export function createHttp(options: HttpOptions): Http {
  const { origin, prefix } = readUrl(options.url, options.format.basePath);
  const maxDeadlineMs = options.deadlineMs ?? httpDefaults.deadlineMs;
  const { maxBodyBytes = httpDefaults.maxBodyBytes, maxNesting = httpDefaults.maxNesting, tokenLogin } = options;
  const maxConnections = options.maxConnections ?? httpDefaults.maxConnections;
  let pool: ReturnType<typeof openPool> | undefined;
  const limit = createPatientLimit(maxConnections, patienceMs);
  const { format, tls = {}, proxy } = options;
  const closing = new AbortController();
  const forwarding =
    proxy !== undefined && isForwarded({ origin, proxy })
      ? { host: new URL(origin).host, ...proxyLogin(proxy) }
      : undefined;
  const { user } = options;
  let { password = '' } = options;
  const passwords = options.knownPasswords ?? new Set();
  passwords.add(password);
  let passwordHeaders = loginHeaders(format, user, password);
  const forwardedBy = forwarding && proxy?.url;
  let mayBeTls = origin.startsWith('http:') && proxy === undefined;
  const hide = (text: string): string => withoutLogin(text, user ?? '', [...passwords]);

  async function readAnswer(
    { statusCode, headers: answerHeaders, body }: HttpAnswer,
    line: RequestLine,
  ): Promise<unknown> {
    // nginx, Go and others answer 400 to a request without TLS.
    if (statusCode !== 400) mayBeTls = false;
    const expected = format.bodyOf(statusCode);
    const open = (json: unknown): unknown =>
      format.openAnswer({
        status: statusCode,
        json,
        sentAt: secondsOf(answerHeaders.date),
        retryAfterSeconds: parseRetryAfter(answerHeaders['retry-after'], Date.now()),
        request: line,
        hide,
      });
    if (expected === 'none') {
      await body.dump({ limit: maxUnwantedBytes }).catch(() => undefined);
      return open(undefined);
    }
    if (expected === 'unexpected') {
      await body.dump({ limit: maxUnwantedBytes }).catch(() => undefined);
      if (statusCode === 407 && forwarding !== undefined && proxy !== undefined) throw proxyRefusal(proxy, statusCode);
      const target = redirectTarget(answerHeaders.location, origin, (line.path ?? '').slice(prefix.length));
      throw statusError(statusCode, answerHeaders['retry-after'], {
        request: line,
        proxyUrl: forwardedBy,
        mayBeTls,
        target: target && hide(target),
      });
    }
    if (isCompressed(answerHeaders['content-encoding'])) {
      await body.dump({ limit: maxUnwantedBytes }).catch(() => undefined);
      throw new BadAnswerError(badAnswerTexts.compressed, { request: line, hint: hintTexts.compressed });
    }
    if (expected === 'text') return open(await readText(body, options.onReceived));
    return open(
      await readJson(body, line, {
        maxBytes: maxBodyBytes,
        maxNesting,
        mayBeEmpty: expected === 'json-or-empty',
        onReceived: options.onReceived,
      }),
    );
  }

  async function exchange(
    { method, body, signal, ...request }: HttpRequest,
    line: RequestLine,
    loginHeader: Readonly<Record<string, string>>,
  ): Promise<unknown> {
    const path = prefix + request.path;
    const deadlineMs = Math.min(request.deadlineMs ?? maxDeadlineMs, maxDeadlineMs);
    if (signal?.aborted) throw new AbortedError({ request: line });
    const controller = new AbortController();
    let endedBy: 'deadline' | 'caller' | undefined;
    let hasHead = false;
    const end = (by: 'deadline' | 'caller'): void => {
      endedBy ??= by;
      controller.abort();
    };
    const onAbort = (): void => end('caller');
    const timer = setTimeout(end, deadlineMs, 'deadline');
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      pool ??= openPool({
        origin,
        deadlineMs: maxDeadlineMs,
        maxConnections,
        tls,
        proxy,
        lookup: options.lookup,
        isPlainRemoteAllowed: options.isPlainRemoteAllowed,
        signal: closing.signal,
        onConnection: options.onConnection,
      });
      const open = await pool;
      const answer = await open.request({
        method,
        path: forwarding === undefined ? path : origin + path,
        headers: {
          ...commonHeaders,
          ...loginHeader,
          ...forwarding,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
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
      // undici can reuse a connection one turn of the event loop later; an earlier request would open another one.
      await setImmediate();
    }
  }

  const lineOf = ({ method, path }: HttpRequest): RequestLine => ({ method, path: prefix + path });

  function sendWith(request: HttpRequest, loginHeader: Readonly<Record<string, string>>): Promise<unknown> {
    const line = lineOf(request);
    if (request.signal?.aborted) throw new AbortedError({ request: line });
    return orAborted(
      limit(() => exchange(request, line, loginHeader)),
      request.signal,
      line,
    );
  }

  return {
    prefix,
    get hasToken() {
      return tokenLogin?.hasToken === true;
    },
    async send(request) {
      if (tokenLogin === undefined || user === undefined) return sendWith(request, passwordHeaders);
      let { header } = tokenLogin;
      for (let renewals = 0; ; renewals += 1) {
        try {
          return await sendWith(request, header ?? passwordHeaders);
        } catch (error) {
          if (renewals === maxRenewals) throw tokenLogin.refusalOf(error);
          const renewing = tokenLogin.renew(error, header, {
            user,
            password,
            send: (login) => sendWith(login, {}),
            passwords,
          });
          const renewed = await orAborted(renewing, request.signal, lineOf(request));
          if (renewed === undefined) throw error;
          header = renewed;
        }
      }
    },
    setPassword(next) {
      passwords.add(next);
      if (next !== password) tokenLogin?.forget(passwords);
      tokenLogin?.mayTry(next);
      password = next;
      passwordHeaders = loginHeaders(format, user, next);
    },
    hide,
    async close() {
      closing.abort();
      await (await pool)?.destroy();
    },
  };
}

interface Waiting {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
  isLate: boolean;
}

type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Runs one job at a time, in order; a job that has waited for `patienceMs` runs in parallel while fewer than `max` run.
 */
function createPatientLimit(max: number, patienceMs: number): Limit {
  const waiting: Waiting[] = [];
  let running = 0;

  function startNext(): void {
    for (
      let first = waiting[0];
      first !== undefined && (running === 0 || (first.isLate && running < max));
      first = waiting[0]
    ) {
      waiting.shift();
      clearTimeout(first.timer);
      running += 1;
      first.start();
    }
  }

  return async (work) => {
    await new Promise<void>((start) => {
      const timer = setTimeout(() => {
        entry.isLate = true;
        startNext();
      }, patienceMs);
      const entry: Waiting = { start, timer, isLate: false };
      waiting.push(entry);
      startNext();
    });
    try {
      return await work();
    } finally {
      running -= 1;
      startNext();
    }
  };
}
