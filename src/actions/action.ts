import type { ApiError, BrokerError } from '../api/errors.ts';
import type { CallOptions, Capabilities, ManagementApi } from '../api/management-api.ts';
import type { NodeName } from '../domain/node.ts';
import type { Effects } from '../monitor/state.ts';
import type { Secret } from './secret.ts';

/** What may be shown and recorded; a `Secret` is none. Text is raw and has not passed safe-text. */
export type ShownValue = string | number | boolean | undefined;
export type ShownValues = Readonly<Record<string, ShownValue>>;

/**
 * - `done`: the broker's state was read and is as wanted.
 * - `accepted`: the broker said yes, and nothing can be read that would prove it.
 * - `not-done`: nothing was sent, the broker refused, or its state was read and is not as wanted.
 * - `unknown`: it may or may not have happened.
 */
export type Outcome = 'done' | 'accepted' | 'not-done' | 'unknown';

/** Makes one reading request, within the limits of the monitor. @throws ApiError */
export type Read = <T>(request: (api: ManagementApi, options: CallOptions) => Promise<T>) => Promise<T>;

/** One request of an action. It is sent once and never again. */
export interface Step {
  /** The node it concerns; `undefined` when it concerns all parts. */
  readonly node: NodeName | undefined;
  send(api: ManagementApi, options: CallOptions): Promise<void>;
}

/** What came back for a step. `unknown`: it may have been carried out. */
export interface Answer {
  readonly node: NodeName | undefined;
  readonly kind: 'accepted' | 'refused' | 'unknown' | 'not-sent';
  readonly error: ApiError | undefined;
}

/** What reading says of one part, usually a node; actions without parts have one whose node is `undefined`. */
export interface VerificationResult {
  readonly node: NodeName | undefined;
  readonly state: 'as-wanted' | 'not-as-wanted' | 'unreadable';
  /** What was found, as a sentence; raw. */
  readonly text?: string | undefined;
  readonly error?: ApiError | undefined;
  /** Where answer and state together mean something else than usual. */
  readonly outcome?: Outcome | undefined;
}

/** What is to be done, now that the target has been read again. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Nodes that were meant but are left out, and why. */
  readonly omitted?: readonly VerificationResult[] | undefined;
  /** Nodes that do not run, which the operator was told of: they stay as they are, and nothing is amiss with that. */
  readonly stopped?: readonly NodeName[] | undefined;
  /** Nodes that are as wanted before anything is sent, and what is so, as a sentence: they are not asked for it, and are done. */
  readonly already?: { readonly nodes: readonly NodeName[]; readonly text: string } | undefined;
  readonly before?: ShownValues | undefined;
  readonly after?: ShownValues | undefined;
  /** One reading of everything the action changes. `undefined` when nothing can be read. */
  readonly verify?: ((read: Read, answers: readonly Answer[]) => Promise<readonly VerificationResult[]>) | undefined;
  /** The broker's refusal leaves open what is so: read all the same. */
  readonly verifyDespiteRefusal?: ((error: ApiError) => boolean) | undefined;
  /** It was as wanted before: reading it again proves nothing about a request whose answer is missing. */
  readonly wasAsWanted?: boolean | undefined;
  /**
   * The answer itself is what was asked for: what a yes (`undefined`) or a refusal says, as a sentence; raw.
   * `undefined` where a refusal is none.
   */
  readonly describeAnswer?: ((refusal: BrokerError | undefined) => string | undefined) | undefined;
}

/**
 * What re-reading the target says: go on, or do not, and why; `absent`: nobody is connected, as it may have been all along;
 * `already`: it is as wanted, so there is nothing to send.
 */
export type Recheck = { readonly plan: Plan } | { readonly changed: string } | { readonly absent: string } | { readonly already: string };

/**
 * Something that an operator wants done to the broker. Made once from what was shown, and frozen: a
 * list that moves on behind a dialog changes nothing here. Runs once, by `createRunner` alone.
 */
export interface Action {
  /** The id of its definition. */
  readonly name: string;
  /** The address that it is read and sent at, and no other; any that serves unless given. */
  readonly url?: string | undefined;
  /** It is these, one after the other, each run and recorded by itself; nothing else of it is. */
  readonly each?: readonly Action[] | undefined;
  /** What the broker's variant must be capable of. */
  readonly capability?: keyof Capabilities | undefined;
  /** What it is to be done to, as shown. */
  readonly target: ShownValues;
  /** What it does, as the rest of a sentence: `disconnect client x`. Raw. */
  readonly title: string;
  /** Only asks: an answer is what comes of it, be it yes or no. */
  readonly isQuestion?: true | undefined;
  /** What the broker says of them is left out where they may be in it. */
  readonly secrets?: readonly Secret[] | undefined;
  /** Changes what this program itself signs in with: makes it sign in with that from now on. */
  readonly updateCredentials?: ((api: ManagementApi) => void) | undefined;
  /** Why it cannot be asked of any broker, as a sentence; nothing is sent then. */
  readonly invalid?: string | undefined;
  /** What cannot be known afterwards, as a sentence, for `accepted`. */
  readonly unverifiable?: string | undefined;
  /**
   * Reads the target again. @throws ApiError: nothing is sent then
   * @param seenStopped nodes that do not run, as far as the monitor has seen
   */
  recheck(read: Read, seenStopped: () => readonly NodeName[]): Promise<Recheck>;
  effects(result: ActionResult): Effects;
}

/** Why the outcome is what it is. Up to `not-sent` nothing was sent. */
export type Reason =
  | 'read-only' | 'repeated' | 'unsupported' | 'invalid' | 'unreadable' | 'changed' | 'absent' | 'already' | 'aborted' | 'not-recorded'
  | 'not-sent' | 'answer' | 'reading' | 'no-reading';

/** The outcome on one node, or at one address of several. */
export interface ActionPart {
  /** The address, of an action with `each`. */
  readonly node: NodeName | undefined;
  readonly outcome: Outcome;
  readonly text: string | undefined;
  readonly error: ApiError | undefined;
  /** It was as wanted before, so nothing was sent for it. */
  readonly wasAlready?: boolean | undefined;
}

/** What came of an action. */
export interface ActionResult {
  /** Links the two lines of the audit. */
  readonly id: string;
  readonly outcome: Outcome;
  readonly reason: Reason;
  /** `false`: the broker has not been asked for anything but readings. */
  readonly wasSent: boolean;
  readonly parts: readonly ActionPart[];
  /** The broker said yes to all that was sent, of which there is something. */
  readonly isAccepted: boolean;
  /** What the broker answered, where that is not yes, or what kept the action from being sent. */
  readonly error: ApiError | undefined;
  /** Why, as a sentence; raw. */
  readonly why: string | undefined;
  readonly before: ShownValues | undefined;
  readonly after: ShownValues | undefined;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  /** The outcome is true but could not be recorded. */
  readonly auditError: string | undefined;
}
