import type { SafeText } from '../terminal/safe-text.ts';
import type { ApiError, BrokerError } from '../api/errors.ts';
import type { CallOptions, Capabilities, ManagementApi, ReadingApi, WriteApi } from '../api/management-api.ts';
import type { NodeName } from '../domain/node.ts';
import type { Effects } from '../monitor/state.ts';
import type { Secret } from './secret.ts';

/** A raw text or number; never a `Secret`. */
export type ShownValue = string | number | boolean | undefined;
export type ShownValues = Readonly<Record<string, ShownValue>>;

/**
 * The outcome of an action. `accepted`: the effect cannot be read. `not-done`: also if nothing was sent. `unknown`: it
 * may have happened.
 */
export type Outcome = 'done' | 'accepted' | 'not-done' | 'unknown';

/** The calls that a request of an action may use: writes, and the login that one of them changed. */
export type SendingApi = WriteApi & Pick<ManagementApi, 'setPassword'>;

/** The calls that rechecks, verifications and follow-ups may use: reads, and whether the broker accepts a login. */
export type AskingApi = ReadingApi & Pick<ManagementApi, 'checkCredentials' | 'setPassword'>;

/** Makes one reading request within the monitor's limits. @throws ApiError */
export type Read = <T>(request: (api: AskingApi, options: CallOptions) => Promise<T>) => Promise<T>;

/** One request of an action, sent once and never retried. */
export interface PlannedRequest {
  /** `undefined` when it concerns all parts. */
  readonly node: NodeName | undefined;
  /** The request is sent only if all before it were accepted. */
  readonly needsEarlier?: true | undefined;
  send(api: SendingApi, options: CallOptions): Promise<void>;
}

export interface RequestAnswer {
  readonly node: NodeName | undefined;
  readonly kind: 'accepted' | 'refused' | 'unknown' | 'not-sent';
  readonly error: ApiError | undefined;
}

/** The result of reading one part; `node` is `undefined` for actions without parts. */
export interface VerificationResult {
  readonly node: NodeName | undefined;
  readonly state: 'as-wanted' | 'not-as-wanted' | 'unreadable';
  readonly text?: string | undefined;
  readonly error?: ApiError | undefined;
  readonly outcome?: Outcome | undefined;
  /** Reading again would say nothing more, or do harm. */
  readonly isFinal?: true | undefined;
}

export interface Plan {
  readonly requests: readonly PlannedRequest[];
  readonly omitted?: readonly VerificationResult[] | undefined;
  /** Stopped nodes that the operator was shown: they stay unchanged, which is no failure. */
  readonly stopped?: readonly NodeName[] | undefined;
  readonly already?: { readonly nodes: readonly NodeName[]; readonly text: string } | undefined;
  readonly before?: ShownValues | undefined;
  readonly after?: ShownValues | undefined;
  /** Reads everything that the action changes, once. `undefined` when nothing can be read. */
  readonly verify?:
    | ((read: Read, answers: readonly RequestAnswer[]) => Promise<readonly VerificationResult[]>)
    | undefined;
  readonly verifyDespiteRefusal?: ((error: ApiError) => boolean) | undefined;
  /** The state was as wanted before, so reading it proves nothing when the answer is missing. */
  readonly wasAsWanted?: boolean | undefined;
  readonly describeAnswer?: ((refusal: BrokerError | undefined) => string | undefined) | undefined;
}

/** The target as read again: a plan, or why nothing is sent. `absent`: not connected. `already`: it is as wanted. */
export type Recheck =
  | { readonly plan: Plan }
  | { readonly changed: string }
  | { readonly absent: string }
  | { readonly already: string };

/** Says what a done action led to, as far as it was read. Raw text, one or more sentences. */
export interface FollowUp {
  readonly text: string;
  /** Reading again would say nothing more. */
  readonly isFinal: boolean;
}

/** @param elapsedMs time since the request was sent @throws ApiError */
export type ReadFollowUp = (read: Read, elapsedMs: () => number) => Promise<FollowUp | undefined>;

