import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Log } from '../log.ts';
import { PluginError, type PluginValues } from './plugin.ts';

export interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  /** Sent as this type; none with GET. */
  readonly body?: { readonly type: string; readonly text: string } | undefined;
}

export interface HttpSenderOptions {
  /** Concurrent requests. */
  readonly connections: number;
  /** Waiting requests; one more fails at once. */
  readonly waiting: number;
  /** For the whole request, including waiting. */
  readonly timeoutMs: number;
}

/** Limits for reading a response body, which is discarded. */
const maxAnswerBytes = 64 * 1024;
const maxAnswerMs = 100;

/**
 * Sends HTTP requests with limits on time, size and number. Redirects are not followed. Every request has its own
 * connection: the server may close an idle one just when it is reused.
 */
export class HttpSender {
  readonly #options: HttpSenderOptions;
  readonly #http: HttpAgent;
  readonly #https: HttpsAgent;
  readonly #pending = new Set<(error: Error) => void>();
  #isClosed = false;

  constructor(options: HttpSenderOptions) {
    this.#options = options;
    this.#http = new HttpAgent({ maxTotalSockets: options.connections, maxSockets: options.connections });
    this.#https = new HttpsAgent({ maxTotalSockets: options.connections, maxSockets: options.connections });
  }

  /** Resolves with the status once the connection is free again. Rejects without a response in time, or when too many requests wait. */
  send({ url, method, body }: HttpRequest): Promise<number> {
    const { connections, waiting, timeoutMs } = this.#options;
    if (this.#isClosed) return Promise.reject(new Error('it was stopped'));
    if (this.#pending.size >= connections + waiting) return Promise.reject(new Error('too many requests wait for it'));
    return new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': body.type, 'content-length': Buffer.byteLength(body.text) };
      const request: ClientRequest = url.protocol === 'https:'
        ? requestHttps(url, { method, headers, agent: this.#https })
        : requestHttp(url, { method, headers, agent: this.#http });
      let status: number | undefined;
      const settle = (error: Error): void => {
        clearTimeout(timer);
        this.#pending.delete(fail);
        if (status === undefined) reject(error);
        else resolve(status);
      };
      // Told here and not by the request's own end, which one that still waits for a socket does not have.
      const fail = (error: Error): void => {
        settle(error);
        request.destroy();
      };
      let timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
      this.#pending.add(fail);
      request.on('error', (error: NodeJS.ErrnoException) => settle(new Error(error.code ?? 'no HTTP answer')));
      request.once('close', () => settle(new Error('no answer')));
      request.once('response', (response) => {
        status = response.statusCode ?? 0;
        clearTimeout(timer);
        // What is cut off at once looks to the service like a failure, and one that writes on for ever would keep the connection.
        timer = setTimeout(() => fail(new Error('no end')), maxAnswerMs);
        let bytes = 0;
        response.on('error', () => undefined);
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxAnswerBytes) fail(new Error('too long'));
        });
      });
      request.end(body?.text);
    });
  }

  /** Rejects all running requests. */
  close(): void {
    this.#isClosed = true;
    for (const fail of this.#pending) fail(new Error('it was stopped'));
    this.#http.destroy();
    this.#https.destroy();
  }
}

/** Reads an HTTP URL from a setting; `undefined` when it is empty. @throws PluginError */
export function readUrl(values: PluginValues, key: string): URL | undefined {
  const text = values.get(key);
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new PluginError(`${key} is no http or https URL.`);
  return url;
}

/** Logs when a service starts to fail and when it works again, not every failure. */
export class FailureReport {
  readonly #log: Log;
  readonly #what: string;
  #failures = 0;

  /** `what` is the service as lines call it. */
  constructor(log: Log, what: string) {
    this.#log = log;
    this.#what = what;
  }

  failed(why: string): void {
    if (this.#failures === 0) this.#log('error', `${this.#what} fails: ${why}`);
    this.#failures += 1;
  }

  worked(): void {
    if (this.#failures > 0) this.#log('warning', `${this.#what} works again, after ${this.#failures} failures`);
    this.#failures = 0;
  }
}
