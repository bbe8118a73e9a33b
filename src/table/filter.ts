import type { Column, FigureUnit } from './column.ts';

/** How a term matches: as text (any case), as a regular expression (any case), by its letters in order with gaps, or by comparing a number. */
export type FilterMode = 'text' | 'regex' | 'fuzzy' | 'figure';

export interface FilterTerm {
  readonly mode: FilterMode;
  readonly isInverse: boolean;
  /** Id of the only column searched; `undefined` for all. */
  readonly column: string | undefined;
  /** What to look for, without prefixes and quotes; lower-case except in mode `regex`. */
  readonly text: string;
  readonly regex: RegExp | undefined;
  readonly figure?: { readonly operator: Operator; readonly value: number } | undefined;
  /** Looks like a column name before a colon, but no column has it: an error unless some row holds the text. */
  readonly unknownColumn?: string | undefined;
}

/** A parsed filter. A row has to match every term. */
export interface ParsedFilter {
  readonly terms: readonly FilterTerm[];
  /** What is wrong with it, for the operator; faulty terms are left out. */
  readonly error: string | undefined;
}

export const noFilter: ParsedFilter = { terms: [], error: undefined };

export type FilterColumn = Pick<Column<never, never>, 'id' | 'name' | 'unit' | 'age'>;

/** A name that can be typed before a colon: `client-id`, `drop/s`. */
const typableName = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}/]+/gu, '-');

export const columnNames = (columns: readonly FilterColumn[]): readonly string[] => columns.map(({ id, name }) => typableName(name ?? id));

/**
 * Parses the filter language: words separated by spaces, each of them `text`, `"text with spaces"`, `/regex/` or
 * `~fuzzy`, with `column:` before any of these and `!` at the start or after the column. In a column of numbers
 * `>0`, `>=0`, `<0`, `<=0`, `=0` and a bare `0` compare with the number; `column:""` finds empty texts.
 * A word before a colon is a column when one has that id or name (`client-id:` for CLIENT ID); else it is part of the
 * text, as in `mqtt:tcp`. An open quote or slash extends to the end, because filters are parsed while they are typed.
 */
export function parseFilter(input: string, known: readonly FilterColumn[]): ParsedFilter {
  const reader = { input, at: 0 };
  // Ids override names: a column whose id is another one's name could not be addressed otherwise.
  const columns = new Map([
    ...known.flatMap((column) => (column.name === undefined ? [] : [[typableName(column.name), column] as const])),
    ...known.map((column) => [column.id.toLowerCase(), column] as const),
  ]);
  const terms: FilterTerm[] = [];
  let error: string | undefined;
  for (skipSpaces(reader); reader.at < input.length; skipSpaces(reader)) {
    const result = readTerm(reader, columns);
    if (typeof result === 'string') error ??= result;
    else if (result !== undefined) terms.push(result);
  }
  return terms.length === 0 && error === undefined ? noFilter : { terms, error };
}

interface Reader {
  readonly input: string;
  at: number;
}

function skipSpaces(reader: Reader): void {
  while (isSpace(reader.input[reader.at])) reader.at += 1;
}

const isSpace = (character: string | undefined): boolean => character !== undefined && /\s/.test(character);

/** Returns a term, an error message, or `undefined` for a term that is still being typed. */
function readTerm(reader: Reader, columns: ReadonlyMap<string, FilterColumn>): FilterTerm | string | undefined {
  let isInverse = readSign(reader, '!');
  const known = readColumn(reader, columns);
  const column = known?.id;
  if (known !== undefined) {
    isInverse = readSign(reader, '!') !== isInverse;
    const figure = readFigure(reader, known);
    if (typeof figure === 'object') return { mode: 'figure', isInverse, column, text: String(figure.value), regex: undefined, figure };
    if (figure !== 'none') return figure === 'incomplete' ? undefined : figure;
  }
  if (column !== undefined && /^""(?:\s|$)/.test(reader.input.slice(reader.at))) {
    reader.at += 2;
    return { mode: 'regex', isInverse, column, text: '""', regex: emptyCell };
  }
  if (reader.input[reader.at] === '/') return readRegex(reader, isInverse, column);
  const isFuzzy = readSign(reader, '~');
  const unknownColumn = known === undefined && !isFuzzy ? matchAhead(reader, /^\p{L}[\p{L}\p{N}/_-]*(?=:(?!:))/u) : undefined;
  const text = readWord(reader);
  if (text === '') return undefined;
  const mode = isFuzzy ? 'fuzzy' : 'text';
  return { mode, isInverse, column, text: text.toLowerCase(), regex: undefined, unknownColumn };
}

/** Matches an empty text and how it is printed. */
const emptyCell = /^\n?""$/u;

/** Reads a comparison, or a bare number in a column of numbers. Any other string is an error message. */
function readFigure(reader: Reader, { id, name, unit, age }: FilterColumn): FilterTerm['figure'] | 'none' | 'incomplete' | string {
  const [word = ''] = /^\S*/.exec(reader.input.slice(reader.at)) ?? [];
  const [, sign = '', typed = ''] = /^(>=|<=|>|<|=)?(.*)$/su.exec(word) ?? [];
  const operator = operators.find((each) => each === sign);
  // A bare number in a column of ages is text, found in all ages that contain it.
  if (operator === undefined && (unit === undefined || age !== undefined)) return 'none';
  const figure = parseFigure(typed);
  if (operator === undefined && figure === undefined) return 'none';
  reader.at += word.length;
  const columnName = typableName(name ?? id);
  if (unit === undefined) return `"${columnName}" holds no figures to compare; in quotes "${word}" is text.`;
  if (typed === '') return 'incomplete';
  if (figure === undefined) return `"${typed}" is no figure that "${columnName}" could be compared with.`;
  if (!unitSuffixes[unit].test(figure.suffix)) return `"${typed}" cannot be compared with "${columnName}", which ${unitDescriptions[unit]}.`;
  return { operator: operator ?? '=', value: figure.value };
}

