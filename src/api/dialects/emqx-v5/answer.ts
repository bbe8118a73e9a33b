import type { HttpFormat, HttpRequest, HttpResponse, TokenFormat } from '../../dialect.ts';
import {
  type ApiError,
  BadAnswerError,
  BrokerError,
  HttpStatusError,
  LoginLockedError,
  NotFoundError,
  type RefusalKind,
  type RequestLine,
  UnauthorizedError,
} from '../../errors.ts';
import { isObject } from '../../json.ts';
import { basicAuth } from '../../login.ts';
import { type Answer, openedAnswer } from '../caller.ts';
import { basePath } from './base-path.ts';
import { endpoints } from './paths.ts';
import { v5Texts } from './texts.ts';

/** Means 401, with the broker's code. */
export class LoginRefusedError extends UnauthorizedError {
  readonly code: string | undefined;
  constructor(code: string | undefined, request: RequestLine, hint?: string) {
    super({ request, hint });
    this.code = code;
  }
}

const kinds: Readonly<Record<string, RefusalKind>> = {
  NODE_DOWN: 'node-unreachable',
  CLIENTID_NOT_FOUND: 'not-connected',
  CLIENT_NOT_FOUND: 'not-connected',
  RESOURCE_NOT_FOUND: 'does-not-exist',
  TOPIC_NOT_FOUND: 'does-not-exist',
  BAD_LISTENER_ID: 'does-not-exist',
  USER_NOT_FOUND: 'does-not-exist',
  NOT_FOUND: 'does-not-exist',
  ALREADY_EXISTS: 'exists',
  INVALID_PARAMETER: 'invalid',
  BAD_REQUEST: 'invalid',
  UNSUPPORTED_MEDIA_TYPE: 'invalid',
  API_KEY_NOT_ALLOW: 'not-allowed',
  API_KEY_NOT_ALLOWED: 'not-allowed',
  UNAUTHORIZED_ROLE: 'not-allowed',
  FORBIDDEN: 'not-allowed',
  ERROR_PWD_NOT_MATCH: 'wrong-old-password',
  BAD_USERNAME_OR_PWD: 'wrong-credentials',
};

const silentNode = /\btimeout\b|badrpc|bad rpc|nodedown|badnode|noconnection/u;
const missingNode = /^Node not found/u;
const unknownPath = 'Request Path Not Found';

/** Returns the first words of a message: that of a parameter error is JSON, and a crash's has the stack. */
function wordsOf(message: string): string {
  const inner = parseText(message);
  // An entry that is already there.
  if (isObject(inner) && inner['kind'] === undefined) return '';
  if (isObject(inner)) {
    const reason =
      isObject(inner['reason']) && inner['reason']['expected'] !== undefined
        ? `expected ${textOf(inner['reason']['expected'])}`
        : textOf(inner['reason']);
    return typeof inner['path'] === 'string' ? `${inner['path']}: ${reason}` : reason;
  }
  return cut(message.split(', [{')[0] ?? '');
}

const wordsFor = (message: string, hide: (text: string) => string): string | undefined =>
  hide(wordsOf(message)) || undefined;

const maxWords = 200;
const cut = (text: string): string => (text.length > maxWords ? `${text.slice(0, maxWords)}…` : text);
const textOf = (value: unknown): string => cut(typeof value === 'string' ? value : JSON.stringify(value));

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function kindOf(status: number, code: string, message: string): RefusalKind {
  if (code === 'NOT_FOUND' && missingNode.test(message)) return 'node-unreachable';
  if (/already_?_?exist/iu.test(message)) return 'exists';
  if ((status >= 500 || code === 'BAD_REQUEST') && silentNode.test(message)) return 'node-unreachable';
  return Object.hasOwn(kinds, code) ? (kinds[code] ?? 'failed') : 'failed';
}

