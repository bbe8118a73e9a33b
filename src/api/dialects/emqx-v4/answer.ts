import type { HttpFormat, HttpResponse } from '../../dialect.ts';
import {
  type ApiError,
  BadAnswerError,
  BrokerError,
  HttpStatusError,
  NotFoundError,
  type RefusalKind,
  type RequestLine,
  UnauthorizedError,
} from '../../errors.ts';
import { isObject } from '../../json.ts';
import { basicAuth } from '../../login.ts';
import { type Answer } from '../caller.ts';
import { basePath } from './base-path.ts';
import { v4Texts } from './texts.ts';

interface Meaning {
  readonly kind: RefusalKind;
  readonly meaning?: string;
}

const codes: Readonly<Record<number, Meaning>> = {
  101: { kind: 'node-unreachable', meaning: v4Texts.silentNode },
  102: { kind: 'failed' },
  103: { kind: 'wrong-credentials' },
  104: { kind: 'empty-credentials' },
  105: { kind: 'unknown-user' },
  106: { kind: 'protected-user' },
  107: { kind: 'invalid', meaning: v4Texts.invalid },
  108: { kind: 'invalid', meaning: v4Texts.invalid },
  109: { kind: 'invalid', meaning: v4Texts.invalid },
  110: { kind: 'already-started' },
  111: { kind: 'not-started' },
  112: { kind: 'not-connected' },
  113: { kind: 'exists', meaning: v4Texts.exists },
  114: { kind: 'wrong-old-password' },
  115: { kind: 'invalid', meaning: v4Texts.noTopic },
  116: { kind: 'invalid', meaning: v4Texts.invalid },
};

/** Many refusals have no code, only a text. */
const messages: readonly (readonly [text: RegExp, meaning: Meaning])[] = [
  [/^(?:nodedown|timeout|badrpc|noconnection)$/u, { kind: 'node-unreachable', meaning: v4Texts.silentNode }],
  [/^already_started$/u, { kind: 'already-started' }],
  [/^not_started$/u, { kind: 'not-started' }],
  [/already exist/iu, { kind: 'exists' }],
  [/^username not found/iu, { kind: 'unknown-user' }],
  [/^username or password undefined/iu, { kind: 'empty-credentials' }],
  [/^username\/password error/iu, { kind: 'wrong-credentials' }],
  [/^cannot delete admin/iu, { kind: 'protected-user' }],
  [/^the password/iu, { kind: 'invalid', meaning: v4Texts.invalid }],
];

const maxWords = 200;
const cut = (text: string): string => (text.length > maxWords ? `${text.slice(0, maxWords)}…` : text);

function refusalOf(
  { code, message }: { readonly code: number | undefined; readonly message: string | undefined },
  request: RequestLine,
): BrokerError {
  const text = message ?? '';
  const byText = messages.find(([pattern]) => pattern.test(text))?.[1];
  // 102 stands for every failure: the text may say more.
  const known = code === undefined || code === 102 ? (byText ?? codes[102]) : codes[code];
  return new BrokerError(known?.kind ?? 'failed', text === '' ? undefined : cut(text), {
    code,
    request,
    ...(known?.meaning !== undefined && { meaning: known.meaning }),
    ...(known === undefined && { meaning: null }),
  });
}

function parseText(text: unknown): Readonly<Record<string, unknown>> {
  if (typeof text !== 'string') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

const codeOf = ({ code }: Readonly<Record<string, unknown>>): number | undefined =>
  typeof code === 'number' ? code : undefined;

/** Returns the error of a status. EMQX writes a text, NanoMQ a code. */
function errorOf({ status, json, request }: HttpResponse): ApiError {
  if (status === 401) return new UnauthorizedError({ request });
  if (status === 404) return new NotFoundError({ request });
  const code = codeOf(parseText(json));
  return code === undefined
    ? new HttpStatusError(status, { request })
    : refusalOf({ code, message: undefined }, request);
}

export const http: HttpFormat = {
  basePath,
  authorization: basicAuth,
  bodyOf: (status) =>
    status === 200
      ? 'json'
      : status === 204
        ? 'none'
        : status === 400 || status === 401 || status === 404 || status === 500
          ? 'text'
          : 'unexpected',
  openAnswer(response): Answer {
    const { status, json, request, sentAt, hide } = response;
    if (status >= 400) throw errorOf(response);
    // How EMQX answers about a node that is down, where it cannot write its own error.
    if (status === 204) throw new BrokerError('node-unreachable', undefined, { request, meaning: v4Texts.silentNode });
    if (!isObject(json)) throw new BadAnswerError('not an object', { request });
    const code = codeOf(json);
    const message = typeof json['message'] === 'string' ? hide(json['message']) : undefined;
    if ((code !== undefined && code !== 0) || (code === undefined && message !== undefined))
      throw refusalOf({ code, message }, request);
    const { data } = json;
    if (isObject(data) && typeof data['error'] === 'string')
      throw refusalOf({ code: undefined, message: hide(data['error']) }, request);
    // The metrics of NanoMQ have no code.
    if (code === undefined && json['metrics'] === undefined) throw new BadAnswerError('no number "code"', { request });
    return { status, body: json, sentAt };
  },
};
