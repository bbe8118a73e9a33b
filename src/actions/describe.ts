import { ApiError, BrokerError } from '../api/errors.ts';
import type { NodeName } from '../domain/node.ts';
import { toApiError } from '../monitor/polling/backoff.ts';
import { lookAlikeText } from '../monitor/select/stopped-nodes.ts';
import type { Action, ActionPart, ActionResult, VerificationResult, Outcome, Read } from './action.ts';

const words: Readonly<Record<Outcome, string>> = { done: 'Done', accepted: 'Accepted', 'not-done': 'Not done', unknown: 'Unknown' };

export const isSuccess = ({ outcome }: Pick<ActionResult, 'outcome'>): boolean => outcome === 'done' || outcome === 'accepted';

/** The outcome in sentences, for the log and the status line: what, on how many nodes, why, and the broker's words. Raw. */
export function describeResult(action: Pick<Action, 'title' | 'isQuestion' | 'each'>, result: ActionResult): string {
  const { outcome, wasSent, parts } = result;
  if (action.each !== undefined) return [`${words[outcome]}: ${action.title}.`, countUrls(parts), ...parts.map(describeUrl)].join(' ');
  const word = action.isQuestion === true && outcome === 'done' ? 'Answered' : words[outcome];
  const sentences = [`${!wasSent ? 'Nothing was sent' : word}: ${action.title}.`];
  const quoteIfNeeded = parts.filter(({ node }) => node !== undefined);
  if (wasSent && quoteIfNeeded.length > 1) {
    const already = quoteIfNeeded.flatMap(({ node, wasAlready }) => (wasAlready === true && node !== undefined ? [node] : []));
    const taken = quoteIfNeeded.filter(isSuccess).length - already.length;
    const unknown = quoteIfNeeded.filter((part) => part.outcome === 'unknown').length;
    sentences.push(`${taken} of ${quoteIfNeeded.length} nodes took it${already.length > 0 ? `, ${listNodes(already)} had it already` : ''}${unknown > 0 ? `, ${unknown} unknown` : ''}.`);
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
export const named = (raw: string): string => (plain.test(raw) ? raw : `"${raw.replaceAll('"', String.raw`\"`)}"`);

/** What was read from a node, or the error. */
export type NodeReading<T> = { readonly node: NodeName; readonly value: T } | { readonly node: NodeName; readonly error: ApiError };

/** Reads nodes one after the other; errors are kept per node. Rejects when all fail. */
export async function readEachNode<T>(nodes: readonly NodeName[], read: (node: NodeName) => Promise<T>): Promise<readonly NodeReading<T>[]> {
  const readings: NodeReading<T>[] = [];
  for (const node of nodes) {
    try {
      readings.push({ node, value: await read(node) });
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      readings.push({ node, error: toApiError(thrown) });
    }
  }
  const failed = readings.find((reading) => 'error' in reading);
  if (failed !== undefined && 'error' in failed && readings.every((reading) => 'error' in reading)) throw failed.error;
  return readings;
}

/** Verifies each node. */
export async function verifyEachNode<T>(nodes: readonly NodeName[], read: (node: NodeName) => Promise<T>, judge: (value: T) => Omit<VerificationResult, 'node'>): Promise<readonly VerificationResult[]> {
  const readings = await readEachNode(nodes, read);
  return readings.map((reading): VerificationResult => ('error' in reading ? { node: reading.node, state: 'unreadable', error: reading.error } : { node: reading.node, ...judge(reading.value) }));
}

/** Why nothing is sent: a node that was shown as stopped runs again. */
export async function recheckStopped(read: Read, stopped: readonly NodeName[]): Promise<string | undefined> {
  if (stopped.length === 0) return undefined;
  const stats = await read((api, options) => api.listNodeStats(options));
  const back = stats.filter(({ name, status }) => status === 'running' && stopped.includes(name)).map(({ name }) => name);
  return back.length === 0 ? undefined : `Changed since listed: ${listNodes(back)} ${back.length === 1 ? 'runs' : 'run'} now.`;
}

/** The stopped nodes, from a fresh answer and from what was seen before. */
export async function readStoppedNodes(read: Read, seenStopped: () => readonly NodeName[]): Promise<{ readonly stopped: readonly NodeName[]; readonly isRunning: (node: NodeName) => boolean }> {
  const stats = await read((api, options) => api.listNodeStats(options));
  const running = new Set(stats.filter(({ status }) => status === 'running').map(({ name }) => name));
  const named = new Set([...stats.map(({ name }) => name), ...seenStopped()]);
  return { stopped: [...named].filter((name) => !running.has(name)), isRunning: (node) => running.has(node) };
}

/** Adds the stopped nodes to a text that says that a client is not found: it could be on one of them. */
export async function withStoppedNodes(text: string, read: Read, seenStopped: () => readonly NodeName[]): Promise<string> {
  const stopped = await readStoppedNodes(read, seenStopped).then((nodes) => nodes.stopped, (thrown: unknown) => {
    if (thrown instanceof ApiError) return seenStopped();
    throw thrown;
  });
  return [text, lookAlikeText(stopped)].filter((part) => part !== undefined).join(' ');
}

export const listNodes = (nodes: readonly NodeName[]): string => nodes.join(', ');