function meaningOf(kind: RefusalKind, code: string): string | undefined {
  switch (kind) {
    case 'exists':
      return v5Texts.exists;
    case 'invalid':
      return v5Texts.invalid;
    case 'not-connected':
      return v5Texts.noClient;
    case 'node-unreachable':
      return code === 'NOT_FOUND' ? v5Texts.stoppedNode : v5Texts.silentNode;
    default:
      return undefined;
  }
}

/** EMQX 5.9 and later lock an account for so long after five failed logins in five minutes. */
const lockedSeconds = 600;
/** The shortest wait, because a failed attempt may lock the account again. */
const minLockedSeconds = 60;

function errorOf({ status, json, request, hide, retryAfterSeconds = lockedSeconds }: HttpResponse): ApiError {
  const body = typeof json === 'string' ? parseText(json) : json;
  const fields = isObject(body) ? body : {};
  const { code, message, reason_code: reasonCode } = fields;
  const text = typeof message === 'string' ? message : '';
  if (status === 401 && code !== 'API_KEY_NOT_ALLOW' && code !== 'API_KEY_NOT_ALLOWED') {
    if (code === 'LOGIN_LOCKED') {
      const seconds = Math.max(minLockedSeconds, Math.ceil(retryAfterSeconds));
      return new LoginLockedError(seconds, { request, hint: v5Texts.locked(seconds) });
    }
    return new LoginRefusedError(typeof code === 'string' ? code : undefined, request);
  }
  // Errors of publishing have no code.
  if (typeof reasonCode === 'number')
    return new BrokerError('invalid', wordsFor(text, hide), { code: reasonCode, request, meaning: v5Texts.invalid });
  if (status === 404 && (typeof code !== 'string' || code === 'API_NOT_EXIST' || text === unknownPath))
    return new NotFoundError({ request });
  if (typeof code !== 'string') return new HttpStatusError(status, { request });
  const kind = kindOf(status, code, text);
  const meaning = meaningOf(kind, code);
  return new BrokerError(kind, wordsFor(text, hide), { code, request, ...(meaning !== undefined && { meaning }) });
}

const errorStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 415, 500]);

/** Matches codes of a token that is not known or not valid, such as `TOKEN_TIME_OUT` and `BAD_TOKEN`. */
const tokenCode = /TOKEN/u;

/** Matches what may become part of a header. */
const tokenPattern = /^[!-~]{1,8192}$/u;

const token: TokenFormat = {
  asksForLogin: (refusal, hadToken) =>
    refusal instanceof LoginRefusedError &&
    (hadToken ? tokenCode.test(refusal.code ?? '') : refusal.code === 'BAD_API_KEY_OR_SECRET'),
  login: (username, password): HttpRequest => ({
    method: endpoints.login.method,
    path: endpoints.login.build({}),
    body: { username, password },
  }),
  tokenOf(answer) {
    const { body } = openedAnswer(answer);
    if (isObject(body) && typeof body['token'] === 'string' && tokenPattern.test(body['token'])) return body['token'];
    throw new BadAnswerError(v5Texts.noToken);
  },
  authorization: (text) => `Bearer ${text}`,
  isWrongPassword: (failure) =>
    failure instanceof LoginRefusedError && failure.code !== undefined && /USERNAME_OR_PWD/u.test(failure.code),
  refused: (refusal) => new LoginRefusedError('BAD_API_KEY_OR_SECRET', refusal.request, v5Texts.bothRefused),
  tokenRefused(refusal) {
    const code = refusal instanceof LoginRefusedError ? refusal.code : undefined;
    const error = new BrokerError('failed', undefined, {
      code,
      request: refusal.request,
      meaning: v5Texts.tokenRefused,
    });
    error.nameLogin();
    return error;
  },
};

export const http: HttpFormat = {
  basePath,
  authorization: basicAuth,
  token,
  bodyOf: (status) =>
    status === 200 || status === 202
      ? 'json-or-empty'
      : status === 204
        ? 'none'
        : errorStatuses.has(status)
          ? 'text'
          : 'unexpected',
  openAnswer(response): Answer {
    if (response.status >= 400) throw errorOf(response);
    return { status: response.status, body: response.json, sentAt: response.sentAt };
  },
};
