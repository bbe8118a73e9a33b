import type { OutgoingHttpHeaders } from 'node:http';
import { ApiError, BrokerError, RateLimitedError, type RefusalKind } from '../../../errors.ts';
import { BadBodyError } from '../../../server/request.ts';
import { BrokenRequestError } from '../../../server/pipeline.ts';

/** A JSON object. Fields that are `undefined` are left out. */
export type WireRecord = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly status: number;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly json?: unknown;
  /** A JSON object that may be long: with lists by `lazily`. */
  readonly long?: WireRecord | undefined;
  readonly text?: string | undefined;
  /** Nothing is answered: the connection ends. */
  readonly isClosed?: true;
}

/** An answer with a code, thrown. */
export class RefusalError extends Error {
  readonly answer: Answer;

  constructor(status: number, code: string, message: string, headers?: OutgoingHttpHeaders) {
    super(message);
    this.name = 'RefusalError';
    this.answer = { status, json: { code, message }, headers };
  }
}

export const ok = (json: unknown): Answer => ({ status: 200, json });
export const noContent: Answer = { status: 204 };
export const emptyOk: Answer = { status: 200 };
export const closed: Answer = { status: 0, isClosed: true };

const notFoundPage = '<html><head><title>404 - NOT FOUND</title></head><body><h1>404 - NOT FOUND</h1></body></html>';

/** Answers a path that does not exist. `isJson`: as JSON, whatever the client accepts. */
export function unknownPath(accept: string | undefined, isJson = false): Answer {
  if (isJson) return { status: 404, json: { code: 'API_NOT_EXIST', message: 'Request Path Not Found' } };
  return accept?.includes('application/json') === true
    ? { status: 404, json: { code: 'NOT_FOUND', message: 'Request Path Not Found' } }
    : { status: 404, text: notFoundPage, headers: { 'content-type': 'text/html' } };
}

/** Refuses a value. Some messages are JSON in a string. */
export function invalid(path: string, reason: unknown, value?: unknown): RefusalError {
  return new RefusalError(
    400,
    'BAD_REQUEST',
    JSON.stringify({ ...(value !== undefined && { value }), reason, path, kind: 'validation_error' }),
  );
}

export const nodeNotFound = (node: string): RefusalError =>
  new RefusalError(404, 'NOT_FOUND', `Node not found: ${node}`);
export const nodeDown = (node: string): RefusalError =>
  new RefusalError(500, 'NODE_DOWN', `bad rpc call '${node}', Reason nodedown`);
export const clientNotFound = (): RefusalError => new RefusalError(404, 'CLIENTID_NOT_FOUND', 'Client ID not found');

const refusals: Readonly<Record<RefusalKind, readonly [status: number, code: string]>> = {
  'node-unreachable': [500, 'NODE_DOWN'],
  failed: [500, 'INTERNAL_ERROR'],
  invalid: [400, 'BAD_REQUEST'],
  exists: [400, 'ALREADY_EXISTS'],
  'does-not-exist': [404, 'NOT_FOUND'],
  'not-allowed': [403, 'FORBIDDEN'],
  'not-connected': [404, 'CLIENTID_NOT_FOUND'],
  'already-started': [400, 'BAD_REQUEST'],
  'not-started': [400, 'BAD_REQUEST'],
  'wrong-credentials': [401, 'BAD_USERNAME_OR_PWD'],
  'empty-credentials': [400, 'BAD_REQUEST'],
  'unknown-user': [404, 'USER_NOT_FOUND'],
  'protected-user': [400, 'NOT_ALLOWED'],
  'wrong-old-password': [400, 'ERROR_PWD_NOT_MATCH'],
};

/** Returns the answer to a failure; `undefined` for an unexpected error. */
export function answerForError(error: unknown): Answer | undefined {
  if (error instanceof RefusalError) return error.answer;
  if (error instanceof BadBodyError)
    return new RefusalError(400, 'BAD_REQUEST', 'Invalid json message received').answer;
  if (error instanceof BrokenRequestError) return { status: error.status, headers: { connection: 'close' } };
  if (error instanceof RateLimitedError) {
    return new RefusalError(429, 'TOO_MANY_REQUESTS', 'Too many logins are being checked', {
      'retry-after': String(error.retryAfterSeconds ?? 1),
    }).answer;
  }
  if (error instanceof BrokerError) {
    const [status, code] = refusals[error.kind];
    return new RefusalError(status, code, error.brokerMessage ?? error.meaning ?? code).answer;
  }
  if (!(error instanceof ApiError)) return undefined;
  switch (error.kind) {
    case 'not-found':
      return new RefusalError(404, 'NOT_FOUND', 'Not found').answer;
    case 'not-supported':
      return unknownPath('application/json');
    default:
      return internalError;
  }
}

export const internalError: Answer = new RefusalError(500, 'INTERNAL_ERROR', 'error').answer;
