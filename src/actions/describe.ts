import { BrokerError } from '../api/errors.ts';
import type { NodeName } from '../domain/node.ts';
import type { Action, ActionPart, ActionResult, Outcome } from './action.ts';

const words: Readonly<Record<Outcome, string>> = { done: 'Done', accepted: 'Accepted', 'not-done': 'Not done', unknown: 'Unknown' };

export const isSuccess = ({ outcome }: Pick<ActionResult, 'outcome'>): boolean => outcome === 'done' || outcome === 'accepted';

/** The outcome in sentences, for the log and the status line: what, on how many nodes, why, and the broker's words. Raw. */
export function describeResult(action: Pick<Action, 'title' | 'isQuestion' | 'each'>, result: ActionResult): string {
  const { outcome, wasSent, parts } = result;
  if (action.each !== undefined) return [`${words[outcome]}: ${action.title}.`, countUrls(parts), ...parts.map(describeUrl)].join(' ');
  const word = action.isQuestion === true && outcome === 'done' ? 'Answered' : words[outcome];
  const sentences = [`${!wasSent ? 'Nothing was sent' : word}: ${action.title}.`];
  const onNodes = parts.filter(({ node }) => node !== undefined);
  if (wasSent && onNodes.length > 1) {
    const already = onNodes.flatMap(({ node, wasAlready }) => (wasAlready === true && node !== undefined ? [node] : []));
    const taken = onNodes.filter(isSuccess).length - already.length;
    const unknown = onNodes.filter((part) => part.outcome === 'unknown').length;
    sentences.push(`${taken} of ${onNodes.length} nodes took it${already.length > 0 ? `, ${listNodes(already)} had it already` : ''}${unknown > 0 ? `, ${unknown} unknown` : ''}.`);
  }
  return [...sentences, ...reasonsOf(result)].join(' ');
}

export function reasonsOf(result: ActionResult): readonly string[] {
  const { why, error, auditError } = result;
  const sentences: string[] = [];
  if (why !== undefined) sentences.push(why);
  else if (error !== undefined && !isSuccess(result)) sentences.push(error.message);
  const isSaid = error instanceof BrokerError && error.brokerMessage !== undefined && why?.includes(`It says: ${error.brokerMessage}`) === true;
  if (!isSaid && error instanceof BrokerError && error.brokerMessage !== undefined && !isSuccess(result)) sentences.push(`It says: ${error.brokerMessage}`);
  if (auditError !== undefined) sentences.push(`The outcome could not be recorded: ${auditError}`);
  return sentences;
}

/** Number of addresses per outcome. */
export function countUrls(parts: readonly ActionPart[]): string {
  const count = (word: string): string => {
    const those = parts.filter((part) => urlWord(part) === word).length;
    return those === 0 ? '' : `${those} ${word.toLowerCase()}`;
  };
  return `${parts.length} addresses: ${[words.done, alreadyWord, words.accepted, words['not-done'], words.unknown].map(count).filter((each) => each !== '').join(', ')}.`;
}

const alreadyWord = 'Already so';
const urlWord = ({ outcome, wasAlready }: ActionPart): string => (wasAlready === true ? alreadyWord : words[outcome]);

/** The outcome at one address. */
export const describeUrl = (part: ActionPart): string =>
  [`${part.node ?? ''}: ${urlWord(part)}.`, part.text].filter((each) => each !== undefined && each !== '').join(' ');

/** The texts of the parts, each once, with the nodes it applies to unless it applies to all. */
export function textsOf(parts: readonly ActionPart[]): readonly string[] {
  const byText = new Map<string, readonly ActionPart[]>();
  for (const part of parts) if (part.text !== undefined) byText.set(part.text, [...(byText.get(part.text) ?? []), part]);
  return [...byText].map(([text, those]) => {
    const nodes = those.flatMap(({ node }) => (node === undefined ? [] : [node]));
    return nodes.length === 0 || (parts.length > 1 && those.length === parts.length) ? text : `${listNodes(nodes)}: ${text}`;
  });
}

/** No spaces or quotes, and no punctuation at the end. */
const plain = /^[^\s"'(),;]*[^\s"'(),;.:!?]$/u;

/** A name within a sentence: quoted if it is empty, has spaces or ends like a sentence. Raw. */
export const quoteIfNeeded = (raw: string): string => (plain.test(raw) ? raw : `"${raw.replaceAll('"', String.raw`\"`)}"`);

export const listNodes = (nodes: readonly NodeName[]): string => nodes.join(', ');
