import type { Action } from '../../actions/action.ts';
import { quoteIfNeeded } from '../../actions/describe.ts';
import { Secret } from '../../actions/secret.ts';
import { addUser, atEachUrl, changePassword, changeUserTags, checkCredentials, deleteUser, skipAction, undeletableUser, type UserAddress } from '../../actions/users.ts';
import type { AdminUser } from '../../domain/administration.ts';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { AskRequest, Built, ConfirmRequest, DialogOrRefusal, FormField, UserListing } from './ask.ts';

const twice: readonly FormField[] = [
  { id: 'password', label: safe`Password`, kind: 'hidden' },
  { id: 'again', label: safe`Once more`, kind: 'hidden' },
];

/** The error of a password typed twice. */
const problemOfPassword = (values: Readonly<Record<string, string>>): Extract<Built, { readonly error: SafeText }> | undefined => {
  if ((values['password'] ?? '') === '') return { error: safe`The password is empty.`, field: 'password' };
  return values['password'] === values['again'] ? undefined : { error: safe`The two passwords differ.`, field: 'again' };
};

/** Adds an administrator (§4.8). */
export const askForNewUser = (theme: Theme, users: readonly AdminUser[], addresses: UserAddresses = noAddresses): AskRequest => ({
  kind: 'form',
  title: safe`New user of the management interface`,
  fields: [
    // The password follows the name, so that typing both blindly never shows it.
    { id: 'username', label: safe`Name` }, ...twice,
    { id: 'tags', label: safe`Tags`, help: safe`A label of the role, such as administrator. What it grants, the broker does not say.` },
    ...whereFields(addresses),
  ],
  verb: safe`add`,
  build: (values) => {
    const username = values['username'] ?? '';
    const tags = values['tags'] ?? '';
    if (username === '') return { error: safe`The name is empty.`, field: 'username' };
    if (!isEverywhere(addresses, values) && users.some((user) => user.username === username)) return { error: safe`A user of this name exists already.`, field: 'username' };
    const problem = problemOfPassword(values);
    if (problem !== undefined) return problem;
    if (tags === '') return { error: safe`The tags are empty.`, field: 'tags' };
    const here = (place: UserAddress): Action => addUser.create({ username, tags, password: new Secret(values['password'] ?? ''), ...place });
    return {
      next: askAbout(theme, addresses, values, {
        question: safe`Add this user?`,
        target: username,
        details: [safe`tags ${theme.escape(tags)}, with the password that was typed`],
        verb: safe`add`,
        title: `add user ${quoteIfNeeded(username)}`,
        here,
        there: (place, listed) => ({ text: listed === undefined ? safe`add` : safe`exists, with tags ${theme.escape(listed.tags)}`, action: here(place) }),
      }),
    };
  },
});

/** Changes a user's tags (§4.8). @param ownUser the user this program signs in as */
export const askForTags = (theme: Theme, user: AdminUser, ownUser: string | undefined, addresses: UserAddresses = noAddresses): AskRequest => ({
  kind: 'form',
  title: safe`Tags of user ${theme.escape(user.username)}`,
  fields: [{ id: 'tags', label: safe`Tags`, initial: user.tags }, ...whereFields(addresses)],
  verb: safe`show the difference`,
  build: (values) => {
    const { tags = '' } = values;
    if (tags === '') return { error: safe`The tags are empty.`, field: 'tags' };
    if (tags === user.tags && !isEverywhere(addresses, values)) return { error: safe`Nothing would change.`, field: 'tags' };
    return {
      next: askAbout(theme, addresses, values, {
        question: safe`Change the tags of this user?`,
        target: user.username,
        details: isEverywhere(addresses, values) ? [safe`to ${theme.escape(tags)}`] : [safe`${theme.escape(user.tags)} → ${theme.escape(tags)}`],
        verb: safe`change`,
        warning: user.username === ownUser ? mayLosePermissions : undefined,
        title: `change the tags of user ${quoteIfNeeded(user.username)} to ${quoteIfNeeded(tags)}`,
        here: () => changeUserTags.create(user, tags),
        there: (place, listed) => {
          const action = changeUserTags.create({ ...user, ...listed, url: place.url }, tags, place);
          return listed === undefined ? skipMissingUser(action) : { text: listed.tags === tags ? safe`has these tags` : safe`${theme.escape(listed.tags)} → ${theme.escape(tags)}`, action };
        },
      }),
    };
  },
});

