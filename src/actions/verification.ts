import {
  ApiError,
  asApiError,
  BrokerError,
  gatewayStatuses,
  HttpStatusError,
  isNeverConnected,
  NotSupportedError,
  RefusedError,
} from '../api/errors.ts';
import type { BrokerSeconds, NodeName } from '../domain/node.ts';
import { type Clock, sleep } from '../monitor/clock.ts';
import { maybeOnStoppedNodeText } from '../monitor/texts.ts';
import type { ActionPart, ActionResult, RequestAnswer, Outcome, Plan, Read, VerificationResult } from './action.ts';
import type { Secret } from './secret.ts';
import { outcomeTexts, skipTexts, verificationTexts } from './texts.ts';

export const verificationMs = 5_000;
/** Pauses between readings: the effect shows at once, or after the cluster has synchronized. */
const pausesMs = [250, 500, 1_000, 2_000] as const;

export interface VerificationOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly readWith: (signal: AbortSignal) => Read;
}

/** Returns the nodes that an action changed, without those that were as wanted before. */
export const changedNodes = ({ parts }: Pick<ActionResult, 'parts'>): readonly NodeName[] =>
  parts.flatMap(({ node, outcome, wasAlready }) =>
    node !== undefined && outcome === 'done' && wasAlready !== true ? [node] : [],
  );

/** Settles with `work`, or rejects as soon as the signal aborts, which a port may ignore. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      reject(signal.reason);
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', end);
    });
  });
}

/** Reads whether an action happened: at most five readings in 5 s. Returns the last completed one. */
export async function verify(
  verifyPlan: NonNullable<Plan['verify']>,
  answers: readonly RequestAnswer[],
  options: VerificationOptions,
): Promise<readonly VerificationResult[]> {
  const { clock, signal } = options;
  const budget = new AbortController();
  const cancelDeadline = clock.setTimer(verificationMs, () => {
    budget.abort();
  });
  const both = AbortSignal.any([signal, budget.signal]);
  let verificationResults: readonly VerificationResult[] = [];
  try {
    for (const pauseMs of [0, ...pausesMs]) {
      if (pauseMs > 0) await sleep(clock, pauseMs, both);
      if (both.aborted) break;
      const next = await readOnce(verifyPlan, answers, options.readWith(both), both);
      if (both.aborted && verificationResults.length > 0) break;
      verificationResults = next;
      if (verificationResults.length > 0 && verificationResults.every(isSettled)) break;
    }
  } finally {
    cancelDeadline();
  }
  return verificationResults;
}

const isSettled = ({ state, isFinal }: VerificationResult): boolean => state === 'as-wanted' || isFinal === true;

async function readOnce(
  verifyPlan: NonNullable<Plan['verify']>,
  answers: readonly RequestAnswer[],
  read: Read,
  signal: AbortSignal,
): Promise<readonly VerificationResult[]> {
  try {
    return await untilAborted(verifyPlan(read, answers), signal);
  } catch (thrown) {
    const error = signal.aborted ? undefined : asApiError(thrown);
    // Each further request would be one more wrong login, which a broker may count.
    return [{ node: undefined, state: 'unreadable', error, isFinal: error?.kind === 'unauthorized' || undefined }];
  }
}

export function partsOf(
  plan: Plan,
  answers: readonly RequestAnswer[],
  verificationResults: readonly VerificationResult[],
): readonly ActionPart[] {
  const general = answers.find(({ node }) => node === undefined);
  // A reading that failed completely says nothing about single nodes.
  const whole = verificationResults.find(({ node }) => node === undefined);
  const nodes = new Set([...answers.map(({ node }) => node), ...verificationResults.map(({ node }) => node)]);
  if (nodes.size > 1) nodes.delete(undefined);
  return [...nodes].map((node) => {
    const answer = answers.find((each) => each.node === node) ?? general;
    return partOf(plan, node, answer, verificationResults.find((each) => each.node === node) ?? whole);
  });
}

function partOf(
  plan: Plan,
  node: ActionPart['node'],
  answer: RequestAnswer | undefined,
  verification: VerificationResult | undefined,
): ActionPart {
  const answered = answerText(plan, answer);
  if (answered !== undefined) return { node, outcome: 'done', text: answered, error: undefined };
  const error = answer?.error ?? verification?.error;
  const outcome = verification?.outcome ?? outcomeOf(plan, answer, verification);
  const text =
    verification?.text === undefined
      ? textOf(outcome, answer, verification, error)
      : withAnswer(outcome, answer, verification.text);
  if (outcome !== 'done' || answer?.kind !== 'unknown' || answer.error === undefined)
    return { node, outcome, text, error };
  const proof = verificationTexts.lostAnswer(errorText(answer.error));
  return { node, outcome, text: text === undefined ? proof : `${text} ${proof}`, error };
}

