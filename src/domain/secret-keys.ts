/** Stands for a secret. */
export const hidden = '(hidden)';

const secretKey = /pass(?:w(?:or)?d|phrase|code)?(?:$|[._-])|pwd|secret|token|credential|api_?key|private/iu;

const aboutSecretKey = /[._-](?:column|expiry|field|format|interval|length|method|size|timeout|ttl|type)$/iu;

/**
 * Matches keys such as `password_hash`, whose value is either an algorithm such as `salt,sha256`, or the hash of a
 * password.
 */
const hashKey = /[._-]hash$/iu;
const algorithms =
  /^(?:(?:plain|md5|sha\d{0,3}|bcrypt|scrypt|pbkdf2|salt)(?:,(?:plain|md5|sha\d{0,3}|bcrypt|scrypt|pbkdf2|salt|\d{1,7}))*)?$/iu;

const isAboutSecret = (key: string, value: string | undefined): boolean =>
  aboutSecretKey.test(key) || (hashKey.test(key) && algorithms.test(value ?? ''));

/** Matches keys with a value such as `clientid=%c,password=%P`: the broker fills in `%` and a letter. */
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

/** The value of a setting, unless its key says that it is a secret. */
export function disclose(key: string, value: string | undefined): string | undefined {
  return value !== undefined && value !== '' && isSecretSetting(key, value) ? hidden : value;
}
