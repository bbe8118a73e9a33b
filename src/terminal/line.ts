import { toAscii } from './glyphs.ts';
import { safe, type SafeText, spaces, trusted } from './safe-text.ts';
import { cutText, takeColumns, widthOf } from './text-width.ts';
import type { Color, Role, Style, Theme } from './theme.ts';

declare const lineBrand: unique symbol;

/** A finished terminal line: safe text with style codes, of the width it was composed for. */
export type Line = string & { readonly [lineBrand]: true };

/** A piece of a line and what it means. */
export interface Span {
  readonly text: SafeText;
  readonly role?: Role | undefined;
}

/** Columns that spans take up side by side. */
export const spansWidth = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0);

/** The roomiest form that fits, the roomiest being the first; `undefined` when none does. */
export const roomiestSpans = (forms: readonly (readonly Span[])[], room: number): readonly Span[] | undefined => forms.find((spans) => spansWidth(spans) <= room);

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

/** The codes that open roles on top of a base role, as far as they were needed. */
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
 * Puts spans side by side into a line of exactly `width` columns: cut with a mark where they do not
 * fit, filled up with spaces in the style of `base`. The only place that makes style codes.
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
    const own = widthOf(span.text);
    // A span that just fills the line while more follows would hide that something is missing.
    const mustMark = own > room || (own === room && !isLast && spans.slice(index + 1).some((later) => later.text !== ''));
    const text = mustMark ? cutText(own > room ? span.text : widen(span.text), room) : span.text;
    if (text !== '') {
      put(theme.charset === 'ascii' ? toAscii(text) : text, span.role ?? 'normal');
      used += mustMark ? widthOf(text) : own;
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

// One column more than there is room for, so that cutting leaves its mark.
const widen = (text: SafeText): SafeText => safe`${text} `;

/** A line with something at its left and something at its right end; the right end is kept when there is not enough room. */
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

/** The spans that fit into `width`, the last one cut with its mark. */
export const cutSpans = (spans: readonly Span[], width: number): readonly Span[] => {
  const kept: Span[] = [];
  let room = width;
  for (const span of spans) {
    const own = widthOf(span.text);
    if (own >= room) {
      const isWhole = own === room && span === spans.at(-1);
      kept.push({ ...span, text: isWhole ? span.text : cutText(own > room ? span.text : widen(span.text), room) });
      break;
    }
    kept.push(span);
    room -= own;
  }
  return kept;
};

/** Columns that stay free in a line that ends at a space: one where the space was, one more because a wide character may leave one free too. */
const spare = 2;

/** Where the first line ends at a space: before the first of several, as late as there is room for, 0 for nowhere. */
const lastSpace = (text: string, width: number): number => {
  let at = takeColumns(text, width - spare).length;
  while (at > 0 && (text[at] !== ' ' || text[at - 1] === ' ')) {
    at -= 1;
  }
  return at;
};

/** The first line of a text without a space to end it at: as full as can be, no space at its end, where nobody would see it. */
const fullLine = (text: string, width: number): string => {
  const line = takeColumns(text, width).replace(/ +$/u, '');
  return line === '' ? spaces(width - 1) : line;
};

/**
 * Breaks a text into lines of at most `width` columns, at spaces where there are any in reach. Nothing is
 * lost, and no two texts have the same lines: only one space vanishes at a break, and then the line leaves two
 * columns free; a line with fewer goes on without a space.
 */
export const wrapWords = (text: SafeText, width: number): readonly SafeText[] => {
  const lines: SafeText[] = [];
  // A character wider than the whole place would never fit; two columns hold any.
  const room = Math.max(2, width);
  let rest: string = text;
  // Only the start of what is left is looked at: an id may have 65,535 characters.
  while (takeColumns(rest, room).length < rest.length) {
    const at = lastSpace(rest, room);
    const line = at === 0 ? fullLine(rest, room) : rest.slice(0, at);
    lines.push(trusted(line));
    rest = rest.slice(line.length + (at === 0 ? 0 : 1));
  }
  return [...lines, trusted(rest)];
};
