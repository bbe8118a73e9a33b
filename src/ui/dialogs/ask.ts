import { createContext, use } from 'react';
import type { Action } from '../../actions/action.ts';
import type { DisconnectTarget } from '../../actions/bulk.ts';
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
  /** `hidden` shows dots and is never kept; `choice` takes one of `choices`; `lines` takes several lines. */
  readonly kind?: 'text' | 'hidden' | 'choice' | 'lines' | undefined;
  /** Raw; the first is the default unless `initial` is given. */
  readonly choices?: readonly string[] | undefined;
  /** Shown while the field is empty and not focused. */
  readonly placeholder?: SafeText | undefined;
  /** Shown while the field is focused; may depend on the other fields. */
  readonly help?: SafeText | ((values: Readonly<Record<string, string>>) => SafeText) | undefined;
}

/** The result of a form: an error with its field, or the next dialog. */
export type Built = { readonly error: SafeText; readonly field?: string | undefined } | { readonly next: AskRequest };

export interface ConfirmRequest {
  readonly kind: 'confirm';
  readonly question: SafeText;
  /** Raw; shown in full. */
  readonly target: string;
  readonly details?: Confirmation['details'];
  /** What `y` does, in a word or two. */
  readonly verb: SafeText;
  readonly action: Action;
  /** Raw text that has to be typed to confirm, such as a plugin's name. */
  readonly mustType?: string | undefined;
  readonly warning?: SafeText | undefined;
}

export interface FormRequest {
  readonly kind: 'form';
  readonly title: SafeText;
  readonly fields: readonly FormField[];
  /** Index of the field focused first; default 0. */
  readonly focus?: number | undefined;
  /** The initial values did not come from the operator, so errors show at once instead of after leaving a field. */
  readonly isFilledIn?: boolean | undefined;
  /** What Enter does on the last field, in a word or two. */
  readonly verb: SafeText;
  readonly notes?: readonly SafeText[] | undefined;
  /** Called on every change. `later` is called when the form is submitted, for what has to be fetched first; `field` is where its error belongs. */
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
  /** Why a choice is missing. */
  readonly notes?: readonly SafeText[] | undefined;
}

/** Disconnects many clients: a preview, the number typed, then at a limited rate. */
export interface BulkDisconnectRequest {
  readonly kind: 'bulk';
  /** As they were when selected; all of one kind. */
  readonly targets: readonly DisconnectTarget[];
  /** How many are no longer listed as selected. */
  readonly changedCount: number;
  /** How many the filter shows. */
  readonly shownCount: number;
  /** Called when it starts. */
  readonly onBegin?: (() => void) | undefined;
  /** Called at the end, with the indexes of the targets worth another try. */
  readonly onEnd?: ((left: ReadonlySet<number>) => void) | undefined;
}

/** Reads who is connected with an id, then asks. */
export interface ReadClientRequest {
  readonly kind: 'read-client';
  readonly clientId: string;
  readonly node: NodeName | undefined;
  readonly wish: 'disconnect' | 'clear-acl';
}

/** Reads a client's subscriptions, then asks whether to subscribe. */
export interface ReadSubscriptionRequest {
  readonly kind: 'read-subscription';
  readonly subscriber: Subscriber;
  readonly topic: string;
  readonly qos: Qos;
}

/** Reads a client's subscriptions, then offers to remove one. */
export interface ChooseSubscriptionRequest {
  readonly kind: 'choose-subscription';
  readonly clientId: string;
  /** The client's node, if known: its subscriptions do not have it. */
  readonly node?: NodeName | undefined;
}

/** The users at one address, or the error. */
export interface UserListing {
  readonly url: string;
  readonly users: readonly AdminUser[] | Error;
}

/** Reads the users at each address, then asks once for all. */
export interface ReadUsersRequest {
  readonly kind: 'read-users';
  readonly title: SafeText;
  readonly urls: readonly string[];
  readonly next: (listings: readonly UserListing[]) => ConfirmRequest;
}

/** Shows texts in full that a list cuts. */
export interface TextRequest {
  readonly kind: 'text';
  readonly title: SafeText;
  readonly parts: readonly { readonly label: SafeText; readonly text: SafeText }[];
}

export type AskRequest = TextRequest | ConfirmRequest | FormRequest | MenuRequest | BulkDisconnectRequest | ReadClientRequest | ReadSubscriptionRequest | ReadUsersRequest | ChooseSubscriptionRequest;

export type Ask = (request: AskRequest) => void;

export const AskContext = createContext<Ask | undefined>(undefined);

/** Opens a dialog, which runs the action and shows its outcome. */
export const useAsk = (): Ask => {
  const ask = use(AskContext);
  return ask ?? refuse;
};

const refuse: Ask = () => {
  throw new Error('useAsk outside AskContext');
};

/** The dialog to open, or why there is none. */
export type DialogOrRefusal = { readonly request: AskRequest } | { readonly refused: SafeText };

/** Opens the dialog, or shows why there is none. */
export const useAskOrNotify = (notify: (text: SafeText) => void): ((asked: DialogOrRefusal) => void) => {
  const ask = useAsk();
  return (dialog) => {
    if ('request' in dialog) ask(dialog.request);
    else notify(dialog.refused);
  };
};
