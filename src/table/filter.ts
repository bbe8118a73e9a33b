/** How a term is matched: letters as they are (any case), a regular expression (any case), letters in this order with anything between them, or a figure. */
export type FilterMode = 'text' | 'regex' | 'fuzzy' | 'figure';

/** One condition. */
export interface FilterTerm {
  readonly mode: FilterMode;
  /** Rows that match are left out. */
  readonly isInverse: boolean;
  /** Id of the only column searched; `undefined` for all. */
  readonly column: string | undefined;
  /** What to look for, without prefixes and quotes; lower-case but in mode `regex`. */
  readonly text: string;
  /** In mode `regex` only. */
  readonly regex: RegExp | undefined;
  /** In mode `figure` only. */
  readonly figure?: { readonly operator: Operator; readonly than: number } | undefined;
  /** What stands before a colon as a column's name would, and is none here: unless some row holds the text it is a mistake. */
  readonly notColumn?: string | undefined;
}

/** A filter as typed, understood. Every term has to hold. */
export interface ParsedFilter {
  readonly terms: readonly FilterTerm[];
  /** What is wrong with it, for the operator; the faulty terms are left out. */
  readonly error: string | undefined;
}

/** The filter that shows everything. */
export const noFilter: ParsedFilter = { terms: [], error: undefined };

/** A column as the filter knows it. */
export interface FilterColumn {
  readonly id: string;
  /** What its header says. */
  readonly name?: string | undefined;
  /** It holds figures of this unit, which are compared as such. */
  readonly unit?: FigureUnit | undefined;
  /** Given when what is compared is an age: a bare figure is then looked for as text, in all ages that hold it. */
  readonly age?: unknown;
}

/** A name as one can type it before a colon: `client-id`, `drop/s`. */
const wordOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}/]+/gu, '-');

/** The names that a filter knows columns by, as the header says them. */
export const columnNames = (columns: readonly FilterColumn[]): readonly string[] => columns.map(({ id, name }) => wordOf(name ?? id));

/**
 * Understands the filter language: words separated by spaces, each of them `text`, `"text with
 * spaces"`, `/regex/`, `~fuzzy`, `column:` before any of these, and `!` before all or after the
 * column. After a column of figures `>0`, `>=0`, `<0`, `<=0`, `=0` and a bare `0` compare with the figure.
 * A word before a colon is a column if there is one of that id or name (`client-id:` for CLIENT ID);
 * else it is text, such as `mqtt:tcp`, and a mistake where no row holds it.
 * `column:""` finds empty texts, which are shown so.
 * A quote or slash that is not closed goes to the end: filters are read while they are typed.
 */
