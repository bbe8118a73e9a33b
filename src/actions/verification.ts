import { type ApiError, BrokerError, gatewayStatuses, HttpStatusError, isNeverConnected } from '../api/errors.ts';
import { type Clock, sleep } from '../monitor/clock.ts';
import { toApiError } from '../monitor/polling/backoff.ts';
import type { ActionPart, Answer, Outcome, Plan, Read, VerificationResult } from './action.ts';
import type { Secret } from './secret.ts';

/** Max time to wait for the effect. */
export const verificationMs = 5_000;
/** Pauses between readings: the effect shows at once, or after the cluster has synchronized. */
const pausesMs = [250, 500, 1_000, 2_000] as const;

export interface VerificationOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A reading that ends with the given signal. */
  readonly readWith: (signal: AbortSignal) => Read;
}

/** Settles with `work`, or rejects as soon as the signal aborts, which a port may ignore. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => { reject(signal.reason); };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => { signal.removeEventListener('abort', end); });
  });
}

/** Reads until everything is as wanted, max five times and 5 s. Returns the last completed reading. */
export async function verify(verifyPlan: NonNullable<Plan['verify']>, answers: readonly Answer[], options: VerificationOptions): Promise<readonly VerificationResult[]> {
  const { clock, signal } = options;
  const budget = new AbortController();
  const cancelDeadline = clock.setTimer(verificationMs, () => { budget.abort(); });
  const both = AbortSignal.any([signal, budget.signal]);
  let verificationResults: readonly VerificationResult[] = [];
  try {
    for (const pauseMs of [0, ...pausesMs]) {
      if (pauseMs > 0) await sleep(clock, pauseMs, both);
      if (both.aborted) break;
      const next = await readOnce(verifyPlan, answers, options.readWith(both), both);
      // Cut short by the deadline: the previous reading stands.
      if (both.aborted && verificationResults.length > 0) break;
      verificationResults = next;
      if (verificationResults.length > 0 && verificationResults.every(({ state }) => state === 'as-wanted')) break;
    }
  } finally {
    cancelDeadline();
  }
  return verificationResults;
}

async function readOnce(verifyPlan: NonNullable<Plan['verify']>, answers: readonly Answer[], read: Read, signal: AbortSignal): Promise<readonly VerificationResult[]> {
  try {
    return await untilAborted(verifyPlan(read, answers), signal);
  } catch (thrown) {
    return [{ node: undefined, state: 'unreadable', error: signal.aborted ? undefined : toApiError(thrown) }];
  }
}

/** The outcome of each part, from the answers and the readings. */
export function judge(plan: Plan, answers: readonly Answer[], verificationResults: readonly VerificationResult[]): readonly ActionPart[] {
  const general = answers.find(({ node }) => node === undefined);
  // A reading that failed completely says nothing about single nodes.
  const whole = verificationResults.find(({ node }) => node === undefined);
  const nodes = new Set([...answers.map(({ node }) => node), ...verificationResults.map(({ node }) => node)]);
  if (nodes.size > 1) nodes.delete(undefined);
  return [...nodes].map((node) => {
    const answer = answers.find((each) => each.node === node) ?? general;
    return judgePart(plan, node, answer, verificationResults.find((each) => each.node === node) ?? whole);
  });
}

function judgePart(plan: Plan, node: ActionPart['node'], answer: Answer | undefined, verification: VerificationResult | undefined): ActionPart {
  const answered = answerText(plan, answer);
  if (answered !== undefined) return { node, outcome: 'done', text: answered, error: undefined };
  const error = answer?.error ?? verification?.error;
  const outcome = verification?.outcome ?? outcomeOf(plan, answer, verification);
  const text = verification?.text === undefined ? textOf(outcome, answer, verification, error) : withAnswer(outcome, answer, verification.text);
  if (outcome !== 'done' || answer?.kind !== 'unknown' || answer.error === undefined) return { node, outcome, text, error };
  const proof = `It was read back and is done, although the broker did not say yes. ${errorText(answer.error)}`;
  return { node, outcome, text: text === undefined ? proof : `${text} ${proof}`, error };
}

function withAnswer(outcome: Outcome, answer: Answer | undefined, found: string): string {
  return outcome === 'done' || answer?.error === undefined ? found : `${errorText(answer.error)} ${found}`;
}

const errorText = (error: ApiError): string =>
  (error instanceof BrokerError && error.brokerMessage !== undefined ? `${error.message} It says: ${error.brokerMessage}` : error.message);

