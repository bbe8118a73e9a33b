import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/envelope.ts';
import {
  BadAnswerError,
  BrokerError,
  HttpStatusError,
  NoAnswerError,
  NotAvailableError,
  NotFoundError,
  NotSupportedError,
  RateLimitedError,
  TimeoutError,
  TlsError,
  TooLargeError,
  UnauthorizedError,
  UnreachableError,
  type ApiError,
} from '../../../src/api/errors.ts';
import { tlsTexts } from '../../../src/api/texts.ts';
import { safe, trusted } from '../../../src/terminal/safe-text.ts';
import { widthOf } from '../../../src/terminal/text-width.ts';
import { tableLines } from '../../../src/tui/components/table.tsx';
import { dataProblem, missingMessage, retryText } from '../../../src/tui/list/resource-notice.ts';
import { listTexts } from '../../../src/tui/list/texts.ts';
import { plainTheme } from '../support/rig.tsx';
import { emptyResource } from '../../../src/monitor/state.ts';

const errors: readonly ApiError[] = [
  new BadAnswerError('cut short'),
  errorOfCode(101),
  new HttpStatusError(302),
  new NoAnswerError(),
  new NotAvailableError('the settings'),
  new NotFoundError(),
  new RateLimitedError(3),
  new TimeoutError(5_000),
  new TlsError('CERT_HAS_EXPIRED', tlsTexts.expired),
  new TooLargeError('over 32 MiB'),
  new UnauthorizedError(),
  new UnreachableError('ECONNREFUSED'),
];
const nowMs = 1_000_000;
const fetchContext = { nowMs, isFrozen: false, isUnauthorized: false };
const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

describe.each(errors)('$name', (error) => {
  const failed = { ...emptyResource<number>(), error, nextAttemptAtMs: nowMs + 12_000 };

  test('over rows it shows what, age, retry and reason in 80 columns', () => {
    const problem = dataProblem(
      plainTheme,
      { ...failed, data: 1, updatedAtMs: nowMs - 65_000 },
      safe`listeners`,
      true,
      fetchContext,
    );
    expect(problem?.text).toBe(
      listTexts.staleFailed(
        safe`listeners`,
        safe`1m 05s ago`,
        safe`retry in 12 s`,
        safe`${trusted(error.brief)} (L: log)`,
      ),
    );
    expect(widthOf(problem?.text ?? safe``) - ' (L: log)'.length).toBeLessThanOrEqual(80);
  });

  test('a retry that is due is never in 0 s', () => {
    const retry = (waitMs: number): string => retryText(nowMs + waitMs, false, fetchContext);
    expect([retry(1_001), retry(1), retry(0), retry(-500)]).toEqual([
      'retry in 2 s',
      'retry in 1 s',
      'retrying',
      'retrying',
    ]);
  });

  test.each([60, 80])('instead of rows the whole sentence is shown at %i columns', (width) => {
    const lines = tableLines(plainTheme, width, 9, {
      rows: [],
      columns: [],
      data: undefined,
      getId: String,
      top: 0,
      message: missingMessage(plainTheme, failed, safe`the listeners`, fetchContext),
    });
    expect(lines).toHaveLength(9);
    const failure = error.kind === 'not-available' ? '' : '! Cannot load the listeners, retry in 12 s. ';
    expect(words(stripVTControlCharacters(lines.join(' ')))).toContain(words(failure + error.message));
  });
});

test('what the broker does not have is said without a retry', () => {
  const lacking = { ...emptyResource(), error: new NotSupportedError('list listeners'), nextAttemptAtMs: 300_000 };
  const context = { nowMs: 0, isFrozen: false, isUnauthorized: false };
  expect(missingMessage(plainTheme, lacking, safe`the listeners`, context)).toMatchObject({
    text: " This broker's API cannot list listeners.",
    role: 'dim',
  });
});

test('what the login may not read is said without a retry', () => {
  const refused = { ...emptyResource(), error: new BrokerError('not-allowed'), nextAttemptAtMs: 300_000 };
  const context = { nowMs: 0, isFrozen: false, isUnauthorized: false };
  expect(missingMessage(plainTheme, refused, safe`the bans`, context)).toMatchObject({
    text: ' This login may not read the bans: the broker refuses it.',
    role: 'dim',
  });
});

test('a list of the past says how old it was, also where it is not late', () => {
  const state = { ...emptyResource<readonly string[]>(), data: [], updatedAtMs: 1_000 };
  const at = (nowMs: number, isPast: boolean) =>
    dataProblem(plainTheme, state, safe`bans`, false, { nowMs, isFrozen: false, isUnauthorized: false, isPast });
  expect(at(34_000, true)).toEqual({ text: 'bans: last read 33 s ago', role: 'dim' });
  expect(at(3_000, true)).toBeUndefined();
  expect(at(34_000, false)).toBeUndefined();
});
