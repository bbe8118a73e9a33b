import { BrokerError, type BrokerErrorOptions, type RefusalKind, refusals } from '../../errors.ts';

interface CodeMeaning {
  readonly kind: RefusalKind;
  /** What it means, where the words of the kind do not say it. */
  readonly meaning?: string;
}

/** The codes of §7. */
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

/** The error for a code; `failed` for one that §7 does not list. */
export function errorOfCode(code: number, brokerMessage?: string, options: BrokerErrorOptions = {}): BrokerError {
  const known = Object.hasOwn(meanings, code) ? meanings[code] : undefined;
  return new BrokerError(known?.kind ?? 'failed', brokerMessage, { ...options, code, meaning: known === undefined ? null : known.meaning });
}

const codeOfKind: Readonly<Record<RefusalKind, BrokerCode>> = {
  'node-unreachable': 101, failed: 102, 'wrong-credentials': 103, 'empty-credentials': 104, 'unknown-user': 105, 'protected-user': 106,
  invalid: 108, 'already-started': 110, 'not-started': 111, 'not-connected': 112, exists: 113, 'wrong-old-password': 114,
};

/** What the server writes for a refusal: code and message. */
export function failureOf(kind: RefusalKind, error?: BrokerError): { readonly code: number; readonly message: string | undefined } {
  const code = typeof error?.code === 'number' ? error.code : codeOfKind[kind];
  return { code, message: error === undefined ? refusals[kind] : error.brokerMessage ?? error.meaning };
}
