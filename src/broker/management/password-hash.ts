import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import { RateLimitedError } from '../../api/errors.ts';

/** A password as it is kept: never itself, only its scrypt hash with a salt of its own. */
export interface PasswordHash {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const hashBytes = 32;
/** 16 MiB and some 50 ms a hash. */
const cost = { N: 2 ** 14, r: 8, p: 1 };
/** Each hash takes a thread and 16 MiB; what must wait longer than this is turned away. */
const mostAtOnce = 2;
const mostWaiting = 64;

export interface PasswordHasher {
  /** @throws RateLimitedError when too many are waiting already. */
  hash(password: string): Promise<PasswordHash>;
  /** Compares in constant time. @throws RateLimitedError */
  matches(password: string, expected: PasswordHash): Promise<boolean>;
  /** A digest that stands for the pair in memory, useless outside this process. */
  digest(username: string, password: string): string;
}

/** Whether it can be told from every other one once it is in bytes: without U+0000 and of whole characters. */
export function isUsablePassword(password: string): boolean {
  return !password.includes('\0') && password.isWellFormed();
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Of a digest, because zeros at the end of what scrypt is given make no difference.
    scrypt(createHash('sha512').update(password).digest(), salt, hashBytes, cost, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

/** Hashes passwords, few at a time: a flood of wrong ones must not take the machine from the broker. */
export function createPasswordHasher(): PasswordHasher {
  const limit = pLimit(mostAtOnce);
  const key = randomBytes(32);
  const bounded = (password: string, salt: Buffer): Promise<Buffer> => {
    if (limit.pendingCount >= mostWaiting) return Promise.reject(new RateLimitedError(1));
    return limit(() => derive(password, salt));
  };
  return {
    hash: async (password) => {
      const salt = randomBytes(16);
      return { salt, hash: await bounded(password, salt) };
    },
    matches: async (password, expected) => timingSafeEqual(await bounded(password, expected.salt), expected.hash),
    // A digest of the name first: it ends at a known place, so no other pair gives the same text.
    digest: (username, password) => createHmac('sha256', key)
      .update(createHmac('sha256', key).update(username).digest())
      .update(password)
      .digest('base64'),
  };
}
