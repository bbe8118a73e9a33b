import { crc32, deflateSync } from 'node:zlib';

/** Opaque pixels, four bytes each: red, green, blue and one that is ignored. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

export interface Frame {
  readonly picture: Picture;
  readonly milliseconds: number;
}

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const maxColors = 256;

/** Encodes a PNG with a palette; several frames of one size become a moving picture (APNG) that repeats. */
export function encodePng(frames: readonly Frame[]): Uint8Array {
  const [first, ...others] = frames;
  if (first === undefined) throw new RangeError('A picture needs at least one frame.');
  const { width, height } = first.picture;
  const { palette, indexOf } = createPalette(countColors(frames.map(({ picture }) => picture)));
  const header = Buffer.concat([uint32(width, height), Buffer.from([8, 3, 0, 0, 0])]);
  let sequence = 0;
  let shown = indexes(first.picture, indexOf);
  const isMoving = others.length > 0;
  const parts = [signature, chunk('IHDR', header)];
  if (isMoving) parts.push(chunk('acTL', uint32(frames.length, 0)));
  parts.push(chunk('PLTE', palette));
  if (isMoving) parts.push(frameControl(sequence++, { x: 0, y: 0, width, height }, first.milliseconds));
  parts.push(chunk('IDAT', compress(shown, width, { x: 0, y: 0, width, height })));
  for (const { picture, milliseconds } of others) {
    if (picture.width !== width || picture.height !== height) throw new RangeError('The frames differ in size.');
    const next = indexes(picture, indexOf);
    const area = changedArea(shown, next, width);
    parts.push(
      frameControl(sequence++, area, milliseconds),
      chunk('fdAT', Buffer.concat([uint32(sequence++), compress(next, width, area)])),
    );
    shown = next;
  }
  return Buffer.concat([...parts, chunk('IEND', Buffer.alloc(0))]);
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function frameControl(sequence: number, { x, y, width, height }: Area, milliseconds: number): Buffer {
  const delay = Buffer.alloc(6);
  delay.writeUInt16BE(milliseconds, 0);
  delay.writeUInt16BE(1000, 2);
  // The two zeros: the frame stays, and replaces what it covers.
  return chunk('fcTL', Buffer.concat([uint32(sequence, width, height, x, y), delay]));
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

function uint32(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
}

/** The rows of an area, each behind its filter byte 0. */
function compress(pixels: Uint8Array, width: number, area: Area): Buffer {
  const rows = Buffer.alloc((area.width + 1) * area.height);
  for (let row = 0; row < area.height; row += 1) {
    const from = (area.y + row) * width + area.x;
    rows.set(pixels.subarray(from, from + area.width), row * (area.width + 1) + 1);
  }
  return deflateSync(rows, { level: 9 });
}

/** The smallest area with all changed pixels; one pixel if none changed. */
function changedArea(before: Uint8Array, after: Uint8Array, width: number): Area {
  let [left, top, right, bottom] = [width, Infinity, 0, 0];
  for (const [at, index] of after.entries()) {
    if (index === before[at]) continue;
    const x = at % width;
    const y = Math.floor(at / width);
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  return top === Infinity
    ? { x: 0, y: 0, width: 1, height: 1 }
    : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

const colorAt = (pixels: Uint8Array, at: number): number =>
  ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);

function indexes({ width, height, pixels }: Picture, indexOf: ReadonlyMap<number, number>): Uint8Array {
  return Uint8Array.from({ length: width * height }, (_, pixel) => indexOf.get(colorAt(pixels, pixel * 4)) ?? 0);
}

function countColors(pictures: readonly Picture[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { pixels } of pictures) {
    for (let at = 0; at < pixels.length; at += 4) {
      const color = colorAt(pixels, at);
      counts.set(color, (counts.get(color) ?? 0) + 1);
    }
  }
  return counts;
}

interface WeightedColor {
  readonly color: number;
  readonly channels: readonly [number, number, number];
  readonly count: number;
}

interface Box {
  readonly colors: readonly WeightedColor[];
  readonly mean: readonly [number, number, number];
  /** The channel with the largest squared error, and that error. */
  readonly channel: 0 | 1 | 2;
  readonly error: number;
}

/** Splits the colours, the box with the largest error first, into at most 256 means. */
function createPalette(counts: ReadonlyMap<number, number>): {
  readonly palette: Buffer;
  readonly indexOf: ReadonlyMap<number, number>;
} {
  const boxes = [
    createBox(
      [...counts].map(([color, count]) => ({ color, channels: [color >> 16, (color >> 8) & 255, color & 255], count })),
    ),
  ];
  while (boxes.length < maxColors) {
    const [at] = boxes.reduce<readonly [number, number]>(
      (worst, { error }, index) => (error > worst[1] ? [index, error] : worst),
      [-1, 0],
    );
    const box = boxes[at];
    if (box === undefined) break;
    const { channel, colors, mean } = box;
    const isLow = ({ channels }: WeightedColor): boolean => channels[channel] <= mean[channel];
    boxes.splice(at, 1, createBox(colors.filter(isLow)), createBox(colors.filter((color) => !isLow(color))));
  }
  return {
    palette: Buffer.from(boxes.flatMap(({ mean }) => mean.map(Math.round))),
    indexOf: new Map(boxes.flatMap(({ colors }, index) => colors.map(({ color }) => [color, index] as const))),
  };
}

function createBox(colors: readonly WeightedColor[]): Box {
  const total = colors.reduce((sum, { count }) => sum + count, 0);
  const meanOf = (channel: 0 | 1 | 2): number =>
    colors.reduce((sum, { channels, count }) => sum + channels[channel] * count, 0) / total;
  const mean = [meanOf(0), meanOf(1), meanOf(2)] as const;
  const errorOf = (channel: 0 | 1 | 2): number =>
    colors.reduce((sum, { channels, count }) => sum + (channels[channel] - mean[channel]) ** 2 * count, 0);
  const errors = [errorOf(0), errorOf(1), errorOf(2)] as const;
  const channel = errors[0] >= errors[1] && errors[0] >= errors[2] ? 0 : errors[1] >= errors[2] ? 1 : 2;
  // One colour has no error but that of its mean's rounding.
  return { colors, mean, channel, error: colors.length === 1 ? 0 : errors[channel] };
}
