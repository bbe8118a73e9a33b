const firstBytes = 4_096;

/** Appends numbers and texts to bytes that grow. */
export class ByteWriter {
  #bytes = Buffer.allocUnsafe(firstBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Takes back what was written since `length` was as given. */
  rewind(length: number): void {
    this.#length = length;
  }

  /** Returns a copy of what was written. */
  take(): Buffer {
    return Buffer.from(this.#bytes.subarray(0, this.#length));
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const longer = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#length + count));
    this.#bytes.copy(longer, 0, 0, this.#length);
    this.#bytes = longer;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  /** Writes a whole number from 0 to 2^54 in seven bits a byte. */
  count(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7fff_ffff) {
      this.#bytes[this.#length] = (rest % 128) | 128;
      this.#length += 1;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      this.#bytes[this.#length] = (rest & 127) | 128;
      this.#length += 1;
      rest >>>= 7;
    }
    this.#bytes[this.#length] = rest;
    this.#length += 1;
  }

  /** Writes a whole number of at most 2^53 in either direction; small ones are short. */
  integer(value: number): void {
    this.count(value < 0 ? -2 * value - 1 : 2 * value);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  text(value: string): void {
    const isNarrow = isLatin1(value);
    this.count(2 * value.length + (isNarrow ? 0 : 1));
    this.characters(value, isNarrow);
  }

  /** Writes the characters alone, in one byte each if they are `isNarrow`. UTF-8 would lose unpaired surrogates. */
  characters(value: string, isNarrow: boolean): void {
    const length = isNarrow ? value.length : 2 * value.length;
    this.#reserve(length);
    this.#bytes.write(value, this.#length, length, isNarrow ? 'latin1' : 'utf16le');
    this.#length += length;
  }
}

// oxlint-disable-next-line no-control-regex
const wide = /[^\0-\u00ff]/u;

export const isLatin1 = (text: string): boolean => !wide.test(text);

/** The bytes are not what a writer of this version wrote. */
export class BrokenBytesError extends Error {
  constructor() {
    super('the recorded bytes are damaged');
    this.name = 'BrokenBytesError';
  }
}

/** Reads what a `ByteWriter` wrote. @throws BrokenBytesError beyond the end */
export class ByteReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get at(): number {
    return this.#at;
  }

  set at(place: number) {
    this.#at = place;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new BrokenBytesError();
    this.#at += 1;
    return value;
  }

  count(): number {
    let factor = 1;
    let value = 0;
    for (let length = 0; length < 8; length += 1) {
      const byte = this.byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
    throw new BrokenBytesError();
  }

  /** Reads a count of things that take a byte each at least, unless `isFree`. */
  length(isFree = false): number {
    const value = this.count();
    if (value > (isFree ? maxLength : this.#bytes.length - this.#at)) throw new BrokenBytesError();
    return value;
  }

  integer(): number {
    const value = this.count();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    if (this.#at + 8 > this.#bytes.length) throw new BrokenBytesError();
    const value = this.#bytes.readDoubleLE(this.#at);
    this.#at += 8;
    return value;
  }

  text(): string {
    const header = this.count();
    return this.characters(Math.floor(header / 2), header % 2 === 0);
  }

  characters(length: number, isNarrow: boolean): string {
    const end = this.#at + (isNarrow ? length : 2 * length);
    if (end > this.#bytes.length) throw new BrokenBytesError();
    const text = this.#bytes.toString(isNarrow ? 'latin1' : 'utf16le', this.#at, end);
    this.#at = end;
    return text;
  }
}

/** Longer lists are not read, so that damaged bytes cannot take all memory. */
const maxLength = 20_000_000;