function withAnswer(outcome: Outcome, answer: RequestAnswer | undefined, found: string): string {
  return outcome === 'done' || answer?.error === undefined ? found : `${errorText(answer.error)} ${found}`;
}

function errorText(error: ApiError): string {
  if (error instanceof RefusedError) return skipTexts.refused(error.why);
  return error instanceof BrokerError && error.brokerMessage !== undefined
    ? `${error.message} ${outcomeTexts.brokerSays(error.brokerMessage)}`
    : error.message;
}

function answerText(plan: Plan, answer: RequestAnswer | undefined): string | undefined {
  if (answer?.kind === 'accepted') return plan.describeAnswer?.(undefined);
  return answer?.kind === 'refused' && answer.error instanceof BrokerError
    ? plan.describeAnswer?.(answer.error)
    : undefined;
}

/**
 * | answer | read: as wanted | not as wanted | unreadable | nothing to read |
 * |---|---|---|---|---|
 * | yes | done | not done | unknown | accepted |
 * | refused, not sent | not done | not done | not done | not done |
 * | lost | done | not done; unknown when it may still happen | unknown | unknown |
 */
function outcomeOf(
  plan: Plan,
  answer: RequestAnswer | undefined,
  verification: VerificationResult | undefined,
): Outcome {
  const kind = answer?.kind ?? 'not-sent';
  if (kind === 'refused' || kind === 'not-sent') return 'not-done';
  if (verification === undefined) {
    return kind === 'unknown' || plan.verify !== undefined ? 'unknown' : 'accepted';
  }
  if (verification.state === 'unreadable') return 'unknown';
  if (verification.state === 'as-wanted') return kind === 'unknown' && plan.wasAsWanted === true ? 'unknown' : 'done';
  return kind === 'unknown' && mayStillHappen(answer?.error) ? 'unknown' : 'not-done';
}

function textOf(
  outcome: Outcome,
  answer: RequestAnswer | undefined,
  verification: VerificationResult | undefined,
  error: ApiError | undefined,
): string | undefined {
  if (outcome === 'done' || outcome === 'accepted') return undefined;
  if (answer?.kind === 'refused' || answer?.kind === 'not-sent')
    return error === undefined ? undefined : errorText(error);
  if (outcome === 'unknown') {
    const isNotYet = verification?.state === 'not-as-wanted';
    if (answer?.error === undefined)
      return isNotYet ? verificationTexts.acceptedNotYet : verificationTexts.acceptedUnread;
    return (isNotYet ? verificationTexts.lostNotYet : verificationTexts.lostUnread)(errorText(answer.error));
  }
  return answer?.error === undefined
    ? verificationTexts.acceptedUnchanged
    : verificationTexts.lostUnchanged(errorText(answer.error));
}

export function overall(parts: readonly ActionPart[]): Outcome {
  const outcomes = new Set(parts.map(({ outcome }) => outcome));
  for (const outcome of ['not-done', 'unknown', 'accepted'] as const) if (outcomes.has(outcome)) return outcome;
  return parts.length === 0 ? 'not-done' : 'done';
}

/**
 * Returns the kind of a failure. `unknown` also for 404 (a crashed handler), a node that did not answer, and statuses
 * below 400 outside the API.
 */
