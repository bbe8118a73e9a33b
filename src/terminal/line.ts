import { asciiGlyphs } from './glyphs.ts';
import { safe, type SafeText, spaces, trusted } from './safe-text.ts';
import { cutText, takeColumns, widthOf } from './text-width.ts';
import type { Color, Role, Style, Theme } from './theme.ts';

declare const lineBrand: unique symbol;

export type Line = string & { readonly [lineBrand]: true };

export interface Span {
  readonly text: SafeText;
  readonly role?: Role | undefined;
  /** The role below `role`; the line's base by default. */
  readonly base?: Role | undefined;
  /** Identifies what a click on the span hits. */
  readonly clickId?: string | undefined;
  /** Text is typed here: the terminal's cursor stands at the first column of the span. */
  readonly isCaret?: boolean | undefined;
}

/** The beginning of the caret's style code. No other code begins like this. */
const caretStart = '\u001B[0;';
// oxlint-disable-next-line no-control-regex
const caretCode = /\u001B\[0;[\d;]*m/u;

/** Removes the style of the caret and returns its column; `undefined` if the line has none. */
export const takeCaret = (line: Line): { readonly line: Line; readonly column: number } | undefined => {
  const found = line.includes(caretStart) ? caretCode.exec(line) : null;
  return found === null
    ? undefined
    : {
        line: (line.slice(0, found.index) + line.slice(found.index + found[0].length)) as Line,
        column: widthOf(trusted(plainOf(line.slice(0, found.index)))),
      };
};

export const spansWidth = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0);

/** Returns the span at a column of a line that begins with `spans`; `undefined` behind the last. */
export const spanAt = <S extends Span>(spans: readonly S[], column: number): S | undefined => {
  let end = 0;
  return spans.find(({ text }) => {
    end += widthOf(text);
    return column < end;
  });
};

/** Returns the first of the forms that fits, widest first; `undefined` if none does. */
export const widestFittingSpans = (forms: readonly (readonly Span[])[], room: number): readonly Span[] | undefined =>
  forms.find((spans) => spansWidth(spans) <= room);

const foreground: Readonly<Record<Color, number>> = {
  black: 30,
  red: 31,
  green: 32,
  yellow: 33,
  blue: 34,
  magenta: 35,
  cyan: 36,
  white: 37,
  gray: 90,
  brightRed: 91,
  brightGreen: 92,
  brightYellow: 93,
  brightBlue: 94,
  brightMagenta: 95,
  brightCyan: 96,
};

const isRgb = (color: Color | `#${string}`): color is `#${string}` => color.startsWith('#');

