import { askTexts } from '../../actions/asking.ts';
import type {
  DialogRequest,
  Built,
  ConfirmRequest,
  DialogOrRefusal,
  FormField,
  UserListing,
} from '../../actions/requests.ts';
import type { Action, ActionWords } from '../../actions/action.ts';
import { Secret } from '../../actions/secret.ts';
import { actionWords, skipTexts } from '../../actions/texts.ts';
import {
  addUser,
  atEachUrl,
  changePassword,
  changeUserTags,
  checkCredentials,
  deleteUser,
  skipAction,
  undeletableUser,
  type UserAddress,
} from '../../actions/users.ts';
import type { AdminUser, UserAttribute } from '../../domain/administration.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { pluginTexts, unavailableTexts, settingDialogTexts, userTexts } from './texts.ts';

const twice: readonly FormField[] = [
  { id: 'password', label: userTexts.password, kind: 'hidden' },
  { id: 'again', label: userTexts.repeat, kind: 'hidden' },
];

const problemOfPassword = (
  values: Readonly<Record<string, string>>,
): Extract<Built, { readonly error: SafeText }> | undefined => {
  if ((values['password'] ?? '') === '') return { error: userTexts.emptyPassword, field: 'password' };
  return values['password'] === values['again'] ? undefined : { error: userTexts.differ, field: 'again' };
};

const attributeOf = (user: AdminUser | undefined): UserAttribute => user?.attribute ?? 'tags';

/** A description may be empty. */
const problemOfTags = (
  attribute: UserAttribute,
  tags: string,
): Extract<Built, { readonly error: SafeText }> | undefined =>
  tags === '' && attribute !== 'description' ? { error: userTexts.emptyTags(attribute), field: 'tags' } : undefined;

const tagsText = (theme: Theme, tags: string): SafeText => (tags === '' ? pluginTexts.empty : theme.escape(tags));

/** The users that are there say what the broker keeps of one. */
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
    const problem = problemOfPassword(values);
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
        words: actionWords.addUser(username),
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
  verb: settingDialogTexts.review,
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
        words: actionWords.changeUserTags(user.username, tags, undefined, attribute),
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
  action: skipAction(action, skipTexts.noUserThere),
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
    const problem = problemOfPassword(values);
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
        words: actionWords.changePassword(username),
        here,
        there: (place, listed) =>
          listed === undefined
            ? skipMissingUser(here(place))
            : { text: userTexts.changePassword.verb, action: here(place) },
      }),
    };
  },
});

/** The name has to be typed (§4.8); never `admin`. */
export const deletionRequest = (
  theme: Theme,
  user: AdminUser,
  signedInUser: string | undefined,
  addresses: UserAddresses = noAddresses,
): DialogOrRefusal => {
  if (user.username === undeletableUser) {
    return { refused: unavailableTexts.undeletable(theme.escape(undeletableUser)) };
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
      words: actionWords.deleteUser(user.username),
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

/** Changes nothing (§5). */
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
    const action = checkCredentials.create(name, new Secret(values['password'] ?? ''), placeOf(addresses));
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

export const placeOf = ({ shown, all }: UserAddresses): UserAddress => (all.length < 2 ? {} : { url: shown });

export const placeLines = (theme: Theme, { shown }: UserAddresses): readonly SafeText[] =>
  shown === undefined ? [] : [userTexts.here(theme.escape(shown))];

const changeAt = ({ there, target }: UserChange, { url, users }: UserListing, theme: Theme): AddressChange => {
  const place: UserAddress = { url, isOneOfSeveral: true };
  if (users instanceof Error) {
    return {
      text: userTexts.unread(theme.escape(users.message)),
      action: skipAction(there(place, undefined).action, skipTexts.urlUnread(users.message)),
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
      action: here(placeOf(addresses)),
    };
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
        details: [
          ...details,
          userTexts.each(changes.length),
          ...changes.map(({ url, text }) => userTexts.atUrl(theme.escape(url), text)),
        ],
        action:
          first === undefined ? here({}) : atEachUrl(actionWords.atAllUrls(words, changes.length), [first, ...others]),
      };
    },
  };
};