const skipMissingUser = (action: Action): { readonly text: SafeText; readonly action: Action } =>
  ({ text: safe`no such user, nothing will be sent`, action: skipAction(action, 'There is no such user there.') });

/** Changes a password (§4.8). @param ownUser the user this program signs in as */
export const askForPassword = (theme: Theme, { username }: AdminUser, ownUser: string | undefined, addresses: UserAddresses = noAddresses): AskRequest => ({
  kind: 'form',
  title: safe`Password of user ${theme.escape(username)}`,
  fields: [
    { id: 'old', label: safe`Old password`, kind: 'hidden' },
    { id: 'password', label: safe`New password`, kind: 'hidden' },
    { id: 'again', label: safe`Once more`, kind: 'hidden' },
    ...whereFields(addresses),
  ],
  verb: safe`change`,
  build: (values) => {
    if ((values['old'] ?? '') === '') return { error: safe`The old password is empty.`, field: 'old' };
    const problem = problemOfPassword(values);
    if (problem !== undefined) return problem;
    const isSignedInUser = username === ownUser;
    const here = (place: UserAddress): Action =>
      changePassword.create({ username, oldPassword: new Secret(values['old'] ?? ''), newPassword: new Secret(values['password'] ?? ''), isSignedInUser, ...place });
    const { invalid } = here({});
    if (invalid !== undefined) return { error: theme.escape(invalid), field: 'password' };
    return {
      next: askAbout(theme, addresses, values, {
        question: safe`Change the password of this user?`,
        target: username,
        verb: safe`change`,
        warning: isSignedInUser ? keepsWorking : undefined,
        title: `change the password of user ${quoteIfNeeded(username)}`,
        here,
        there: (place, listed) => (listed === undefined ? skipMissingUser(here(place)) : { text: safe`change`, action: here(place) }),
      }),
    };
  },
});

/** Deletes a user (§4.8), whose name has to be typed; never `admin`. */
export const askForDeletion = (theme: Theme, user: AdminUser, ownUser: string | undefined, addresses: UserAddresses = noAddresses): DialogOrRefusal => {
  if (user.username === undeletableUser) {
    return { refused: safe`not asked: no broker deletes the user ${theme.escape(undeletableUser)}` };
  }
  const isSignedInUser = user.username === ownUser;
  const ask = (values: Readonly<Record<string, string>>): AskRequest => askAbout(theme, addresses, values, {
    question: safe`Delete this user?`,
    target: user.username,
    details: isEverywhere(addresses, values) ? [] : [safe`tags ${theme.escape(user.tags)}`],
    verb: safe`delete`,
    mustType: user.username,
    warning: isSignedInUser ? lockedOut : undefined,
    title: `delete user ${quoteIfNeeded(user.username)}`,
    here: () => deleteUser.create(user, { isSignedInUser }),
    there: (place, listed) => ({
      text: listed === undefined ? safe`no such user` : safe`delete, tags ${theme.escape(listed.tags)}`,
      action: deleteUser.create({ ...user, ...listed, url: place.url }, { isSignedInUser, isOneOfSeveral: true, wasAbsent: listed === undefined }),
    }),
  });
  const fields = whereFields(addresses);
  return {
    request: fields.length === 0 ? ask({}) : {
      kind: 'form',
      title: safe`Delete user ${theme.escape(user.username)}`,
      fields,
      verb: safe`go on`,
      build: (values) => ({ next: ask(values) }),
    },
  };
};

const keepsWorking = safe`This program itself signs in as this user, and goes on with the new password. What it is started with has the old one still.`;
// The API does not say what tags grant (§5.4).
const mayLosePermissions = safe`This program itself signs in as this user: with other tags the broker may refuse it what it may now, and to change them back.`;
const lockedOut = safe`This program itself signs in as this user: it will be locked out, and has to be started again.`;

