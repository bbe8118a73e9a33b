import { secretForms } from '../api/login.ts';

const hidden = '(hidden)';

/** Not a `ShownValue`, so it cannot be logged, shown or recorded. */
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

  /** Whether `text` contains it in any encoding: a broker may echo what it was sent. */
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

const secretKey = /pass(?:w(?:or)?d|phrase|code)?(?:$|[._-])|pwd|secret|token|credential|api_?key|private/iu;

const aboutSecretKey = /[._-](?:column|expiry|field|format|interval|length|method|size|timeout|ttl|type)$/iu;

/** `password_hash` is either an algorithm such as `salt,sha256`, or the hash of a password. */
const hashKey = /[._-]hash$/iu;
const algorithms =
  /^(?:(?:plain|md5|sha\d{0,3}|bcrypt|scrypt|pbkdf2|salt)(?:,(?:plain|md5|sha\d{0,3}|bcrypt|scrypt|pbkdf2|salt|\d{1,7}))*)?$/iu;

const isAboutSecret = (key: string, value: string | undefined): boolean =>
  aboutSecretKey.test(key) || (hashKey.test(key) && algorithms.test(value ?? ''));

/** `clientid=%c,password=%P`: the broker fills in `%` and a letter. */
const parameters = /(?:^|\.)params$/iu;
const placeholder = /^%[a-z]$/iu;

const holdsSecret = (value: string): boolean =>
  value.split(',').some((each) => {
    const [name = '', ...rest] = each.split('=');
    return secretKey.test(name.trim()) && !placeholder.test(rest.join('=').trim());
  });

export const isSecretSetting = (key: string, value: string | undefined): boolean =>
  (secretKey.test(key) && !isAboutSecret(key, value)) ||
  (parameters.test(key) && value !== undefined && holdsSecret(value));

export function disclose(key: string, value: string | undefined): string | undefined {
  return value !== undefined && value !== '' && isSecretSetting(key, value) ? hidden : value;
}
