import type { Message } from '../engine/message.ts';
import type { DataError } from './data-error.ts';
import { Fields, FormatError } from './fields.ts';
import { journalError, listSegments, readSegment, type SegmentFile } from './journal-file.ts';
import { decodeMessage, type RecordKind, type SessionRecord } from './record-kinds.ts';
import { ReplayedSession } from './session-replay.ts';

/** Records of one file, while the changes of the journal are applied to them. */
export class ReplayedRecords<T> {
  readonly kind: RecordKind<T>;
  readonly byKey: Map<string, T>;

  constructor(kind: RecordKind<T>, records: readonly T[]) {
    this.kind = kind;
    this.byKey = new Map(records.map((record) => [kind.keyOf(record), record]));
  }

  put(value: unknown): void {
    const record = this.kind.decode(value);
    this.byKey.set(this.kind.keyOf(record), record);
  }
}

/** What a journal of earlier runs was found to be. */
export interface ReplayedJournal {
  readonly segments: readonly SegmentFile[];
  /** Number of the last change. */
  readonly position: number;
  /** The end of this file was cut short, and is to be removed. */
  readonly torn: { readonly path: string; readonly wholeBytes: number } | undefined;
}

/** Applies the changes of a journal to what was in the data files. */
export class Replay {
  readonly #records: ReadonlyMap<string, ReplayedRecords<unknown>>;
  readonly sessions: Map<string, ReplayedSession>;

  constructor(records: readonly ReplayedRecords<unknown>[], sessions: readonly SessionRecord[]) {
    this.#records = new Map(records.map((one) => [one.kind.name, one]));
    this.sessions = new Map(sessions.map((session) => [session.clientId, new ReplayedSession(session)]));
  }

  /** @throws DataError when the journal cannot be read, or lacks a part. Nothing in the folder has been changed. */
  async run(folder: string): Promise<ReplayedJournal> {
    const segments = await listSegments(folder);
    let position = [...this.sessions.values()].reduce((last, session) => Math.max(last, session.position), 0);
    let next = segments[0]?.first ?? 0;
    let torn: ReplayedJournal['torn'];
    for (const segment of segments) {
      const isLast = segment === segments.at(-1);
      if (segment.first !== next) throw journalError(segment.path, 'line 1', new FormatError('the segment before it is missing or cut short'));
      const { groups, wholeBytes, isTorn } = await readSegment(segment, isLast);
      for (const [index, { first, changes }] of groups.entries()) {
        this.#applyAll(first, changes, (error) => journalError(segment.path, `line ${index + 2}`, error));
        next = first + changes.length;
      }
      if (isTorn) torn = { path: segment.path, wholeBytes };
      position = Math.max(position, next - 1);
    }
    return { segments, position, torn };
  }

  #applyAll(first: number, changes: readonly unknown[], broken: (error: FormatError) => DataError): void {
    const messages = new Map<number, Message>();
    try {
      for (const [index, change] of changes.entries()) this.#apply(first + index, new Fields(change), messages);
    } catch (error) {
      throw error instanceof FormatError ? broken(error) : error;
    }
  }

  #apply(position: number, change: Fields, messages: Map<number, Message>): void {
    const op = change.text('op');
    if (op === 'message') messages.set(position, decodeMessage(change));
    else if (op === 'put') this.#recordsOf(change).put(change.value('record'));
    else if (op === 'delete') this.#recordsOf(change).byKey.delete(change.text('key'));
    else this.#applyToSession(position, op, change, messages);
  }

  #recordsOf(change: Fields): ReplayedRecords<unknown> {
    const records = this.#records.get(change.text('file'));
    if (records === undefined) throw new FormatError('file must be one of the data files');
    return records;
  }

  #applyToSession(position: number, op: string, change: Fields, messages: ReadonlyMap<number, Message>): void {
    const id = change.text('id');
    const known = this.sessions.get(id);
    // The data file has it already.
    if (known !== undefined && position <= known.position) return;
    if (op === 'open') this.sessions.set(id, ReplayedSession.open(id, change));
    else if (op === 'remove') this.sessions.delete(id);
    // Without a session it is one that the data file has lost meanwhile: its end comes later.
    else known?.apply(op, change, messages);
    const session = this.sessions.get(id);
    if (session !== undefined) session.position = position;
  }
}
