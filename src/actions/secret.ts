import { secretForms } from '../api/login.ts';
import { hidden } from '../domain/secret-keys.ts';

/** A text that cannot be logged, shown or recorded, because it is not a `ShownValue`. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  reveal(): string {
    return this.#text;
  }

  isSameAs(other: Secret): boolean {
    return this.#text === other.#text;
  }

  /** Whether `text` contains the secret in any encoding: a broker may echo what it was sent. */
  isIn(text: string): boolean {
    return secretForms(this.#text).some((form) => text.includes(form));
  }

  toString(): string {
    return hidden;
  }

  toJSON(): string {
    return hidden;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return hidden;
  }
}