function answerText(plan: Plan, answer: Answer | undefined): string | undefined {
  if (answer?.kind === 'accepted') return plan.describeAnswer?.(undefined);
  return answer?.kind === 'refused' && answer.error instanceof BrokerError ? plan.describeAnswer?.(answer.error) : undefined;
}

/**
 * | answer | read: as wanted | not as wanted | unreadable | nothing to read |
 * |---|---|---|---|---|
 * | yes | done | not done | unknown | accepted |
 * | refused, not sent | not done | not done | not done | not done |
 * | lost | done | not done; unknown when it may still happen | unknown | unknown |
 */
function outcomeOf(plan: Plan, answer: Answer | undefined, verification: VerificationResult | undefined): Outcome {
  const kind = answer?.kind ?? 'not-sent';
  if (kind === 'refused' || kind === 'not-sent') return 'not-done';
  if (verification === undefined) {
    return kind === 'unknown' || plan.verify !== undefined ? 'unknown' : 'accepted';
  }
  if (verification.state === 'unreadable') return 'unknown';
  if (verification.state === 'as-wanted') return kind === 'unknown' && plan.wasAsWanted === true ? 'unknown' : 'done';
  return kind === 'unknown' && mayStillHappen(answer?.error) ? 'unknown' : 'not-done';
}

function textOf(outcome: Outcome, answer: Answer | undefined, verification: VerificationResult | undefined, error: ApiError | undefined): string | undefined {
  if (outcome === 'done' || outcome === 'accepted') return undefined;
  if (answer?.kind === 'refused' || answer?.kind === 'not-sent') return error === undefined ? undefined : errorText(error);
  if (outcome === 'unknown') {
    const reading = verification?.state === 'not-as-wanted' ? 'It had not happened when it was last read; whether it has since is not known.' : 'It could not be read whether it happened.';
    return answer?.error === undefined ? `The broker said yes. ${reading}` : `${errorText(answer.error)} ${reading}`;
  }
  return answer?.error === undefined ? 'The broker said yes, but nothing changed.' : `${errorText(answer.error)} Nothing changed.`;
}

/** All parts combined; the worst one counts. */
export function overall(parts: readonly ActionPart[]): Outcome {
  const outcomes = new Set(parts.map(({ outcome }) => outcome));
  for (const outcome of ['not-done', 'unknown', 'accepted'] as const) if (outcomes.has(outcome)) return outcome;
  return parts.length === 0 ? 'not-done' : 'done';
}

/**
 * What a failure says about the request. `refused`: understood and not carried out. `unknown` also for 404, which a
 * crashed handler answers, for 101, where a node did not answer another (§7), and for statuses below 400 outside the API.
 */
export function kindOfFailure(error: ApiError): Exclude<Answer['kind'], 'accepted'> {
  if (error instanceof BrokerError) return error.kind === 'node-unreachable' ? 'unknown' : 'refused';
  switch (error.kind) {
    case 'unsupported':
    case 'unusable-id':
    case 'refused':
    case 'read-only':
      return 'not-sent';
    case 'unauthorized':
      return isNeverConnected(error) ? 'not-sent' : 'refused';
    case 'rate-limited':
      return 'refused';
    case 'http-status':
      return error instanceof HttpStatusError && isRefusal(error.status) ? 'refused' : 'unknown';
    case 'unreachable':
    case 'timeout':
      return isNeverConnected(error) ? 'not-sent' : 'unknown';
    default:
      return 'unknown';
  }
}

const isRefusal = (status: number): boolean => status >= 400 && status < 500;

/**
 * Whether it may still be carried out: nobody has said that it is over. A broker that answered in its own format, even
 * with a crash, has finished.
 */
export function mayStillHappen(error: ApiError | undefined): boolean {
  switch (error?.kind) {
    case 'aborted':
    case 'bad-answer':
    case 'no-answer':
    case 'timeout':
    case 'too-large':
    case 'unreachable':
      return true;
    case 'node-unreachable':
      return true;
    case 'http-status':
      return error instanceof HttpStatusError && (error.status < 400 || gatewayStatuses.has(error.status));
    default:
      return false;
  }
}

/** The error without the broker's words if they may contain a secret. Cutting it out would reveal a short one. */
export function withoutSecrets(error: ApiError, secrets: readonly Secret[]): ApiError {
  if (!(error instanceof BrokerError) || error.brokerMessage === undefined) return error;
  const { brokerMessage } = error;
  return secrets.some((secret) => secret.isIn(brokerMessage)) ? error.withoutWords() : error;
}