export function parseFilter(input: string, known: readonly FilterColumn[]): ParsedFilter {
  const reader = { input, at: 0 };
  // An id before a name: with both, the id is what there is no other way to say.
  const columns = new Map([
    ...known.flatMap((column) => (column.name === undefined ? [] : [[wordOf(column.name), column] as const])),
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

/** A term; a string says what is wrong; `undefined` when it is only half typed and asks for nothing yet. */
function readTerm(reader: Reader, columns: ReadonlyMap<string, FilterColumn>): FilterTerm | string | undefined {
  let isInverse = readSign(reader, '!');
  const known = readColumn(reader, columns);
  const column = known?.id;
  if (known !== undefined) {
    isInverse = readSign(reader, '!') !== isInverse;
    const figure = readFigure(reader, known);
    if (typeof figure === 'object') return { mode: 'figure', isInverse, column, text: String(figure.than), regex: undefined, figure };
    if (figure !== 'none') return figure === 'half' ? undefined : figure;
  }
  if (column !== undefined && /^""(?:\s|$)/.test(reader.input.slice(reader.at))) {
    reader.at += 2;
    return { mode: 'regex', isInverse, column, text: '""', regex: emptyCell };
  }
  if (reader.input[reader.at] === '/') return readRegex(reader, isInverse, column);
  const isFuzzy = readSign(reader, '~');
  const notColumn = known === undefined && !isFuzzy ? nameAt(reader, /^\p{L}[\p{L}\p{N}/_-]*(?=:(?!:))/u) : undefined;
  const text = readWord(reader);
  if (text === '') return undefined;
  const mode = isFuzzy ? 'fuzzy' : 'text';
  return { mode, isInverse, column, text: text.toLowerCase(), regex: undefined, notColumn };
}

/** What a column holds of a row with an empty text: that text, and how it is printed. */
const emptyCell = /^\n?""$/u;

/** A comparison, or a bare figure in a column of figures; a sentence says what is wrong with it. */
function readFigure(reader: Reader, { id, name, unit, age }: FilterColumn): FilterTerm['figure'] | 'none' | 'half' | string {
  const [word = ''] = /^\S*/.exec(reader.input.slice(reader.at)) ?? [];
  const [, sign = '', typed = ''] = /^(>=|<=|>|<|=)?(.*)$/su.exec(word) ?? [];
  const operator = operators.find((each) => each === sign);
  if (operator === undefined && (unit === undefined || age !== undefined)) return 'none';
  const than = parseFigure(typed);
  if (operator === undefined && than === undefined) return 'none';
  reader.at += word.length;
  const called = wordOf(name ?? id);
  if (unit === undefined) return `"${called}" holds no figures to compare; in quotes "${word}" is text.`;
  if (typed === '') return 'half';
  if (than === undefined) return `"${typed}" is no figure that "${called}" could be compared with.`;
  const misfit = misfitOf(than, unit);
  return misfit === undefined ? { operator: operator ?? '=', than: than.value } : `"${typed}" cannot be compared with "${called}", which ${misfit}.`;
}

const operators = ['>', '>=', '<', '<=', '='] as const;

function readSign(reader: Reader, sign: string): boolean {
  if (reader.input[reader.at] !== sign) return false;
  reader.at += 1;
  return true;
}

const nameAt = ({ input, at }: Reader, form: RegExp): string | undefined => form.exec(input.slice(at))?.[0];

function readColumn(reader: Reader, columns: ReadonlyMap<string, FilterColumn>): FilterColumn | undefined {
  const name = nameAt(reader, /^[^\s:"/!~][^\s:"!~]*(?=:)/);
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
  // A slash closes only at the end of a word, so that `/a/b` can be typed as it is in a topic.
  while (end < input.length && !(input[end] === '/' && (end + 1 === input.length || isSpace(input[end + 1])))) {
    end += input[end] === '\\' ? 2 : 1;
  }
  end = Math.min(end, input.length);
  reader.at = end + 1;
  const text = input.slice(start, end);
  if (text === '') return undefined;
  try {
    // Columns are searched as lines of one text: with `m`, `^` and `$` mean the ends of a column.
    return { mode: 'regex', isInverse, column, text, regex: new RegExp(text, 'im') };
  } catch (thrown) {
    // The engine repeats the pattern, with flags that nobody typed.
    const why = thrown instanceof Error ? thrown.message.replace(/^.*: /su, '') : String(thrown);
    return `Not a regular expression: /${text} (${why}). It is not applied.`;
  }
}

/** How a column's figure is compared with the one that was typed. */
export type Operator = '>' | '>=' | '<' | '<=' | '=';

/** What a column's figures are, and so with which units they can be compared. */
export type FigureUnit = 'count' | 'perSecond' | 'bytes' | 'seconds';

const fitting: Readonly<Record<FigureUnit, RegExp>> = {
  count: /^[kKMGT]?$/, perSecond: /^[kKMGT]?(?:\/s)?$/, bytes: /^(?:[kKMGT]|[kKMGT]?B)?$/, seconds: /^[kKMGTsmhd]?$/,
};

const unitWords: Readonly<Record<FigureUnit, string>> = {
  count: 'is a count (0, 1,200, 1.2k)', perSecond: 'is a rate (5, 1.2k, 5/s)', bytes: 'is in bytes (512B, 5MB)', seconds: 'is in seconds (90s, 5m, 2h, 3d)',
};

const powers: Readonly<Record<string, number>> = { '': 0, k: 1, K: 1, M: 2, G: 3, T: 4 };
const secondsIn: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** A figure that was typed. */
interface TypedFigure {
  /** In the column's own unit. */
  readonly value: number;
  /** What stands behind the number. */
  readonly suffix: string;
}

/**
 * A figure as it was typed: `0`, `1,000`, `-2.5`, `1.2k`, `45MB` (1,024 bytes to the kilobyte, as they are shown), `90s`, `5m`, `2h`, `3d`, each
 * with or without `/s` behind; `undefined` when it is no figure.
 */
export function parseFigure(text: string): TypedFigure | undefined {
  const [, number, suffix = '', unit = ''] = /^([+-]?\d[\d,]*(?:\.\d+)?)((|[kKMGT]|[kKMGT]?B|[smhd])(?:\/s)?)$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  const power = powers[unit.replace(/B$/, '')] ?? 0;
  return { value: Number(number.replaceAll(',', '')) * (secondsIn[unit] ?? (unit.endsWith('B') ? 1_024 : 1_000) ** power), suffix };
}

/** Why a figure cannot be compared with those of a column, as the end of a sentence; `undefined` when it can. */
export const misfitOf = ({ suffix }: TypedFigure, unit: FigureUnit): string | undefined => (fitting[unit].test(suffix) ? undefined : unitWords[unit]);

/** Figures in a printed cell; one that begins a duration (`2h 14m`) is only a part of it. */
const printedFigure = /[+-]?\d[\d,]*(?:\.\d+)?[kKMGT]?(?![\p{L}\d.,])/u;

/** Whether a row's figure is as it was asked for. `lines`: the cell as it is searched. One that is not known is neither more nor less. */
export function isFigureAsAsked(raw: unknown, lines: string, operator: Operator, than: number): boolean {
  if (typeof raw !== 'number') return false;
  switch (operator) {
    case '>': return raw > than;
    case '>=': return raw >= than;
    case '<': return raw < than;
    case '<=': return raw <= than;
    case '=': return raw === than || parseFigure(printedFigure.exec(lines)?.[0] ?? '')?.value === than;
  }
}
