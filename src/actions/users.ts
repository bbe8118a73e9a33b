import { defineAction } from './define-action.ts';
import { BrokerError, UnauthorizedError } from '../api/errors.ts';
import type { AdminUser, UserAttribute } from '../domain/administration.ts';
import type { Effects } from '../monitor/state.ts';
import { type Action, type ActionWords, type Read, type VerificationResult } from './action.ts';
import type { Secret } from './secret.ts';
import { actionWords, invalidTexts, skipTexts, verificationTexts } from './texts.ts';
import { asWanted, notAsWanted } from './verification.ts';

/** The user that no broker deletes (§5). */
export const undeletableUser = 'admin';

const usersView: Effects = { refresh: [{ kind: 'users' }] };

/** Brokers may keep users per node. */
export interface UserAddress {
  readonly url?: string | undefined;
  readonly isOneOfSeveral?: boolean | undefined;
}

async function userNamed(read: Read, username: string): Promise<AdminUser | undefined> {
  const users = await read((api, options) => api.listUsers(options));
  return users.find((user) => user.username === username);
}

/** The pair is wrong; other codes mean that the broker could not tell (§7). */
const isWrongPassword = ({ kind }: BrokerError): boolean =>
  kind === 'wrong-credentials' || kind === 'empty-credentials' || kind === 'unknown-user';

/** @throws ApiError when the broker does not say (§5) */
async function acceptsPassword(read: Read, username: string, password: Secret): Promise<boolean> {
  try {
    await read((api, options) => api.checkCredentials(username, password.reveal(), options));
    return true;
  } catch (thrown) {
    if (thrown instanceof BrokerError && isWrongPassword(thrown)) return false;
    throw thrown;
  }
}

async function expectLockout(
  isSignedInUser: boolean,
  find: () => Promise<VerificationResult>,
): Promise<VerificationResult> {
  try {
    return await find();
  } catch (thrown) {
    if (isSignedInUser && thrown instanceof UnauthorizedError)
      return { ...asWanted, text: verificationTexts.lockedOut };
    throw thrown;
  }
}

/** After a 401 the new password is tried once. @throws ApiError */
async function retryWithNewPassword<T>(
  read: Read,
  updateCredentials: NonNullable<Action['updateCredentials']>,
  find: () => Promise<T>,
): Promise<T> {
  try {
    return await find();
  } catch (thrown) {
    if (!(thrown instanceof UnauthorizedError)) throw thrown;
    await read(async (api) => {
      updateCredentials(api);
    });
    return find();
  }
}

const problemOfPassword = (password: Secret): string | undefined =>
  password.isEmpty ? invalidTexts.emptyPassword : undefined;

export interface NewUser extends UserAddress {
  readonly username: string;
  readonly tags: string;
  readonly attribute?: UserAttribute | undefined;
  readonly password: Secret;
}

