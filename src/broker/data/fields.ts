import { isObject } from '../../api/json.ts';
import { DataError } from './files.ts';

/** A stored value has another shape. `message` does not contain the value. */
export class FormatError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FormatError';
  }
}

export function damagedFile(file: string, line: number, error: FormatError): DataError {
  const text = `The data file ${JSON.stringify(file)} is damaged at line ${line} (${error.message}). It was not changed. Repair it or move it away.`;
  return new DataError(text, { cause: error });
}

/** Reads the fields of a stored value and checks each. @throws FormatError */
export class Fields {
  readonly #value: Readonly<Record<string, unknown>>;

  constructor(value: unknown) {
    if (!isObject(value)) throw new FormatError('not an object');
    this.#value = value;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#value, name);
  }

  value(name: string): unknown {
    return this.#own(name);
  }

  text(name: string): string {
    const value = this.#own(name);
    if (typeof value !== 'string') throw new FormatError(`${name} must be text`);
    return value;
  }

  /** Reads Base64, of exactly `length` bytes if given. */
  bytes(name: string, length?: number): Buffer {
    const text = this.text(name);
    const bytes = Buffer.from(text, 'base64');
    // The decoder skips invalid characters, so the result is encoded again and compared.
    if (bytes.toString('base64') !== text) throw new FormatError(`${name} must be base64`);
    if (length !== undefined && bytes.length !== length) throw new FormatError(`${name} must have ${length} bytes`);
    return bytes;
  }

  flag(name: string): boolean {
    const value = this.#own(name);
    if (typeof value !== 'boolean') throw new FormatError(`${name} must be true or false`);
    return value;
  }

  integer(name: string, min: number, max: number): number {
    return checkInteger(this.#own(name), name, min, max);
  }

  choice<const T extends string | number>(name: string, choices: readonly T[]): T {
    const value = this.#own(name);
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw new FormatError(`${name} must be one of ${choices.join(', ')}`);
    return found;
  }

  fields(name: string): Fields {
    return new Fields(this.#own(name));
  }

  list<T>(name: string, read: (item: unknown) => T): readonly T[] {
    const value = this.#own(name);
    if (!Array.isArray(value)) throw new FormatError(`${name} must be a list`);
    return value.map(read);
  }

  texts(): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.keys(this.#value).map((name) => [name, this.text(name)]));
  }

  map<T>(read: (member: Fields) => T): Readonly<Record<string, T>> {
    return Object.fromEntries(Object.keys(this.#value).map((name) => [name, read(this.fields(name))]));
  }

  #own(name: string): unknown {
    return Object.hasOwn(this.#value, name) ? this.#value[name] : undefined;
  }
}

export function checkInteger(value: unknown, name: string, min: number, max: number): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max) {
    throw new FormatError(`${name} must be an integer from ${min} to ${max}`);
  }
  return value;
}
