import type { ActionWords } from '../../actions/action.ts';
import { quoteIfNeeded, words } from '../../actions/texts.ts';
import type { UserAttribute } from '../../domain/administration.ts';
import { capitalized } from '../../domain/text.ts';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';

const theAttribute = (attribute: UserAttribute = 'tags'): string =>
  `the ${attribute} ${attribute === 'tags' ? 'are' : 'is'}`;

const atUrl = (url: string | undefined): string => (url === undefined ? '' : ` at ${url}`);

export const userWords = {
  add: (username: string, url?: string) => words('add', 'Added', `user ${quoteIfNeeded(username)}`, atUrl(url)),
  changeTags: (username: string, tags: string, url?: string, attribute: UserAttribute = 'tags'): ActionWords => {
    const what = `the ${attribute} of user ${quoteIfNeeded(username)}${atUrl(url)} to ${quoteIfNeeded(tags)}`;
    return { title: `change ${what}`, past: `Changed ${what}`, subject: `user ${quoteIfNeeded(username)}` };
  },
  changePassword: (username: string, url?: string): ActionWords => {
    const what = `the password of user ${quoteIfNeeded(username)}${atUrl(url)}`;
    return { title: `change ${what}`, past: `Changed ${what}`, subject: `user ${quoteIfNeeded(username)}` };
  },
  delete: (username: string, url?: string) => words('delete', 'Deleted', `user ${quoteIfNeeded(username)}`, atUrl(url)),
  check: (username: string, url?: string): ActionWords => {
    const what = `the password of user ${quoteIfNeeded(username)}${atUrl(url)}`;
    return { title: `check ${what}`, past: `Checked ${what}`, subject: `user ${quoteIfNeeded(username)}` };
  },
  atAllUrls: ({ title, past, subject }: ActionWords, count: number): ActionWords => {
    const where = `at all ${count} URLs`;
    return { title: `${title} ${where}`, past: `${past} ${where}`, subject };
  },
};

/** Sentences about why a user is not changed, and what became of it. */
export const userSentences = {
  exists: 'a user with this name already exists.',
  gone: 'the user no longer exists.',
  tagsAreOther: (tags: string, attribute?: UserAttribute): string =>
    `${theAttribute(attribute)} now ${quoteIfNeeded(tags)}.`,
  noneThere: 'no such user.',
  unread: (error: string): string => `its users could not be read. ${error}`,
  already: (attribute: UserAttribute = 'tags'): string =>
    `The user already exists with ${attribute === 'tags' ? 'these' : 'this'} ${attribute} and this password.`,
  tagsAlready: (attribute: UserAttribute = 'tags'): string =>
    `The user already has ${attribute === 'tags' ? 'these' : 'this'} ${attribute}.`,
  passwordAlready: 'The user already has this password.',
  alreadyGone: 'The user does not exist.',
  emptyName: 'The username is empty.',
  emptyPassword: 'The password is empty.',
  samePassword: 'The new password is the same as the old one.',
  undeletable: (username: string): string => `The user ${username} cannot be deleted.`,
  lockedOut: 'brokertop is now locked out. Restart it with another user.',
  missing: 'The user is not listed.',
  remains: 'The user is still listed.',
  listedWith: (tags: string, attribute: UserAttribute = 'tags'): string =>
    `The user is listed with the ${attribute} ${quoteIfNeeded(tags)}.`,
  added: (tags: string, attribute: UserAttribute = 'tags'): string =>
    `The user is listed with the ${attribute} ${quoteIfNeeded(tags)}, and the password is accepted.`,
  tagsChanged: (before: string, after: string): string => `${quoteIfNeeded(before)} → ${quoteIfNeeded(after)}.`,
  tagsAre: (tags: string, attribute?: UserAttribute): string =>
    `${capitalized(theAttribute(attribute))} ${quoteIfNeeded(tags)}.`,
  passwordRejected:
    'The user is listed, but the broker rejected the password at the first check. Check it again later.',
  newPasswordRejected: 'The broker rejected the new password at the first check. Check it again later.',
  newPasswordUsed: 'brokertop now uses the new password.',
  credentialsValid: 'The broker accepts this username and password.',
  credentialsWrong: (code: number | string | undefined): string =>
    `The username or password is wrong${code === undefined ? '' : ` (code ${code})`}.`,
};

