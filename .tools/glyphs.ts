/**
 * Draws box lines and blocks as shapes. From a font they would leave gaps between rows.
 */

const top = 1;
const right = 2;
const bottom = 4;
const left = 8;

const arms: Readonly<Record<string, number>> = {
  '─': left + right, '━': left + right, '│': top + bottom, '┃': top + bottom,
  '┌': right + bottom, '┐': left + bottom, '└': top + right, '┘': top + left,
  '╭': right + bottom, '╮': left + bottom, '╰': top + right, '╯': top + left,
  '├': top + right + bottom, '┤': top + left + bottom, '┬': left + right + bottom, '┴': left + right + top,
  '┼': top + right + bottom + left, '╴': left, '╵': top, '╶': right, '╷': bottom,
};

const rounded: Readonly<Record<string, (x: number, y: number, w: number, h: number, r: number) => string>> = {
  '╭': (x, y, w, h, r) => `M${x + w / 2} ${y + h}V${y + h / 2 + r}q0 ${-r} ${r} ${-r}H${x + w}`,
  '╮': (x, y, w, h, r) => `M${x + w / 2} ${y + h}V${y + h / 2 + r}q0 ${-r} ${-r} ${-r}H${x}`,
  '╰': (x, y, w, h, r) => `M${x + w / 2} ${y}V${y + h / 2 - r}q0 ${r} ${r} ${r}H${x + w}`,
  '╯': (x, y, w, h, r) => `M${x + w / 2} ${y}V${y + h / 2 - r}q0 ${r} ${-r} ${r}H${x}`,
};

const lowerBlocks = '▁▂▃▄▅▆▇█';
const leftBlocks = '█▉▊▋▌▍▎▏';
const shades: Readonly<Record<string, number>> = { '░': 0.25, '▒': 0.5, '▓': 0.75 };

/** SVG of a character's shape at `x`, `y`; `undefined` for characters that the font draws. */
export function shapeOf(char: string, x: number, y: number, width: number, height: number, fill: string): string | undefined {
  const lower = lowerBlocks.indexOf(char);
  if (lower !== -1) {
    const high = Math.round((height * (lower + 1)) / 8);
    return rectangle(x, y + height - high, width, high, fill);
  }
  const part = leftBlocks.indexOf(char);
  if (part !== -1) return rectangle(x, y, Math.round((width * (8 - part)) / 8), height, fill);
  if (char === '▀') return rectangle(x, y, width, Math.round(height / 2), fill);
  const shade = shades[char];
  if (shade !== undefined) return rectangle(x, y, width, height, fill, shade);
  return lines(char, x, y, width, height, fill);
}

function lines(char: string, x: number, y: number, width: number, height: number, fill: string): string | undefined {
  const drawn = arms[char];
  if (drawn === undefined) return undefined;
  const thick = char === '━' || char === '┃' ? 3 : 1.5;
  const curve = rounded[char];
  if (curve !== undefined) {
    return `<path d="${curve(x, y, width, height, width / 2)}" fill="none" stroke="${fill}" stroke-width="${thick}"/>`;
  }
  const [middleX, middleY] = [x + width / 2, y + height / 2];
  const parts = [
    drawn & top ? `M${middleX} ${y}V${middleY + thick / 2}` : '',
    drawn & bottom ? `M${middleX} ${middleY - thick / 2}V${y + height}` : '',
    drawn & left ? `M${x} ${middleY}H${middleX + thick / 2}` : '',
    drawn & right ? `M${middleX - thick / 2} ${middleY}H${x + width}` : '',
  ];
  return `<path d="${parts.join('')}" fill="none" stroke="${fill}" stroke-width="${thick}"/>`;
}

function rectangle(x: number, y: number, width: number, height: number, fill: string, opacity = 1): string {
  const faint = opacity === 1 ? '' : ` fill-opacity="${opacity}"`;
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="${fill}"${faint} shape-rendering="crispEdges"/>`;
}
