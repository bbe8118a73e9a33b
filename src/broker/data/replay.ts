import type { Message } from '../engine/message.ts';
import type { DataError } from './data-error.ts';
import { Fields, FormatError } from './fields.ts';
import { journalError, listSegments, readSegment, type SegmentFile } from './journal-file.ts';
import { decodeMessage, type RecordKind, type SessionRecord } from './record-kinds.ts';
import { ReplayedSession } from './session-replay.ts';

/** Records of one file while the journal is replayed. */
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

/** Result of a replay. */
export interface ReplayedJournal {
  readonly segments: readonly SegmentFile[];
  /** Number of the last change. */
  readonly position: number;
  /** The incomplete end of this file has to be truncated. */
  readonly torn: { readonly path: string; readonly wholeBytes: number } | undefined;
}

/** Applies the changes of the journal to the records of the files. */
export class Replay {
  readonly #records: ReadonlyMap<string, ReplayedRecords<unknown>>;
  readonly sessions: Map<string, ReplayedSession>;

  constructor(records: readonly ReplayedRecords<unknown>[], sessions: readonly SessionRecord[]) {
    this.#records = new Map(records.map((one) => [one.kind.name, one]));
    this.sessions = new Map(sessions.map((session) => [session.clientId, new ReplayedSession(session)]));
  }

  /** Replays all segments without changing the folder. @throws DataError when the journal is damaged or incomplete. */
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
    // The record file already has this change.
    if (known !== undefined && position <= known.position) return;
    if (op === 'open') this.sessions.set(id, ReplayedSession.open(id, change));
    else if (op === 'remove') this.sessions.delete(id);
    // Without a session, the record file was written after its removal, which follows in the journal.
    else known?.apply(op, change, messages);
    const session = this.sessions.get(id);
    if (session !== undefined) session.position = position;
  }
}
