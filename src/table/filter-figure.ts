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
