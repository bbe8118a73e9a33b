import { BrokerError, UnauthorizedError } from '../api/errors.ts';
import type { AdminUser } from '../domain/administration.ts';
import type { Effects } from '../monitor/state.ts';
import type { Action, Read, VerificationResult } from './action.ts';
import { defineAction } from './definition.ts';
import { quoteIfNeeded } from './describe.ts';
import type { Secret } from './secret.ts';

/** The user that no broker deletes (§5). */
export const undeletableUser = 'admin';

const usersView: Effects = { refresh: [{ kind: 'users' }] };
const asWanted: VerificationResult = { node: undefined, state: 'as-wanted' };
const notAsWanted = (text: string): VerificationResult => ({ node: undefined, state: 'not-as-wanted', text });

/** The address a user is changed at: brokers may keep users per node. */
export interface UserAddress {
  /** Any serving address unless given. */
  readonly url?: string | undefined;
  /** It also happens at other addresses, which may share these users: already done is fine. */
  readonly isOneOfSeveral?: boolean | undefined;
}

const atUrl = ({ url }: UserAddress): string => (url === undefined ? '' : ` at ${url}`);

async function userNamed(read: Read, username: string): Promise<AdminUser | undefined> {
  const users = await read((api, options) => api.listUsers(options));
  return users.find((user) => user.username === username);
}

/** The pair is wrong; other codes mean that the broker could not tell (§7). */
const isWrongPassword = ({ kind }: BrokerError): boolean => kind === 'wrong-credentials' || kind === 'empty-credentials' || kind === 'unknown-user';

/** Whether the broker accepts the pair (§5). @throws ApiError when it does not say */
async function acceptsPassword(read: Read, username: string, password: Secret): Promise<boolean> {
  try {
    await read((api, options) => api.checkCredentials(username, password.reveal(), options));
    return true;
  } catch (thrown) {
    if (thrown instanceof BrokerError && isWrongPassword(thrown)) return false;
    throw thrown;
  }
}

/** After changing the program's own user, a 401 means success. */
async function expectLockout(isSignedInUser: boolean, find: () => Promise<VerificationResult>): Promise<VerificationResult> {
  try {
    return await find();
  } catch (thrown) {
    if (isSignedInUser && thrown instanceof UnauthorizedError) return { ...asWanted, text: 'This program is locked out by it: start it again with the right user and password.' };
    throw thrown;
  }
}

/** After a 401 the new password is tried once. @throws ApiError */
async function retryWithNewPassword<T>(read: Read, updateCredentials: NonNullable<Action['updateCredentials']>, find: () => Promise<T>): Promise<T> {
  try {
    return await find();
  } catch (thrown) {
    if (!(thrown instanceof UnauthorizedError)) throw thrown;
    await read(async (api) => { updateCredentials(api); });
    return find();
  }
}

const problemOfPassword = (password: Secret): string | undefined => (password.isEmpty ? 'The password is empty.' : undefined);

export interface NewUser extends UserAddress {
  readonly username: string;
  readonly tags: string;
  readonly password: Secret;
}

/** Adds an administrator (§4.8); verifies the list and the password. */
export const addUser = defineAction({
  id: 'add-user',
  label: 'add a user',
  danger: 'changes',
  targetKind: 'user',
  where: 'Users',
  key: 'addUser',
  operations: ['addUser'],
  confirmation: 'form, y/N',
  auditFields: ['username', 'tags'],
  create({ username, tags, password, ...place }: NewUser) {
    return {
      url: place.url,
      target: { username, tags },
      title: `add user ${quoteIfNeeded(username)}${atUrl(place)}`,
      secrets: [password],
      invalid: username === '' ? 'The user name is empty.' : problemOfPassword(password),
      async recheck(read) {
        const before = await userNamed(read, username);
        if (before !== undefined) {
          const isSame = place.isOneOfSeveral === true && before.tags === tags && await acceptsPassword(read, username, password);
          return isSame ? { already: 'It exists there with these tags and this password.' } : { changed: 'A user of this name exists already.' };
        }
        return {
          plan: {
            before: {},
            after: { tags },
            requests: [{ node: undefined, send: (api, options) => api.addUser({ username, tags, password: password.reveal() }, options) }],
            async verify(readAgain) {
              const now = await userNamed(readAgain, username);
              if (now === undefined) return [notAsWanted('The user is not listed.')];
              if (now.tags !== tags) return [notAsWanted(`The user is listed with the tags ${quoteIfNeeded(now.tags)}.`)];
              return [await acceptsPassword(readAgain, username, password) ? asWanted : notAsWanted('The user is listed, but the broker does not take the password.')];
            },
          },
        };
      },
      effects: () => usersView,
    };
  },
});

