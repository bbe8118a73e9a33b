import { expect, test } from 'vitest';
import { plainKey } from '../../src/terminal/key-reports.ts';
import { ReplyFilter } from '../../src/terminal/replies.ts';

const escape = '\u001B';
const bytes = (text: string): string => Buffer.from(text).toString('latin1');

test.each([
  ['Ctrl-C of modifyOtherKeys', '[27;5;99~', '\u0003'],
  ['with Shift', '[27;6;67~', '\u0003'],
  ['of a Cyrillic layout', '[27;5;1089~', '\u0003'],
  ['of kitty', '[99;5u', '\u0003'],
  ['with Caps Lock and Num Lock', '[99;197u', '\u0003'],
  ['of a Cyrillic layout', '[1089;5u', '\u0003'],
  ['of a Cyrillic layout, with the key that it is in a Latin one', '[1089::99;5u', '\u0003'],
  ['of a Greek layout', '[968;5u', '\u0003'],
  ['of a Hebrew layout', '[1489;5u', '\u0003'],
  ['of an Arabic layout', '[1572;5u', '\u0003'],
  ['of a Korean layout', '[12618;5u', '\u0003'],
  ['of a Georgian layout', '[4330;5u', '\u0003'],
  ['repeated', '[99;5:2u', '\u0003'],
  ['Ctrl-R of a Cyrillic layout', '[1082;5u', '\u0012'],
  ['a letter', '[27;2;65~', 'A'],
  ['a letter of two bytes', '[27;2;233~', bytes('é')],
  ['Shift-Enter, which is not Enter', '[27;2;13~', `${escape}[13;2u`],
  ['Ctrl-I, which is not Tab', '[27;5;105~', `${escape}[105;5u`],
  ['Alt-X', '[27;3;120~', `${escape}[120;3u`],
  ['a key that is let go', '[99;5:3u', `${escape}[99;5:3u`],
  ['a key that is no letter', '[1;5A', `${escape}[1;5A`],
  ['a function key', '[15;2~', `${escape}[15;2~`],
  ['a code that is no character', '[27;5;9999999~', `${escape}[27;5;9999999~`],
])('%s', (_name, sequence, expected) => {
  expect(plainKey(escape + sequence)).toBe(expected);
  const filter = new ReplyFilter();
  expect([...escape, ...sequence].map((byte) => filter.push(byte, 0)).join('')).toBe(expected);
});
