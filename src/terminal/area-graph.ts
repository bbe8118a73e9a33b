import { type Charset, type SafeText, trusted } from './safe-text.ts';

/** Values that one cell shows side by side. */
export const valuesPerCell = (charset: Charset): number => (charset === 'ascii' ? 1 : 2);

export interface AreaGraph {
  /** Oldest first, `valuesPerCell` for each column; `undefined` where nothing is known. */
  readonly values: readonly (number | undefined)[];
  /** The value at full height. */
  readonly max: number;
  readonly width: number;
  readonly rows: number;
  /** From the axis upwards, or mirrored below it. */
  readonly direction: 'up' | 'down';
  readonly charset: Charset;
  /** On the axis where nothing is known; blank by default, as zero is. */
  readonly unknown?: SafeText | undefined;
}

const dotsPerCell = 4;
const braille = 0x28_00;
/** Bits of a cell's left and right column of dots, lowest dot first. */
const dots = [[0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08]] as const;

/** Draws values as a filled area in `rows` lines of exactly `width` columns, top line first. Anything above 0 is visible; an unknown value is blank. */
export const areaGraph = ({ values, max, width, rows, direction, charset, unknown }: AreaGraph): readonly SafeText[] => {
  const perCell = valuesPerCell(charset);
  const dotsHigh = charset === 'ascii' ? rows : rows * dotsPerCell;
  const shown = values.slice(-width * perCell);
  const blank = width * perCell - shown.length;
  const levels = shown.map((value) => levelOf(value, max, dotsHigh));
  const isUnknown = (column: number): boolean => Array.from({ length: perCell }, (_, side) => column * perCell + side - blank).every((at) => at >= 0 && shown[at] === undefined);
  const cell = (column: number, distance: number): string => {
    if (unknown !== undefined && distance === 0 && isUnknown(column)) return unknown;
    const at = (side: number): number => levels[column * perCell + side - blank] ?? 0;
    if (charset === 'ascii') return at(0) > distance ? '#' : ' ';
    let bits = 0;
    for (const [side, bitsUp] of dots.entries()) {
      const filled = Math.max(0, Math.min(dotsPerCell, at(side) - distance * dotsPerCell));
      for (let dot = 0; dot < filled; dot += 1) bits |= bitsUp[direction === 'up' ? dot : dotsPerCell - 1 - dot] ?? 0;
    }
    return bits === 0 ? ' ' : String.fromCodePoint(braille + bits);
  };
  return Array.from({ length: rows }, (_row, row) => {
    const distance = direction === 'up' ? rows - 1 - row : row;
    return trusted(Array.from({ length: Math.max(0, width) }, (_cell, column) => cell(column, distance)).join(''));
  });
};

const levelOf = (value: number | undefined, max: number, dotsHigh: number): number => {
  if (value === undefined || !Number.isFinite(value) || value <= 0 || max <= 0) return 0;
  return Math.max(1, Math.min(dotsHigh, Math.round((value / max) * dotsHigh)));
};

const niceFactors = [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2, 2.2, 2.4, 2.6, 2.8, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 9, 10] as const;

/** The smallest round number that is at least `value`: a scale that seldom changes, and of which `value` fills six sevenths. */
export const niceMax = (value: number): number => {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  return niceFactors.map((factor) => factor * unit).find((max) => max >= value * (1 - 1e-9)) ?? 10 * unit;
};
