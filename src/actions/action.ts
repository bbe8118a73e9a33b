import type { ApiError, BrokerError } from '../api/errors.ts';
import type { CallOptions, Capabilities, ManagementApi } from '../api/management-api.ts';
import type { NodeName } from '../domain/node.ts';
import type { Effects } from '../monitor/state.ts';
import type { Secret } from './secret.ts';

/** A value that may be shown and recorded, so never a `Secret`. Raw text. */
export type ShownValue = string | number | boolean | undefined;
export type ShownValues = Readonly<Record<string, ShownValue>>;

/**
 * - `done`: the broker's state was read and is as wanted.
 * - `accepted`: the broker said yes, and nothing can be read that would prove it.
 * - `not-done`: nothing was sent, the broker refused, or its state was read and is not as wanted.
 * - `unknown`: it may or may not have happened.
 */
export type Outcome = 'done' | 'accepted' | 'not-done' | 'unknown';

/** Makes one reading request within the monitor's limits. @throws ApiError */
export type Read = <T>(request: (api: ManagementApi, options: CallOptions) => Promise<T>) => Promise<T>;

/** One request of an action, sent once and never retried. */
export interface PlannedRequest {
  /** `undefined` when it concerns all parts. */
  readonly node: NodeName | undefined;
  send(api: ManagementApi, options: CallOptions): Promise<void>;
}

/** The answer to a step. `unknown`: it may have been carried out. */
export interface Answer {
  readonly node: NodeName | undefined;
  readonly kind: 'accepted' | 'refused' | 'unknown' | 'not-sent';
  readonly error: ApiError | undefined;
}

/** What reading says about one part, usually a node; `node` is `undefined` for actions without parts. */
export interface VerificationResult {
  readonly node: NodeName | undefined;
  readonly state: 'as-wanted' | 'not-as-wanted' | 'unreadable';
  /** What was read, as a sentence; raw. */
  readonly text?: string | undefined;
  readonly error?: ApiError | undefined;
  /** Overrides the outcome that answer and state usually give. */
  readonly outcome?: Outcome | undefined;
}

/** What to send and how to verify it, made after the target was read again. */
export interface Plan {
  readonly requests: readonly PlannedRequest[];
  /** Targeted nodes that are left out, and why. */
  readonly omitted?: readonly VerificationResult[] | undefined;
  /** Stopped nodes that the operator was shown: they stay unchanged, which is no failure. */
  readonly stopped?: readonly NodeName[] | undefined;
  /** Nodes that need no request, and the sentence that says why; they count as done. */
  readonly already?: { readonly nodes: readonly NodeName[]; readonly text: string } | undefined;
  readonly before?: ShownValues | undefined;
  readonly after?: ShownValues | undefined;
  /** Reads everything that the action changes, once. `undefined` when nothing can be read. */
  readonly verify?: ((read: Read, answers: readonly Answer[]) => Promise<readonly VerificationResult[]>) | undefined;
  /** Whether to verify even though the broker refused. */
  readonly verifyDespiteRefusal?: ((error: ApiError) => boolean) | undefined;
  /** The state was as wanted before, so reading it proves nothing when the answer is missing. */
  readonly wasAsWanted?: boolean | undefined;
  /** For questions: the sentence for a yes (`undefined`) or a refusal; raw. `undefined` where the refusal is no answer. */
  readonly describeAnswer?: ((refusal: BrokerError | undefined) => string | undefined) | undefined;
}

/** The target read again: a plan, or why nothing is sent. `absent`: nobody is connected. `already`: it is as wanted. */
export type Recheck = { readonly plan: Plan } | { readonly changed: string } | { readonly absent: string } | { readonly already: string };

/** Something an operator wants done. Made once from what was shown, and frozen. Only `createRunner` runs it, once. */
export interface Action {
  /** The id of its definition. */
  readonly name: string;
  /** The only address it reads and sends at; any serving address unless given. */
  readonly url?: string | undefined;
  /** Runs these one after the other instead, each recorded by itself. */
  readonly each?: readonly Action[] | undefined;
  /** What the broker's API must be capable of. */
  readonly capability?: keyof Capabilities | undefined;
  /** The target as shown; recorded in the audit. */
  readonly target: ShownValues;
  /** Completes a sentence: `disconnect client x`. Raw. */
  readonly title: string;
  /** It changes nothing: a yes and a no are both answers. */
  readonly isQuestion?: true | undefined;
  /** The broker's words are left out if they may contain one of these. */
  readonly secrets?: readonly Secret[] | undefined;
  /** For a change of the program's own login: signs in with the new one from now on. */
  readonly updateCredentials?: ((api: ManagementApi) => void) | undefined;
  /** Why no broker can do it, as a sentence; nothing is sent. */
  readonly invalid?: string | undefined;
  /** What cannot be verified, as a sentence, for `accepted`. */
  readonly unverifiable?: string | undefined;
  /** Reads the target again. @param seenStopped nodes the monitor has seen stopped @throws ApiError nothing is sent then */
  recheck(read: Read, seenStopped: () => readonly NodeName[]): Promise<Recheck>;
  effects(result: ActionResult): Effects;
}

/** Why the outcome is what it is. Nothing was sent for any reason up to `not-sent`. */
export type Reason =
  | 'read-only' | 'repeated' | 'unsupported' | 'invalid' | 'unreadable' | 'changed' | 'absent' | 'already' | 'aborted' | 'not-recorded'
  | 'not-sent' | 'answer' | 'reading' | 'no-reading';

/** The outcome on one node or at one address. */
export interface ActionPart {
  /** For an action with `each`: the address. */
  readonly node: NodeName | undefined;
  readonly outcome: Outcome;
  readonly text: string | undefined;
  readonly error: ApiError | undefined;
  /** It was as wanted before, so nothing was sent. */
  readonly wasAlready?: boolean | undefined;
}

/** The result of an action. */
export interface ActionResult {
  /** The same in both audit lines. */
  readonly id: string;
  readonly outcome: Outcome;
  readonly reason: Reason;
  /** `false`: the broker only received reading requests. */
  readonly wasSent: boolean;
  readonly parts: readonly ActionPart[];
  /** Something was sent, and the broker accepted all of it. */
  readonly isAccepted: boolean;
  /** The first error of an answer, or the reason why nothing was sent. */
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
