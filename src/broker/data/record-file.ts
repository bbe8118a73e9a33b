import path from 'node:path';
import { jsonPieces } from '../../api/json.ts';
import { runSliced, type SlicedTask } from '../../domain/sliced-task.ts';
import { DataError, readPrivateFile, reasonOf, writeLines } from './files.ts';
import { damagedFile, Fields, FormatError } from './fields.ts';
import type { RecordKind } from './record-kinds.ts';

/** A larger file is not written; the old one stays. */
const maxFileBytes = 256 * 1024 * 1024;

interface RecordSource<T> {
  readonly export: (key: string) => T | undefined;
}

/** The snapshot file of one kind of records. Only changed records are encoded again; the file is written as a whole. */
export class RecordFile<T> {
  readonly path: string;
  readonly #kind: RecordKind<T>;
  readonly #lines = new Map<string, string>();
  #bytes = 0;
  readonly #changedKeys = new Set<string>();
  #source: RecordSource<T> | undefined;
  #isDirty = false;

  constructor(folder: string, kind: RecordKind<T>) {
    this.path = path.join(folder, `${kind.name}.jsonl`);
    this.#kind = kind;
  }

  /** Reads the records; none when the file does not exist. @throws DataError when it cannot be read or is damaged. */
  async load(): Promise<readonly T[]> {
    const text = await readPrivateFile(this.path, maxFileBytes);
    if (text === undefined) return [];
    const lines = text.split('\n');
    const [header = '', ...rest] = lines;
    const isWhole = rest.pop() === '';
    this.#at(1, () => this.#checkHeader(parse(header), isWhole ? rest.length : -1));
    return rest.map((line, index) =>
      this.#at(index + 2, () => {
        const record = this.#kind.decode(parse(line));
        const key = this.#kind.keyOf(record);
        if (this.#lines.has(key)) throw new FormatError('duplicate record');
        this.#put(key, line);
        return record;
      }),
    );
  }

  follow(source: RecordSource<T>): void {
    this.#source = source;
    for (const key of this.#lines.keys()) if (source.export(key) === undefined) this.mark(key);
  }

  get isDirty(): boolean {
    return this.#isDirty || this.#changedKeys.size > 0;
  }

  mark(key: string): void {
    this.#changedKeys.add(key);
  }

  markAll(): void {
    for (const key of this.#lines.keys()) this.#changedKeys.add(key);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Writes the file, after `syncJournal`: no file may be ahead of the journal. @throws DataError; the file stays dirty.
   */
  async write(syncJournal: () => Promise<void>): Promise<void> {
    await runSliced(this.#encodeChanged());
    if (!this.#isDirty) return;
    await syncJournal();
    const header = JSON.stringify({
      brokertop: this.#kind.name,
      version: this.#kind.version,
      records: this.#lines.size,
    });
    const lines = [header, ...this.#lines.values()];
    this.#isDirty = false;
    try {
      const bytes = Buffer.byteLength(header) + 1 + this.#bytes;
      if (bytes > maxFileBytes)
        throw new DataError(`${JSON.stringify(this.path)} would be too large (${bytes} bytes, max ${maxFileBytes}).`);
      await writeLines(this.path, lines);
    } catch (error) {
      this.#isDirty = true;
      if (error instanceof DataError) throw error;
      throw new DataError(`${JSON.stringify(this.path)} cannot be written (${reasonOf(error)}).`, { cause: error });
    }
  }

  *#encodeChanged(): SlicedTask<void> {
    // A copy: later changes are for the next write.
    const keys = [...this.#changedKeys];
    for (const key of keys) {
      this.#changedKeys.delete(key);
      try {
        const record = this.#source?.export(key);
        if (this.#put(key, record === undefined ? undefined : yield* this.#encode(record))) this.#isDirty = true;
      } catch (error) {
        this.#changedKeys.add(key);
        throw error;
      }
      yield;
    }
  }

  #put(key: string, line: string | undefined): boolean {
    const before = this.#lines.get(key);
    if (before === line) return false;
    if (before !== undefined) this.#bytes -= Buffer.byteLength(before) + 1;
    if (line === undefined) {
      this.#lines.delete(key);
    } else {
      this.#lines.set(key, line);
      this.#bytes += Buffer.byteLength(line) + 1;
    }
    return true;
  }

  *#encode(record: T): SlicedTask<string> {
    try {
      let line = '';
      for (const piece of jsonPieces(this.#kind.encode(record))) {
        line += piece;
        yield;
      }
      return line;
    } catch (error) {
      throw new DataError(`A record of ${JSON.stringify(this.path)} is too large.`, { cause: error });
    }
  }

  #checkHeader(value: unknown, count: number): void {
    const fields = new Fields(value);
    fields.choice('brokertop', [this.#kind.name]);
    const version = fields.integer('version', 1, Number.MAX_SAFE_INTEGER);
    if (version !== this.#kind.version)
      throw new FormatError(`version ${version}, but this program reads version ${this.#kind.version}`);
    if (fields.integer('records', 0, Number.MAX_SAFE_INTEGER) !== count)
      throw new FormatError('the number of records does not match');
  }

  #at<R>(line: number, read: () => R): R {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      throw damagedFile(this.path, line, error);
    }
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new FormatError('not JSON');
  }
}
