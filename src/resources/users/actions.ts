import type { Action, ActionWords, Read, Undoing, VerificationResult } from '../../actions/action.ts';
import { askTexts } from '../../actions/asking.ts';
import { defineAction, type ShownRows } from '../../actions/define-action.ts';
import type { Built, ConfirmRequest, DialogOrRefusal, DialogRequest, FormField } from '../../actions/requests.ts';
import { Secret } from '../../actions/secret.ts';
import { invalidTexts } from '../../actions/texts.ts';
import { defineUndo } from '../../actions/undo.ts';
import { asWanted, notAsWanted } from '../../actions/verification.ts';
import { ApiError, BrokerError, UnauthorizedError } from '../../api/errors.ts';
import type { AdminUser, UserAttribute } from '../../domain/administration.ts';
import type { Effects } from '../../monitor/state.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { readUsersAt, users } from './resource.ts';
import { userSentences, userTexts, userWords } from './texts.ts';

/** The user that no broker deletes. */
export const undeletableUser = 'admin';

const usersView: Effects = { refresh: [users] };

/** The address of a user: brokers may keep users per node. */
export interface UserAddress {
  readonly url?: string | undefined;
  readonly isOneOfSeveral?: boolean | undefined;
}

/** The rows and facts that the actions of the screen Users act on. */
export interface ShownUsers extends ShownRows<AdminUser> {
  readonly isOffered: boolean;
  /** The user that brokertop signs in as. */
  readonly ownUser: string | undefined;
  readonly addresses: UserAddresses;
}

async function userNamed(read: Read, username: string): Promise<AdminUser | undefined> {
  const users = await read((api, options) => api.listUsers(options));
  return users.find((user) => user.username === username);
}

/** The pair is wrong; other codes mean that the broker could not tell. */
const isWrongPassword = ({ kind }: BrokerError): boolean =>
  kind === 'wrong-credentials' || kind === 'empty-credentials' || kind === 'unknown-user';

/** @throws ApiError when the broker does not say */
async function acceptsPassword(read: Read, username: string, password: Secret): Promise<boolean> {
  try {
    await read((api, options) => api.checkCredentials(username, password.reveal(), options));
    return true;
  } catch (thrown) {
    if (thrown instanceof BrokerError && isWrongPassword(thrown)) return false;
    throw thrown;
  }
}

/**
 * Verifies a password by one question: a broker may count wrong logins, and lock the user. One rejection does not show
 * that the change failed: it may not have arrived everywhere yet. @throws UnauthorizedError when the own login is
 * rejected
 */
async function verifyPassword(
  read: Read,
  username: string,
  password: Secret,
  texts: { readonly accepted?: string | undefined; readonly rejected: string },
): Promise<VerificationResult> {
  try {
    return (await acceptsPassword(read, username, password))
      ? { ...asWanted, text: texts.accepted }
      : { ...notAsWanted(texts.rejected), outcome: 'unknown', isFinal: true };
  } catch (thrown) {
    if (!(thrown instanceof ApiError) || thrown instanceof UnauthorizedError) throw thrown;
    return { node: undefined, state: 'unreadable', error: thrown, isFinal: true };
  }
}

async function expectLockout(
  isSignedInUser: boolean,
  find: () => Promise<VerificationResult>,
): Promise<VerificationResult> {
  try {
    return await find();
  } catch (thrown) {
    if (isSignedInUser && thrown instanceof UnauthorizedError) return { ...asWanted, text: userSentences.lockedOut };
    throw thrown;
  }
}

/** Reads again with the new password, once, after a 401. @throws ApiError */
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
  password.isEmpty ? userSentences.emptyPassword : undefined;

export interface NewUser extends UserAddress {
  readonly username: string;
  readonly tags: string;
  readonly attribute?: UserAttribute | undefined;
  readonly password: Secret;
}

