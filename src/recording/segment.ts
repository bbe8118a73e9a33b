import { crc32 } from 'node:zlib';
import type { RecordedEvent, SampleTime } from './recording.ts';

/** The version of the format of files. Programs read files of this version and of older ones. */
export const formatVersion = 1;

/** The end of the names of files with samples. */
export const segmentEnding = '.brec';
/** The end of the names of files that say what is in another one. */
export const indexEnding = '.index';

const magic = Buffer.from('BTREC\r\n\0', 'latin1');
export const magicLength = magic.length;

/** What a file holds, one after the other. The letters are part of the format. */
export const recordKinds = { header: 'H', keyframe: 'K', difference: 'D', event: 'E', index: 'I' } as const;

export type RecordKind = keyof typeof recordKinds;

const kindOfByte = new Map(
  Object.entries(recordKinds).map(([kind, letter]) => [letter.charCodeAt(0), kind as RecordKind]),
);

/** Begins what one program has recorded. */
export interface SegmentHeader {
  readonly format: number;
  /** The version of the program. */
  readonly program: string;
  /** Unique for each run of the recorder. */
  readonly run: string;
  /** What is recorded: the name of a context, or an address. */
  readonly cluster: string;
}

/** Around the content of a record: its length, its kind, a checksum, and the length again. */
const overhead = 4 + 1 + 4 + 4;

/** A longer record is damage. */
const maxRecordBytes = 2 ** 30;

export function encodeRecord(kind: RecordKind, ...content: readonly Buffer[]): Buffer {
  const length = content.reduce((sum, each) => sum + each.length, 0);
  const bytes = Buffer.allocUnsafe(overhead + length);
  bytes.writeUInt32LE(length, 0);
  bytes[4] = recordKinds[kind].charCodeAt(0);
  let at = 5;
  for (const each of content) at += each.copy(bytes, at);
  bytes.writeUInt32LE(crc32(bytes.subarray(4, at)), at);
  bytes.writeUInt32LE(length, at + 4);
  return bytes;
}

export interface FileRecord {
  readonly kind: RecordKind;
  readonly content: Buffer;
  /** The position where the next record begins. */
  readonly end: number;
}

/** Reads the record that begins at `at`; `undefined` if it is not whole. */
export function decodeRecord(bytes: Buffer, at: number): FileRecord | undefined {
  if (at + overhead > bytes.length) return undefined;
  const length = bytes.readUInt32LE(at);
  const end = at + overhead + length;
  if (length > maxRecordBytes || end > bytes.length || bytes.readUInt32LE(end - 4) !== length) return undefined;
  const kind = kindOfByte.get(bytes[at + 4] ?? 0);
  if (kind === undefined || bytes.readUInt32LE(end - 8) !== crc32(bytes.subarray(at + 4, end - 8))) return undefined;
  return { kind, content: bytes.subarray(at + 5, end - 8), end };
}

export const encodeJson = (kind: RecordKind, value: unknown): Buffer =>
  encodeRecord(kind, Buffer.from(JSON.stringify(value)));

export const decodeJson = ({ content }: FileRecord): unknown => JSON.parse(content.toString());

export const beginSegment = (header: SegmentHeader): Buffer => Buffer.concat([magic, encodeJson('header', header)]);

export const isSegment = (bytes: Buffer): boolean => bytes.subarray(0, magicLength).equals(magic);

const timeBytes = 24;

export function encodeSample(at: SampleTime, isKeyframe: boolean, compressed: Buffer): Buffer {
  const times = Buffer.allocUnsafe(timeBytes);
  times.writeDoubleLE(at.wallMs, 0);
  times.writeDoubleLE(at.steadyMs, 8);
  times.writeDoubleLE(at.monotonicMs, 16);
  return encodeRecord(isKeyframe ? 'keyframe' : 'difference', times, compressed);
}

export const decodeSample = ({
  content,
}: FileRecord): { readonly at: SampleTime; readonly compressed: Buffer } | undefined =>
  content.length < timeBytes
    ? undefined
    : {
        at: {
          wallMs: content.readDoubleLE(0),
          steadyMs: content.readDoubleLE(8),
          monotonicMs: content.readDoubleLE(16),
        },
        compressed: content.subarray(timeBytes),
      };

/** The samples from one keyframe to the next, and where they are in the file. */
export interface SegmentGroup {
  readonly header: SegmentHeader;
  readonly from: number;
  readonly to: number;
  readonly walls: readonly number[];
}

/** What is in a file, up to the last whole record. */
export interface SegmentContent<Event extends RecordedEvent = RecordedEvent> {
  readonly groups: readonly SegmentGroup[];
  readonly events: readonly Event[];
  /** The end of the last whole record. What follows is being written, or torn. */
  readonly end: number;
  /** The version of the format, if it is a later one. Nothing is read of it. */
  readonly laterFormat?: number | undefined;
}

const isHeader = (value: unknown): value is SegmentHeader =>
  typeof value === 'object' &&
  value !== null &&
  ['program', 'run', 'cluster'].every((name) => typeof (value as Record<string, unknown>)[name] === 'string') &&
  typeof (value as SegmentHeader).format === 'number';