export function kindOfFailure(error: ApiError): Exclude<RequestAnswer['kind'], 'accepted'> {
  if (error instanceof BrokerError) return error.kind === 'node-unreachable' ? 'unknown' : 'refused';
  switch (error.kind) {
    case 'not-supported':
    case 'unusable-id':
    case 'refused':
    case 'read-only':
      return 'not-sent';
    case 'unauthorized':
      return isNeverConnected(error) ? 'not-sent' : 'refused';
    case 'busy':
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
 * Whether the request may still be carried out. A broker that answered in its own format, even with a crash, has
 * finished.
 */
export function mayStillHappen(error: ApiError | undefined): boolean {
  switch (error?.kind) {
    case 'aborted':
    case 'bad-answer':
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

/** Removes the broker's words if they may contain a secret. Cutting it out would reveal a short one. */
export function withoutSecrets(error: ApiError, secrets: readonly Secret[]): ApiError {
  if (!(error instanceof BrokerError) || error.brokerMessage === undefined) return error;
  const { brokerMessage } = error;
  return secrets.some((secret) => secret.isIn(brokerMessage)) ? error.withoutWords() : error;
}

export type NodeReading<T> =
  | { readonly node: NodeName; readonly value: T }
  | { readonly node: NodeName; readonly error: ApiError };

export async function readEachNode<T>(
  nodes: readonly NodeName[],
  read: (node: NodeName) => Promise<T>,
): Promise<readonly NodeReading<T>[]> {
  const readings: NodeReading<T>[] = [];
  for (const node of nodes) {
    try {
      readings.push({ node, value: await read(node) });
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      readings.push({ node, error: asApiError(thrown) });
    }
  }
  const failed = readings.find((reading) => 'error' in reading);
  if (failed !== undefined && 'error' in failed && readings.every((reading) => 'error' in reading)) throw failed.error;
  return readings;
}

export async function verifyEachNode<T>(
  nodes: readonly NodeName[],
  read: (node: NodeName) => Promise<T>,
  check: (value: T) => Omit<VerificationResult, 'node'>,
): Promise<readonly VerificationResult[]> {
  const readings = await readEachNode(nodes, read);
  return readings.map((reading): VerificationResult =>
    'error' in reading
      ? { node: reading.node, state: 'unreadable', error: reading.error }
      : { node: reading.node, ...check(reading.value) },
  );
}

export const asWanted: VerificationResult = { node: undefined, state: 'as-wanted' };

export const notAsWanted = (text: string): VerificationResult => ({ node: undefined, state: 'not-as-wanted', text });

/** Verifies each node from one reading of all. @param missing said of a node that has no item */
export const verifyEach = <T extends { readonly node: NodeName }>(
  nodes: readonly NodeName[],
  items: readonly T[],
  check: (item: T) => Omit<VerificationResult, 'node'>,
  missing: string,
): readonly VerificationResult[] =>
  nodes.map((node) => {
    const item = items.find((each) => each.node === node);
    return item === undefined ? { node, state: 'not-as-wanted', text: missing } : { node, ...check(item) };
  });

/** Whether two times are the same: brokers keep whole seconds. */
export const isSameTime = (a: BrokerSeconds | undefined, b: BrokerSeconds | undefined): boolean =>
  a === undefined || b === undefined ? a === b : Math.abs(a - b) <= 1;

/**
 * Returns when something ends that lasts `seconds` from now; `undefined` if no node reports its clock. @throws ApiError
 */
export async function readEnd(
  read: Read,
  seconds: number | undefined,
): Promise<{ readonly until: BrokerSeconds | undefined } | undefined> {
  if (seconds === undefined) return { until: undefined };
  const clock = (await read((api, options) => api.listNodes(options))).find((node) => node.clock !== undefined)?.clock;
  return clock === undefined ? undefined : { until: Math.floor(clock + seconds) };
}

/** Makes the request of a call that a port may lack. @throws NotSupportedError */
export const orUnsupported = async <T>(task: string, request: Promise<T> | undefined): Promise<T> => {
  if (request === undefined) throw new NotSupportedError(task);
  return request;
};

export async function recheckStopped(read: Read, stopped: readonly NodeName[]): Promise<string | undefined> {
  if (stopped.length === 0) return undefined;
  const stats = await read((api, options) => api.listNodeStats(options));
  const back = stats
    .filter(({ name, status }) => status === 'running' && stopped.includes(name))
    .map(({ name }) => name);
  return back.length === 0 ? undefined : skipTexts.runningAgain(back);
}

/** Returns the running nodes that are none of these: a request that names no node acts on them, too. @throws ApiError */
export async function runningBesides(read: Read, nodes: readonly NodeName[]): Promise<readonly NodeName[]> {
  const stats = await read((api, options) => api.listNodeStats(options));
  return stats.filter(({ name, status }) => status === 'running' && !nodes.includes(name)).map(({ name }) => name);
}

export async function readStoppedNodes(
  read: Read,
  seenStopped: () => readonly NodeName[],
): Promise<{ readonly stopped: readonly NodeName[]; readonly isRunning: (node: NodeName) => boolean }> {
  const stats = await read((api, options) => api.listNodeStats(options));
  const running = new Set(stats.filter(({ status }) => status === 'running').map(({ name }) => name));
  const allNodes = new Set([...stats.map(({ name }) => name), ...seenStopped()]);
  return { stopped: [...allNodes].filter((name) => !running.has(name)), isRunning: (node) => running.has(node) };
}

/** Adds the stopped nodes to "not connected": the client could be on one of them. */
export async function withStoppedNodes(
  text: string,
  read: Read,
  seenStopped: () => readonly NodeName[],
): Promise<string> {
  const stopped = await readStoppedNodes(read, seenStopped).then(
    (nodes) => nodes.stopped,
    (thrown: unknown) => {
      if (thrown instanceof ApiError) return seenStopped();
      throw thrown;
    },
  );
  return [text, maybeOnStoppedNodeText(stopped)].filter((part) => part !== undefined).join(' ');
}
