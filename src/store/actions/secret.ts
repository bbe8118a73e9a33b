const hidden = '(hidden)';

/**
 * A password on its way from a form to a request. No string holds it in between: it is no
 * `ShownValue`, so that nothing which is logged, shown or recorded can be given one, and printing it
 * prints `(hidden)`.
 */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** For the request alone. */
  reveal(): string {
    return this.#text;
  }

  isSameAs(other: Secret): boolean {
    return this.#text === other.#text;
  }

  /** Whether `text` has it, as it is or as a URL or JSON writes it: a broker may repeat what it was sent. */
  isIn(text: string): boolean {
    if (this.isEmpty) return false;
    const forms = [this.#text, JSON.stringify(this.#text).slice(1, -1), encodeURIComponent(this.#text.toWellFormed())];
    return forms.some((form) => text.includes(form));
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

const secretWord = /pass(?:w(?:or)?d|phrase|code)?(?:$|[._-])|pwd|secret|token|credential|api_?key|private|auth_req\.params$/iu;

/** A setting whose value may be a password, told by its key: `auth.mysql.password`. */
export const isSecretKey = (key: string): boolean => secretWord.test(key);

/** The value of a setting as it may be shown in a log or an audit: hidden where the key says so. */
export function disclose(key: string, value: string | undefined): string | undefined {
  return value !== undefined && value !== '' && isSecretKey(key) ? hidden : value;
}
