import { BrokerError } from '../../api/errors.ts';
import type { Action, ActionResult, Outcome } from './action.ts';

const words: Readonly<Record<Outcome, string>> = { done: 'Done', accepted: 'Accepted', 'not-done': 'Not done', unknown: 'Unknown' };

/**
 * What came of an action, for the log and the line below the screen: the outcome, what was to be done,
 * on how many nodes, why, and the broker's own words. Raw: it holds ids and words of the broker.
 */
export function describeResult(action: Pick<Action, 'title'>, result: ActionResult): string {
  const { outcome, wasSent, parts, why, error, auditError } = result;
  const sentences = [`${!wasSent ? 'Nothing was sent' : words[outcome]}: ${action.title}.`];
  const named = parts.filter(({ node }) => node !== undefined);
  if (wasSent && named.length > 1) {
    const taken = named.filter((part) => part.outcome === 'done' || part.outcome === 'accepted').length;
    const unknown = named.filter((part) => part.outcome === 'unknown').length;
    sentences.push(`${taken} of ${named.length} nodes took it${unknown > 0 ? `, ${unknown} unknown` : ''}.`);
  }
  if (why !== undefined) sentences.push(why);
  else if (error !== undefined) sentences.push(error.message);
  if (error instanceof BrokerError && error.brokerMessage !== undefined) sentences.push(`The broker says (code ${error.code}): ${error.brokerMessage}`);
  if (auditError !== undefined) sentences.push(`The outcome could not be recorded: ${auditError}`);
  return sentences.join(' ');
}
