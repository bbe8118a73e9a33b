import { clockText } from '../domain/text.ts';
import { type Graph, visibleText } from './document.ts';

const width = 760;
const height = 230;
const left = 64;
const right = 12;
const top = 40;
const bottom = 44;
/** Colours with enough contrast on light and dark pages. Lines also differ in their dashes. */
const colors = ['#2f7ed8', '#d9822b', '#3a9d5d', '#a45bc4', '#b5484d', '#6b7a8f'] as const;
const dashes = ['', '6 3', '2 3', '8 3 2 3', '1 4', '12 4'] as const;
const markColors = { critical: '#c9302c', warning: '#c98a00' } as const;

/** Escapes text for HTML and SVG, also in attributes. Characters that no XML may contain are left out. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\0-\x08\v\f\x0E-\x1F\x7F-\x9F\uFFFE\uFFFF]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** Returns a round number that is at least `value`: 1, 2 or 5 times a power of ten. */
export function roundMaximum(value: number): number {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 5].find((factor) => factor * power >= value) ?? 10);
}

const stepsMs = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400].map((each) => each * 1_000);
const maxTicks = 8;

/** Returns the times of day at the axis: whole steps, at most eight. */
export function ticksOf(fromMs: number, toMs: number): readonly number[] {
  const stepMs =
    stepsMs.find((step) => (toMs - fromMs) / step <= maxTicks) ??
    Math.ceil((toMs - fromMs) / maxTicks / 86_400_000) * 86_400_000;
  // Whole hours of a zone are not always whole hours of UTC.
  const offsetMs = new Date(fromMs).getTimezoneOffset() * 60_000;
  const ticks: number[] = [];
  for (let atMs = Math.ceil((fromMs - offsetMs) / stepMs) * stepMs + offsetMs; atMs <= toMs; atMs += stepMs)
    ticks.push(atMs);
  return ticks;
}

/** Cuts a name in the middle, so that all names of the legend fit beside each other. */
function shortened(name: string, count: number): string {
  const letters = [...name];
  const room = Math.max(8, Math.floor((width - left - right) / count / 7) - 6);
  if (letters.length <= room) return name;
  const half = Math.floor((room - 1) / 2);
  return `${letters.slice(0, half).join('')}…${letters.slice(-half).join('')}`;
}

const round = (value: number): string => String(Math.round(value * 10) / 10);
const numberText = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 });

/** Draws a graph as a whole SVG element. Its text says what it shows, for those who cannot see it. */
export function drawGraph({ title, unit, fromMs, toMs, lines, marks = [] }: Graph): string {
  const inside = ({ atMs }: { readonly atMs: number }): boolean => atMs >= fromMs && atMs <= toMs;
  const values = lines.flatMap(({ points }) => points.filter(inside).flatMap(({ value }) => value ?? []));
  const maximum = roundMaximum(values.reduce((most, value) => Math.max(most, value), 0));
  const spanMs = Math.max(1, toMs - fromMs);
  const xOf = (atMs: number): string => round(left + ((atMs - fromMs) / spanMs) * (width - left - right));
  const yOf = (value: number): string => round(height - bottom - (value / maximum) * (height - top - bottom));
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<title>${escapeXml(`${title}, ${unit}`)}</title>`,
    `<text x="0" y="16" font-weight="bold" fill="currentColor">${escapeXml(title)} <tspan font-weight="normal">(${escapeXml(unit)})</tspan></text>`,
  ];
  for (const value of [0, maximum / 2, maximum]) {
    parts.push(
      `<line x1="${left}" y1="${yOf(value)}" x2="${width - right}" y2="${yOf(value)}" stroke="#8888" stroke-width="1"/>`,
      `<text x="${left - 8}" y="${yOf(value)}" dy="4" text-anchor="end" fill="currentColor">${numberText(value)}</text>`,
    );
  }
  for (const atMs of ticksOf(fromMs, toMs))
    parts.push(
      `<line x1="${xOf(atMs)}" y1="${height - bottom}" x2="${xOf(atMs)}" y2="${height - bottom + 4}" stroke="#888"/>`,
      `<text x="${xOf(atMs)}" y="${height - bottom + 16}" text-anchor="middle" fill="currentColor">${clockText(atMs).slice(0, spanMs < 600_000 ? 8 : 5)}</text>`,
    );
  for (const { atMs, label, severity } of marks.filter(inside))
    parts.push(
      `<line x1="${xOf(atMs)}" y1="${top}" x2="${xOf(atMs)}" y2="${height - bottom}" stroke="${markColors[severity]}" stroke-width="1" stroke-dasharray="3 3"/>`,
      `<text x="${xOf(atMs)}" y="${top - 3}" text-anchor="middle" font-size="11" fill="${markColors[severity]}">${escapeXml(label)}</text>`,
    );
  for (const [index, { name, points }] of lines.entries()) {
    const [color, dash] = [colors[index % colors.length], dashes[index % dashes.length]];
    let path = '';
    let isPenDown = false;
    for (const { atMs, value } of points.filter(inside)) {
      if (value !== undefined) path += `${isPenDown ? 'L' : 'M'}${xOf(atMs)} ${yOf(value)}`;
      isPenDown = value !== undefined;
    }
    const style = `fill="none" stroke="${color}" stroke-width="2"${dash === '' ? '' : ` stroke-dasharray="${dash}"`}`;
    const x = left + index * ((width - left - right) / Math.max(1, lines.length));
    parts.push(
      `<path d="${path}" ${style} stroke-linecap="round"/>`,
      `<line x1="${round(x)}" y1="${height - 10}" x2="${round(x + 24)}" y2="${height - 10}" ${style}/>`,
      `<text x="${round(x + 30)}" y="${height - 6}" fill="currentColor">${escapeXml(shortened(visibleText(name), lines.length))}</text>`,
    );
  }
  if (values.length === 0)
    parts.push(`<text x="${width / 2}" y="${height / 2}" text-anchor="middle" fill="currentColor">not recorded</text>`);
  return `${parts.join('\n')}\n</svg>`;
}
