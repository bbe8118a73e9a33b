import type { Action } from '../../actions/action.ts';
import { atEachUrl, leaveOut } from '../../actions/at-each-url.ts';
import type { UserPlace } from '../../actions/users.ts';
import type { AdminUser } from '../../domain/administration.ts';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { AskRequest, ConfirmRequest, FormField, UserListing } from './ask.ts';

/** Where users can be changed. */
export interface UserAddresses {
  /** The address whose users are shown. */
  readonly shown: string | undefined;
  readonly all: readonly string[];
}

export const noAddresses: UserAddresses = { shown: undefined, all: [] };

/** What becomes of a user at one address. */
interface ChangeThere {
  /** In a few words, as it was read. */
  readonly text: SafeText;
  readonly action: Action;
}

/** Something to be done to a user, at one address or at all. */
export interface UserChange extends Pick<ConfirmRequest, 'question' | 'target' | 'details' | 'verb' | 'mustType' | 'warning'> {
  /** At the address that is shown. */
  readonly here: (place: UserPlace) => Action;
  /** At one of all addresses; `listed`: the user there, if there is one. */
  readonly there: (place: UserPlace, listed: AdminUser | undefined) => ChangeThere;
  /** What it does, as the rest of a sentence; raw. */
  readonly title: string;
}

const everywhere = ({ all }: UserAddresses): string => `all ${all.length} addresses`;

export const isEverywhere = (addresses: UserAddresses, values: Readonly<Record<string, string>>): boolean => values['where'] === everywhere(addresses);

/** A field that chooses where, where there is a choice. */
export const whereFields = (addresses: UserAddresses): readonly FormField[] =>
  addresses.shown === undefined || addresses.all.length < 2 ? [] : [{
    id: 'where', label: safe`Where`, kind: 'choice', choices: [addresses.shown, everywhere(addresses)], help: safe`Some brokers keep users per node. ← → or Space`,
  }];

/** The address that is shown, where there are others. */
export const placeOf = ({ shown, all }: UserAddresses): UserPlace => (all.length < 2 ? {} : { url: shown });

/** Which address is meant. */
export const placeLines = (theme: Theme, { shown }: UserAddresses): readonly SafeText[] =>
  shown === undefined ? [] : [safe`at ${theme.escape(shown)} only; some brokers keep users per node`];

/** What was found at one address, and what is done there. */
const changeAt = ({ there, target }: UserChange, { url, users }: UserListing, theme: Theme): ChangeThere => {
  const place: UserPlace = { url, isOneOfSeveral: true };
  if (users instanceof Error) {
    return { text: safe`not read, nothing will be sent: ${theme.escape(users.message)}`, action: leaveOut(there(place, undefined).action, `It could not be read before the question. ${users.message}`) };
  }
  return there(place, users.find(({ username }) => username === target));
};

/** Asks about a change at the address that is shown, or reads all addresses and then asks about all. */
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
