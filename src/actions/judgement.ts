import { BrokerError } from '../api/errors.ts';
import type { ApiError } from '../api/errors.ts';
import type { ActionPart, Answer, Finding, Outcome, Plan } from './action.ts';
import { mayStillHappen } from './answers.ts';

/** The outcome on each part, from what was answered and what was read. */
export function judge(plan: Plan, answers: readonly Answer[], findings: readonly Finding[]): readonly ActionPart[] {
  const general = answers.find(({ node }) => node === undefined);
  // A reading that failed as a whole says nothing of any node.
  const whole = findings.find(({ node }) => node === undefined);
  const nodes = new Set([...answers.map(({ node }) => node), ...findings.map(({ node }) => node)]);
  if (nodes.size > 1) nodes.delete(undefined);
  return [...nodes].map((node) => {
    const answer = answers.find((each) => each.node === node) ?? general;
    return judgePart(plan, node, answer, findings.find((each) => each.node === node) ?? whole);
  });
}

function judgePart(plan: Plan, node: ActionPart['node'], answer: Answer | undefined, finding: Finding | undefined): ActionPart {
  const told = toldBy(plan, answer);
  if (told !== undefined) return { node, outcome: 'done', text: told, error: undefined };
  const error = answer?.error ?? finding?.error;
  const outcome = finding?.outcome ?? outcomeOf(plan, answer, finding);
  const text = finding?.text === undefined ? textOf(outcome, answer, finding, error) : withAnswer(outcome, answer, finding.text);
  if (outcome !== 'done' || answer?.kind !== 'unknown' || answer.error === undefined) return { node, outcome, text, error };
  const proof = `It was read back and is done, although the broker did not say yes. ${wordsOf(answer.error)}`;
  return { node, outcome, text: text === undefined ? proof : `${text} ${proof}`, error };
}

/** What was found, and before it what the broker answered, where that is not yes. */
function withAnswer(outcome: Outcome, answer: Answer | undefined, found: string): string {
  return outcome === 'done' || answer?.error === undefined ? found : `${asSentence(wordsOf(answer.error))} ${found}`;
}

/** An error with the broker's own words. */
const wordsOf = (error: ApiError): string =>
  (error instanceof BrokerError && error.brokerMessage !== undefined ? `${error.message} It says: ${error.brokerMessage}` : error.message);

/** The broker's own words often end without a full stop, and more sentences follow. */
const asSentence = (words: string): string => (/[.!?]$/u.test(words) ? words : `${words}.`);

/** What the answer itself says, where that is all that was wanted. */
function toldBy(plan: Plan, answer: Answer | undefined): string | undefined {
  if (answer?.kind === 'accepted') return plan.answerOf?.(undefined);
  return answer?.kind === 'refused' && answer.error instanceof BrokerError ? plan.answerOf?.(answer.error) : undefined;
}

/**
 * | answer | read: as wanted | not as wanted | unreadable | nothing to read |
 * |---|---|---|---|---|
 * | yes | done | not done | unknown | accepted |
 * | refused, not sent | not done | not done | not done | not done |
 * | lost | done | not done; unknown when it may still happen | unknown | unknown |
 */
function outcomeOf(plan: Plan, answer: Answer | undefined, finding: Finding | undefined): Outcome {
  const kind = answer?.kind ?? 'not-sent';
  if (kind === 'refused' || kind === 'not-sent') return 'not-done';
  if (finding === undefined) {
    return kind === 'unknown' || plan.verify !== undefined ? 'unknown' : 'accepted';
  }
  if (finding.state === 'unreadable') return 'unknown';
  if (finding.state === 'as-wanted') return kind === 'unknown' && plan.wasAsWanted === true ? 'unknown' : 'done';
  return kind === 'unknown' && mayStillHappen(answer?.error) ? 'unknown' : 'not-done';
}

function textOf(outcome: Outcome, answer: Answer | undefined, finding: Finding | undefined, error: ApiError | undefined): string | undefined {
  if (outcome === 'done' || outcome === 'accepted') return undefined;
  if (answer?.kind === 'refused' || answer?.kind === 'not-sent') return error === undefined ? undefined : wordsOf(error);
  if (outcome === 'unknown') {
    const reading = finding?.state === 'not-as-wanted' ? 'It had not happened when it was last read; whether it has since is not known.' : 'It could not be read whether it happened.';
    return answer?.error === undefined ? `The broker said yes. ${reading}` : `${wordsOf(answer.error)} ${reading}`;
  }
  return answer?.error === undefined ? 'The broker said yes, but nothing changed.' : `${wordsOf(answer.error)} Nothing changed.`;
}

/** All parts as one: not done unless it is done on all, unknown when that alone stands in the way. */
export function overall(parts: readonly ActionPart[]): Outcome {
  const outcomes = new Set(parts.map(({ outcome }) => outcome));
  for (const outcome of ['not-done', 'unknown', 'accepted'] as const) if (outcomes.has(outcome)) return outcome;
  return parts.length === 0 ? 'not-done' : 'done';
}
