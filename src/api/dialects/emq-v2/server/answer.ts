import type { ServerResponse } from 'node:http';
import { ApiError, BrokerError, RateLimitedError, type RefusalKind } from '../../../errors.ts';
import { gather, jsonPieces } from '../../../json.ts';
import { failureOf } from '../codes.ts';
import { encodeJson, escapeJson, type WireRecord } from './encode.ts';
import { BrokenRequestError } from './pipeline.ts';
import { BodyTooLargeError } from './request.ts';

/** A result that is written in slices, between which everything else gets its turn: a record with a list that is made as it is written. */
export class LongResult {
  readonly record: WireRecord;

  constructor(record: WireRecord) {
    this.record = record;
  }
}

/** What a request is answered with. `close` ends the connection without a byte (field notes, "Transport"). */
export type Answer =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'pieces'; readonly result: LongResult }
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
  return result instanceof LongResult ? { kind: 'pieces', result } : { kind: 'json', value: { code: 0, result } };
}

function failure(kind: RefusalKind, error?: BrokerError): Answer {
  return { kind: 'json', value: failureOf(kind, error) };
}

/**
 * How a failure looks on the wire (§7, field notes "Transport"). `undefined` for an error that no
 * operation should throw: the answer is then 102, and the error is for the service's own log.
 */
export function answerForError(error: unknown): Answer | undefined {
  if (error instanceof BrokerError) return failure(error.kind, error);
  if (error instanceof BodyTooLargeError) return { kind: 'empty', status: 413, headers: { connection: 'close' } };
  if (error instanceof BrokenRequestError) return { kind: 'empty', status: error.status, headers: { connection: 'close' } };
  if (error instanceof RateLimitedError) {
    return { kind: 'empty', status: 429, headers: { 'retry-after': String(error.retryAfterSeconds ?? 1) } };
  }
  if (!(error instanceof ApiError)) return undefined;
  switch (error.kind) {
    case 'not-found': case 'unsupported': return notFound;
    case 'no-answer': return { kind: 'close' };
    case 'timeout': case 'unreachable': return failure('node-unreachable');
    default: return failure('failed');
  }
}

/** For an error that nobody foresaw. */
export const unknownError: Answer = failure('failed');

/** The body of a JSON answer, whole, so that its length is known. Rejects when the signal is aborted meanwhile. */
export async function makeBody(answer: Answer, signal: AbortSignal): Promise<readonly Buffer[]> {
  if (answer.kind === 'json') return [toBytes(encodeJson(answer.value))];
  return answer.kind === 'pieces' ? await gather(bodyPieces(answer.result), signal) : [];
}

const pieceLength = 16 * 1024;

/** The envelope of §2.1 around a long result, in pieces that are worth a buffer each. */
function* bodyPieces({ record }: LongResult): Generator<Buffer, void> {
  let text = '{"code":0,"result":';
  for (const piece of jsonPieces(record)) {
    text += piece;
    if (text.length < pieceLength) continue;
    yield toBytes(escapeJson(text));
    text = '';
  }
  yield toBytes(escapeJson(`${text}}`));
}

/** The text is ASCII. */
function toBytes(text: string): Buffer {
  return Buffer.from(text, 'latin1');
}

/** Writes an answer; `body` is what `makeBody` made of it. */
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
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': body.reduce((sum, piece) => sum + piece.length, 0),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.cork();
  for (const piece of body) response.write(piece);
  response.end();
}
