import type { DisconnectTarget } from '../domain/client.ts';
import type { SlicedTask } from '../domain/sliced-task.ts';
import type { MonitorState } from '../monitor/state.ts';
import type { SafeText } from '../terminal/safe-text.ts';
import type { Action } from './action.ts';
import type { ActingMonitor } from './acting-monitor.ts';

/** Text of others; a bar marks each of its lines. */
export interface Quoted {
  readonly quoted: SafeText;
}

export interface FormField {
  readonly id: string;
  readonly label: SafeText;
  readonly initial?: string | undefined;
  /** `hidden` shows dots and is never kept; `choice` takes one of `choices`; `lines` takes several lines. */
  readonly kind?: 'text' | 'hidden' | 'choice' | 'lines' | undefined;
  /** Raw; the first is the default unless `initial` is given. */
  readonly choices?: readonly string[] | undefined;
  readonly placeholder?: SafeText | undefined;
  readonly help?: SafeText | ((values: Readonly<Record<string, string>>) => SafeText) | undefined;
}

/** The result of submitting a form. `done` closes the form. */
export type Built =
  | { readonly error: SafeText; readonly field?: string | undefined }
  | { readonly next: DialogRequest }
  | { readonly done: () => void };

/** Tells a dialog that its target is not what it was. */
export interface TargetFollow {
  /** Said while the target is as it was. */
  readonly note: SafeText;
  /** Returns what has become of it since `sinceMs` (steady time); `undefined` if the state does not say. */
  readonly changeSince: (state: MonitorState, sinceMs: number) => SafeText | 'unchanged' | undefined;
}

export interface ConfirmRequest {
  readonly kind: 'confirm';
  readonly question: SafeText;
  readonly target: string;
  readonly details?: readonly (SafeText | Quoted)[] | undefined;
  readonly verb: SafeText;
  /** The label of the button that confirms; by default the verb. */
  readonly button?: SafeText | undefined;
  readonly action: Action;
  /** Raw text that has to be typed to confirm, such as a plugin's name. */
  readonly mustType?: string | undefined;
  readonly warning?: SafeText | undefined;
  /** Says what became of the target while the dialog is open. */
  readonly follow?: TargetFollow | undefined;
  /** Offered when the action is done. */
  readonly offer?: { readonly label: SafeText; readonly request: DialogRequest } | undefined;
  /** The command that is run once the action is done, to show what it made. */
  readonly showWith?: string | undefined;
  /** Called when the action is done or skipped, so that there is nothing to try again. */
  readonly onSettled?: (() => void) | undefined;
}

export interface FormRequest {
  readonly kind: 'form';
  /** The form sends nothing to the broker, so read-only mode has it too. */
  readonly isLocal?: true | undefined;
  readonly title: SafeText;
  readonly fields: readonly FormField[];
  readonly focus?: number | undefined;
  /** The initial values did not come from the operator, so errors show at once instead of after leaving a field. */
  readonly isFilledIn?: boolean | undefined;
  readonly verb: SafeText;
  readonly notes?: readonly SafeText[] | undefined;
  /** Builds the action. `later` is called when the form is submitted, and may tell how far it is; `field` is where its error belongs. */
  readonly build: (
    values: Readonly<Record<string, string>>,
  ) => Built | { readonly later: (tell: (progress: SafeText) => void) => Promise<Built>; readonly field: string };
}

export interface MenuChoice {
  readonly id: string;
  readonly label: SafeText;
  readonly note?: SafeText | undefined;
  /** The dialog that it opens, or the name of the command that it runs. */
  readonly next: DialogRequest | string;
}

export interface MenuRequest {
  readonly kind: 'menu';
  readonly title: SafeText;
  /** The choice that is selected at first; by default the first. */
  readonly selectedId?: string | undefined;
  readonly choices: readonly MenuChoice[];
  readonly notes?: readonly SafeText[] | undefined;
}

/** Chooses how a screen shows its rows. Sends nothing to the broker, so read-only mode has it too. */
export interface ChooseRequest {
  readonly kind: 'choose';
  readonly title: SafeText;
  /** The choice that is selected at first; by default the first. */
  readonly selectedId?: string | undefined;
  /** `note` is computed while the menu is open. */
  readonly choices: readonly {
    readonly id: string;
    readonly label: SafeText;
    readonly note: () => SlicedTask<SafeText>;
  }[];
  readonly onChoose: (id: string) => void;
}

/** Disconnects many clients: a preview, the number typed, then at a limited rate. */
export interface BulkDisconnectRequest {
  readonly kind: 'bulk';
  /** The group that the targets are, and the property that they have in common; by default they are the marked rows. */
  readonly group?: { readonly by: string; readonly text: SafeText } | undefined;
  /** The targets as they were when selected; all of one kind. */
  readonly targets: readonly DisconnectTarget[];
  /** Targets that have changed since, and are skipped. */
  readonly changedIds: ReadonlySet<string>;
  readonly shownCount: number;
  /** A ban keeps the clients from reconnecting. */
  readonly areBanned?: true | undefined;
  readonly onBegin?: (() => void) | undefined;
  /** Called with the indexes of the targets worth another try. */
  readonly onEnd?: ((left: ReadonlySet<number>) => void) | undefined;
}

/** Everything that a dialog needs to read from the broker. */
export interface DialogReader {
  readonly monitor: ActingMonitor;
  /** Aborted when the dialog is closed. */
  readonly signal: AbortSignal;
}

/** Reads something first, and becomes the next dialog, or says why there is none. */
export interface ReadRequest {
  readonly kind: 'read';
  readonly title: SafeText;
  /** Said while it reads. */
  readonly waiting?: SafeText | undefined;
  /** An error that it rejects with is shown. */
  readonly read: (reader: DialogReader) => Promise<DialogOrRefusal>;
}

export interface TextRequest {
  readonly kind: 'text';
  readonly title: SafeText;
  /** A part without a label continues the one above. `isBlock`: the label has a line of its own. */
  readonly parts: readonly {
    readonly label: SafeText | undefined;
    readonly text: SafeText;
    readonly isBlock?: boolean | undefined;
  }[];
  /** Changes what the dialog shows. */
  readonly change?: DialogRequest | undefined;
}

export type DialogRequest =
  | TextRequest
  | ChooseRequest
  | ConfirmRequest
  | FormRequest
  | MenuRequest
  | BulkDisconnectRequest
  | ReadRequest;

/** The dialog of an action, or why it cannot be done. */
export type DialogOrRefusal = { readonly request: DialogRequest } | { readonly refused: SafeText };