const operators = ['>', '>=', '<', '<=', '='] as const;

function readSign(reader: Reader, sign: string): boolean {
  if (reader.input[reader.at] !== sign) return false;
  reader.at += 1;
  return true;
}

const matchAhead = ({ input, at }: Reader, pattern: RegExp): string | undefined => pattern.exec(input.slice(at))?.[0];

function readColumn(reader: Reader, columns: ReadonlyMap<string, FilterColumn>): FilterColumn | undefined {
  const name = matchAhead(reader, /^[^\s:"/!~][^\s:"!~]*(?=:)/);
  const column = name === undefined ? undefined : columns.get(name.toLowerCase());
  if (name !== undefined && column !== undefined) reader.at += name.length + 1;
  return column;
}

function readWord(reader: Reader): string {
  const { input } = reader;
  if (input[reader.at] === '"') {
    const close = input.indexOf('"', reader.at + 1);
    const end = close === -1 ? input.length : close;
    const text = input.slice(reader.at + 1, end);
    reader.at = end + 1;
    return text;
  }
  const start = reader.at;
  while (reader.at < input.length && !isSpace(input[reader.at])) reader.at += 1;
  return input.slice(start, reader.at);
}

function readRegex(reader: Reader, isInverse: boolean, column: string | undefined): FilterTerm | string | undefined {
  const { input } = reader;
  const start = reader.at + 1;
  let end = start;
  // Only a slash at the end of a word closes, so `/a/b` can be typed as in a topic.
  while (end < input.length && !(input[end] === '/' && (end + 1 === input.length || isSpace(input[end + 1])))) {
    end += input[end] === '\\' ? 2 : 1;
  }
  end = Math.min(end, input.length);
  reader.at = end + 1;
  const text = input.slice(start, end);
  if (text === '') return undefined;
  try {
    // Columns are lines of one text: with `m`, `^` and `$` match at the ends of a column.
    return { mode: 'regex', isInverse, column, text, regex: new RegExp(text, 'im') };
  } catch (thrown) {
    // Without the pattern, which the message shows anyway, and flags that were not typed.
    const why = thrown instanceof Error ? thrown.message.replace(/^.*: /su, '') : String(thrown);
    return `Not a regular expression: /${text} (${why}). It is not applied.`;
  }
}

export type Operator = (typeof operators)[number];

const unitSuffixes: Readonly<Record<FigureUnit, RegExp>> = {
  count: /^[kKMGT]?$/, perSecond: /^[kKMGT]?(?:\/s)?$/, bytes: /^(?:[kKMGT]|[kKMGT]?B)?$/, seconds: /^[kKMGTsmhd]?$/,
};

const unitDescriptions: Readonly<Record<FigureUnit, string>> = {
  count: 'is a count (0, 1,200, 1.2k)', perSecond: 'is a rate (5, 1.2k, 5/s)', bytes: 'is in bytes (512B, 5MB)', seconds: 'is in seconds (90s, 5m, 2h, 3d)',
};

const powers: Readonly<Record<string, number>> = { '': 0, k: 1, K: 1, M: 2, G: 3, T: 4 };
const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

interface TypedFigure {
  /** Scaled to the unit of the column: bytes, seconds, … */
  readonly value: number;
  readonly suffix: string;
}

/**
 * Parses a number as typed: `0`, `1,000`, `-2.5`, `1.2k`, `45MB` (1 kB is 1,024 bytes, as on the screens), `90s`, `5m`,
 * `2h`, `3d`, each with or without `/s`; `undefined` when it is none.
 */
function parseFigure(text: string): TypedFigure | undefined {
  const [, number, suffix = '', unit = ''] = /^([+-]?\d[\d,]*(?:\.\d+)?)((|[kKMGT]|[kKMGT]?B|[smhd])(?:\/s)?)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  const power = powers[unit.replace(/B$/, '')] ?? 0;
  return { value: Number(number.replaceAll(',', '')) * (secondsPerUnit[unit] ?? (unit.endsWith('B') ? 1_024 : 1_000) ** power), suffix };
}

/** The number in a printed cell, but not the first part of a duration (`2h 14m`). */
const printedFigure = /[+-]?\d[\d,]*(?:\.\d+)?[kKMGT]?(?![\p{L}\d.,])/u;

/** Whether a row's value matches; an unknown one never does. `=` also accepts the number as `printed`, which may be rounded. */
export function matchesFigure(actual: unknown, printed: string, { operator, value }: NonNullable<FilterTerm['figure']>): boolean {
  if (typeof actual !== 'number') return false;
  switch (operator) {
    case '>': return actual > value;
    case '>=': return actual >= value;
    case '<': return actual < value;
    case '<=': return actual <= value;
    case '=': return actual === value || parseFigure(printedFigure.exec(printed)?.[0] ?? '')?.value === value;
  }
}
