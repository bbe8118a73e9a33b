import { crc32, inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { encodePng, type Frame, type Picture } from '../../.tools/png-file.ts';

type Rgb = readonly [number, number, number];

/** A picture of one character per pixel. */
function pictureOf(rows: readonly string[], colors: Readonly<Record<string, Rgb>>): Picture {
  const pixels = rows.flatMap((row) => [...row].flatMap((char) => [...(colors[char] ?? [0, 0, 0]), 255]));
  return { width: rows[0]?.length ?? 0, height: rows.length, pixels: Uint8Array.from(pixels) };
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function chunksOf(png: Buffer): readonly Chunk[] {
  expect(png.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
  const chunks: Chunk[] = [];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const body = png.subarray(at + 4, at + 8 + length);
    expect(png.readUInt32BE(at + 8 + length)).toBe(crc32(body));
    chunks.push({ type: body.subarray(0, 4).toString('latin1'), data: body.subarray(4) });
    at += 12 + length;
  }
  return chunks;
}

/** Draws the frames as a browser does: pixels as red, green, blue. */
function decode(bytes: Uint8Array): {
  readonly frames: readonly Buffer[];
  readonly delays: readonly number[];
  readonly chunks: readonly Chunk[];
} {
  const chunks = chunksOf(Buffer.from(bytes));
  const [header] = chunks;
  const [width, height] = [header?.data.readUInt32BE(0) ?? 0, header?.data.readUInt32BE(4) ?? 0];
  const palette = chunks.find(({ type }) => type === 'PLTE')?.data ?? Buffer.alloc(0);
  const canvas = Buffer.alloc(width * height * 3);
  const frames: Buffer[] = [];
  const delays: number[] = [];
  let area = { width, height, x: 0, y: 0 };
  for (const { type, data } of chunks) {
    if (type === 'fcTL') {
      area = {
        width: data.readUInt32BE(4),
        height: data.readUInt32BE(8),
        x: data.readUInt32BE(12),
        y: data.readUInt32BE(16),
      };
      delays.push(data.readUInt16BE(20) / data.readUInt16BE(22));
    }
    if (type !== 'IDAT' && type !== 'fdAT') continue;
    const rows = inflateSync(type === 'IDAT' ? data : data.subarray(4));
    expect(rows).toHaveLength((area.width + 1) * area.height);
    for (let y = 0; y < area.height; y += 1) {
      for (let x = 0; x < area.width; x += 1) {
        const color = rows[y * (area.width + 1) + 1 + x] ?? 0;
        palette.copy(canvas, ((area.y + y) * width + area.x + x) * 3, color * 3, color * 3 + 3);
      }
    }
    frames.push(Buffer.from(canvas));
  }
  return { frames, delays, chunks };
}

const colorsOf = ({ pixels }: Picture): Buffer => Buffer.from(pixels.filter((_, at) => at % 4 !== 3));

const colors = { a: [22, 24, 29], b: [255, 107, 107], c: [0, 175, 175] } as const;
const first = pictureOf(['aaaa', 'aaba', 'aaaa'], colors);
const second = pictureOf(['aaaa', 'aaca', 'abaa'], colors);

const frame = (picture: Picture, milliseconds = 500): Frame => ({ picture, milliseconds });

test('a picture of few colours keeps them exactly', () => {
  const { frames, chunks } = decode(encodePng([frame(first)]));
  expect(frames).toEqual([colorsOf(first)]);
  expect(chunks.map(({ type }) => type)).toEqual(['IHDR', 'PLTE', 'IDAT', 'IEND']);
});

test('a moving picture holds its frames, their times, and of a later one only what changed', () => {
  const { frames, delays, chunks } = decode(encodePng([frame(first), frame(second, 4000), frame(second, 6000)]));
  expect(frames).toEqual([first, second, second].map(colorsOf));
  expect(delays).toEqual([0.5, 4, 6]);
  expect(chunks.map(({ type }) => type)).toEqual([
    'IHDR',
    'acTL',
    'PLTE',
    'fcTL',
    'IDAT',
    'fcTL',
    'fdAT',
    'fcTL',
    'fdAT',
    'IEND',
  ]);
  const controls = chunks
    .filter(({ type }) => type === 'fcTL')
    .map(({ data }) => [4, 8, 12, 16].map((at) => data.readUInt32BE(at)));
  expect(controls).toEqual([
    [4, 3, 0, 0],
    [2, 2, 1, 1],
    [1, 1, 0, 0],
  ]);
  const numbered = chunks
    .filter(({ type }) => type === 'fcTL' || type === 'fdAT')
    .map(({ data }) => data.readUInt32BE(0));
  expect(numbered).toEqual([0, 1, 2, 3, 4]);
  expect(chunks.find(({ type }) => type === 'acTL')?.data).toEqual(Buffer.from([0, 0, 0, 3, 0, 0, 0, 0]));
});

test('a picture of more than 256 colours gets near ones, and a large area its own', () => {
  const shades = Uint8Array.from({ length: 64 * 64 * 4 }, (_, at) =>
    at % 4 === 3 ? 255 : at < 64 * 60 * 4 ? (colors.a[at % 4] ?? 0) : (at * 7) % 256,
  );
  const picture = { width: 64, height: 64, pixels: shades };
  const {
    frames: [decoded = Buffer.alloc(0)],
    chunks,
  } = decode(encodePng([frame(picture)]));
  expect(chunks.find(({ type }) => type === 'PLTE')?.data.length).toBeLessThanOrEqual(256 * 3);
  const wanted = colorsOf(picture);
  expect(decoded.subarray(0, 64 * 60 * 3)).toEqual(wanted.subarray(0, 64 * 60 * 3));
  expect(Math.max(...decoded.map((value, at) => Math.abs(value - (wanted[at] ?? 0))))).toBeLessThan(40);
});

test('frames of different sizes, and none, are errors', () => {
  expect(() => encodePng([])).toThrow(RangeError);
  expect(() => encodePng([frame(first), frame(pictureOf(['ab'], colors))])).toThrow('differ in size');
});
