import { formatBytes } from '../../../terminal/format.ts';
import { safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { shownPayloadTexts } from '../texts.ts';

/** Limits the bytes of a payload that are shown. */
const maxShown = 8_192;
/** Longer JSON is not indented. */
const maxPretty = 4_096;

const byteOrderMark = '\uFEFF';
const replacement = '\uFFFD';

/** Returns `undefined` if a payload is not text. @param isCut its last character may be cut in two, and is left out */
function textOf(payload: Uint8Array, isCut = false): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload, { stream: isCut });
  } catch {
    return undefined;
  }
}

/** Returns where the first byte is that no text has, from 1. */
function invalidPlaceOf(payload: Uint8Array): number | undefined {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(payload);
  for (let at = text.indexOf(replacement); at !== -1; at = text.indexOf(replacement, at + 1)) {
    const offset = Buffer.byteLength(text.slice(0, at));
    // A text may hold this character itself.
    if (Buffer.compare(payload.subarray(offset, offset + 3), Buffer.from(replacement)) !== 0) return offset + 1;
  }
  return undefined;
}

/** Stands for an invalid byte until the text is escaped. */
const invalidByte = (byte: number): string => String.fromCodePoint(0xf700 + byte);
const notInText = /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f\uf780-\uf7ff]/u;

const lengthOf = (lead: number): number => (lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4);

/** Returns a text with some bytes that no text has; `undefined` if it is something else. */
function almostTextOf(payload: Uint8Array): string | undefined {
  let [valid, text, invalid] = ['', '', 0];
  for (let at = 0; at < payload.length;) {
    const lead = payload[at] ?? 0;
    const size = lengthOf(lead);
    const part = at + size > payload.length ? undefined : textOf(payload.subarray(at, at + size));
    valid += part ?? '';
    text += part ?? invalidByte(lead);
    invalid += part === undefined ? 1 : 0;
    at += part === undefined ? 1 : size;
  }
  return notInText.test(valid) || 2 * invalid > payload.length ? undefined : text;
}

/** Writes invalid bytes as `\xNN`, like other characters that are escaped. */
const withBytes = (escaped: SafeText): SafeText =>
  trusted(
    escaped.replaceAll(/\\\\|\\uf7(?<byte>[89a-f][\da-f])/gu, (found, byte: string | undefined) =>
      byte === undefined ? found : `\\x${byte}`,
    ),
  );

const hexOf = (payload: Uint8Array): string => [...payload].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** Matches strings, numbers and words as they were sent, and marks; what is between them is only space. */
const jsonTokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/gu;

/** Indents JSON, and changes nothing but the space between its tokens. Any other text stays as it is. */
function prettyOf(text: string): string {
  const start = text.startsWith(byteOrderMark) ? 1 : 0;
  const json = text.slice(start);
  if (json.length > maxPretty || !/^\s*[[{]/u.test(json) || !isJson(json)) return text;
  const tokens = json.match(jsonTokens) ?? [];
  let depth = 0;
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  const parts = tokens.map((token, place) => {
    const before = tokens[place - 1];
    const isEmpty = (token === '}' && before === '{') || (token === ']' && before === '[');
    if (token === '}' || token === ']') depth -= 1;
    const gap = isEmpty
      ? ''
      : token === '}' || token === ']' || before === '{' || before === '[' || before === ','
        ? newLine()
        : before === ':'
          ? ' '
          : '';
    if (token === '{' || token === '[') depth += 1;
    return gap + token;
  });
  return text.slice(0, start) + parts.join('');
}

/** Escapes a line. Spaces in front are the indentation; elsewhere escaping shows those at the ends. */
function lineText(theme: Theme, line: string): SafeText {
  const text = line.trimStart();
  const indent = /^ */u.exec(line)?.[0] ?? '';
  return indent.length + text.length === line.length
    ? safe`${trusted(indent)}${theme.escape(text)}`
    : theme.escape(line);
}

/** Writes a payload in one line, cut to `width`. */
export const payloadLine = (theme: Theme, payload: Uint8Array, width: number): SafeText => {
  const shown = payload.subarray(0, 4 * width);
  const text = textOf(shown, shown.length < payload.length);
  if (text !== undefined) return theme.escape(text, width);
  const almost = almostTextOf(shown);
  return almost === undefined ? theme.escape(hexOf(shown), width) : withBytes(theme.escape(almost, width));
};

/** Says what a payload is: `42 bytes of text`. */
export const payloadKind = (payload: Uint8Array): SafeText =>
  payload.length === 0 ? shownPayloadTexts.empty : safe`${formatBytes(payload.length)}${oddnessOf(payload)}`;

function oddnessOf(payload: Uint8Array): SafeText {
  const text = textOf(payload);
  if (text === undefined)
    return safe`, ${shownPayloadTexts.notText(invalidPlaceOf(payload))}${almostTextOf(payload.subarray(0, maxShown)) === undefined ? safe`, ${shownPayloadTexts.hexadecimal}` : safe``}`;
  return text.startsWith(byteOrderMark) ? safe`, ${shownPayloadTexts.byteOrderMark}` : safe``;
}

/**
 * Returns the lines of a payload, unwrapped: text, JSON indented but otherwise as it was sent, text with its invalid
 * bytes, or hexadecimal. Long ones are cut, and say so.
 */
export const payloadLines = (theme: Theme, payload: Uint8Array): readonly SafeText[] => {
  if (payload.length === 0) return [shownPayloadTexts.empty];
  const text = textOf(payload);
  const almost = text === undefined ? almostTextOf(payload.subarray(0, maxShown)) : undefined;
  const whole = text === undefined ? (almost ?? hexOf(payload.subarray(0, maxShown))) : prettyOf(text);
  const raw = text === undefined ? whole : whole.slice(0, maxShown);
  const isCut = text === undefined ? payload.length > maxShown : whole.length > maxShown;
  return [
    ...raw.split('\n').map((line) => (almost === undefined ? lineText(theme, line) : withBytes(lineText(theme, line)))),
    ...(isCut ? [shownPayloadTexts.cut] : []),
  ];
};
