/** Matches what JSON in ASCII escapes, by code unit, so without the flag `u`. */
const beyondAscii = /[\u007F-\uFFFF]/g;

const inAscii = (json: string, write: (digits: string) => string): string =>
  json.replaceAll(beyondAscii, (unit) => `\\u${write(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);

const asJson = (text: string): string => JSON.stringify(text).slice(1, -1);

function jsonForms(text: string): readonly string[] {
  const json = asJson(text);
  const all = [json, inAscii(json, (digits) => digits), inAscii(json, (digits) => digits.toUpperCase())];
  const slashed = all.map((each) => each.replaceAll('/', String.raw`\/`));
  // An answer that quotes a JSON body escapes it a second time.
  return [...all, ...slashed, ...[...all, ...slashed].map(asJson)];
}

function percentForms(text: string): readonly string[] {
  const usual = encodeURIComponent(text.toWellFormed());
  const whole = usual.replaceAll(/[!'()*]/gu, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const all = [usual, whole].flatMap((each) => [each, each.replaceAll('%20', '+')]);
  return [...all, ...all.map((each) => each.replaceAll(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()))];
}

/**
 * Returns how a broker or proxy may repeat a secret: literally, in JSON or in a URL. Longest first; nothing for an
 * empty one.
 */
export function secretForms(secret: string): readonly string[] {
  if (secret === '') return [];
  const forms = new Set([secret, ...jsonForms(secret), ...percentForms(secret)]);
  return [...forms].toSorted((a, b) => b.length - a.length);
}

/** Returns all forms of the password, and of the header's base64 with or without padding. */
export function loginForms(user: string, password: string): readonly string[] {
  const encoded = ['base64', 'base64url'] as const;
  const headers = encoded.map((encoding) => Buffer.from(`${user}:${password}`).toString(encoding));
  return [...headers, ...headers.map((each) => each.replaceAll('=', '')), password].flatMap(secretForms);
}

/** Returns the header of a Basic login. Some brokers close the connection on a lower-case `basic`. */
export function basicAuth(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

export function withoutLogin(text: string, user: string, passwords: readonly string[]): string {
  const forms = passwords.flatMap((password) => loginForms(user, password));
  // The longest first: it may begin with another.
  return forms.toSorted((a, b) => b.length - a.length).reduce((rest, form) => rest.replaceAll(form, '(hidden)'), text);
}
