import { type Charset, type SafeText, trusted } from './safe-text.ts';

/** Returns how many values one cell shows side by side. */
export const valuesPerCell = (charset: Charset): number => (charset === 'ascii' ? 1 : 2);

export interface AreaGraph {
  /** Oldest first, `valuesPerCell` for each column; `undefined` is unknown. */
  readonly values: readonly (number | undefined)[];
  /** The value at full height. */
  readonly max: number;
  readonly width: number;
  readonly rows: number;
  /** Grows upwards from the axis, or downwards. */
  readonly direction: 'up' | 'down';
  readonly charset: Charset;
  /** Stands on the axis where a value is unknown; blank by default. */
  readonly unknown?: SafeText | undefined;
  /** Draws zero as a line on the axis, for graphs without an axis of their own. Otherwise zero is blank. */
  readonly hasBaseline?: boolean | undefined;
  /** Draws only a line along the top. */
  readonly isLine?: boolean | undefined;
}

/**
 * The height from which areas are filled. In a lower graph, a value that hardly changes would be a slab, so a line is
 * drawn.
 */
export const minFilledRows = 3;

const dotsPerCell = 4;
const braille = 0x28_00;
/** Bits of a cell's left and right column of dots, lowest dot first. */
const dots = [
  [0x40, 0x04, 0x02, 0x01],
  [0x80, 0x20, 0x10, 0x08],
] as const;

/** Heights of values: in dots, or in rows of ASCII. */
interface Area extends Pick<AreaGraph, 'direction' | 'unknown'> {
  readonly shown: AreaGraph['values'];
  readonly tops: readonly number[];
  readonly bottoms: readonly number[];
  readonly isAscii: boolean;
  readonly hasBaseline: boolean;
}

/**
 * Draws values as a filled area in `rows` lines of exactly `width` columns, top line first. Anything above 0 is
 * visible; an unknown value is blank.
 */
export const areaGraph = ({
  values,
  max,
  width,
  rows,
  direction,
  charset,
  unknown,
  hasBaseline = false,
  isLine = false,
}: AreaGraph): readonly SafeText[] => {
  const perCell = valuesPerCell(charset);
  const isAscii = charset === 'ascii';
  const zero = hasBaseline && !isAscii ? 1 : 0;
  const shown = values.slice(-width * perCell);
  const tops: number[] = [];
  for (const value of shown) tops.push(levelOf(value, max, isAscii ? rows : rows * dotsPerCell, zero));
  const area: Area = {
    shown,
    tops,
    bottoms: isLine ? lineBottoms(shown, tops) : [],
    direction,
    unknown,
    isAscii,
    hasBaseline,
  };
  const blank = width * perCell - shown.length;
  const lines: SafeText[] = [];
  for (let row = 0; row < rows; row += 1) {
    const distance = direction === 'up' ? rows - 1 - row : row;
    let line = '';
    for (let column = 0; column < width; column += 1) line += cellAt(area, column * perCell - blank, distance);
    lines.push(trusted(line));
  }
  return lines;
};

/**
 * Returns where the line begins below each top. A steep line reaches down to its neighbours, so that it has no gaps.
 */
const lineBottoms = (shown: Area['shown'], tops: readonly number[]): readonly number[] => {
  const neighbour = (at: number): number => (shown[at] === undefined ? Infinity : (tops[at] ?? Infinity));
  return tops.map((top, at) => Math.max(0, Math.min(top - 1, neighbour(at - 1), neighbour(at + 1))));
};

/** @param distance of the row from the axis */
const cellAt = (area: Area, at: number, distance: number): string => {
  const { shown, tops, isAscii, hasBaseline, unknown } = area;
  if (
    unknown !== undefined &&
    distance === 0 &&
    at >= 0 &&
    shown[at] === undefined &&
    (isAscii || shown[at + 1] === undefined)
  )
    return unknown;
  if (isAscii)
    return (tops[at] ?? 0) > distance ? '#' : hasBaseline && distance === 0 && shown[at] !== undefined ? '_' : ' ';
  const bits = bitsAt(area, at, 0, distance) | bitsAt(area, at + 1, 1, distance);
  return bits === 0 ? ' ' : String.fromCharCode(braille + bits);
};

const bitsAt = ({ tops, bottoms, direction }: Area, at: number, side: 0 | 1, distance: number): number => {
  const below = distance * dotsPerCell;
  const filled = Math.min(dotsPerCell, (tops[at] ?? 0) - below);
  let bits = 0;
  for (let dot = Math.max(0, (bottoms[at] ?? 0) - below); dot < filled; dot += 1)
    bits |= dots[side][direction === 'up' ? dot : dotsPerCell - 1 - dot] ?? 0;
  return bits;
};

/**
 * Returns the height in dots: `zero` for no value above 0, and more for any other. Only the maximum reaches the top.
 */
const levelOf = (value: number | undefined, max: number, dotsHigh: number, zero: number): number => {
  if (value === undefined || !Number.isFinite(value)) return 0;
  if (value <= 0 || max <= 0) return zero;
  const top = value < max ? dotsHigh - 1 : dotsHigh;
  return Math.max(zero + 1, Math.min(top, zero + Math.round((value / max) * (dotsHigh - zero))));
};

const niceFactors = [1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10] as const;

/** Leaves space above the peak, so that even a graph of two rows has a shape. */
const headroom = 1.1;

/** Returns a round number such that `peak` fills about four fifths of it: a scale that seldom changes. */
export const niceMax = (peak: number): number => {
  const min = peak * headroom;
  if (!(min > 0) || !Number.isFinite(min)) return 1;
  const unit = 10 ** Math.floor(Math.log10(min));
  return niceFactors.map((factor) => factor * unit).find((max) => max >= min * (1 - 1e-9)) ?? 10 * unit;
};
