import { safe, type SafeText, trusted } from './safe-text.ts';
import { widthOf } from './text-width.ts';

/** The program's signs, each one column wide. `toAscii` replaces them on an ASCII terminal. */
export const glyphs = {
  running: safe`●`,
  stopped: safe`○`,
  /** Sorted ascending; before a sentence: a warning. */
  up: safe`▲`,
  down: safe`▼`,
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

/** A horizontal line, `count` columns wide; empty below one. */
export const rule = (count: number): SafeText => trusted(glyphs.rule.repeat(Math.max(0, count)));

/** Gauge cells filled by one to seven eighths, from the left. */
export const gaugeParts: readonly SafeText[] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'].map((part) => trusted(part));

/** A full cell of a graph, for all rows but the top one. */
export const fullBar: SafeText = trusted('█');

/** The bars of a sparkline, lowest first, without the full block, which would touch the row above. */
export const bars: readonly SafeText[] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇'].map((bar) => trusted(bar));

const asciiSigns: Readonly<Record<string, string>> = {
  '●': '*', '○': 'o', '▲': '^', '▼': 'v', '▸': '>', '◆': '+', '─': '-', '…': '~', '·': '.', '›': '>', '»': '>', '«': '<',
  '█': '#', '░': '.', '▏': ':', '▎': ':', '▍': ':', '▌': '=', '▋': '=', '▊': '=', '▉': '=', '▁': '_', '▂': '.', '▃': '-', '▄': ':', '▅': '=', '▆': '+', '▇': '|',
  '–': '-', '×': 'x', 'µ': 'u', '↑': '^', '↓': 'v', '←': '<', '→': '>', 'Ø': 'O', '│': '|', '└': '`', '├': '+',
};

/** Translates the program's signs for a terminal without Unicode, keeping the width. Anything else becomes `?`; broker text is escaped for ASCII earlier. */
export const toAscii = (text: SafeText): SafeText =>
  trusted(text.replaceAll(/[^ -~]/gu, (sign) => asciiSigns[sign] ?? '?'.repeat(widthOf(trusted(sign)))));
