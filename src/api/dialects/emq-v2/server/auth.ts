/** A user name and password as HTTP Basic authentication carries them (§5). */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const basic = /^basic +([a-z0-9+/_=-]+) *$/iu;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the `Authorization` headers of a request; `undefined` when there is none, more than one, or
 * one that is not a user name and a password in UTF-8 by the Basic scheme.
 */
export function parseAuthorization(headers: readonly string[] | undefined): Credentials | undefined {
  // Of two, a proxy on the way may have judged the other one.
  if (headers?.length !== 1) return undefined;
  const encoded = basic.exec(headers[0] ?? '')?.[1];
  if (encoded === undefined) return undefined;
  let text: string;
  try {
    text = utf8.decode(Buffer.from(encoded, 'base64'));
  } catch {
    // With U+FFFD for what is broken, different bytes would be the same password.
    return undefined;
  }
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
