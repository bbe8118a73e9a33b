/** A user name and password as HTTP Basic authentication carries them (§5). */
export interface Credentials {
  readonly username: string;
  readonly password: string;
}

const basic = /^basic +([a-z0-9+/_=-]+) *$/iu;

/** Reads an `Authorization` header; `undefined` when there is none or it is not of the Basic scheme. */
export function parseAuthorization(header: string | undefined): Credentials | undefined {
  const encoded = basic.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 1) return undefined;
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}