/** Verifies the list and the password (§4.8). */
export const addUser = defineAction({
  id: 'add-user',
  label: 'add a user',
  danger: 'changes',
  where: 'Users',
  key: 'addUser',
  capability: 'users',
  operations: ['addUser'],
  confirmation: 'form, y/N',
  auditFields: ['username', 'tags'],
  create({ username, tags, attribute, password, ...place }: NewUser) {
    return {
      url: place.url,
      target: { username, tags },
      ...actionWords.addUser(username, place.url),
      secrets: [password],
      invalid: username === '' ? invalidTexts.emptyUserName : problemOfPassword(password),
      async recheck(read) {
        const before = await userNamed(read, username);
        if (before !== undefined) {
          const isSame =
            place.isOneOfSeveral === true && before.tags === tags && (await acceptsPassword(read, username, password));
          return isSame ? { already: skipTexts.userAlready(attribute) } : { changed: skipTexts.userExists };
        }
        return {
          plan: {
            before: {},
            after: { tags },
            requests: [
              {
                node: undefined,
                send: (api, options) => api.addUser({ username, tags, password: password.reveal() }, options),
              },
            ],
            async verify(readAgain) {
              const now = await userNamed(readAgain, username);
              if (now === undefined) return [notAsWanted(verificationTexts.userMissing)];
              if (now.tags !== tags) return [notAsWanted(verificationTexts.userTags(now.tags, attribute))];
              return [
                (await acceptsPassword(readAgain, username, password))
                  ? { ...asWanted, text: verificationTexts.userAdded(tags, attribute) }
                  : notAsWanted(verificationTexts.userPasswordRejected),
              ];
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
  label: 'change the tags, role or description of a user',
  danger: 'changes',
  where: 'Users',
  key: 'changeTags',
  capability: 'users',
  operations: ['changeUserTags'],
  confirmation: 'form, before → after, y/N',
  auditFields: ['username', 'tags'],
  create(user: AdminUser, tags: string, { isOneOfSeveral }: Pick<UserAddress, 'isOneOfSeveral'> = {}) {
    const { username, tags: shownTags, url, attribute } = user;
    return {
      url,
      target: { username, tags: shownTags },
      ...actionWords.changeUserTags(username, tags, url, attribute),
      invalid: isOneOfSeveral !== true && tags === shownTags ? invalidTexts.noChange : undefined,
      async recheck(read) {
        const before = await userNamed(read, username);
        if (isOneOfSeveral === true && before?.tags === tags) return { already: skipTexts.tagsAlready(attribute) };
        const changed = recheckUser(before, shownTags, attribute);
        if (changed !== undefined) return { changed };
        return {
          plan: {
            before: { tags: shownTags },
            after: { tags },
            requests: [{ node: undefined, send: (api, options) => api.changeUserTags(username, tags, options) }],
            async verify(readAgain) {
              const now = await userNamed(readAgain, username);
              return [
                now?.tags === tags
                  ? { ...asWanted, text: verificationTexts.tagsChanged(shownTags, tags) }
                  : notAsWanted(
                      now === undefined ? verificationTexts.userMissing : verificationTexts.tags(now.tags, attribute),
                    ),
              ];
            },
          },
        };
      },
      effects: () => usersView,
    };
  },
});

function recheckUser(
  now: AdminUser | undefined,
  shownTags: string,
  attribute: UserAttribute | undefined,
): string | undefined {
  if (now === undefined) return skipTexts.userGone;
  return now.tags === shownTags ? undefined : skipTexts.tagsChanged(now.tags, attribute);
}

export interface PasswordChange extends UserAddress {
  readonly username: string;
  readonly oldPassword: Secret;
  readonly newPassword: Secret;
  readonly isSignedInUser: boolean;
}

/** Verifies the new password (§4.8). */
export const changePassword = defineAction({
  id: 'change-password',
  label: 'change a password',
  danger: 'changes',
  where: 'Users',
  key: 'changePassword',
  capability: 'users',
  operations: ['changePassword'],
  confirmation: 'form with the old password, y/N',
  auditFields: ['username'],
  create({ username, oldPassword, newPassword, isSignedInUser, ...place }: PasswordChange) {
    const isUnchanged = newPassword.isSameAs(oldPassword);
    const updateCredentials: NonNullable<Action['updateCredentials']> = (api) => {
      api.setPassword?.(newPassword.reveal());
    };
    return {
      url: place.url,
      target: { username },
      ...actionWords.changePassword(username, place.url),
      updateCredentials: isSignedInUser ? updateCredentials : undefined,
      secrets: [oldPassword, newPassword],
      invalid: problemOfPassword(newPassword) ?? (isUnchanged ? invalidTexts.samePassword : undefined),
      async recheck(read) {
        const listed = async (): Promise<AdminUser | undefined> => userNamed(read, username);
        // An earlier request to another address with the same users may have changed it.
        const before =
          isSignedInUser && place.isOneOfSeveral === true
            ? await retryWithNewPassword(read, updateCredentials, listed)
            : await listed();
        if (before === undefined) return { changed: skipTexts.userGone };
        if (place.isOneOfSeveral === true && (await acceptsPassword(read, username, newPassword)))
          return { already: skipTexts.passwordAlready };
        return {
          plan: {
            requests: [
              {
                node: undefined,
                async send(api, options) {
                  await api.changePassword(username, oldPassword.reveal(), newPassword.reveal(), options);
                  if (isSignedInUser) updateCredentials(api);
                },
              },
            ],
            async verify(readAgain) {
              const find = async (): Promise<VerificationResult> =>
                (await acceptsPassword(readAgain, username, newPassword))
                  ? asWanted
                  : notAsWanted(verificationTexts.newPasswordRejected);
              const found = isSignedInUser
                ? await expectLockout(true, () => retryWithNewPassword(readAgain, updateCredentials, find))
                : await find();
              return [
                isSignedInUser && found.state === 'as-wanted' && found.text === undefined
                  ? { ...found, text: verificationTexts.newPasswordUsed }
                  : found,
              ];
            },
          },
        };
      },
      effects: () => usersView,
    };
  },
});

export interface UserDeletion extends Pick<UserAddress, 'isOneOfSeveral'> {
  readonly isSignedInUser: boolean;
  /** It was not listed there, so a user who has the name now is not the target. */
  readonly wasAbsent?: boolean | undefined;
}

/** Deletes a user (§4.8), but never `admin`. */
export const deleteUser = defineAction({
  id: 'delete-user',
  label: 'delete a user',
  danger: 'destroys',
  where: 'Users',
  key: 'deleteUser',
  capability: 'users',
  operations: ['deleteUser'],
  confirmation: 'type the name',
  auditFields: ['username', 'tags'],
  create(user: AdminUser, { isSignedInUser, isOneOfSeveral, wasAbsent }: UserDeletion) {
    const { username, tags, url, attribute } = user;
    return {
      url,
      target: { username, tags },
      ...actionWords.deleteUser(username, url),
      invalid: username === undeletableUser ? invalidTexts.undeletable(undeletableUser) : undefined,
      async recheck(read) {
        const before = await userNamed(read, username);
        if (isOneOfSeveral === true && before === undefined) return { already: skipTexts.userAlreadyGone };
        if (wasAbsent === true) return { changed: skipTexts.userExists };
        const changed = recheckUser(before, tags, attribute);
        if (changed !== undefined) return { changed };
        return {
          plan: {
            before: { tags },
            after: {},
            requests: [{ node: undefined, send: (api, options) => api.deleteUser(username, options) }],
            verify: async (readAgain) => [
              await expectLockout(isSignedInUser, async () =>
                (await userNamed(readAgain, username)) === undefined
                  ? asWanted
                  : notAsWanted(verificationTexts.userRemains),
              ),
            ],
          },
        };
      },
      effects: () => usersView,
    };
  },
});

/** Asks the broker (§5); both answers are `done`. */
export const checkCredentials = defineAction({
  id: 'check-credentials',
  label: 'check a name and password',
  danger: 'none',
  where: 'Users',
  key: 'checkPassword',
  capability: 'users',
  operations: ['checkCredentials'],
  confirmation: 'form, y/N',
  auditFields: ['username'],
  create(username: string, password: Secret, { url }: Pick<UserAddress, 'url'> = {}) {
    return {
      url,
      target: { username },
      ...actionWords.checkCredentials(username, url),
      secrets: [password],
      invalid: username === '' ? invalidTexts.emptyUserName : problemOfPassword(password),
      recheck: async () => ({
        plan: {
          describeAnswer: (refusal) => {
            if (refusal === undefined) return verificationTexts.credentialsValid;
            return isWrongPassword(refusal) ? verificationTexts.credentialsWrong(refusal.code) : undefined;
          },
          requests: [
            { node: undefined, send: (api, options) => api.checkCredentials(username, password.reveal(), options) },
          ],
        },
      }),
      effects: (): Effects => ({ refresh: [] }),
    };
  },
});

export function atEachUrl(words: ActionWords, actions: readonly [Action, ...Action[]]): Action {
  const [{ name, target, isDangerous, updateCredentials, effects }] = actions;
  return Object.freeze<Action>({
    ...words,
    name,
    target,
    isDangerous,
    updateCredentials,
    effects,
    each: Object.freeze([...actions]),
    recheck: () => Promise.reject(new Error('the runner rechecks each of them')),
  });
}

export const skipAction = (action: Action, why: string): Action =>
  Object.freeze<Action>({ ...action, recheck: async () => ({ changed: why }) });
