import type { ServerResponse } from 'node:http';
import { ApiError, BrokerError, brokerCodes, RateLimitedError } from '../errors.ts';
import { encodeJson } from './encode-values.ts';
import { BodyTooLargeError } from './server-request.ts';

/** What a request is answered with. `close` ends the connection without a byte (field notes, "Transport"). */
export type Answer =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'empty'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'close' };

export const notFound: Answer = { kind: 'empty', status: 404 };
export const badRequest: Answer = { kind: 'empty', status: 400 };
export const forbidden: Answer = { kind: 'empty', status: 403 };
export const expectationFailed: Answer = { kind: 'empty', status: 417 };
export const unauthorized: Answer = {
  kind: 'empty',
  status: 401,
  headers: { 'www-authenticate': 'Basic realm="brokertop", charset="UTF-8"' },
};

/** Success: the envelope of §2.1. */
export function success(result: unknown): Answer {
  return { kind: 'json', value: { code: 0, result } };
}

function failure(code: number, message: string | undefined): Answer {
  return { kind: 'json', value: { code, message } };
}

/**
 * How a failure looks on the wire (§7, field notes "Transport"). `undefined` for an error that no
 * operation should throw: the answer is then 102, and the error is for the service's own log.
 */
export function answerForError(error: unknown): Answer | undefined {
  if (error instanceof BrokerError) return failure(error.code, error.brokerMessage ?? error.meaning);
  if (error instanceof BodyTooLargeError) return { kind: 'empty', status: 413, headers: { connection: 'close' } };
  if (error instanceof RateLimitedError) {
    return { kind: 'empty', status: 429, headers: { 'retry-after': String(error.retryAfterSeconds ?? 1) } };
  }
  if (!(error instanceof ApiError)) return undefined;
  switch (error.kind) {
    case 'not-found': case 'unsupported': return notFound;
    case 'no-answer': return { kind: 'close' };
    case 'timeout': case 'unreachable': return failure(101, brokerCodes[101]);
    default: return failure(102, brokerCodes[102]);
  }
}

/** For an error that nobody foresaw. */
export const unknownError: Answer = failure(102, brokerCodes[102]);

export function writeAnswer(response: ServerResponse, answer: Answer): void {
  if (answer.kind === 'close') {
    response.destroy();
    return;
  }
  if (answer.kind === 'json') {
    const text = encodeJson(answer.value);
    // The text is ASCII, so its length is its size.
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    response.end(text);
    return;
  }
  response.writeHead(answer.status, { 'content-type': 'text/plain', 'content-length': 0, ...answer.headers });
  response.end();
}