const isEvent = (value: unknown): value is RecordedEvent =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as RecordedEvent).id === 'string' &&
  typeof (value as RecordedEvent).atMs === 'number';

/** Finds out what is in a file, by reading it from its beginning. */
export function scanSegment<Event extends RecordedEvent>(bytes: Buffer): SegmentContent<Event> {
  const scanner = createScanner<Event>();
  if (!isSegment(bytes)) return scanner.content();
  scanner.add(bytes.subarray(magicLength), magicLength);
  return scanner.content();
}

export interface Scanner<Event extends RecordedEvent> {
  /** Takes what follows in the file, from its place on. Half a record is to be given again. */
  add(bytes: Buffer, from: number): void;
  content(): SegmentContent<Event>;
}

interface GrowingGroup {
  readonly header: SegmentHeader;
  readonly from: number;
  to: number;
  readonly walls: number[];
}

export function createScanner<Event extends RecordedEvent>(before?: SegmentContent<Event>): Scanner<Event> {
  const groups: GrowingGroup[] = (before?.groups ?? []).map((group) => ({ ...group, walls: [...group.walls] }));
  const events: Event[] = [...(before?.events ?? [])];
  let header = groups.at(-1)?.header;
  let current = groups.at(-1);
  let end = before?.end ?? 0;
  let laterFormat = before?.laterFormat;

  function take(record: FileRecord, from: number): void {
    if (record.kind === 'header') {
      const value = decodeJson(record);
      header = isHeader(value) ? value : undefined;
      current = undefined;
      if (header !== undefined && header.format > formatVersion) laterFormat = header.format;
    } else if (record.kind === 'event') {
      const value = decodeJson(record);
      if (isEvent(value)) events.push(value as Event);
    } else if (record.kind === 'keyframe' || record.kind === 'difference') {
      const sample = decodeSample(record);
      if (sample === undefined || header === undefined) return;
      if (record.kind === 'keyframe') {
        current = { header, from, to: from, walls: [] };
        groups.push(current);
      }
      if (current === undefined) return;
      current.to = record.end;
      current.walls.push(sample.at.wallMs);
    }
  }

  return {
    add(bytes, from) {
      let at = 0;
      for (;;) {
        const record = decodeRecord(bytes, at);
        if (record === undefined || laterFormat !== undefined) break;
        take({ ...record, end: from + record.end }, from + at);
        at = record.end;
      }
      end = from + at;
    },
    content: () => ({ groups, events, end, laterFormat }),
  };
}

/** Reads the samples of a group from its bytes. */
export function samplesOf(bytes: Buffer): { readonly times: readonly SampleTime[]; readonly bytes: Buffer } {
  const times: SampleTime[] = [];
  const chunks: Buffer[] = [];
  for (let at = 0; ;) {
    const record = decodeRecord(bytes, at);
    if (record === undefined) break;
    at = record.end;
    const sample = record.kind === 'event' ? undefined : decodeSample(record);
    if (sample === undefined) continue;
    times.push(sample.at);
    chunks.push(sample.compressed);
  }
  return { times, bytes: Buffer.concat(chunks) };
}

/** The name of the file that begins at a time: names sort by time. `number` tells two of one second apart. */
export const segmentName = (wallMs: number, number: number): string =>
  `${new Date(wallMs)
    .toISOString()
    .replaceAll(/[:.]/gu, '-')
    .replace(/-\d{3}Z$/u, 'Z')}${number === 0 ? '' : `-${number}`}${segmentEnding}`;

/** Returns the time in the name of a file; `undefined` for other files. */
export function timeOfSegment(name: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z(?:-\d+)?\.brec$/u.exec(name);
  const time = match === null ? NaN : Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** Encodes the index of a file, with its length: of a file that has grown or was cut, the index is of no use. */
export const encodeIndex = <Event extends RecordedEvent>({ groups, events, end }: SegmentContent<Event>): Buffer =>
  encodeJson('index', { format: formatVersion, groups: groups.map(indexed), events, end });

/** Times as steps, which are short. */
const indexed = ({ walls, ...group }: SegmentGroup): unknown => ({
  ...group,
  walls: walls.map((wallMs, index) => wallMs - (walls[index - 1] ?? 0)),
});

/** Reads an index; `undefined` if it is not that of a file of this length. */
export function decodeIndex<Event extends RecordedEvent>(
  bytes: Buffer,
  fileLength: number,
): SegmentContent<Event> | undefined {
  const record = decodeRecord(bytes, 0);
  if (record?.kind !== 'index') return undefined;
  const content = decodeJson(record) as SegmentContent<Event> & { readonly format: number };
  if (content.format !== formatVersion || content.end !== fileLength) return undefined;
  return {
    ...content,
    groups: content.groups.map((group) => {
      let wallMs = 0;
      return { ...group, walls: group.walls.map((step) => (wallMs += step)) };
    }),
  };
}