/** Verifies the list and the password. */
export const addUser = defineAction({
  id: 'add-user',
  label: 'add a user',
  danger: 'changes',
  where: 'Users',
  key: {
    id: 'addUser',
    keys: ['n'],
    label: 'add',
    help: 'Add a user; asks first',
    scope: 'users',
  },
  ask: (theme, { rows, isOffered, addresses }: ShownUsers) =>
    isOffered ? () => ({ request: newUserRequest(theme, rows, addresses) }) : undefined,
  capability: 'users',
  operations: ['addUser'],
  confirmation: 'form, y/N',
  auditFields: ['username', 'tags'],
  create({ username, tags, attribute, password, ...place }: NewUser) {
    return {
      url: place.url,
      target: { username, tags },
      ...userWords.add(username, place.url),
      secrets: [password],
      invalid: username === '' ? userSentences.emptyName : problemOfPassword(password),
      async recheck(read) {
        const before = await userNamed(read, username);
        if (before !== undefined) {
          const isSame =
            place.isOneOfSeveral === true && before.tags === tags && (await acceptsPassword(read, username, password));
          return isSame ? { already: userSentences.already(attribute) } : { changed: userSentences.exists };
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
              if (now === undefined) return [notAsWanted(userSentences.missing)];
              if (now.tags !== tags) return [notAsWanted(userSentences.listedWith(now.tags, attribute))];
              return [
                await verifyPassword(readAgain, username, password, {
                  accepted: userSentences.added(tags, attribute),
                  rejected: userSentences.passwordRejected,
                }),
              ];
            },
          },
        };
      },
      effects: () => usersView,
    };
  },
});

const attributes = ['tags', 'role', 'description'] as const satisfies readonly UserAttribute[];

const undoTags = defineUndo(
  (kept) => ({
    username: kept.text('username'),
    attribute: kept.optionalText('attribute') === undefined ? undefined : kept.oneOf('attribute', attributes),
    url: kept.optionalText('url'),
    before: kept.text('before'),
    after: kept.text('after'),
  }),
  async ({ before, after, ...user }): Promise<Undoing> => ({
    action: changeUserTags.create({ ...user, tags: after }, before),
  }),
);

/** Changes a user's tags. */
export const changeUserTags = defineAction({
  id: 'change-user-tags',
  label: 'change the tags, role or description of a user',
  danger: 'changes',
  where: 'Users',
  key: {
    id: 'changeTags',
    keys: ['e'],
    label: 'change',
    help: 'Change the tags, role or description of the user; asks first',
    scope: 'users',
  },
  ask: (theme, { row, ownUser, addresses }: ShownUsers) =>
    row && (() => ({ request: tagsRequest(theme, row, ownUser, addresses) })),
  capability: 'users',
  operations: ['changeUserTags'],
  confirmation: 'form, before → after, y/N',
  auditFields: ['username', 'tags'],
  undo: undoTags.plan,
  create(user: AdminUser, tags: string, { isOneOfSeveral }: Pick<UserAddress, 'isOneOfSeveral'> = {}) {
    const { username, tags: shownTags, url, attribute } = user;
    return {
      url,
      target: { username, tags: shownTags },
      ...userWords.changeTags(username, tags, url, attribute),
      invalid: isOneOfSeveral !== true && tags === shownTags ? invalidTexts.noChange : undefined,
      async recheck(read) {
        const before = await userNamed(read, username);
        if (isOneOfSeveral === true && before?.tags === tags) return { already: userSentences.tagsAlready(attribute) };
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
                  ? { ...asWanted, text: userSentences.tagsChanged(shownTags, tags) }
                  : notAsWanted(now === undefined ? userSentences.missing : userSentences.tagsAre(now.tags, attribute)),
              ];
            },
          },
        };
      },
      changed: () => undoTags.changed({ username, attribute, url, before: shownTags, after: tags }),
      effects: () => usersView,
    };
  },
});

function recheckUser(
  now: AdminUser | undefined,
  shownTags: string,
  attribute: UserAttribute | undefined,
): string | undefined {
  if (now === undefined) return userSentences.gone;
  return now.tags === shownTags ? undefined : userSentences.tagsAreOther(now.tags, attribute);
}

export interface PasswordChange extends UserAddress {
  readonly username: string;
  readonly oldPassword: Secret;
  readonly newPassword: Secret;
  readonly isSignedInUser: boolean;
}

