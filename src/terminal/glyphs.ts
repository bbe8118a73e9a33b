import { safe, type SafeText, trusted } from './safe-text.ts';
import { widthOf } from './text-width.ts';

/** Each sign is one column wide. `toAscii` replaces them on an ASCII terminal. */
export const glyphs = {
  running: safe`●`,
  stopped: safe`○`,
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
  more: safe`›`,
  less: safe`‹`,
  gaugeFull: safe`▰`,
  gaugeEmpty: safe`▱`,
} as const;

export const rule = (count: number): SafeText => trusted(glyphs.rule.repeat(Math.max(0, count)));

const asciiSigns: Readonly<Record<string, string>> = {
  '●': '*',
  '○': 'o',
  '▲': '^',
  '▼': 'v',
  '▸': '>',
  '◆': '+',
  '─': '-',
  '…': '~',
  '·': '.',
  '›': '>',
  '‹': '<',
  '█': '#',
  '▰': '#',
  '▱': '.',
  '▌': '|',
  '≥': '>',
  '≤': '<',
  '–': '-',
  '−': '-',
  '×': 'x',
  µ: 'u',
  '↑': '^',
  '↓': 'v',
  '←': '<',
  '→': '>',
  Ø: 'O',
  '│': '|',
  '┤': '+',
  '┼': '+',
  '╭': '+',
  '╮': '+',
  '╯': '+',
  '╰': '+',
  '└': '`',
  '├': '+',
};

/** Keeps the width. Signs that have no ASCII form become `?`; broker text is escaped for ASCII earlier. */
export const asciiGlyphs = (text: SafeText): SafeText =>
  trusted(text.replaceAll(/[^ -~]/gu, (sign) => asciiSigns[sign] ?? '?'.repeat(widthOf(trusted(sign)))));

/** The sign of what is on or off; `?` if that is not known. */
export const activitySign = (active: boolean | undefined): SafeText =>
  active === undefined ? safe`?` : active ? glyphs.running : glyphs.stopped;
