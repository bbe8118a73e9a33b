import { createHash, createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import { BrokerError, RateLimitedError } from '../../api/errors.ts';
import type { ManagementApi, NewAdminUser } from '../../api/management-api.ts';
import type { AdminUser } from '../../domain/administration.ts';
import type { Recorder } from '../sessions/recorder.ts';
import { persistChange } from './changes.ts';

type UserOperation = 'listUsers' | 'addUser' | 'changeUserTags' | 'deleteUser' | 'checkCredentials' | 'changePassword';

export interface AdminUsers extends Pick<ManagementApi, UserOperation> {
  /**
   * A correct pair is not hashed again until user or password change. @throws RateLimitedError when too many checks
   * run.
   */
  authenticate(username: string, password: string): Promise<boolean>;
  exportUser(username: string): UserState | undefined;
  onUserChange(changed: (username: string) => void): void;
}

export interface UserState extends AdminUser, PasswordHash {}

/** A secret, which every password change replaces, so that a running check of the old one does not count. */
interface Secret extends PasswordHash {
  verified: string | undefined;
}

interface StoredUser {
  readonly tags: string;
  readonly secret: Secret;
}

const maxNameLength = 256;

/**
 * @throws BrokerError `empty-credentials` for an empty name, `invalid` for one that is not allowed in a login (RFC
 * 7617).
 */
function requireName(username: string): void {
  if (username === '') throw new BrokerError('empty-credentials');
  const problem =
    username.length > maxNameLength
      ? `is longer than ${maxNameLength} characters`
      : !username.isWellFormed()
        ? 'is not well-formed text'
        : /[:\p{Cc}]/u.test(username)
          ? 'contains a colon or a control character'
          : undefined;
  if (problem !== undefined) throw new BrokerError('invalid', `The username ${problem}.`);
}

/** The user that cannot be deleted. */
const protectedUser = 'admin';

/** Keeps the administrators. `first` is used when none are stored. @throws BrokerError */
export async function createAdminUsers(
  first: NewAdminUser,
  stored: readonly UserState[] = [],
  recorder?: Recorder,
): Promise<AdminUsers> {
  const hasher = createPasswordHasher();
  const users = new Map(
    stored.map(({ username, tags, ...secret }): [string, StoredUser] => [
      username,
      { tags, secret: { ...secret, verified: undefined } },
    ]),
  );
  const watchers: ((username: string) => void)[] = [];
  const set = (username: string, user: StoredUser | undefined): void => {
    if (user === undefined) users.delete(username);
    else users.set(username, user);
    for (const changed of watchers) changed(username);
  };
  const put = (username: string, user: StoredUser | undefined): Promise<void> =>
    persistChange(recorder, () => {
      const before = users.get(username);
      set(username, user);
      return () => {
        if (users.get(username) === user) set(username, before);
      };
    });
  /** Compared for unknown users, so that timing does not reveal which users exist. */
  const dummySecret = await hasher.hash('');
  const running = new Map<string, Promise<boolean>>();

  const check = async (digest: string, username: string, password: string): Promise<boolean> => {
    const secret = users.get(username)?.secret;
    if (secret?.verified === digest) return true;
    const isRight = await hasher.matches(password, secret ?? dummySecret);
    if (!isRight || secret === undefined) return false;
    // The user may have been deleted or changed during the hash.
    if (users.get(username)?.secret !== secret) return false;
    secret.verified = digest;
    return true;
  };

  const authenticate = async (username: string, password: string): Promise<boolean> => {
    if (!username.isWellFormed() || !isUsablePassword(password)) return false;
    const digest = hasher.digest(username, password);
    const known = running.get(digest);
    if (known !== undefined) return known;
    const result = check(digest, username, password).finally(() => running.delete(digest));
    running.set(digest, result);
    return result;
  };

  const makeSecret = async (password: string): Promise<Secret> => {
    if (password === '') throw new BrokerError('empty-credentials');
    if (!isUsablePassword(password))
      throw new BrokerError('invalid', 'The password contains U+0000 or is not well-formed text.');
    return { ...(await hasher.hash(password)), verified: undefined };
  };

  const find = (username: string): StoredUser => {
    const user = users.get(username);
    if (user === undefined) throw new BrokerError('unknown-user');
    return user;
  };

  const addUser = async ({ username, password, tags }: NewAdminUser): Promise<void> => {
    requireName(username);
    if (users.has(username)) throw new BrokerError('exists');
    const secret = await makeSecret(password);
    if (users.has(username)) throw new BrokerError('exists');
    await put(username, { tags, secret });
  };
  if (users.size === 0) await addUser(first);

  return {
    authenticate,
    exportUser: (username) => {
      const user = users.get(username);
      return user === undefined
        ? undefined
        : { username, tags: user.tags, salt: user.secret.salt, hash: user.secret.hash };
    },
    onUserChange: (changed) => watchers.push(changed),
    addUser,
    listUsers: async () => [...users].map(([username, { tags }]) => ({ username, tags })),
    changeUserTags: async (username, tags) => {
      await put(username, { ...find(username), tags });
    },
    deleteUser: async (username) => {
      if (username === protectedUser) throw new BrokerError('protected-user');
      find(username);
      if (users.size === 1) throw new BrokerError('protected-user', 'The last administrator cannot be deleted.');
      await put(username, undefined);
    },
    checkCredentials: async (username, password) => {
      if (username === '' || password === '') throw new BrokerError('empty-credentials');
      if (!(await authenticate(username, password))) throw new BrokerError('wrong-credentials');
    },
    changePassword: async (username, oldPassword, newPassword) => {
      const { secret } = find(username);
      if (!(await authenticate(username, oldPassword))) throw new BrokerError('wrong-old-password');
      const next = await makeSecret(newPassword);
      const now = find(username);
      if (now.secret !== secret) throw new BrokerError('wrong-old-password');
      await put(username, { ...now, secret: next });
    },
  };
}

interface PasswordHash {
  readonly salt: Buffer;
  readonly hash: Buffer;
}

const hashBytes = 32;
/** A hash takes 16 MiB and some 50 ms. */
const cost = { N: 2 ** 14, r: 8, p: 1 };
const maxConcurrentHashes = 2;
const maxQueuedHashes = 64;

interface PasswordHasher {
  /** @throws RateLimitedError when too many are waiting already. */
  hash(password: string): Promise<PasswordHash>;
  /** Compares in constant time. @throws RateLimitedError */
  matches(password: string, expected: PasswordHash): Promise<boolean>;
  digest(username: string, password: string): string;
}

function isUsablePassword(password: string): boolean {
  return !password.includes('\0') && password.isWellFormed();
}

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Of a digest, because scrypt ignores trailing zeros.
    scrypt(createHash('sha512').update(password).digest(), salt, hashBytes, cost, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

/** Hashes passwords, few at a time, so that failed logins do not exhaust the machine. */
function createPasswordHasher(): PasswordHasher {
  const limit = pLimit(maxConcurrentHashes);
  const key = randomBytes(32);
  const limitedDerive = (password: string, salt: Buffer): Promise<Buffer> => {
    if (limit.pendingCount >= maxQueuedHashes) return Promise.reject(new RateLimitedError(1));
    return limit(() => derive(password, salt));
  };
  return {
    hash: async (password) => {
      const salt = randomBytes(16);
      return { salt, hash: await limitedDerive(password, salt) };
    },
    matches: async (password, expected) => timingSafeEqual(await limitedDerive(password, expected.salt), expected.hash),
    // The name's digest has a fixed length, so that different pairs cannot give the same input.
    digest: (username, password) =>
      createHmac('sha256', key)
        .update(createHmac('sha256', key).update(username).digest())
        .update(password)
        .digest('base64'),
  };
}
