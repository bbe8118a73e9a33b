import type { ServerResponse } from 'node:http';
import { ApiError, BrokerError, NoAnswerError, RateLimitedError, type RefusalKind } from '../../../errors.ts';
import { gather } from '../../../json.ts';
import { jsonBytes, textBytes, writeJson } from '../../../server/body.ts';
import { BrokenRequestError } from '../../../server/pipeline.ts';
import { failureOf } from '../envelope.ts';
import type { WireRecord } from './encode.ts';

export class LongResult {
  readonly record: WireRecord;

  constructor(record: WireRecord) {
    this.record = record;
  }
}

/** The answer of the server. `close` ends the connection without a byte (field notes, "Transport"). */
export type Answer =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'pieces'; readonly result: LongResult }
  | { readonly kind: 'empty'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly kind: 'close' };

export const notFound: Answer = { kind: 'empty', status: 404 };
export const badRequest: Answer = { kind: 'empty', status: 400 };
export const unauthorized: Answer = {
  kind: 'empty',
  status: 401,
  headers: { 'www-authenticate': 'Basic realm="brokertop", charset="UTF-8"' },
};

export function success(result: unknown): Answer {
  return result instanceof LongResult ? { kind: 'pieces', result } : { kind: 'json', value: { code: 0, result } };
}

function failure(kind: RefusalKind, error?: BrokerError): Answer {
  return { kind: 'json', value: failureOf(kind, error) };
}

/** Returns the answer to a failure (§7, field notes "Transport"); `undefined` for an unexpected error. */
export function answerForError(error: unknown): Answer | undefined {
  if (error instanceof BrokerError) return failure(error.kind, error);
  if (error instanceof BrokenRequestError)
    return { kind: 'empty', status: error.status, headers: { connection: 'close' } };
  if (error instanceof RateLimitedError) {
    return { kind: 'empty', status: 429, headers: { 'retry-after': String(error.retryAfterSeconds ?? 1) } };
  }
  if (!(error instanceof ApiError)) return undefined;
  switch (error.kind) {
    case 'not-found':
    case 'not-supported':
      return notFound;
    case 'timeout':
      return failure('node-unreachable');
    case 'unreachable':
      return error instanceof NoAnswerError ? { kind: 'close' } : failure('node-unreachable');
    default:
      return failure('failed');
  }
}

export const unknownError: Answer = failure('failed');

/** Builds the whole body, so that its length is known. Rejects when the signal is aborted. */
export async function makeBody(answer: Answer, signal: AbortSignal): Promise<readonly Buffer[]> {
  if (answer.kind === 'json') return [textBytes(JSON.stringify(answer.value))];
  return answer.kind === 'pieces'
    ? await gather(jsonBytes(answer.result.record, '{"code":0,"result":', '}'), signal)
    : [];
}

export function writeAnswer(response: ServerResponse, answer: Answer, body: readonly Buffer[]): void {
  if (answer.kind === 'close') {
    response.destroy();
    return;
  }
  if (answer.kind === 'empty') {
    response.writeHead(answer.status, { 'content-type': 'text/plain', 'content-length': 0, ...answer.headers });
    response.end();
    return;
  }
  writeJson(response, 200, body);
}
