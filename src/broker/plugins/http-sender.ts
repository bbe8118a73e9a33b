import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { reasonText } from '../../domain/error-code.ts';
import type { Log } from '../log.ts';
import { PluginError, type PluginValues } from './plugin.ts';

export interface HttpRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly body?: { readonly type: string; readonly text: string } | undefined;
}

export interface HttpSenderOptions {
  readonly connections: number;
  readonly waiting: number;
  /** Limits the whole request, including waiting. */
  readonly timeoutMs: number;
}

const maxAnswerBytes = 64 * 1024;
const maxAnswerMs = 100;

/**
 * Sends requests without following redirects. Each has its own connection: the server may close an idle one just when
 * it is reused.
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

  /** Resolves once the connection is free again. Rejects without a response in time, or when too many requests wait. */
  send({ url, method, body }: HttpRequest): Promise<number> {
    const { connections, waiting, timeoutMs } = this.#options;
    if (this.#isClosed) return Promise.reject(new Error('stopped'));
    if (this.#pending.size >= connections + waiting) return Promise.reject(new Error('too many waiting requests'));
    return new Promise((resolve, reject) => {
      const headers =
        body === undefined ? {} : { 'content-type': body.type, 'content-length': Buffer.byteLength(body.text) };
      const request: ClientRequest =
        url.protocol === 'https:'
          ? requestHttps(url, { method, headers, agent: this.#https })
          : requestHttp(url, { method, headers, agent: this.#http });
      let status: number | undefined;
      const settle = (error: Error): void => {
        clearTimeout(timer);
        this.#pending.delete(fail);
        if (status === undefined) reject(error);
        else resolve(status);
      };
      // Settled here because a request that waits for a socket emits no event when it is destroyed.
      const fail = (error: Error): void => {
        settle(error);
        request.destroy();
      };
      let timer = setTimeout(() => fail(new Error(`no response within ${timeoutMs / 1000} s`)), timeoutMs);
      this.#pending.add(fail);
      request.on('error', (error: NodeJS.ErrnoException) =>
        settle(new Error(reasonText(error.code ?? 'no HTTP response'))),
      );
      request.once('close', () => settle(new Error('no response')));
      request.once('response', (response) => {
        status = response.statusCode ?? 0;
        clearTimeout(timer);
        // Closing at once would look like a failure to the service; an endless body must not keep the connection.
        timer = setTimeout(() => fail(new Error('the response did not end')), maxAnswerMs);
        let bytes = 0;
        response.on('error', () => undefined);
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > maxAnswerBytes) fail(new Error('the response is too long'));
        });
      });
      request.end(body?.text);
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const fail of this.#pending) fail(new Error('stopped'));
    this.#http.destroy();
    this.#https.destroy();
  }
}

/** Returns `undefined` when the setting is empty. @throws PluginError */
export function readUrl(values: PluginValues, key: string): URL | undefined {
  const text = values.get(key);
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new PluginError(`${key} is not an http or https URL.`);
  return url;
}

export class FailureReport {
  readonly #log: Log;
  readonly #name: string;
  #failures = 0;

  constructor(log: Log, name: string) {
    this.#log = log;
    this.#name = name;
  }

  failed(reason: string): void {
    if (this.#failures === 0) this.#log('error', `${this.#name} fails: ${reason}`);
    this.#failures += 1;
  }

  succeeded(): void {
    if (this.#failures > 0) this.#log('warning', `${this.#name} recovered after ${this.#failures} failures`);
    this.#failures = 0;
  }
}
