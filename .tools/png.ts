import path from 'node:path';
import { Resvg } from '@resvg/resvg-js';
import type { Cell, CellColor, TerminalScreen } from '../test/support/terminal-screen.ts';
import { shapeOf } from './glyphs.ts';

const cellWidth = 10;
const cellHeight = 21;
/** An advance of DejaVu Sans Mono is 1233 of its 2048 units; a cell is exactly one wide. */
const fontSize = (cellWidth * 2048) / 1233;
const baseline = 16;
const margin = 8;

const screenColor = '#16181d';
const textColor = '#c9cdd6';
const palette = [
  '#20242c', '#e06c75', '#98c379', '#e5c07b', '#61afef', '#c678dd', '#56b6c2', '#c9cdd6',
  '#6b7280', '#ff7b86', '#b1e18b', '#ffd88a', '#82c4ff', '#dd9af0', '#7fdbe6', '#ffffff',
];

interface Run {
  readonly x: number;
  readonly text: string;
  readonly cells: number;
  readonly style: string;
}

/** Renders the terminal as PNG. */
export function screenPng(screen: TerminalScreen): Uint8Array {
  const folder = path.dirname(import.meta.resolve('dejavu-fonts-ttf/package.json').replace('file://', ''));
  const fontFiles = ['DejaVuSansMono.ttf', 'DejaVuSansMono-Bold.ttf', 'DejaVuSansMono-Oblique.ttf'].map((name) => path.join(folder, 'ttf', name));
  return new Resvg(screenSvg(screen), {
    font: { loadSystemFonts: false, fontFiles, defaultFontFamily: 'DejaVu Sans Mono' },
  }).render().asPng();
}

/** Renders the terminal as SVG: first the backgrounds, one rectangle per run, to avoid seams. */
export function screenSvg(screen: TerminalScreen): string {
  const rows = Array.from({ length: screen.rows }, (_, y) => screen.row(y));
  const width = screen.cols * cellWidth + 2 * margin;
  const height = screen.rows * cellHeight + 2 * margin;
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="DejaVu Sans Mono" font-size="${fontSize.toFixed(3)}">`,
    `<rect width="${width}" height="${height}" fill="${screenColor}"/>`,
    `<g transform="translate(${margin} ${margin})">`,
    ...rows.map((row, y) => rowBackgrounds(row, y)),
    ...rows.map((row, y) => rowText(row, y)),
    '</g></svg>',
  ];
  return parts.join('');
}

function rowBackgrounds(row: readonly Cell[], y: number): string {
  const runs = joinRuns(row.map((cell) => ({ text: '', style: background(cell) })));
  return runs
    .filter(({ style }) => style !== screenColor)
    .map(({ x, cells, style }) => `<rect x="${x * cellWidth}" y="${y * cellHeight}" width="${cells * cellWidth}" height="${cellHeight}" fill="${style}" shape-rendering="crispEdges"/>`)
    .join('');
}

function rowText(row: readonly Cell[], y: number): string {
  const shapes: string[] = [];
  const runs = joinRuns(row.map((cell, x) => {
    const shape = shapeOf(cell.char, x * cellWidth, y * cellHeight, cellWidth, cellHeight, foreground(cell));
    if (shape !== undefined) shapes.push(cell.dim ? `<g opacity="0.6">${shape}</g>` : shape);
    // Wide characters and those the font may lack have another width.
    const isPlain = /^[\x20-\x7e]$/u.test(cell.char);
    return { text: shape === undefined ? cell.char : ' ', style: textStyle(cell), isAlone: !isPlain };
  }));
  const texts = runs
    .filter(({ text }) => text.trim() !== '')
    .map(({ x, text, style }) => `<text x="${x * cellWidth}" y="${y * cellHeight + baseline}" xml:space="preserve"${style}>${escapeXml(text)}</text>`);
  return shapes.join('') + texts.join('');
}

/** Joins adjacent cells of the same style. */
function joinRuns(cells: readonly { text: string; style: string; isAlone?: boolean }[]): Run[] {
  const runs: Run[] = [];
  let isOpen = false;
  for (const [x, { text, style, isAlone = false }] of cells.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && isOpen && !isAlone && last.style === style) {
      runs[runs.length - 1] = { ...last, text: last.text + text, cells: last.cells + 1 };
    } else {
      runs.push({ x, text, cells: 1, style });
    }
    isOpen = !isAlone;
  }
  return runs;
}

function textStyle(cell: Cell): string {
  return [
    ` fill="${foreground(cell)}"`,
    cell.bold ? ' font-weight="bold"' : '',
    cell.italic ? ' font-style="italic"' : '',
    cell.dim ? ' opacity="0.6"' : '',
    cell.underline || cell.strikethrough ? ` text-decoration="${cell.underline ? 'underline' : 'line-through'}"` : '',
  ].join('');
}

function foreground(cell: Cell): string {
  return cell.inverse ? toHex(cell.background, screenColor) : toHex(cell.foreground, textColor);
}

function background(cell: Cell): string {
  return cell.inverse ? toHex(cell.foreground, textColor) : toHex(cell.background, screenColor);
}

function toHex(color: CellColor, whenDefault: string): string {
  if (color === 'default') return whenDefault;
  if (typeof color === 'string') return color;
  const named = palette[color];
  if (named !== undefined) return named;
  if (color >= 232) return grey(8 + (color - 232) * 10);
  const [r, g, b] = [36, 6, 1].map((step) => [0, 95, 135, 175, 215, 255][Math.floor((color - 16) / step) % 6] ?? 0);
  return `#${[r, g, b].map((part) => (part ?? 0).toString(16).padStart(2, '0')).join('')}`;
}

function grey(level: number): string {
  return `#${level.toString(16).padStart(2, '0').repeat(3)}`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