/** Asks the broker whether a name and password are right (§5). Changes nothing. */
export const askToCheck = (theme: Theme, username: string | undefined, addresses: UserAddresses = noAddresses): AskRequest => ({
  kind: 'form',
  title: safe`Check a name and password`,
  fields: [{ id: 'username', label: safe`Name`, initial: username ?? '' }, { id: 'password', label: safe`Password`, kind: 'hidden' }],
  verb: safe`check`,
  notes: [safe`Nothing is changed by it.`],
  build: (values) => {
    const name = values['username'] ?? '';
    const action = checkCredentials.create(name, new Secret(values['password'] ?? ''), placeOf(addresses));
    if (name === '') return { error: safe`The name is empty.`, field: 'username' };
    if ((values['password'] ?? '') === '') return { error: safe`The password is empty.`, field: 'password' };
    return { next: { kind: 'confirm', question: safe`Ask the broker whether this name and password are right?`, target: name, details: placeLines(theme, addresses), verb: safe`check`, action } };
  },
});

/** The addresses at which users can be changed. */
export interface UserAddresses {
  /** The address whose users are shown. */
  readonly shown: string | undefined;
  readonly all: readonly string[];
}

export const noAddresses: UserAddresses = { shown: undefined, all: [] };

/** What happens to a user at one address. */
interface AddressChange {
  /** In a few words. */
  readonly text: SafeText;
  readonly action: Action;
}

/** A change of a user, at one address or at all. */
export interface UserChange extends Pick<ConfirmRequest, 'question' | 'target' | 'details' | 'verb' | 'mustType' | 'warning'> {
  /** At the shown address. */
  readonly here: (place: UserAddress) => Action;
  /** At one of all addresses; `listed`: the user there, if any. */
  readonly there: (place: UserAddress, listed: AdminUser | undefined) => AddressChange;
  /** Completes a sentence; raw. */
  readonly title: string;
}

const everywhere = ({ all }: UserAddresses): string => `all ${all.length} addresses`;

export const isEverywhere = (addresses: UserAddresses, values: Readonly<Record<string, string>>): boolean => values['where'] === everywhere(addresses);

/** The field that chooses the address, if there are several. */
export const whereFields = (addresses: UserAddresses): readonly FormField[] =>
  addresses.shown === undefined || addresses.all.length < 2 ? [] : [{
    id: 'where', label: safe`Where`, kind: 'choice', choices: [addresses.shown, everywhere(addresses)], help: safe`Some brokers keep users per node. ← → or Space`,
  }];

/** The shown address, if there are several. */
export const placeOf = ({ shown, all }: UserAddresses): UserAddress => (all.length < 2 ? {} : { url: shown });

export const placeLines = (theme: Theme, { shown }: UserAddresses): readonly SafeText[] =>
  shown === undefined ? [] : [safe`at ${theme.escape(shown)} only; some brokers keep users per node`];

/** What was found and happens at one address. */
const changeAt = ({ there, target }: UserChange, { url, users }: UserListing, theme: Theme): AddressChange => {
  const place: UserAddress = { url, isOneOfSeveral: true };
  if (users instanceof Error) {
    return { text: safe`not read, nothing will be sent: ${theme.escape(users.message)}`, action: skipAction(there(place, undefined).action, `It could not be read before the question. ${users.message}`) };
  }
  return there(place, users.find(({ username }) => username === target));
};

/** Asks about the shown address, or reads all addresses and asks once for all. */
export const askAbout = (theme: Theme, addresses: UserAddresses, values: Readonly<Record<string, string>>, change: UserChange): AskRequest => {
  const { here, title, there: _, ...question } = change;
  const details = question.details ?? [];
  if (!isEverywhere(addresses, values)) {
    return { ...question, kind: 'confirm', details: [...details, ...placeLines(theme, addresses)], action: here(placeOf(addresses)) };
  }
  return {
    kind: 'read-users',
    title: question.question,
    urls: addresses.all,
    next: (listings) => {
      const changes = listings.map((listing) => ({ url: listing.url, ...changeAt(change, listing, theme) }));
      const [first, ...others] = changes.map(({ action }) => action);
      return {
        ...question,
        kind: 'confirm',
        details: [...details, safe`at ${formatCount(changes.length)} addresses, one after the other:`, ...changes.map(({ url, text }) => safe`${theme.escape(url)}: ${text}`)],
        action: first === undefined ? here({}) : atEachUrl(`${title} at ${everywhere(addresses)}`, [first, ...others]),
      };
    },
  };
};