/**
 * Reads what a done action has left, and returns the action that takes it back. Refused, with a sentence, where that has
 * changed since or cannot be made again.
 *
 * @param changed what the action changed; from a file, if it was done in another run. @throws ApiError
 */
export type Undo = (changed: unknown, read: Read) => Promise<Undoing>;

export type Undoing = { readonly action: Action; readonly notes?: readonly string[] } | { readonly refused: string };

export interface ActionWords {
  readonly title: string;
  readonly past: string;
  readonly subject: string;
  /** The text of the outcome once the broker accepted an action whose effect can never be read. */
  readonly accepted?: string | undefined;
}

/** The words of a dialog that shows a secret. */
export interface DisclosureWords {
  readonly key: SafeText;
  readonly secret: SafeText;
  /** Says that it is shown once. */
  readonly onlyNow: SafeText;
  /** The button that closes the dialog. */
  readonly saved: SafeText;
  /** Said where quitting would lose it. */
  readonly lost: string;
}

/** Data that the broker reveals only once, shown by the dialog of its action and nowhere else. */
export interface Disclosure {
  readonly words: DisclosureWords;
  value: { readonly key: string; readonly secret: Secret } | undefined;
}

/** A confirmed change. Frozen, and run once, only by `createRunner`. */
export interface Action extends ActionWords {
  readonly name: string;
  /** The only address where the action reads and sends; any serving address by default. */
  readonly url?: string | undefined;
  /** Actions that are run one after the other instead, each recorded separately. */
  readonly each?: readonly Action[] | undefined;
  readonly capability?: keyof Capabilities | undefined;
  readonly target: ShownValues;
  readonly isQuestion?: true | undefined;
  /** The action ends or removes something. */
  readonly isDangerous?: true | undefined;
  /** The dialog stays open once the action is done, and says what it led to. */
  readonly staysOpen?: true | undefined;
  /** The broker's words are left out if they may contain one of these. */
  readonly secrets?: readonly Secret[] | undefined;
  /** Empty until the answer has arrived. */
  readonly disclosure?: Disclosure | undefined;
  readonly updateCredentials?: ((api: Pick<ManagementApi, 'setPassword'>) => void) | undefined;
  readonly invalid?: string | undefined;
  readonly unverifiable?: string | undefined;
  /** Reads the target again. @param seenStopped nodes the monitor has seen stopped @throws ApiError nothing is sent then */
  recheck(read: Read, seenStopped: () => readonly NodeName[]): Promise<Recheck>;
  effects(result: ActionResult): Effects;
  /** Returns what the action changed, for `undo` of its definition. Absent for an action that cannot be taken back. */
  readonly changed?: ((result: ActionResult) => object) | undefined;
  /** Reads, before the request, what later readings are compared with. */
  readonly prepareFollowUp?: ((read: Read) => Promise<ReadFollowUp>) | undefined;
}

/** The reason why an action ended. Nothing was sent for any reason up to `not-sent`. */
export type EndReason =
  | 'read-only'
  | 'repeated'
  | 'unsupported'
  | 'invalid'
  | 'unreadable'
  | 'changed'
  | 'absent'
  | 'already'
  | 'aborted'
  | 'not-recorded'
  | 'not-sent'
  | 'answer'
  | 'reading'
  | 'no-reading';

export interface ActionPart {
  readonly node: NodeName | undefined;
  readonly outcome: Outcome;
  readonly text: string | undefined;
  readonly error: ApiError | undefined;
  readonly wasAlready?: boolean | undefined;
}

export interface ActionResult {
  readonly id: string;
  readonly outcome: Outcome;
  readonly reason: EndReason;
  /** `false`: the broker only received reading requests. */
  readonly wasSent: boolean;
  readonly parts: readonly ActionPart[];
  readonly isAccepted: boolean;
  readonly error: ApiError | undefined;
  readonly why: string | undefined;
  readonly before: ShownValues | undefined;
  readonly after: ShownValues | undefined;
  readonly startedAtMs: number;
  readonly finishedAtMs: number;
  /** The outcome is true but could not be recorded. */
  readonly auditError: string | undefined;
}