/** Verifies the new password. */
export const changePassword = defineAction({
  id: 'change-password',
  label: 'change a password',
  danger: 'changes',
  where: 'Users',
  key: {
    id: 'changePassword',
    keys: ['w'],
    label: 'password',
    help: 'Change the password of the user; asks first',
    scope: 'users',
  },
  ask: (theme, { row, ownUser, addresses }: ShownUsers) =>
    row && (() => ({ request: passwordRequest(theme, row, ownUser, addresses) })),
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
      ...userWords.changePassword(username, place.url),
      updateCredentials: isSignedInUser ? updateCredentials : undefined,
      secrets: [oldPassword, newPassword],
      invalid: problemOfPassword(newPassword) ?? (isUnchanged ? userSentences.samePassword : undefined),
      async recheck(read) {
        const listed = async (): Promise<AdminUser | undefined> => userNamed(read, username);
        // An earlier request to another address with the same users may have changed it.
        const before =
          isSignedInUser && place.isOneOfSeveral === true
            ? await retryWithNewPassword(read, updateCredentials, listed)
            : await listed();
        if (before === undefined) return { changed: userSentences.gone };
        if (place.isOneOfSeveral === true && (await acceptsPassword(read, username, newPassword)))
          return { already: userSentences.passwordAlready };
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
              const find = (): Promise<VerificationResult> =>
                verifyPassword(readAgain, username, newPassword, { rejected: userSentences.newPasswordRejected });
              const found = isSignedInUser
                ? await expectLockout(true, () => retryWithNewPassword(readAgain, updateCredentials, find))
                : await find();
              return [
                isSignedInUser && found.state === 'as-wanted' && found.text === undefined
                  ? { ...found, text: userSentences.newPasswordUsed }
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
  /** The user was not listed there, so one who has the name now is not the target. */
  readonly wasAbsent?: boolean | undefined;
}

/** Deletes a user, but never `admin`. */
export const deleteUser = defineAction({
  id: 'delete-user',
  label: 'delete a user',
  danger: 'destroys',
  where: 'Users',
  key: {
    id: 'deleteUser',
    keys: ['D'],
    label: 'delete',
    help: 'Delete the user; asks you to type the name',
    scope: 'users',
  },
  ask: (theme, { row, ownUser, addresses }: ShownUsers) =>
    row && (() => deletionRequest(theme, row, ownUser, addresses)),
  capability: 'users',
  operations: ['deleteUser'],
  confirmation: 'type the name',
  auditFields: ['username', 'tags'],
  create(user: AdminUser, { isSignedInUser, isOneOfSeveral, wasAbsent }: UserDeletion) {
    const { username, tags, url, attribute } = user;
    return {
      url,
      target: { username, tags },
      ...userWords.delete(username, url),
      invalid: username === undeletableUser ? userSentences.undeletable(undeletableUser) : undefined,
      async recheck(read) {
        const before = await userNamed(read, username);
        if (isOneOfSeveral === true && before === undefined) return { already: userSentences.alreadyGone };
        if (wasAbsent === true) return { changed: userSentences.exists };
        const changed = recheckUser(before, tags, attribute);
        if (changed !== undefined) return { changed };
        return {
          plan: {
            before: { tags },
            after: {},
            requests: [{ node: undefined, send: (api, options) => api.deleteUser(username, options) }],
            verify: async (readAgain) => [
              await expectLockout(isSignedInUser, async () =>
                (await userNamed(readAgain, username)) === undefined ? asWanted : notAsWanted(userSentences.remains),
              ),
            ],
          },
        };
      },
      effects: () => usersView,
    };
  },
});

/** Asks the broker; both answers are `done`. */
export const checkCredentials = defineAction({
  id: 'check-credentials',
  label: 'check a name and password',
  danger: 'none',
  where: 'Users',
  key: {
    id: 'checkPassword',
    keys: ['c'],
    label: 'check',
    help: 'Check a username and password',
    scope: 'users',
  },
  ask: (theme, { row, isOffered, addresses }: ShownUsers) =>
    isOffered ? () => ({ request: checkRequest(theme, row?.username, addresses) }) : undefined,
  capability: 'users',
  operations: ['checkCredentials'],
  confirmation: 'form, y/N',
  auditFields: ['username'],
  create(username: string, password: Secret, { url }: Pick<UserAddress, 'url'> = {}) {
    return {
      url,
      target: { username },
      ...userWords.check(username, url),
      secrets: [password],
      invalid: username === '' ? userSentences.emptyName : problemOfPassword(password),
      recheck: async () => ({
        plan: {
          describeAnswer: (refusal) => {
            if (refusal === undefined) return userSentences.credentialsValid;
            return isWrongPassword(refusal) ? userSentences.credentialsWrong(refusal.code) : undefined;
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

const twice: readonly FormField[] = [
  { id: 'password', label: userTexts.password, kind: 'hidden' },
  { id: 'again', label: userTexts.repeat, kind: 'hidden' },
];

const problemOfTwice = (
  values: Readonly<Record<string, string>>,
): Extract<Built, { readonly error: SafeText }> | undefined => {
  if ((values['password'] ?? '') === '') return { error: userTexts.emptyPassword, field: 'password' };
  return values['password'] === values['again'] ? undefined : { error: userTexts.differ, field: 'again' };
};

const attributeOf = (user: AdminUser | undefined): UserAttribute => user?.attribute ?? 'tags';

/** Checks tags. A description may be empty. */
const problemOfTags = (
  attribute: UserAttribute,
  tags: string,
): Extract<Built, { readonly error: SafeText }> | undefined =>
  tags === '' && attribute !== 'description' ? { error: userTexts.emptyTags(attribute), field: 'tags' } : undefined;

const tagsText = (theme: Theme, tags: string): SafeText => (tags === '' ? askTexts.empty : theme.escape(tags));

/** Asks for a new user. The users that exist say what the broker keeps of one. */
export const newUserRequest = (
  theme: Theme,
  users: readonly AdminUser[],
  addresses: UserAddresses = noAddresses,
  attribute = attributeOf(users[0]),
): DialogRequest => ({
  kind: 'form',
  title: userTexts.add.title,
  fields: [
    // The password follows the name, so that typing both blindly never shows it.
    { id: 'username', label: userTexts.name },
    ...twice,
    {
      id: 'tags',
      label: userTexts.attribute[attribute],
      help: attribute === 'description' ? userTexts.descriptionHelp : userTexts.tagsHelp,
    },
    ...whereFields(addresses),
  ],
  verb: userTexts.add.verb,
  build: (values) => {
    const username = values['username'] ?? '';
    const tags = values['tags'] ?? '';
    if (username === '') return { error: userTexts.emptyName, field: 'username' };
    if (!isEverywhere(addresses, values) && users.some((user) => user.username === username))
      return { error: userTexts.exists, field: 'username' };
    const problem = problemOfTwice(values);
    if (problem !== undefined) return problem;
    const problemOfThem = problemOfTags(attribute, tags);
    if (problemOfThem !== undefined) return problemOfThem;
    const here = (place: UserAddress): Action =>
      addUser.create({ username, tags, attribute, password: new Secret(values['password'] ?? ''), ...place });
    return {
      next: askAbout(theme, addresses, values, {
        question: userTexts.add.question,
        target: username,
        details: [userTexts.add.details(attribute, tagsText(theme, tags))],
        verb: userTexts.add.verb,
        words: userWords.add(username),
        here,
        there: (place, listed) => ({
          text:
            listed === undefined ? userTexts.add.verb : userTexts.add.exists(attribute, tagsText(theme, listed.tags)),
          action: here(place),
        }),
      }),
    };
  },
});

export const tagsRequest = (
  theme: Theme,
  user: AdminUser,
  signedInUser: string | undefined,
  addresses: UserAddresses = noAddresses,
  attribute = attributeOf(user),
): DialogRequest => ({
  kind: 'form',
  title: userTexts.changeTags.title(attribute, theme.escape(user.username)),
  fields: [{ id: 'tags', label: userTexts.attribute[attribute], initial: user.tags }, ...whereFields(addresses)],
  verb: askTexts.review,
  build: (values) => {
    const { tags = '' } = values;
    const problem = problemOfTags(attribute, tags);
    if (problem !== undefined) return problem;
    if (tags === user.tags && !isEverywhere(addresses, values)) return { error: userTexts.noChange, field: 'tags' };
    return {
      next: askAbout(theme, addresses, values, {
        question: userTexts.changeTags.question(attribute),
        target: user.username,
        details: isEverywhere(addresses, values)
          ? [userTexts.changeTags.to(tagsText(theme, tags))]
          : [userTexts.changeTags.change(tagsText(theme, user.tags), tagsText(theme, tags))],
        verb: userTexts.changeTags.verb,
        warning:
          user.username === signedInUser && attribute !== 'description' ? userTexts.mayLosePermissions : undefined,
        words: userWords.changeTags(user.username, tags, undefined, attribute),
        here: () => changeUserTags.create(user, tags),
        there: (place, listed) => {
          const action = changeUserTags.create({ ...user, ...listed, url: place.url }, tags, place);
          return listed === undefined
            ? skipMissingUser(action)
            : {
                text:
                  listed.tags === tags
                    ? userTexts.changeTags.same(attribute)
                    : userTexts.changeTags.change(tagsText(theme, listed.tags), tagsText(theme, tags)),
                action,
              };
        },
      }),
    };
  },
});

const skipMissingUser = (action: Action): { readonly text: SafeText; readonly action: Action } => ({
  text: userTexts.missing,
  action: skipAction(action, userSentences.noneThere),
});

export const passwordRequest = (
  theme: Theme,
  { username }: AdminUser,
  signedInUser: string | undefined,
  addresses: UserAddresses = noAddresses,
): DialogRequest => ({
  kind: 'form',
  title: userTexts.changePassword.title(theme.escape(username)),
  fields: [
    { id: 'old', label: userTexts.oldPassword, kind: 'hidden' },
    { id: 'password', label: userTexts.newPassword, kind: 'hidden' },
    { id: 'again', label: userTexts.repeat, kind: 'hidden' },
    ...whereFields(addresses),
  ],
  verb: userTexts.changeTags.verb,
  build: (values) => {
    if ((values['old'] ?? '') === '') return { error: userTexts.emptyOldPassword, field: 'old' };
    const problem = problemOfTwice(values);
    if (problem !== undefined) return problem;
    const isSignedInUser = username === signedInUser;
    const here = (place: UserAddress): Action =>
      changePassword.create({
        username,
        oldPassword: new Secret(values['old'] ?? ''),
        newPassword: new Secret(values['password'] ?? ''),
        isSignedInUser,
        ...place,
      });
    const { invalid } = here({});
    if (invalid !== undefined) return { error: theme.escape(invalid), field: 'password' };
    return {
      next: askAbout(theme, addresses, values, {
        question: userTexts.changePassword.question,
        target: username,
        verb: userTexts.changeTags.verb,
        warning: isSignedInUser ? userTexts.keepsWorking : undefined,
        words: userWords.changePassword(username),
        here,
        there: (place, listed) =>
          listed === undefined
            ? skipMissingUser(here(place))
            : { text: userTexts.changePassword.verb, action: here(place) },
      }),
    };
  },
});

/** The name has to be typed; never `admin`. */
export const deletionRequest = (
  theme: Theme,
  user: AdminUser,
  signedInUser: string | undefined,
  addresses: UserAddresses = noAddresses,
): DialogOrRefusal => {
  if (user.username === undeletableUser) {
    return { refused: userTexts.undeletable(theme.escape(undeletableUser)) };
  }
  const isSignedInUser = user.username === signedInUser;
  const ask = (values: Readonly<Record<string, string>>): DialogRequest =>
    askAbout(theme, addresses, values, {
      question: userTexts.delete.question,
      target: user.username,
      details: isEverywhere(addresses, values)
        ? []
        : [userTexts.delete.tags(attributeOf(user), tagsText(theme, user.tags))],
      verb: userTexts.delete.verb,
      mustType: user.username,
      warning: isSignedInUser ? userTexts.lockedOut : undefined,
      words: userWords.delete(user.username),
      here: () => deleteUser.create(user, { isSignedInUser }),
      there: (place, listed) => ({
        text:
          listed === undefined
            ? userTexts.delete.missing
            : userTexts.delete.there(attributeOf(user), tagsText(theme, listed.tags)),
        action: deleteUser.create(
          { ...user, ...listed, url: place.url },
          { isSignedInUser, isOneOfSeveral: true, wasAbsent: listed === undefined },
        ),
      }),
    });
  const fields = whereFields(addresses);
  return {
    request:
      fields.length === 0
        ? ask({})
        : {
            kind: 'form',
            title: userTexts.delete.title(theme.escape(user.username)),
            fields,
            verb: askTexts.continue,
            build: (values) => ({ next: ask(values) }),
          },
  };
};

/** Changes nothing. */
export const checkRequest = (
  theme: Theme,
  username: string | undefined,
  addresses: UserAddresses = noAddresses,
): DialogRequest => ({
  kind: 'form',
  title: userTexts.check.title,
  fields: [
    { id: 'username', label: userTexts.name, initial: username ?? '' },
    { id: 'password', label: userTexts.password, kind: 'hidden' },
  ],
  verb: userTexts.check.verb,
  notes: [userTexts.check.note],
  build: (values) => {
    const name = values['username'] ?? '';
    const action = checkCredentials.create(name, new Secret(values['password'] ?? ''), userAddressOf(addresses));
    if (name === '') return { error: userTexts.emptyName, field: 'username' };
    if ((values['password'] ?? '') === '') return { error: userTexts.emptyPassword, field: 'password' };
    return {
      next: {
        kind: 'confirm',
        question: userTexts.check.question,
        target: name,
        details: placeLines(theme, addresses),
        verb: userTexts.check.verb,
        action,
      },
    };
  },
});

export interface UserAddresses {
  readonly shown: string | undefined;
  readonly all: readonly string[];
}

export const noAddresses: UserAddresses = { shown: undefined, all: [] };

interface AddressChange {
  readonly text: SafeText;
  readonly action: Action;
}

export interface UserChange extends Pick<
  ConfirmRequest,
  'question' | 'target' | 'details' | 'verb' | 'mustType' | 'warning'
> {
  readonly words: ActionWords;
  readonly here: (place: UserAddress) => Action;
  readonly there: (place: UserAddress, listed: AdminUser | undefined) => AddressChange;
}

const everywhere = ({ all }: UserAddresses): string => `all ${all.length} URLs`;

export const isEverywhere = (addresses: UserAddresses, values: Readonly<Record<string, string>>): boolean =>
  values['where'] === everywhere(addresses);

export const whereFields = (addresses: UserAddresses): readonly FormField[] =>
  addresses.shown === undefined || addresses.all.length < 2
    ? []
    : [
        {
          id: 'where',
          label: userTexts.where,
          kind: 'choice',
          choices: [addresses.shown, everywhere(addresses)],
          help: userTexts.whereHelp,
        },
      ];

export const userAddressOf = ({ shown, all }: UserAddresses): UserAddress => (all.length < 2 ? {} : { url: shown });

export const placeLines = (theme: Theme, { shown }: UserAddresses): readonly SafeText[] =>
  shown === undefined ? [] : [userTexts.here(theme.escape(shown))];

interface UserListing {
  readonly url: string;
  readonly users: readonly AdminUser[] | Error;
}

const changeAt = ({ there, target }: UserChange, { url, users }: UserListing, theme: Theme): AddressChange => {
  const place: UserAddress = { url, isOneOfSeveral: true };
  if (users instanceof Error) {
    return {
      text: userTexts.unread(theme.escape(users.message)),
      action: skipAction(there(place, undefined).action, userSentences.unread(users.message)),
    };
  }
  return there(
    place,
    users.find(({ username }) => username === target),
  );
};

export const askAbout = (
  theme: Theme,
  addresses: UserAddresses,
  values: Readonly<Record<string, string>>,
  change: UserChange,
): DialogRequest => {
  const { here, words, there: _, ...question } = change;
  const details = question.details ?? [];
  if (!isEverywhere(addresses, values)) {
    return {
      ...question,
      kind: 'confirm',
      details: [...details, ...placeLines(theme, addresses)],
      action: here(userAddressOf(addresses)),
    };
  }
  return {
    kind: 'read',
    title: question.question,
    waiting: userTexts.readingAt(addresses.all.length),
    read: async ({ monitor }) => {
      const listings = await Promise.all(
        addresses.all.map((url) =>
          readUsersAt(monitor, url).then(
            (users): UserListing => ({ url, users }),
            (thrown: unknown): UserListing => ({
              url,
              users: thrown instanceof Error ? thrown : new Error(String(thrown)),
            }),
          ),
        ),
      );
      const changes = listings.map((listing) => ({ url: listing.url, ...changeAt(change, listing, theme) }));
      const [first, ...others] = changes.map(({ action }) => action);
      return {
        request: {
          ...question,
          kind: 'confirm',
          details: [
            ...details,
            userTexts.each(changes.length),
            ...changes.map(({ url, text }) => userTexts.atUrl(theme.escape(url), text)),
          ],
          action:
            first === undefined ? here({}) : atEachUrl(userWords.atAllUrls(words, changes.length), [first, ...others]),
        },
      };
    },
  };
};

export const userActions = [addUser, changeUserTags, changePassword, deleteUser, checkCredentials] as const;
