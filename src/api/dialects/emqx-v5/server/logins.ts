import { createHash, randomBytes } from 'node:crypto';
import type { ServerOptions } from '../../../dialect.ts';
import { parseAuthorization } from '../../../server/request.ts';
import { RefusalError } from './answer.ts';

const tokenMs = 60 * 60_000;
const maxTokens = 10_000;
const challenge = { 'www-authenticate': 'Basic Realm="emqx-dashboard"' };

interface Token {
  readonly user: string;
  readonly until: number;
}

/** The user of a token; `undefined` for an API key. */
export interface Login {
  readonly user: string | undefined;
}

export interface Logins {
  /** Returns a token; `undefined` for a wrong password. */
  login(username: string, password: string): Promise<string | undefined>;
  logout(username: string): void;
  /** @throws RefusalError */
  check(authorization: readonly string[] | undefined): Login;
}

const digestOf = (token: string): string => createHash('sha256').update(token).digest('base64');

/** Creates the logins: API keys by the Basic scheme, and tokens for users, which last an hour after their last use. */
export function createLogins(
  { authenticate, authenticateKey }: Pick<ServerOptions, 'authenticate' | 'authenticateKey'>,
  now: () => number = Date.now,
): Logins {
  const tokens = new Map<string, Token>();
  const refuse = (code: string, message: string, headers?: typeof challenge): RefusalError =>
    new RefusalError(401, code, message, headers);
  const ofToken = (text: string): Login => {
    const digest = digestOf(text);
    const token = tokens.get(digest);
    if (token === undefined) throw refuse('BAD_TOKEN', 'Get a token by POST /login');
    tokens.delete(digest);
    if (token.until <= now()) throw refuse('TOKEN_TIME_OUT', 'Token expired, get new token by POST /login');
    tokens.set(digest, { ...token, until: now() + tokenMs });
    return { user: token.user };
  };
  return {
    async login(username, password) {
      if (!(await authenticate(username, password))) return undefined;
      const token = randomBytes(48).toString('base64url');
      tokens.set(digestOf(token), { user: username, until: now() + tokenMs });
      // The one that was not used for longest.
      for (const oldest of tokens.keys()) {
        if (tokens.size <= maxTokens) break;
        tokens.delete(oldest);
      }
      return token;
    },
    logout(username) {
      for (const [digest, { user }] of tokens) if (user === username) tokens.delete(digest);
    },
    check(headers) {
      const [header, ...others] = headers ?? [];
      if (header === undefined || others.length > 0)
        throw refuse('AUTHORIZATION_HEADER_ERROR', 'Support authorization: basic/bearer ', challenge);
      const token = /^bearer +(\S+) *$/iu.exec(header)?.[1];
      if (token !== undefined) return ofToken(token);
      const pair = parseAuthorization([header]);
      if (pair !== undefined && authenticateKey?.(pair.username, pair.password) === true) return { user: undefined };
      throw refuse('BAD_API_KEY_OR_SECRET', 'Check api_key/api_secret', challenge);
    },
  };
}
