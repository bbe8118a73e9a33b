import type { HttpFormat, HttpResponse } from '../../dialect.ts';
import { BadAnswerError, BrokerError, type BrokerErrorOptions, type RefusalKind } from '../../errors.ts';
import { isObject } from '../../json.ts';
import { basicAuth } from '../../login.ts';
import { refusalTexts } from '../../texts.ts';
import { basePath } from './base-path.ts';
import { envelopeSchema } from './wire.ts';

interface CodeMeaning {
  readonly kind: RefusalKind;
  readonly meaning?: string;
}

/** Kinds of the codes that brokers answer (§7). */
const codes = {
  101: { kind: 'node-unreachable' },
  102: { kind: 'failed' },
  103: { kind: 'wrong-credentials' },
  104: { kind: 'empty-credentials' },
  105: { kind: 'unknown-user' },
  106: { kind: 'protected-user' },
  107: { kind: 'invalid', meaning: 'a request parameter is missing' },
  108: { kind: 'invalid' },
  109: { kind: 'invalid', meaning: 'the request is not JSON' },
  110: { kind: 'already-started' },
  111: { kind: 'not-started' },
  112: { kind: 'not-connected' },
  113: { kind: 'exists' },
  114: { kind: 'wrong-old-password' },
} as const satisfies Readonly<Record<number, CodeMeaning>>;

export type BrokerCode = keyof typeof codes;

const meanings: Readonly<Record<number, CodeMeaning>> = codes;

export function errorOfCode(code: number, brokerMessage?: string, options: BrokerErrorOptions = {}): BrokerError {
  const known = Object.hasOwn(meanings, code) ? meanings[code] : undefined;
  return new BrokerError(known?.kind ?? 'failed', brokerMessage, {
    ...options,
    code,
    meaning: known === undefined ? null : known.meaning,
  });
}

const codeOfKind: Readonly<Record<RefusalKind, BrokerCode>> = {
  'node-unreachable': 101,
  failed: 102,
  'wrong-credentials': 103,
  'empty-credentials': 104,
  'unknown-user': 105,
  'protected-user': 106,
  invalid: 108,
  'already-started': 110,
  'not-started': 111,
  'not-connected': 112,
  exists: 113,
  'wrong-old-password': 114,
  'does-not-exist': 102,
  'not-allowed': 102,
};

export function failureOf(
  kind: RefusalKind,
  error?: BrokerError,
): { readonly code: number; readonly message: string | undefined } {
  const code = typeof error?.code === 'number' ? error.code : codeOfKind[kind];
  return { code, message: error === undefined ? refusalTexts[kind] : (error.brokerMessage ?? error.meaning) };
}

function nameShape(body: unknown): string {
  if (body === null) return 'JSON null';
  if (Array.isArray(body)) return 'a JSON list';
  return `a JSON ${typeof body}`;
}

/**
 * Returns the result in an envelope (§2.1); `undefined` without one. @throws BrokerError if the code is not 0;
 * BadAnswerError if it is not an envelope
 */
export function openEnvelope({ json, request, hide }: Omit<HttpResponse, 'status'>): unknown {
  if (!isObject(json)) throw new BadAnswerError(nameShape(json), { request });
  const envelope = envelopeSchema.safeParse(json);
  if (!envelope.success) throw new BadAnswerError('no integer "code"', { request });
  const { code, message, result } = envelope.data;
  if (code !== 0) throw errorOfCode(code, message === undefined ? undefined : hide(message), { request });
  return result;
}

/** Answers are 200 with an envelope (§2.1); the login is Basic (§5). */
export const http: HttpFormat = {
  basePath,
  authorization: basicAuth,
  bodyOf: (status) => (status === 200 ? 'json' : 'unexpected'),
  openAnswer: openEnvelope,
};