const colorCode = (color: NonNullable<Style['color']>, isBackground: boolean): string => {
  const kind = isBackground ? 48 : 38;
  if (typeof color === 'number') return `${kind};5;${color}`;
  return isRgb(color)
    ? [kind, 2, ...Buffer.from(color.slice(1), 'hex')].join(';')
    : String(foreground[color] + (isBackground ? 10 : 0));
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
    theme.depth !== 'attributes' && style.color !== undefined ? colorCode(style.color, false) : undefined,
    theme.depth !== 'attributes' && style.background !== undefined ? colorCode(style.background, true) : undefined,
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
 * Composes exactly `width` columns: cut with a mark, or padded in the style of `base`. Only this function makes style
 * codes.
 */
export const composeLine = (theme: Theme, width: number, spans: readonly Span[], base: Role = 'normal'): Line => {
  let line = '';
  let open = '';
  let used = 0;
  const put = (text: string, role: Role, under: Role = base, isCaret = false): void => {
    const known = openingsOn(theme, under);
    let code = known.get(role);
    if (code === undefined) {
      code = openingCode(theme, { ...theme.styles[under], ...theme.styles[role] });
      known.set(role, code);
    }
    if (isCaret && code !== '') code = caretStart + code.slice(2);
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
    const mustMark =
      spanWidth > room || (spanWidth === room && !isLast && spans.slice(index + 1).some((later) => later.text !== ''));
    const text = mustMark ? cutText(spanWidth > room ? span.text : widen(span.text), room) : span.text;
    if (text !== '') {
      put(theme.charset === 'ascii' ? asciiGlyphs(text) : text, span.role ?? 'normal', span.base, span.isCaret);
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

/** Composes a line with text at both ends. The left one is cut when there is not enough room. */
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
      kept.push({
        ...span,
        text: isWhole ? span.text : cutText(spanWidth > room ? span.text : widen(span.text), room),
      });
      break;
    }
    kept.push(span);
    room -= spanWidth;
  }
  return kept;
};

/** Free columns at the end of a line broken at a space: two, because a wide character alone may leave one free. */
const breakColumns = 2;

/** Matches the space between a number and its unit, where a line does not break. */
const beforeUnit = /(?<=\d) (?=(?:s|ms|min|h|kB|MB|GB|%|msg\/s)(?![\p{L}\d]))/uy;

const isBeforeUnit = (text: string, at: number): boolean => {
  beforeUnit.lastIndex = at;
  return beforeUnit.test(text);
};

const lastSpace = (text: string, width: number): number => {
  let at = takeColumns(text, width - breakColumns).length;
  while (at > 0 && (text[at] !== ' ' || text[at - 1] === ' ' || isBeforeUnit(text, at))) {
    at -= 1;
  }
  return at;
};

/** Returns as much as fits, without invisible spaces at the end. */
const fullLine = (text: string, width: number): string => {
  const line = takeColumns(text, width).replace(/ +$/u, '');
  return line === '' ? spaces(width - 1) : line;
};

/**
 * Wraps reversibly, so two texts never look the same: a break removes one space and leaves two columns free; a line
 * with fewer continues without a space.
 */
export const wrapWords = (text: SafeText, width: number): readonly SafeText[] => {
  const lines: SafeText[] = [];
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

export const joinLines = (...lines: readonly Line[]): Line => lines.join('') as Line;

const styleCode = /(\u001B\[[\d;]*m)/u;
/** Draws a line in the background: all of it in one faint colour. */
export const dimLine = (theme: Theme, line: Line): Line => {
  const text = line
    .split(styleCode)
    .filter((part) => !styleCode.test(part))
    .join('');
  const faint = openingCode(theme, theme.styles.border);
  return (faint === '' ? text : faint + text + reset) as Line;
};

/** Splits a line at a column. Both parts keep their styles; a wide character that is cut becomes spaces. */
const splitLine = (line: string, column: number): readonly [before: string, after: string] => {
  let before = '';
  let open = '';
  let room = Math.max(0, column);
  const parts = line.split(styleCode);
  for (const [index, part] of parts.entries()) {
    if (styleCode.test(part)) {
      open = part === reset ? '' : part;
      before += part;
      continue;
    }
    const taken = takeColumns(part, room);
    before += taken;
    room -= widthOf(trusted(taken));
    if (taken.length < part.length) {
      const cut = room === 0 ? '' : takeColumns(part.slice(taken.length), 2);
      const after =
        spaces(widthOf(trusted(cut)) - room) + part.slice(taken.length + cut.length) + parts.slice(index + 1).join('');
      return [before + spaces(room) + (open === '' ? '' : reset), open + after];
    }
  }
  return [before + spaces(room) + (open === '' ? '' : reset), ''];
};

/** Matches the end of a cell of a row: two spaces, or a line, block or dots of a graph. */
const cellEnd = / {2}|[\u2500-\u259F\u2801-\u28FF]/gu;
/** Longer cells are text and keep their whole words. */
const maxCellLength = 20;

const plainOf = (line: string): string =>
  line
    .split(styleCode)
    .filter((part) => !styleCode.test(part))
    .join('');

/** Returns the cell on both sides of a position, or the word in a long cell; empty where a cell or word ends there. */
const cellAcross = (plain: string, at: number): readonly [from: number, to: number] => {
  let from = 0;
  let to = plain.length;
  for (const { index, 0: text } of plain.matchAll(cellEnd)) {
    if (index >= at) {
      to = index;
      break;
    }
    from = index + text.length;
  }
  if (to - from > maxCellLength) {
    from = plain.lastIndexOf(' ', at - 1) + 1;
    to = (plain.indexOf(' ', at) + 1 || plain.length + 1) - 1;
  }
  const isHalf = plain.slice(from, at).trim() !== '' && plain.slice(at, to).trim() !== '';
  return isHalf ? [from, to] : [at, at];
};

const blank = (line: string, from: number, to: number): string => {
  let at = 0;
  return line
    .split(styleCode)
    .map((part) => {
      if (styleCode.test(part)) return part;
      const [first, last] = [
        Math.max(0, Math.min(part.length, from - at)),
        Math.max(0, Math.min(part.length, to - at)),
      ];
      at += part.length;
      return first >= last
        ? part
        : part.slice(0, first) + spaces(widthOf(trusted(part.slice(first, last)))) + part.slice(last);
    })
    .join('');
};

/** Lays another line, `width` columns wide, over a line from `column` on. */
export const overlayLine = (under: Line, over: Line, column: number, width: number): Line => {
  const [left, rest] = splitLine(under, column);
  return (left + over + splitLine(rest, width)[1]) as Line;
};

/**
 * Works like `overlayLine`, but blanks half-covered cells, and half-covered words of long texts: a cut number is a
 * wrong number.
 */
export const coverLine = (under: Line, over: Line, column: number, width: number): Line => {
  const [left, rest] = splitLine(under, column);
  const [hidden, right] = splitLine(rest, width);
  const parts = [left, hidden, right].map(plainOf);
  const begin = parts[0]?.length ?? 0;
  const end = begin + (parts[1]?.length ?? 0);
  const plain = parts.join('');
  return (blank(left, cellAcross(plain, begin)[0], begin) +
    over +
    blank(right, 0, cellAcross(plain, end)[1] - end)) as Line;
};
