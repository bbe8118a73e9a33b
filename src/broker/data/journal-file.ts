import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { readPrivateBytes } from './files.ts';
import { damagedFile, Fields, FormatError } from './fields.ts';

const maxSegmentBytes = 2 ** 31 - 1;
const version = 1;
const newline = 0x0a;
const checksumLength = 8;

export interface SegmentFile {
  readonly path: string;
  readonly first: number;
}

interface SegmentContents {
  readonly groups: readonly Group[];
  /** The bytes up to the end of its last complete line. */
  readonly wholeBytes: number;
  /** The last line is incomplete after a kill or power cut; it was never acknowledged. */
  readonly isTorn: boolean;
}

export interface Group {
  readonly first: number;
  readonly changes: readonly unknown[];
}

export function segmentFile(folder: string, first: number): SegmentFile {
  return { path: path.join(folder, `journal.${first}.jsonl`), first };
}

export async function listSegments(folder: string): Promise<readonly SegmentFile[]> {
  const names = await readdir(folder);
  return names
    .flatMap((name) => /^journal\.(\d{1,15})\.jsonl$/u.exec(name)?.[1] ?? [])
    .map((digits) => segmentFile(folder, Number(digits)))
    .toSorted((one, other) => one.first - other.first);
}

export function encodeHeader(first: number): Buffer {
  return encodeLine(JSON.stringify({ brokertop: 'journal', version, first }));
}

export function encodeGroup(first: number, changes: readonly string[]): Buffer {
  return encodeLine(`{"first":${first},"changes":[${changes.join(',')}]}`);
}

function encodeLine(json: string): Buffer {
  const bytes = Buffer.from(`${'0'.repeat(checksumLength)} ${json}\n`);
  bytes.write(checksumOf(bytes.subarray(checksumLength + 1, -1)), 0, 'latin1');
  return bytes;
}

function checksumOf(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(checksumLength, '0');
}

/**
 * Reads a segment. Only the last line of the last one may be incomplete. @throws DataError when unreadable or damaged.
 */
export async function readSegment({ path: file, first }: SegmentFile, isLast: boolean): Promise<SegmentContents> {
  const bytes = (await readPrivateBytes(file, maxSegmentBytes)) ?? Buffer.alloc(0);
  const groups: Group[] = [];
  let wholeBytes = 0;
  let next = first;
  for (let line = 1; wholeBytes < bytes.length; line += 1) {
    const end = bytes.indexOf(newline, wholeBytes);
    const isLastLine = end === -1 || end === bytes.length - 1;
    const json = end === -1 ? undefined : checkedJson(bytes.subarray(wholeBytes, end));
    if (json === undefined && isLast && isLastLine) return { groups, wholeBytes, isTorn: true };
    try {
      if (json === undefined) throw new FormatError('wrong checksum');
      const fields = new Fields(JSON.parse(json));
      fields.integer('first', next, next);
      if (line === 1) {
        fields.choice('brokertop', ['journal']);
        fields.choice('version', [version]);
      } else {
        const changes = fields.list('changes', (change) => change);
        groups.push({ first: next, changes });
        next += changes.length;
      }
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw damagedFile(file, line, error);
    }
    wholeBytes = end + 1;
  }
  return { groups, wholeBytes, isTorn: wholeBytes === 0 };
}

/** Returns `undefined` when the checksum is wrong. */
function checkedJson(line: Buffer): string | undefined {
  const rest = line.subarray(checksumLength + 1);
  return line[checksumLength] === 0x20 && line.toString('latin1', 0, checksumLength) === checksumOf(rest)
    ? rest.toString('utf8')
    : undefined;
}