export const userTexts = {
  name: safe`Name`,
  password: safe`Password`,
  oldPassword: safe`Old password`,
  newPassword: safe`New password`,
  repeat: safe`Repeat`,
  attribute: { tags: safe`Tags`, role: safe`Role`, description: safe`Description` } satisfies Readonly<
    Record<UserAttribute, SafeText>
  >,
  descriptionHelp: safe`optional`,
  tagsHelp: safe`A role, such as administrator. The broker decides what it permits.`,
  where: safe`Where`,
  whereHelp: safe`Some brokers keep users per node (← → or Space)`,
  emptyName: safe`The name is empty.`,
  emptyPassword: safe`The password is empty.`,
  emptyOldPassword: safe`The old password is empty.`,
  emptyTags: (attribute: UserAttribute) =>
    attribute === 'tags' ? safe`The tags are empty.` : safe`The role is empty.`,
  differ: safe`The passwords do not match.`,
  exists: safe`A user with this name already exists.`,
  noChange: safe`Nothing to change.`,
  add: {
    title: safe`New user`,
    question: safe`Add this user?`,
    verb: safe`add`,
    details: (attribute: UserAttribute, tags: SafeText) => safe`${trusted(attribute)} ${tags}, with the typed password`,
    exists: (attribute: UserAttribute, tags: SafeText) => safe`exists, with ${trusted(attribute)} ${tags}`,
  },
  changeTags: {
    title: (attribute: UserAttribute, user: SafeText) => safe`${userTexts.attribute[attribute]} of user ${user}`,
    question: (attribute: UserAttribute) => safe`Change the ${trusted(attribute)} of this user?`,
    verb: safe`change`,
    to: (tags: SafeText) => safe`to ${tags}`,
    change: (before: SafeText, after: SafeText) => safe`${before} → ${after}`,
    same: (attribute: UserAttribute) =>
      safe`already has ${attribute === 'tags' ? safe`these` : safe`this`} ${trusted(attribute)}`,
  },
  changePassword: {
    title: (user: SafeText) => safe`Password of user ${user}`,
    question: safe`Change the password of this user?`,
    verb: safe`change`,
  },
  delete: {
    title: (user: SafeText) => safe`Delete user ${user}`,
    question: safe`Delete this user?`,
    verb: safe`delete`,
    tags: (attribute: UserAttribute, tags: SafeText) => safe`${trusted(attribute)} ${tags}`,
    there: (attribute: UserAttribute, tags: SafeText) => safe`delete, ${trusted(attribute)} ${tags}`,
    missing: safe`no such user`,
  },
  check: {
    title: safe`Check a name and password`,
    question: safe`Check this name and password with the broker?`,
    verb: safe`check`,
    note: safe`This changes nothing.`,
  },
  missing: safe`no such user, will be skipped`,
  unread: (error: SafeText) => safe`not read, will be skipped: ${error}`,
  here: (url: SafeText) => safe`at ${url} only; some brokers keep users per node`,
  each: (count: number) => safe`at ${formatCount(count)} URLs, one after the other:`,
  atUrl: (url: SafeText, text: SafeText) => safe`${url}: ${text}`,
  readingAt: (count: number) => safe`··· loading the users at ${formatCount(count)} URLs`,
  keepsWorking: safe`brokertop signs in as this user and will use the new password. Update the password that you start it with.`,
  mayLosePermissions: safe`brokertop signs in as this user. It may lose permissions, even to change this back.`,
  lockedOut: safe`brokertop signs in as this user. It will be locked out and must be restarted.`,
  undeletable: (user: SafeText) => safe`User ${user} cannot be deleted`,
};

export const usersTexts = {
  notOffered: safe`users`,
  empty: safe`No users.`,
  title: (url: SafeText) => safe`Users at ${url}`,
  titleNote: safe`some brokers keep users per node`,
  attribute: { tags: safe`TAGS`, role: safe`ROLE`, description: safe`DESCRIPTION` },
};

/** The text of the help where they cannot be read. */
export const userLacks = {
  all: (api: SafeText) => [safe`Users`, safe`${api} has no users`] as const,
  login: [safe`Users, API keys`, safe`need a dashboard login, not an API key`] as const,
} as const;
