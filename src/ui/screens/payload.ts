import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { formatBytes } from '../../terminal/format.ts';
import type { Theme } from '../../terminal/theme.ts';
import { shownPayloadTexts } from './texts.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Bytes of a payload that are shown at most. */
const maxShown = 8_192;
/** Longer JSON is shown as it was sent. */
const maxPretty = 4_096;

/** `undefined` if it is not text. */
function textOf(payload: Uint8Array): string | undefined {
  try {
    return decoder.decode(payload);
  } catch {
    return undefined;
  }
}

const hexOf = (payload: Uint8Array): string => [...payload].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');

function prettyOf(text: string): string {
  if (text.length > maxPretty || !/^\s*[[{]/u.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** Spaces in front are the indentation; elsewhere escaping shows those at the ends. */
function lineText(theme: Theme, line: string): SafeText {
  const text = line.trimStart();
  const indent = /^ */u.exec(line)?.[0] ?? '';
  return indent.length + text.length === line.length ? safe`${trusted(indent)}${theme.escape(text)}` : theme.escape(line);
}

/** In one line, cut to `width`. */
export const payloadLine = (theme: Theme, payload: Uint8Array, width: number): SafeText => {
  const shown = payload.subarray(0, 4 * width);
  // A character may be cut in two.
  const text = textOf(payload.length <= maxShown ? payload : shown);
  return theme.escape(text ?? hexOf(shown), width);
};

/** What it is: `42 bytes of text`. */
export const payloadKind = (payload: Uint8Array): SafeText =>
  (payload.length === 0 ? shownPayloadTexts.empty : safe`${formatBytes(payload.length)}${textOf(payload) === undefined ? safe`, ${shownPayloadTexts.binary}` : safe``}`);

/** Its lines, unwrapped: text, JSON indented, or hexadecimal. Long ones are cut, and say so. */
export const payloadLines = (theme: Theme, payload: Uint8Array): readonly SafeText[] => {
  if (payload.length === 0) return [shownPayloadTexts.empty];
  const text = textOf(payload);
  const raw = text === undefined ? hexOf(payload.subarray(0, maxShown)) : prettyOf(text).slice(0, maxShown);
  const isCut = text === undefined ? payload.length > maxShown : text.length > maxShown;
  return [...raw.split('\n').map((line) => lineText(theme, line)), ...(isCut ? [shownPayloadTexts.cut] : [])];
};