/** Changes a user's tags (§4.8). */
export const changeUserTags = defineAction({
  id: 'change-user-tags',
  label: 'change the tags of a user',
  danger: 'changes',
  targetKind: 'user',
  where: 'Users',
  key: 'changeTags',
  operations: ['changeUserTags'],
  confirmation: 'form, before → after, y/N',
  auditFields: ['username', 'tags'],
  create(user: AdminUser, tags: string, { isOneOfSeveral }: Pick<UserAddress, 'isOneOfSeveral'> = {}) {
    const { username, tags: shownTags, url } = user;
    return {
      url,
      target: { username, tags: shownTags },
      title: `change the tags of user ${quoteIfNeeded(username)}${atUrl(user)} to ${quoteIfNeeded(tags)}`,
      invalid: isOneOfSeveral !== true && tags === shownTags ? 'Nothing would change.' : undefined,
      async recheck(read) {
        const before = await userNamed(read, username);
        if (isOneOfSeveral === true && before?.tags === tags) return { already: 'It has these tags there.' };
        const changed = recheckUser(before, shownTags);
        if (changed !== undefined) return { changed };
        return {
          plan: {
            before: { tags: shownTags },
            after: { tags },
            requests: [{ node: undefined, send: (api, options) => api.changeUserTags(username, tags, options) }],
            async verify(readAgain) {
              const now = await userNamed(readAgain, username);
              return [now?.tags === tags ? asWanted : notAsWanted(now === undefined ? 'The user is not listed.' : `The tags are ${quoteIfNeeded(now.tags)}.`)];
            },
          },
        };
      },
      effects: () => usersView,
    };
  },
});

function recheckUser(now: AdminUser | undefined, shownTags: string): string | undefined {
  if (now === undefined) return 'Changed since listed: there is no such user any more.';
  return now.tags === shownTags ? undefined : `Changed since listed: the tags are ${quoteIfNeeded(now.tags)} now.`;
}

export interface PasswordChange extends UserAddress {
  readonly username: string;
  readonly oldPassword: Secret;
  readonly newPassword: Secret;
  /** The user this program signs in as; it continues with the new password. */
  readonly isSignedInUser: boolean;
}

/** Changes a password (§4.8); verifies the new one. */
export const changePassword = defineAction({
  id: 'change-password',
  label: 'change a password',
  danger: 'changes',
  targetKind: 'user',
  where: 'Users',
  key: 'changePassword',
  operations: ['changePassword'],
  confirmation: 'form with the old one, y/N',
  auditFields: ['username'],
  create({ username, oldPassword, newPassword, isSignedInUser, ...place }: PasswordChange) {
    const isUnchanged = newPassword.isSameAs(oldPassword);
    const updateCredentials: NonNullable<Action['updateCredentials']> = (api) => { api.setPassword?.(newPassword.reveal()); };
    return {
      url: place.url,
      target: { username },
      title: `change the password of user ${quoteIfNeeded(username)}${atUrl(place)}`,
      updateCredentials: isSignedInUser ? updateCredentials : undefined,
      secrets: [oldPassword, newPassword],
      invalid: problemOfPassword(newPassword) ?? (isUnchanged ? 'The new password is the old one.' : undefined),
      async recheck(read) {
        const listed = async (): Promise<AdminUser | undefined> => userNamed(read, username);
        // An earlier request to another address with the same users may have changed it.
        const before = isSignedInUser && place.isOneOfSeveral === true ? await retryWithNewPassword(read, updateCredentials, listed) : await listed();
        if (before === undefined) return { changed: 'Changed since listed: there is no such user any more.' };
        if (place.isOneOfSeveral === true && await acceptsPassword(read, username, newPassword)) return { already: 'It has this password there.' };
        return {
          plan: {
            requests: [{
              node: undefined,
              async send(api, options) {
                await api.changePassword(username, oldPassword.reveal(), newPassword.reveal(), options);
                if (isSignedInUser) updateCredentials(api);
              },
            }],
            async verify(readAgain) {
              const find = async (): Promise<VerificationResult> =>
                (await acceptsPassword(readAgain, username, newPassword) ? asWanted : notAsWanted('The broker does not take the new password.'));
              const found = isSignedInUser ? await expectLockout(true, () => retryWithNewPassword(readAgain, updateCredentials, find)) : await find();
              return [isSignedInUser && found.state === 'as-wanted' && found.text === undefined ? { ...found, text: 'This program goes on with it.' } : found];
            },
          },
        };
      },
      effects: () => usersView,
    };
  },
});

