import { secretForms } from '../domain/secret-forms.ts';

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

  /** Whether `text` has it, however it is written: a broker may repeat what it was sent. */
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

/** The last word of a key that is about a secret and holds none: `password_field`, `token_ttl`. */
const aboutSecretKey = /[._-](?:column|expiry|field|format|interval|length|method|size|timeout|ttl|type)$/iu;

/** `password_hash` names the algorithm, `salt,sha256` or `pbkdf2,sha256,1000,20`, or is the hash of a password. */
const hashKey = /[._-]hash$/iu;
const algorithms = /^(?:(?:plain|md5|sha\d{0,3}|bcrypt|scrypt|pbkdf2|salt)(?:,(?:plain|md5|sha\d{0,3}|bcrypt|scrypt|pbkdf2|salt|\d{1,7}))*)?$/iu;

const isAboutSecret = (key: string, value: string | undefined): boolean => aboutSecretKey.test(key) || (hashKey.test(key) && algorithms.test(value ?? ''));

/** `clientid=%c,password=%P`: parameters by name, whose values the broker fills in where they are `%` and a letter. */
const parameters = /(?:^|\.)params$/iu;
const placeholder = /^%[a-z]$/iu;

/** Parameters of which one is named like a password and has another value than what is filled in. */
const holdsSecret = (value: string): boolean => value.split(',').some((each) => {
  const [name = '', ...rest] = each.split('=');
  return secretKey.test(name.trim()) && !placeholder.test(rest.join('=').trim());
});

/** A setting whose value may be a password, told by its key, `auth.mysql.password`, and by what of its value names one. */
export const isSecretSetting = (key: string, value: string | undefined): boolean =>
  (secretKey.test(key) && !isAboutSecret(key, value)) || (parameters.test(key) && value !== undefined && holdsSecret(value));

/** The value of a setting as it may be shown in a log or an audit: hidden where it may be a password. */
export function disclose(key: string, value: string | undefined): string | undefined {
  return value !== undefined && value !== '' && isSecretSetting(key, value) ? hidden : value;
}
