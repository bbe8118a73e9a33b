import { createContext, use } from 'react';
import type { Action } from '../../actions/action.ts';
import type { BulkTarget } from '../../actions/bulk.ts';
import type { Subscriber } from '../../actions/clients.ts';
import type { AdminUser } from '../../domain/administration.ts';
import type { Qos } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { Confirmation } from '../components/confirm.tsx';

export interface FormField {
  readonly id: string;
  readonly label: SafeText;
  readonly initial?: string | undefined;
  /** `hidden` shows dots and is forgotten when the form is left; `choice` takes one of `choices`; `lines` a text of several lines. */
  readonly kind?: 'text' | 'hidden' | 'choice' | 'lines' | undefined;
  /** Raw; the first one is the initial one unless `initial` says otherwise. */
  readonly choices?: readonly string[] | undefined;
  /** Stands where nothing was typed, while the field is not being typed in. */
  readonly placeholder?: SafeText | undefined;
  /** A sentence, shown while the field is being typed in; where it depends on the other fields, made of what stands in them. */
  readonly help?: SafeText | ((values: Readonly<Record<string, string>>) => SafeText) | undefined;
}

/** What a form comes to: why not and in which field, or what is asked next. */
export type Built = { readonly error: SafeText; readonly field?: string | undefined } | { readonly next: AskRequest };

export interface ConfirmRequest {
  readonly kind: 'confirm';
  readonly question: SafeText;
  /** Raw; shown in full and frozen. */
  readonly target: string;
  readonly details?: Confirmation['details'];
  /** What `y` does, in a word or two. */
  readonly verb: SafeText;
  readonly action: Action;
  /** Raw text that has to be typed before anything is done, e.g. the name of a plugin. */
  readonly mustType?: string | undefined;
  readonly warning?: SafeText | undefined;
}

export interface FormRequest {
  readonly kind: 'form';
  readonly title: SafeText;
  readonly fields: readonly FormField[];
  /** Index of the field that is typed into first; the first one unless it says otherwise. */
  readonly focus?: number | undefined;
  /** It begins with what the operator did not type, so that what is wrong with that is said at once; else only when a field is left. */
  readonly isFilledIn?: boolean | undefined;
  /** What Enter on the last field leads to, in a word or two. */
  readonly verb: SafeText;
  readonly notes?: readonly SafeText[] | undefined;
  /**
   * Called on every change; a string is the error line; `next` is asked afterwards with its own
   * confirmation. `later` is called when the form is left, for what has to be fetched first; `field` is
   * the one that says what.
   */
  readonly build: (values: Readonly<Record<string, string>>) => Built | { readonly later: () => Promise<Built>; readonly field: string };
}

export interface MenuChoice {
  readonly id: string;
  readonly label: SafeText;
  /** The key that does the same. */
  readonly note?: SafeText | undefined;
  readonly request: AskRequest;
}

export interface MenuRequest {
  readonly kind: 'menu';
  readonly title: SafeText;
  readonly choices: readonly MenuChoice[];
  /** Why something is missing. */
  readonly notes?: readonly SafeText[] | undefined;
}

/** Disconnects many: a preview, the number typed, then paced. */
export interface BulkDisconnectRequest {
  readonly kind: 'bulk';
  /** As they were when they were marked; all of one kind. */
  readonly targets: readonly BulkTarget[];
  /** How many of them are not listed any more as they were marked. */
  readonly changedCount: number;
  /** How many of them the list shows: a filter may hide others. */
  readonly shownCount: number;
  /** Called when it begins: the marks have served. */
  readonly onBegin?: (() => void) | undefined;
  /** Called when it is over, with the places of those targets for which nothing was sent and that are worth another try. */
  readonly onEnd?: ((left: ReadonlySet<number>) => void) | undefined;
}

/** Something to do to whoever is connected with an id, once it has been read who that is. */
export interface ReadClientRequest {
  readonly kind: 'read-client';
  readonly clientId: string;
  readonly node: NodeName | undefined;
  readonly wish: 'disconnect' | 'clear-acl';
}

/** To subscribe a client, once it has been read what it is subscribed to already. */
export interface ReadSubscriptionRequest {
  readonly kind: 'read-subscription';
  readonly subscriber: Subscriber;
  readonly topic: string;
  readonly qos: Qos;
}

/** Lets one of a client's subscriptions be chosen and removed. */
export interface ChooseSubscriptionRequest {
  readonly kind: 'choose-subscription';
  readonly clientId: string;
  /** Where the client is, as far as that is known: its subscriptions do not tell. */
  readonly node?: NodeName | undefined;
}

/** What the users are at one address, or why that could not be read. */
export interface UserListing {
  readonly url: string;
  readonly users: readonly AdminUser[] | Error;
}

/** Something to do to a user at each address, once it has been read what is so there. */
export interface ReadUsersRequest {
  readonly kind: 'read-users';
  readonly title: SafeText;
  readonly urls: readonly string[];
  readonly next: (listings: readonly UserListing[]) => ConfirmRequest;
}

/** Something to be read in full, of which a list shows a part. */
export interface TextRequest {
  readonly kind: 'text';
  readonly title: SafeText;
  readonly parts: readonly { readonly label: SafeText; readonly text: SafeText }[];
}

export type AskRequest = TextRequest | ConfirmRequest | FormRequest | MenuRequest | BulkDisconnectRequest | ReadClientRequest | ReadSubscriptionRequest | ReadUsersRequest | ChooseSubscriptionRequest;

export type Ask = (request: AskRequest) => void;

export const AskContext = createContext<Ask | undefined>(undefined);

/** Opens a dialog over the screen; it runs the action through the monitor and shows what came of it. */
export const useAsk = (): Ask => {
  const ask = use(AskContext);
  return ask ?? refuse;
};

const refuse: Ask = () => {
  throw new Error('asked outside AskContext');
};

/** What to ask, or why there is nothing to ask. */
export type Asked = { readonly request: AskRequest } | { readonly refused: SafeText };

/** Asks, or says why there is nothing to ask. */
export const useAskOrSay = (notify: (text: SafeText) => void): ((asked: Asked) => void) => {
  const ask = useAsk();
  return (asked) => {
    if ('request' in asked) ask(asked.request);
    else notify(asked.refused);
  };
};