export interface UserDeletion extends Pick<UserAddress, 'isOneOfSeveral'> {
  /** The user this program signs in as. */
  readonly isSignedInUser: boolean;
  /** It was not listed there, so a user who has the name now is not the target. */
  readonly wasAbsent?: boolean | undefined;
}

/** Deletes a user (§4.8), but never `admin`. */
export const deleteUser = defineAction({
  id: 'delete-user',
  label: 'delete a user',
  danger: 'destroys',
  targetKind: 'user',
  where: 'Users',
  key: 'deleteUser',
  operations: ['deleteUser'],
  confirmation: 'the name typed',
  auditFields: ['username', 'tags'],
  create(user: AdminUser, { isSignedInUser, isOneOfSeveral, wasAbsent }: UserDeletion) {
    const { username, tags, url } = user;
    return {
      url,
      target: { username, tags },
      title: `delete user ${quoteIfNeeded(username)}${atUrl(user)}`,
      invalid: username === undeletableUser ? `The user ${undeletableUser} cannot be deleted.` : undefined,
      async recheck(read) {
        const before = await userNamed(read, username);
        if (isOneOfSeveral === true && before === undefined) return { already: 'It does not exist there.' };
        if (wasAbsent === true) return { changed: 'Changed since listed: there is such a user now.' };
        const changed = recheckUser(before, tags);
        if (changed !== undefined) return { changed };
        return {
          plan: {
            before: { tags },
            after: {},
            requests: [{ node: undefined, send: (api, options) => api.deleteUser(username, options) }],
            verify: async (readAgain) => [
              await expectLockout(isSignedInUser, async () => (await userNamed(readAgain, username) === undefined ? asWanted : notAsWanted('The user is still listed.'))),
            ],
          },
        };
      },
      effects: () => usersView,
    };
  },
});

/** Asks the broker whether a name and password are right (§5); both answers are `done`. */
export const checkCredentials = defineAction({
  id: 'check-credentials',
  label: 'check a name and password',
  danger: 'none',
  targetKind: 'credentials',
  where: 'Users',
  key: 'checkPassword',
  operations: ['checkCredentials'],
  confirmation: 'form, y/N',
  auditFields: ['username'],
  create(username: string, password: Secret, { url }: Pick<UserAddress, 'url'> = {}) {
    return {
      url,
      target: { username },
      title: `check the password of user ${quoteIfNeeded(username)}${atUrl({ url })}`,
      secrets: [password],
      invalid: username === '' ? 'The user name is empty.' : problemOfPassword(password),
      recheck: async () => ({
        plan: {
          describeAnswer: (refusal) => {
            if (refusal === undefined) return 'Yes: the broker takes this name and password.';
            return isWrongPassword(refusal) ? `No: the name or password is wrong${refusal.code === undefined ? '' : ` (code ${refusal.code})`}.` : undefined;
          },
          requests: [{ node: undefined, send: (api, options) => api.checkCredentials(username, password.reveal(), options) }],
        },
      }),
      effects: (): Effects => ({ refresh: [] }),
    };
  },
});

/** Does the same at several addresses, one after the other; each is read, recorded, sent and verified by itself. */
export function atEachUrl(title: string, actions: readonly [Action, ...Action[]]): Action {
  const [{ name, target, updateCredentials, effects }] = actions;
  return Object.freeze<Action>({
    name, target, title, updateCredentials, effects,
    each: Object.freeze([...actions]),
    recheck: () => Promise.reject(new Error('the runner rechecks each of them')),
  });
}

/** The same action, but nothing is sent. @param why a sentence; it is recorded */
export const skipAction = (action: Action, why: string): Action => Object.freeze<Action>({ ...action, recheck: async () => ({ changed: why }) });
