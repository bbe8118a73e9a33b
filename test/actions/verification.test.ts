import { expect, test } from 'vitest';
import { quoteIfNeeded } from '../../src/actions/texts.ts';
import { kindOfFailure, mayStillHappen } from '../../src/actions/verification.ts';
import { errorOfCode } from '../../src/api/dialects/emq-v2/envelope.ts';
import {
  type ApiError,
  BadAnswerError,
  HttpStatusError,
  NotFoundError,
  NotSupportedError,
  ReadOnlyError,
  RefusedError,
  TooLargeError,
  UnauthorizedError,
  UnusableIdError,
} from '../../src/api/errors.ts';

test.each<[ApiError, ReturnType<typeof kindOfFailure>]>([
  [new RefusedError('the topic is empty'), 'not-sent'],
  [new UnusableIdError('it is empty'), 'not-sent'],
  [new NotSupportedError('do that'), 'not-sent'],
  [new ReadOnlyError('do that'), 'not-sent'],
  [new UnauthorizedError(), 'refused'],
  [errorOfCode(112), 'refused'],
  [new HttpStatusError(403), 'refused'],
  [errorOfCode(101), 'unknown'],
  [new HttpStatusError(500), 'unknown'],
  [new NotFoundError(), 'unknown'],
  [new HttpStatusError(201), 'unknown'],
  [new HttpStatusError(202), 'unknown'],
  [new HttpStatusError(204), 'unknown'],
  [new HttpStatusError(302), 'unknown'],
  [new BadAnswerError('HTML, not JSON'), 'unknown'],
  [new TooLargeError('its headers'), 'unknown'],
])('after "%s" the request is known to be %s', (error, kind) => {
  expect(kindOfFailure(error)).toBe(kind);
});

test.each<[ApiError, boolean]>([
  [new HttpStatusError(202), true],
  [new HttpStatusError(307), true],
  [new BadAnswerError('HTML, not JSON'), true],
  [new TooLargeError('its headers'), true],
  [new HttpStatusError(504), true],
  [new HttpStatusError(500), false],
  [new HttpStatusError(403), false],
  [new NotFoundError(), false],
])('whether it may still be carried out after "%s": %s', (error, may) => {
  expect(mayStillHappen(error)).toBe(may);
});

test('what the client refuses says why, in one sentence', () => {
  expect(new RefusedError('the password is empty').message).toBe('Nothing was sent: the password is empty.');
});

test('a request that is too large is said to be so', () => {
  expect(new HttpStatusError(413).message).toBe('The request is too large for the broker (HTTP 413).');
});

test('a name is quoted where it would be ambiguous', () => {
  const plain = ['sensor-000017', 'a/b/#', '$SYS/+', 'broker1@127.0.0.1', 'ü', '\u{1F600}', 'a.b'];
  expect(plain.map(quoteIfNeeded)).toEqual(plain);
  expect(['', ' ', 'x y', '..', 'a.', 'a,b', 'x ', 'a"b', 'to'].map(quoteIfNeeded)).toEqual([
    '""',
    '" "',
    '"x y"',
    '".."',
    '"a."',
    '"a,b"',
    '"x "',
    String.raw`"a\"b"`,
    'to',
  ]);
});
