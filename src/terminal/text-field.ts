/** Text being edited. `cursor` counts UTF-16 units and is always between graphemes. */
export interface TextField {
  readonly text: string;
  readonly cursor: number;
}

export type TextFieldAction =
  | { readonly type: 'insert'; readonly text: string }
  | {
      readonly type: 'left' | 'right' | 'up' | 'down' | 'start' | 'end' | 'erase' | 'eraseNext' | 'eraseWord' | 'clear';
    }
  | { readonly type: 'set'; readonly text: string };

export interface TextFieldLimits {
  /** Counts UTF-16 units; longer pastes are cut. */
  readonly maxLength: number;
  readonly isMultiline: boolean;
}

export const lineLimits: TextFieldLimits = { maxLength: 1_000, isMultiline: false };
export const nameLimits: TextFieldLimits = { maxLength: 65_535, isMultiline: false };
export const textLimits: TextFieldLimits = { maxLength: 65_536, isMultiline: true };

// Created on first use, which takes 20 ms.
let segmenter: Intl.Segmenter | undefined;

/** Splits a text, in a time that grows with the square of its length. */
export const splitGraphemes = (text: string): readonly string[] => {
  segmenter ??= new Intl.Segmenter();
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
};

/** Limits the search for graphemes, so that a key costs the same in a long text. */
const maxScan = 512;

const isPlain = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0x20 && code < 0x7f;
};

/** Returns the nearest index at or before `at` where a grapheme begins; a guess beyond `maxScan`. */
const safeStart = (text: string, at: number): number => {
  const lowest = Math.max(0, at - maxScan);
  for (let place = at; place > lowest; place -= 1) {
    if (text[place - 1] === '\n' || (isPlain(text, place - 1) && isPlain(text, place))) {
      return place;
    }
  }
  return lowest > 0 && /[\uDC00-\uDFFF]/.test(text[lowest] ?? '') ? lowest - 1 : lowest;
};

const boundariesAround = (text: string, at: number): readonly [number, number] => {
  let before = safeStart(text, Math.max(0, at - 1));
  for (const character of splitGraphemes(text.slice(before, at + maxScan))) {
    const after = before + character.length;
    if (after >= at) {
      return [before, after];
    }
    before = after;
  }
  return [before, before];
};

export const createTextField = (text = ''): TextField => ({ text, cursor: text.length });

/** Shows eight asterisks whatever the length of the secret; nothing for an empty text. */
export const maskText = ({ text }: TextField): TextField => createTextField(text === '' ? '' : '********');

export const textAroundCursor = ({ text, cursor }: TextField, units: number): readonly [string, string] => {
  const end = cursor + units;
  return [
    text.slice(safeStart(text, Math.max(0, cursor - units)), cursor),
    text.slice(cursor, end >= text.length ? text.length : boundariesAround(text, end)[0]),
  ];
};

const before = ({ text, cursor }: TextField): number => (cursor === 0 ? 0 : boundariesAround(text, cursor)[0]);
const after = ({ text, cursor }: TextField): number =>
  cursor >= text.length ? cursor : boundariesAround(text, cursor + 1)[1];
const snap = (text: string, cursor: number): number =>
  cursor === 0 || cursor >= text.length ? Math.min(cursor, text.length) : boundariesAround(text, cursor)[1];

const remove = (field: TextField, from: number, to: number): TextField => {
  const text = field.text.slice(0, from) + field.text.slice(to);
  // The text on both sides may have joined into one grapheme.
  return { text, cursor: snap(text, from) };
};

const insert = (field: TextField, typed: string, { maxLength, isMultiline: hasLines }: TextFieldLimits): TextField => {
  const room = Math.max(0, maxLength - field.text.length);
  const flat = hasLines ? typed.replaceAll(/\r\n?/g, '\n') : typed.replaceAll(/[\r\n]+/g, ' ');
  const inserted = flat.length <= room ? flat : flat.slice(0, room === 0 ? 0 : boundariesAround(flat, room + 1)[0]);
  const text = field.text.slice(0, field.cursor) + inserted + field.text.slice(field.cursor);
  return { text, cursor: snap(text, field.cursor + inserted.length) };
};

export const pasteLoss = (
  { text }: TextField,
  pasted: string,
  { maxLength, isMultiline: hasLines }: TextFieldLimits,
): 'length' | 'lines' | undefined => {
  if (!hasLines && /[\r\n]/.test(pasted)) {
    return 'lines';
  }
  return text.length + pasted.length > maxLength ? 'length' : undefined;
};

const lineStart = ({ text, cursor }: TextField): number => (cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1);
const lineEnd = ({ text, cursor }: TextField): number => {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
};

const up = (field: TextField): TextField => {
  const start = lineStart(field);
  if (start === 0) {
    return field;
  }
  const above = lineStart({ ...field, cursor: start - 1 });
  return { ...field, cursor: snap(field.text, Math.min(above + field.cursor - start, start - 1)) };
};

const down = (field: TextField): TextField => {
  const end = lineEnd(field);
  if (end === field.text.length) {
    return field;
  }
  const below = { ...field, cursor: end + 1 };
  return { ...field, cursor: snap(field.text, Math.min(end + 1 + field.cursor - lineStart(field), lineEnd(below))) };
};

const wordStart = ({ text, cursor }: TextField): number => {
  let at = text.slice(0, cursor).trimEnd().length;
  while (at > 0 && !/\s/.test(text[at - 1] ?? '')) {
    at -= 1;
  }
  return at;
};

export const createTextFieldReducer =
  (limits: TextFieldLimits) =>
  (field: TextField, action: TextFieldAction): TextField => {
    switch (action.type) {
      case 'insert':
        return insert(field, action.text, limits);
      case 'left':
        return { ...field, cursor: before(field) };
      case 'right':
        return { ...field, cursor: after(field) };
      case 'up':
        return up(field);
      case 'down':
        return down(field);
      case 'start':
        return { ...field, cursor: lineStart(field) };
      case 'end':
        return { ...field, cursor: lineEnd(field) };
      case 'erase':
        return remove(field, before(field), field.cursor);
      case 'eraseNext':
        return remove(field, field.cursor, after(field));
      case 'eraseWord':
        return remove(field, wordStart(field), field.cursor);
      case 'clear':
        return createTextField();
      case 'set':
        return createTextField(action.text);
    }
  };

export const reduceTextField = createTextFieldReducer(lineLimits);
