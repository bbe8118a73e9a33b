import { describe, expect, test } from 'vitest';
import { payloadKind, payloadLine, payloadLines } from '../../src/resources/messages/view/payload.ts';
import { plainTheme as theme } from '../tui/support/rig.tsx';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const shown = (payload: Uint8Array): string => payloadLines(theme, payload).join('\n');

describe('JSON is indented, and no token of it is changed', () => {
  test.each([
    ['{"serial":1724442618569203714}', '{\n  "serial": 1724442618569203714\n}'],
    ['{"t":127.0,"e":1E2}', '{\n  "t": 127.0,\n  "e": 1E2\n}'],
    ['{"cmd":"open","cmd":"close"}', '{\n  "cmd": "open",\n  "cmd": "close"\n}'],
    ['{"b":1,"2":2,"1":3}', '{\n  "b": 1,\n  "2": 2,\n  "1": 3\n}'],
    ['{"v":1e400}', '{\n  "v": 1e400\n}'],
    ['[ ]', '[]'],
    ['{"a":{},"b":[],"c":[{}]}', '{\n  "a": {},\n  "b": [],\n  "c": [\n    {}\n  ]\n}'],
    ['{"a": "x, [y]: {z}"}', '{\n  "a": "x, [y]: {z}"\n}'],
    ['[true,\tfalse , null]', '[\n  true,\n  false,\n  null\n]'],
  ])('%j', (sent, lines) => {
    expect(shown(bytes(sent))).toBe(lines);
  });

  test('escapes stay as they were sent', () => {
    // Each backslash is doubled, as in every text.
    expect(shown(bytes(String.raw`["a\"]\u0041\/"]`))).toBe(`[\n  ${String.raw`"a\\"]\\u0041\\/"`}\n]`);
  });

  test.each(['{"a":01}', '[1,]', '{"a" 1}', '1724442618569203714', '"text"'])('%j is shown as it was sent', (text) => {
    expect(shown(bytes(text))).toBe(text);
  });

  test('of many levels is cut, and says so', () => {
    const lines = payloadLines(theme, bytes(`${'['.repeat(1_000)}${']'.repeat(1_000)}`));
    expect(lines.at(-1)).toBe('… (cut)');
  });
});

describe('what a text hides is said', () => {
  test('a byte order mark', () => {
    expect(payloadKind(bytes('\uFEFFhello'))).toBe('8 B, starts with a byte order mark');
    expect(shown(bytes('\uFEFFhello'))).toBe(String.raw`\ufeffhello`);
    expect(shown(bytes('\uFEFF{"a":1}'))).toBe(`${String.raw`\ufeff`}{\n  "a": 1\n}`);
    expect(payloadLine(theme, bytes('\uFEFFhello'), 40)).toBe(String.raw`\ufeffhello`);
  });

  test('an invalid byte, and which one', () => {
    const latin1 = new Uint8Array([...bytes('caf'), 0xe9, ...bytes(' noir é\\uf7e9')]);
    expect(payloadKind(latin1)).toBe('18 B, not UTF-8 (byte 4)');
    expect(shown(latin1)).toBe(String.raw`caf\xe9 noir é\\uf7e9`);
    expect(payloadLine(theme, latin1, 60)).toBe(String.raw`caf\xe9 noir é\\uf7e9`);
    expect(payloadKind(new Uint8Array([...bytes('\uFFFDé'), 0xff]))).toBe('6 B, not UTF-8 (byte 6)');
    // A character of two bytes whose second one is missing.
    expect(shown(new Uint8Array([...bytes('ab'), 0xc3, ...bytes('c')]))).toBe(String.raw`ab\xc3c`);
  });

  test('what is no text is hexadecimal', () => {
    expect(payloadKind(new Uint8Array([0xff, 0]))).toBe('2 B, not UTF-8 (byte 1), hexadecimal');
    expect(shown(new Uint8Array([0xff, 0]))).toBe('ff 00');
    expect(shown(new Uint8Array([0xff, 0xfe, 0x61]))).toBe('ff fe 61');
    // This character would look like an invalid byte.
    expect(shown(new Uint8Array([...bytes('ab\uf7e9'), 0xe9]))).toBe('61 62 ef 9f a9 e9');
  });

  test('a text is no other one because its end is out of sight', () => {
    expect(payloadKind(bytes('\uFFFD'))).toBe('3 B');
    // The cut is within a character.
    expect(payloadLine(theme, bytes(`x${'é'.repeat(9_000)}`), 10)).toMatch(/^xé+$/u);
  });
});
