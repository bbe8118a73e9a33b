/** What one data file holds: records of one shape, each with a key of its own. */
export interface RecordKind<T> {
  /** Name of the file without its ending, and what its first line says. */
  readonly name: string;
  /** Raised when the shape changes; a file of another version is refused, never guessed at. */
  readonly version: number;
  keyOf(record: T): string;
  /** Plain JSON, in which long lists may be made by `lazily`. Must not change with what the record came from. */
  encode(record: T): object;
  /** Throws `FormatError` when the value is not what `encode` gives. */
  decode(value: unknown): T;
}
