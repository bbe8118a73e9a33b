import { safe, type SafeText, trusted } from './safe-text.ts';
import { widthOf } from './text-width.ts';

/** Signs of the program, each one column wide. On an ASCII terminal `toAscii` puts a plain sign in place of each. */
export const glyphs = {
  running: safe`●`,
  stopped: safe`○`,
  /** Sorted upwards; before a sentence, a warning. */
  up: safe`▲`,
  down: safe`▼`,
  /** More than a while ago. */
  rising: safe`↑`,
  left: safe`←`,
  right: safe`→`,
  cursor: safe`▸`,
  marked: safe`◆`,
  rule: safe`─`,
  ellipsis: safe`…`,
  dot: safe`·`,
  crumb: safe`›`,
  more: safe`»`,
  less: safe`«`,
  gaugeFull: safe`█`,
  gaugeEmpty: safe`░`,
} as const;

/** A line across so many columns; none when there are fewer than one. */
export const rule = (count: number): SafeText => trusted(glyphs.rule.repeat(Math.max(0, count)));

/** A cell of a gauge that is filled by one to seven eighths, from the left. */
export const gaugeParts: readonly SafeText[] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'].map((part) => trusted(part));

/** A cell of a graph that is not its top row, filled to the top. */
export const fullBar: SafeText = trusted('█');

/** Bars of a sparkline, lowest first. Without the full block, which would touch the row above. */
export const bars: readonly SafeText[] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'].map((bar) => trusted(bar));

// One column for one column: a line keeps its width when it is translated.
const asciiSigns: Readonly<Record<string, string>> = {
  '●': '*', '○': 'o', '▲': '^', '▼': 'v', '▸': '>', '◆': '+', '─': '-', '…': '~', '·': '.', '›': '>', '»': '>', '«': '<',
  '█': '#', '░': '.', '▏': ':', '▎': ':', '▍': ':', '▌': '=', '▋': '=', '▊': '=', '▉': '=', '▁': '_', '▂': '.', '▃': '-', '▄': ':', '▅': '=', '▆': '+', '▇': '|',
  '–': '-', '×': 'x', 'µ': 'u', '↑': '^', '↓': 'v', '←': '<', '→': '>', 'Ø': 'O', '│': '|', '└': '`', '├': '+',
};

/**
 * The same text for a terminal without Unicode, in the same number of columns. Meant for the program's
 * own signs; broker text is escaped for ASCII before, and what is left over becomes `?`.
 */
export const toAscii = (text: SafeText): SafeText =>
  trusted(text.replaceAll(/[^ -~]/gu, (sign) => asciiSigns[sign] ?? '?'.repeat(widthOf(trusted(sign)))));
