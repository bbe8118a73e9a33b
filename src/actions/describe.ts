import { BrokerError } from '../api/errors.ts';
import type { Action, ActionPart, ActionResult, Outcome } from './action.ts';
import { listNodes } from './each-node.ts';

const words: Readonly<Record<Outcome, string>> = { done: 'Done', accepted: 'Accepted', 'not-done': 'Not done', unknown: 'Unknown' };

/** It came about, as far as anybody can tell. */
export const isGood = ({ outcome }: Pick<ActionResult, 'outcome'>): boolean => outcome === 'done' || outcome === 'accepted';

/**
 * What came of an action, for the log and the line below the screen: the outcome, what was to be done,
 * on how many nodes, why, and the broker's own words. Raw: it holds ids and words of the broker.
 */
export function describeResult(action: Pick<Action, 'title' | 'isQuestion' | 'each'>, result: ActionResult): string {
  const { outcome, wasSent, parts } = result;
  if (action.each !== undefined) return [`${words[outcome]}: ${action.title}.`, countUrls(parts), ...parts.map(describeUrl)].join(' ');
  const word = action.isQuestion === true && outcome === 'done' ? 'Answered' : words[outcome];
  const sentences = [`${!wasSent ? 'Nothing was sent' : word}: ${action.title}.`];
  const named = parts.filter(({ node }) => node !== undefined);
  if (wasSent && named.length > 1) {
    const already = named.flatMap(({ node, wasAlready }) => (wasAlready === true && node !== undefined ? [node] : []));
    const taken = named.filter(isGood).length - already.length;
    const unknown = named.filter((part) => part.outcome === 'unknown').length;
    sentences.push(`${taken} of ${named.length} nodes took it${already.length > 0 ? `, ${listNodes(already)} had it already` : ''}${unknown > 0 ? `, ${unknown} unknown` : ''}.`);
  }
  return [...sentences, ...reasonsOf(result)].join(' ');
}

/** Why the outcome is what it is, in sentences. */
export function reasonsOf(result: ActionResult): readonly string[] {
  const { why, error, auditError } = result;
  const sentences: string[] = [];
  if (why !== undefined) sentences.push(why);
  else if (error !== undefined && !isGood(result)) sentences.push(error.message);
  const isSaid = error instanceof BrokerError && error.brokerMessage !== undefined && why?.includes(`It says: ${error.brokerMessage}`) === true;
  if (!isSaid && error instanceof BrokerError && error.brokerMessage !== undefined && !isGood(result)) sentences.push(`It says: ${error.brokerMessage}`);
  if (auditError !== undefined) sentences.push(`The outcome could not be recorded: ${auditError}`);
  return sentences;
}

/** How many addresses ended in which way; the counts add up to all of them. */
export function countUrls(parts: readonly ActionPart[]): string {
  const count = (word: string): string => {
    const those = parts.filter((part) => urlWord(part) === word).length;
    return those === 0 ? '' : `${those} ${word.toLowerCase()}`;
  };
  return `${parts.length} addresses: ${[words.done, alreadyWord, words.accepted, words['not-done'], words.unknown].map(count).filter((each) => each !== '').join(', ')}.`;
}

const alreadyWord = 'Already so';
const urlWord = ({ outcome, wasAlready }: ActionPart): string => (wasAlready === true ? alreadyWord : words[outcome]);

/** What came of it at one address. */
export const describeUrl = (part: ActionPart): string =>
  [`${part.node ?? ''}: ${urlWord(part)}.`, part.text].filter((each) => each !== undefined && each !== '').join(' ');

/** What the parts say, each sentence once and with the nodes that it is true of; without them when it is true of all of several. */
export function textsOf(parts: readonly ActionPart[]): readonly string[] {
  const byText = new Map<string, readonly ActionPart[]>();
  for (const part of parts) if (part.text !== undefined) byText.set(part.text, [...(byText.get(part.text) ?? []), part]);
  return [...byText].map(([text, those]) => {
    const nodes = those.flatMap(({ node }) => (node === undefined ? [] : [node]));
    return nodes.length === 0 || (parts.length > 1 && those.length === parts.length) ? text : `${listNodes(nodes)}: ${text}`;
  });
}
