import { BrokerError } from '../api/errors.ts';
import type { ManagementApi, NewAdminUser } from '../api/management-api.ts';
import { createPasswordHasher, type PasswordHash } from './password-hash.ts';

type UserOperation =
  | 'listUsers' | 'addUser' | 'changeUserTags' | 'deleteUser' | 'checkCredentials' | 'changePassword';

/** The administrators of the management interface (§2.14, §4.8), kept in memory. */
export interface AdminUsers extends Pick<ManagementApi, UserOperation> {
  /**
   * Whether the pair is an administrator's. A pair that was right before is known again without
   * hashing, until its user is deleted or gets another password.
   * @throws RateLimitedError when too many passwords are being checked.
   */
  authenticate(username: string, password: string): Promise<boolean>;
}

/** Replaced as a whole by every change of the password, so that no old check can vouch for the new one. */
interface Secret extends PasswordHash {
  /** Digest of the pair once it was found right. */
  verified: string | undefined;
}

interface StoredUser {
  readonly tags: string;
  readonly secret: Secret;
}

/** Cannot be deleted (§5.3). */
const undeletable = 'admin';

/** The administrators, beginning with `first`. Failures are `BrokerError`s with the codes of §7. */
export async function createAdminUsers(first: NewAdminUser): Promise<AdminUsers> {
  const hasher = createPasswordHasher();
  const users = new Map<string, StoredUser>();
  /** What an unknown user's password is compared with, so that the time tells nothing of who exists. */
  const nobody = await hasher.hash('');
  /** Checks that are running, by digest: equal ones share one hash. */
  const running = new Map<string, Promise<boolean>>();

  const check = async (digest: string, username: string, password: string): Promise<boolean> => {
    const secret = users.get(username)?.secret;
    if (secret?.verified === digest) return true;
    const isRight = await hasher.matches(password, secret ?? nobody);
    if (!isRight || secret === undefined) return false;
    // Deleted or changed while it was hashed: what was right is right no more.
    if (users.get(username)?.secret !== secret) return false;
    secret.verified = digest;
    return true;
  };

  const authenticate = (username: string, password: string): Promise<boolean> => {
    const digest = hasher.digest(username, password);
    const known = running.get(digest);
    if (known !== undefined) return known;
    const result = check(digest, username, password).finally(() => running.delete(digest));
    running.set(digest, result);
    return result;
  };

  const makeSecret = async (password: string): Promise<Secret> => {
    if (password === '') throw new BrokerError(104);
    return { ...(await hasher.hash(password)), verified: undefined };
  };

  const find = (username: string): StoredUser => {
    const user = users.get(username);
    if (user === undefined) throw new BrokerError(105);
    return user;
  };

  const addUser = async ({ username, password, tags }: NewAdminUser): Promise<void> => {
    if (username === '') throw new BrokerError(104);
    if (users.has(username)) throw new BrokerError(113);
    const secret = await makeSecret(password);
    // Somebody else may have added it while the password was hashed.
    if (users.has(username)) throw new BrokerError(113);
    users.set(username, { tags, secret });
  };
  await addUser(first);

  return {
    authenticate,
    addUser,
    listUsers: async () => [...users].map(([username, { tags }]) => ({ username, tags })),
    changeUserTags: async (username, tags) => {
      users.set(username, { ...find(username), tags });
    },
    deleteUser: async (username) => {
      if (username === undeletable) throw new BrokerError(106);
      find(username);
      users.delete(username);
    },
    checkCredentials: async (username, password) => {
      if (username === '' || password === '') throw new BrokerError(104);
      if (!(await authenticate(username, password))) throw new BrokerError(103);
    },
    changePassword: async (username, oldPassword, newPassword) => {
      const { secret } = find(username);
      if (!(await authenticate(username, oldPassword))) throw new BrokerError(114);
      const next = await makeSecret(newPassword);
      const now = find(username);
      if (now.secret !== secret) throw new BrokerError(114);
      users.set(username, { ...now, secret: next });
    },
  };
}
