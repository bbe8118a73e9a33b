import { type Context, createContext, Script } from 'node:vm';
import { composed } from '../domain/text.ts';
import type { TableColumn, FigureUnit } from './column.ts';
import { type SearchTexts, separator } from './text-index.ts';

export type FilterMode = 'text' | 'regex' | 'fuzzy' | 'figure';

export interface FilterTerm {
  readonly mode: FilterMode;
  readonly isInverse: boolean;
  /** The id of the only column searched; `undefined` for all. */
  readonly column: string | undefined;
  /** The text searched for, without prefixes and quotes; lower-case except in mode `regex`. */
  readonly text: string;
  readonly regex: RegExp | undefined;
  readonly figure?: { readonly operator: Operator; readonly value: number } | undefined;
  /** An unknown column name before a colon, which is an error unless some row contains the text. */
  readonly unknownColumn?: string | undefined;
}

/** A row has to match every term. */
export interface ParsedFilter {
  readonly terms: readonly FilterTerm[];
  readonly error: string | undefined;
}

export const filterErrorTexts = {
  noFigures: (column: string, typed: string) =>
    `"${column}" is not a number column. To search for the text, quote it: "${typed}".`,
  notFigure: (column: string, typed: string) => `"${typed}" is not a number: "${column}" requires one.`,
  otherUnit: (column: string, typed: string, unit: FigureUnit) =>
    `"${column}" cannot be compared with "${typed}": it ${filterErrorTexts.unit[unit]}.`,
  unit: {
    count: 'is a count (0, 1,200, 1.2k)',
    perSecond: 'is a rate (5, 1.2k, 5/s)',
    bytes: 'is in bytes (512B, 5MB)',
    seconds: 'is in seconds (90s, 5m, 2h, 3d)',
  } satisfies Readonly<Record<FigureUnit, string>>,
  notRegex: (pattern: string, why: string) => `Invalid regular expression: /${pattern} (${why}).`,
  tooSlow: (pattern: string) => `Too slow on this list: /${pattern}/.`,
  unknownColumn: (column: string, text: string, columns: readonly string[]) =>
    `No column "${column}", and no row contains ${text}. Columns: ${columns.join(', ')}.`,
};

export const noFilter: ParsedFilter = { terms: [], error: undefined };

export type FilterColumn = Pick<TableColumn<never, never>, 'id' | 'name' | 'aliases' | 'unit' | 'age'>;

const typableName = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}/]+/gu, '-');

/** Returns the names to filter by. A column without a header, such as the one that sorts worst first, has none. */
export const columnNames = (columns: readonly FilterColumn[]): readonly string[] =>
  columns.flatMap(({ name }) => (name === undefined ? [] : [typableName(name)]));

/**
 * Parses words `text`, `"text with spaces"`, `/regex/` and `~fuzzy`, each with optional `column:` and `!`; number
 * columns also take `>=0` and `0`. A column's name may be any beginning that only one has (`user:`). An unknown word
 * before a colon is text (`mqtt:tcp`). An open quote or slash extends to the end, because filters are parsed while they
 * are typed.
 */
