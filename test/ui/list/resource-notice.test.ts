import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { errorOfCode } from '../../../src/api/dialects/emq-v2/codes.ts';
import { type ApiError, BadAnswerError, HttpStatusError, NoAnswerError, NotAvailableError, NotFoundError, RateLimitedError, TimeoutError, TlsError, TooLargeError, UnauthorizedError, UnreachableError } from '../../../src/api/errors.ts';
import { emptyResource } from '../../../src/monitor/polling/poller.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import { widthOf } from '../../../src/terminal/text-width.ts';
import { tableLines } from '../../../src/ui/components/table.tsx';
import { dataProblem, missingMessage } from '../../../src/ui/list/resource-notice.ts';
import { plainTheme } from '../support/rig.tsx';

const errors: readonly ApiError[] = [
  new BadAnswerError('cut short'), errorOfCode(101), new HttpStatusError(302), new NoAnswerError(), new NotAvailableError('the settings'), new NotFoundError(),
  new RateLimitedError(3), new TimeoutError(5_000), new TlsError('CERT_HAS_EXPIRED', 'certificate expired', 'have it renewed'), new TooLargeError('over 32 MiB'), new UnauthorizedError(), new UnreachableError('ECONNREFUSED'),
];
const nowMs = 1_000_000;
const fetchContext = { nowMs, isFrozen: false, isUnauthorized: false };
const words = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

describe.each(errors)('$name', (error) => {
  const failed = { ...emptyResource<number>(), error, nextAttemptAtMs: nowMs + 12_000 };

  test('over rows it says what, how old, when again and why in 80 columns, and then where the sentence stands', () => {
    const problem = dataProblem(plainTheme, { ...failed, data: 1, updatedAtMs: nowMs - 65_000 }, safe`listeners`, true, fetchContext);
    expect(problem?.text).toBe(`! listeners: as read 1m 05s ago, tried again in 12 s: ${error.brief} (L: log)`);
    expect(widthOf(problem?.text ?? safe``) - ' (L: log)'.length).toBeLessThanOrEqual(80);
  });

  test.each([60, 80])('in place of rows its sentence is there to the last word at %i columns', (width) => {
    const lines = tableLines(plainTheme, width, 9, { rows: [], columns: [], data: undefined, getId: String, top: 0, message: missingMessage(plainTheme, failed, safe`the listeners`, fetchContext) });
    expect(lines).toHaveLength(9);
    expect(words(stripVTControlCharacters(lines.join(' ')))).toContain(words(`! the listeners: not read, tried again in 12 s. ${error.message}`));
  });
});
