import type { OutgoingHttpHeaders } from 'node:http';
import { ApiError, BrokerError, NotFoundError, NotSupportedError, type RefusalKind } from '../../../errors.ts';
import { BrokenRequestError } from '../../../server/pipeline.ts';
import { BadBodyError } from '../../../server/request.ts';

/** A JSON object. Fields that are `undefined` are left out. */
export type WireRecord = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly json?: WireRecord | undefined;
  /** A JSON object that may be long: with lists by `lazily`. */
  readonly long?: WireRecord | undefined;
  readonly text?: string | undefined;
  /** Nothing is answered: the connection ends. */
  readonly isClosed?: true;
}

/** An answer that is thrown. */
export class RefusalError extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('refused');
    this.name = 'RefusalError';
    this.answer = answer;
  }
}

export const ok = (data?: unknown): Answer => ({ status: 200, json: { data, code: 0 } });
/** Refuses with 200, as the API does. Some refusals have no code. */
export const refusal = (code: number | undefined, message: string): Answer => ({
  status: 200,
  json: { message, code },
});
export const notFound: Answer = { status: 404, text: 'Not found.', headers: { 'content-type': 'text/plain' } };
export const unauthorized: Answer = {
  status: 401,
  text: 'UNAUTHORIZED',
  headers: { 'www-authenticate': 'Basic Realm="minirest-server"' },
};
export const badRequest: Answer = { status: 400, text: 'Bad Request', headers: { 'content-type': 'text/plain' } };
export const internalError: Answer = {
  status: 500,
  text: 'Internal Error',
  headers: { 'content-type': 'text/plain' },
};
export const closed: Answer = { status: 0, isClosed: true };

const codes: Readonly<Record<RefusalKind, readonly [code: number | undefined, message: string]>> = {
  'node-unreachable': [101, 'nodedown'],
  failed: [102, 'unknown'],
  invalid: [108, 'bad_params'],
  exists: [undefined, 'Username Already Exist'],
  'does-not-exist': [112, 'not_found'],
  'not-allowed': [102, 'not_allowed'],
  'not-connected': [112, 'not_found'],
  'already-started': [undefined, 'already_started'],
  'not-started': [undefined, 'not_started'],
  'wrong-credentials': [undefined, 'Username/Password error'],
  'empty-credentials': [undefined, 'Username or password undefined'],
  'unknown-user': [undefined, 'Username Not Found'],
  'protected-user': [undefined, 'Cannot delete admin'],
  'wrong-old-password': [undefined, 'Username/Password error'],
};

/** Returns the answer to a failure; `undefined` for an unexpected error. */
export function answerForError(error: unknown): Answer | undefined {
  if (error instanceof RefusalError) return error.answer;
  if (error instanceof BadBodyError) return badRequest;
  if (error instanceof BrokenRequestError) return { status: error.status, headers: { connection: 'close' } };
  if (error instanceof BrokerError) return refusal(...codes[error.kind]);
  if (error instanceof NotFoundError || error instanceof NotSupportedError) return notFound;
  return error instanceof ApiError ? internalError : undefined;
}