export function parseFilter(input: string, known: readonly FilterColumn[]): ParsedFilter {
  const reader = { input, at: 0 };
  // Ids override names: otherwise a column whose id is another one's name could not be addressed.
  const columns = new Map([
    ...known.flatMap((column) => (column.aliases ?? []).map((alias) => [alias, column] as const)),
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

/** Returns an error message, or `undefined` for a term that is still being typed. */
function readTerm(reader: Reader, columns: ReadonlyMap<string, FilterColumn>): FilterTerm | string | undefined {
  let isInverse = readSign(reader, '!');
  const known = readColumn(reader, columns);
  const column = known?.id;
  if (known !== undefined) {
    isInverse = readSign(reader, '!') !== isInverse;
    const figure = readFigure(reader, known);
    if (typeof figure === 'object')
      return { mode: 'figure', isInverse, column, text: String(figure.value), regex: undefined, figure };
    if (figure !== 'none') return figure === 'incomplete' ? undefined : figure;
  }
  if (column !== undefined && /^""(?:\s|$)/.test(reader.input.slice(reader.at))) {
    reader.at += 2;
    return { mode: 'regex', isInverse, column, text: '""', regex: emptyCell };
  }
  if (reader.input[reader.at] === '/') return readRegex(reader, isInverse, column);
  const isFuzzy = readSign(reader, '~');
  const unknownColumn =
    known === undefined && !isFuzzy ? matchAhead(reader, /^\p{L}[\p{L}\p{N}/_-]*(?=:(?!:))/u) : undefined;
  const text = readWord(reader);
  if (text === '') return undefined;
  const mode = isFuzzy ? 'fuzzy' : 'text';
  return { mode, isInverse, column, text: composed(text).toLowerCase(), regex: undefined, unknownColumn };
}

const emptyCell = /^\n?""$/u;

/** Returns a figure, `none`, `incomplete`, or an error message. */
function readFigure(
  reader: Reader,
  { id, name, unit, age }: FilterColumn,
): FilterTerm['figure'] | 'none' | 'incomplete' | string {
  const [word = ''] = /^\S*/.exec(reader.input.slice(reader.at)) ?? [];
  const [, sign = '', typed = ''] = /^(>=|<=|>|<|=)?(.*)$/su.exec(word) ?? [];
  const operator = operators.find((each) => each === sign);
  // A bare number in a column of ages is text.
  if (operator === undefined && (unit === undefined || age !== undefined)) return 'none';
  const figure = parseFigure(typed);
  if (operator === undefined && figure === undefined) return 'none';
  reader.at += word.length;
  const columnName = typableName(name ?? id);
  if (unit === undefined) return filterErrorTexts.noFigures(columnName, word);
  if (typed === '') return 'incomplete';
  if (figure === undefined) return filterErrorTexts.notFigure(columnName, typed);
  if (!unitSuffixes[unit].test(figure.suffix)) return filterErrorTexts.otherUnit(columnName, typed, unit);
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
  const column = name === undefined ? undefined : columnNamed(name.toLowerCase(), columns);
  if (name !== undefined && column !== undefined) reader.at += name.length + 1;
  return column;
}

/** Returns the column of this name, else the only one whose name starts so. */
function columnNamed(name: string, columns: ReadonlyMap<string, FilterColumn>): FilterColumn | undefined {
  const exact = columns.get(name);
  if (exact !== undefined || name.length < minPrefix) return exact;
  const [first, ...others] = new Set(
    [...columns].filter(([each]) => each.startsWith(name)).map(([, column]) => column),
  );
  return others.length === 0 ? first : undefined;
}

/** Shorter words before a colon are text, as in addresses. */
const minPrefix = 2;

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
    // Columns are lines of one text: `m` makes `^` and `$` match at the ends of a column.
    return { mode: 'regex', isInverse, column, text, regex: new RegExp(composed(text), 'im') };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message.replace(/^.*: /su, '') : String(thrown);
    return filterErrorTexts.notRegex(text, why);
  }
}

export type Operator = (typeof operators)[number];

const unitSuffixes: Readonly<Record<FigureUnit, RegExp>> = {
  count: /^[kKMGT]?$/,
  perSecond: /^[kKMGT]?(?:\/s)?$/,
  bytes: /^(?:[kKMGT]|[kKMGT]?B)?$/,
  seconds: /^[kKMGTsmhd]?$/,
};

const powers: Readonly<Record<string, number>> = { '': 0, k: 1, K: 1, M: 2, G: 3, T: 4 };
const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

interface TypedFigure {
  /** The number in the unit of the column: bytes, seconds, … */
  readonly value: number;
  readonly suffix: string;
}

/**
 * Parses `0`, `1,000`, `-2.5`, `1.2k`, `45MB` (1 kB is 1,024 bytes), `90s`, `5m`, `2h`, `3d`, each with or without
 * `/s`.
 */
function parseFigure(text: string): TypedFigure | undefined {
  const [, number, suffix = '', unit = ''] =
    /^([+-]?\d[\d,]*(?:\.\d+)?)((|[kKMGT]|[kKMGT]?B|[smhd])(?:\/s)?)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  const power = powers[unit.replace(/B$/, '')] ?? 0;
  return {
    value: Number(number.replaceAll(',', '')) * (secondsPerUnit[unit] ?? (unit.endsWith('B') ? 1_024 : 1_000) ** power),
    suffix,
  };
}

const printedFigure = /[+-]?\d[\d,]*(?:\.\d+)?[kKMGT]?(?![\p{L}\d.,])/u;

/**
 * Compares a value with a figure. An unknown value never matches. `=` also accepts the number as `printed`, which may
 * be rounded.
 */
export function matchesFigure(
  actual: unknown,
  printed: string,
  { operator, value }: NonNullable<FilterTerm['figure']>,
): boolean {
  if (typeof actual !== 'number') return false;
  switch (operator) {
    case '>':
      return actual > value;
    case '>=':
      return actual >= value;
    case '<':
      return actual < value;
    case '<=':
      return actual <= value;
    case '=':
      return actual === value || parseFigure(printedFigure.exec(printed)?.[0] ?? '')?.value === value;
  }
}

/** Limits what a regular expression searches, in code units; plain text is searched whole. */
const maxRegexInput = 1_024;

/** Clears the `mask` of excluded rows. Returns `false` when a regular expression took too long. */
export function applyTerm(term: FilterTerm, texts: SearchTexts, mask: Uint8Array): boolean {
  switch (term.mode) {
    case 'text':
      keepMatches(mask, term, texts.lower, (text) => text.includes(term.text));
      return true;
    case 'regex': {
      const { regex } = term;
      if (regex === undefined) return true;
      return runBounded(() => {
        keepMatches(mask, term, texts.original, (text) =>
          regex.test(text.length > maxRegexInput ? text.slice(0, maxRegexInput) : text),
        );
      });
    }
    case 'figure':
      return true;
    case 'fuzzy': {
      const letters = [...term.text];
      keepMatches(mask, term, texts.lower, (text) => matchesFuzzy(text, letters));
      return true;
    }
  }
}

function keepMatches(
  mask: Uint8Array,
  term: FilterTerm,
  texts: readonly string[],
  matches: (text: string) => boolean,
): void {
  for (let row = 0; row < texts.length; row += 1) {
    if (mask[row] === 1 && matches(texts[row] ?? '') === term.isInverse) mask[row] = 0;
  }
}

function matchesFuzzy(text: string, letters: readonly string[]): boolean {
  for (let start = 0; ;) {
    let end = -1;
    let at = start;
    let next = 0;
    for (; next < letters.length; next += 1) {
      const letter = letters[next] ?? '';
      const found = text.indexOf(letter, at);
      if (found === -1) return false;
      if (end === -1) {
        start = text.lastIndexOf(separator, found) + 1;
        end = text.indexOf(separator, found);
        if (end === -1) end = text.length;
      }
      if (found >= end) {
        start = text.lastIndexOf(separator, found) + 1;
        break;
      }
      at = found + letter.length;
    }
    if (next === letters.length) return true;
  }
}

const maxRegexMs = 300;

let context: Context | undefined;
let script: Script | undefined;

/** Returns `false` when aborted. Only a timeout of `node:vm` stops a regular expression that backtracks for ever. */
function runBounded(work: () => void): boolean {
  context ??= createContext({ work: undefined });
  script ??= new Script('work()');
  context['work'] = work;
  try {
    script.runInContext(context, { timeout: maxRegexMs });
    return true;
  } catch (thrown) {
    if (isTimeout(thrown)) return false;
    throw thrown;
  } finally {
    context['work'] = undefined;
  }
}

function isTimeout(thrown: unknown): boolean {
  return (
    typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
