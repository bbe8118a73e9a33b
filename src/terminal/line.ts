import { toAscii } from './glyphs.ts';
import { safe, type SafeText, spaces, trusted } from './safe-text.ts';
import { cutText, takeColumns, widthOf } from './text-width.ts';
import type { Color, Role, Style, Theme } from './theme.ts';

declare const lineBrand: unique symbol;

/** A finished line: safe text with style codes, padded to its width. */
export type Line = string & { readonly [lineBrand]: true };

export interface Span {
  readonly text: SafeText;
  readonly role?: Role | undefined;
}

export const spansWidth = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0);

/** The first of the forms, widest first, that fits; `undefined` when none does. */
export const widestFittingSpans = (forms: readonly (readonly Span[])[], room: number): readonly Span[] | undefined => forms.find((spans) => spansWidth(spans) <= room);

const foreground: Readonly<Record<Color, number>> = {
  black: 30, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36, white: 37, gray: 90,
  brightRed: 91, brightGreen: 92, brightYellow: 93, brightBlue: 94, brightMagenta: 95, brightCyan: 96,
};

const reset = '\u001B[0m';

const openingCode = (theme: Theme, style: Style): string => {
  if (theme.depth === 'none') {
    return '';
  }
  const codes = [
    style.bold === true ? 1 : undefined,
    style.dim === true ? 2 : undefined,
    style.underline === true ? 4 : undefined,
    style.inverse === true ? 7 : undefined,
    theme.depth === 'color' && style.color !== undefined ? foreground[style.color] : undefined,
  ].filter((code) => code !== undefined);
  return codes.length === 0 ? '' : `\u001B[${codes.join(';')}m`;
};

const openings = new WeakMap<Theme, Map<Role, Map<Role, string>>>();

const openingsOn = (theme: Theme, base: Role): Map<Role, string> => {
  let byBase = openings.get(theme);
  if (byBase === undefined) {
    byBase = new Map();
    openings.set(theme, byBase);
  }
  let known = byBase.get(base);
  if (known === undefined) {
    known = new Map();
    byBase.set(base, known);
  }
  return known;
};

/**
 * Composes spans to a line of exactly `width` columns: cut with a mark if they do not fit, padded with spaces in the
 * style of `base`. The only place that makes style codes.
 */
export const composeLine = (theme: Theme, width: number, spans: readonly Span[], base: Role = 'normal'): Line => {
  let line = '';
  let open = '';
  let used = 0;
  const known = openingsOn(theme, base);
  const put = (text: string, role: Role): void => {
    let code = known.get(role);
    if (code === undefined) {
      code = openingCode(theme, { ...theme.styles[base], ...theme.styles[role] });
      known.set(role, code);
    }
    if (code !== open) {
      line += open === '' ? code : reset + code;
      open = code;
    }
    line += text;
  };
  for (const [index, span] of spans.entries()) {
    const room = width - used;
    const isLast = index === spans.length - 1;
    const spanWidth = widthOf(span.text);
    // A span that fills the line while more follows needs the mark too.
    const mustMark = spanWidth > room || (spanWidth === room && !isLast && spans.slice(index + 1).some((later) => later.text !== ''));
    const text = mustMark ? cutText(spanWidth > room ? span.text : widen(span.text), room) : span.text;
    if (text !== '') {
      put(theme.charset === 'ascii' ? toAscii(text) : text, span.role ?? 'normal');
      used += mustMark ? widthOf(text) : spanWidth;
    }
    if (mustMark) {
      break;
    }
  }
  if (used < width) {
    put(' '.repeat(width - used), 'normal');
  }
  return (open === '' ? line : line + reset) as Line;
};

// One column too wide, so that cutting leaves its mark.
const widen = (text: SafeText): SafeText => safe`${text} `;

/** Composes a line with a left and a right end. When there is not enough room, the left one is cut. */
export const composeEnds = (
  theme: Theme,
  width: number,
  left: readonly Span[],
  right: readonly Span[],
  base: Role = 'normal',
): Line => {
  const rightWidth = spansWidth(right);
  const leftRoom = width - rightWidth - 1;
  if (leftRoom < 1) {
    return composeLine(theme, width, left, base);
  }
  const kept = spansWidth(left) <= leftRoom ? left : cutSpans(left, leftRoom);
  const gap = spaces(width - rightWidth - spansWidth(kept));
  return composeLine(theme, width, [...kept, { text: gap }, ...right], base);
};

export const cutSpans = (spans: readonly Span[], width: number): readonly Span[] => {
  const kept: Span[] = [];
  let room = width;
  for (const span of spans) {
    const spanWidth = widthOf(span.text);
    if (spanWidth >= room) {
      const isWhole = spanWidth === room && span === spans.at(-1);
      kept.push({ ...span, text: isWhole ? span.text : cutText(spanWidth > room ? span.text : widen(span.text), room) });
      break;
    }
    kept.push(span);
    room -= spanWidth;
  }
  return kept;
};

/** Free columns at the end of a line broken at a space. Two, because a wide character alone may leave one free. */
const breakColumns = 2;

/** Index of the last space at which the first line can end, the first one of several; 0 for none. */
const lastSpace = (text: string, width: number): number => {
  let at = takeColumns(text, width - breakColumns).length;
  while (at > 0 && (text[at] !== ' ' || text[at - 1] === ' ')) {
    at -= 1;
  }
  return at;
};

/** The first line of a text that cannot be broken at a space: as full as possible, without invisible spaces at its end. */
const fullLine = (text: string, width: number): string => {
  const line = takeColumns(text, width).replace(/ +$/u, '');
  return line === '' ? spaces(width - 1) : line;
};

/**
 * Wraps a text to lines of at most `width` columns, at spaces where possible. Reversible, so two texts never look the
 * same: a break removes one space and then leaves two columns free; a line with fewer continues without a space.
 */
export const wrapWords = (text: SafeText, width: number): readonly SafeText[] => {
  const lines: SafeText[] = [];
  // Any character fits in two columns.
  const room = Math.max(2, width);
  let rest: string = text;
  // Measures only the start of the rest: an id may have 65,535 characters.
  while (takeColumns(rest, room).length < rest.length) {
    const at = lastSpace(rest, room);
    const line = at === 0 ? fullLine(rest, room) : rest.slice(0, at);
    lines.push(trusted(line));
    rest = rest.slice(line.length + (at === 0 ? 0 : 1));
  }
  return [...lines, trusted(rest)];
};
