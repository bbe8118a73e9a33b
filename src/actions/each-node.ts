import { ApiError } from '../api/errors.ts';
import type { NodeName } from '../domain/node.ts';
import { toApiError } from '../monitor/polling/backoff.ts';
import { lookAlikeText } from '../monitor/select/stopped-nodes.ts';
import type { Finding, Read } from './action.ts';

/** What could be read of a node, or why not. */
export type NodeReading<T> = { readonly node: NodeName; readonly value: T } | { readonly node: NodeName; readonly error: ApiError };

/** Reads several nodes, one after the other; one that fails does not hide the others. Rejects when all fail. */
export async function readEach<T>(nodes: readonly NodeName[], read: (node: NodeName) => Promise<T>): Promise<readonly NodeReading<T>[]> {
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

/** Judges each node's reading. */
export async function findEach<T>(nodes: readonly NodeName[], read: (node: NodeName) => Promise<T>, judge: (value: T) => Omit<Finding, 'node'>): Promise<readonly Finding[]> {
  const readings = await readEach(nodes, read);
  return readings.map((reading): Finding => ('error' in reading ? { node: reading.node, state: 'unreadable', error: reading.error } : { node: reading.node, ...judge(reading.value) }));
}

/** Why nothing is done, as a sentence: a node that was shown as stopped runs now, and would be acted on unseen. */
export async function changeOfStopped(read: Read, stopped: readonly NodeName[]): Promise<string | undefined> {
  if (stopped.length === 0) return undefined;
  const stats = await read((api, options) => api.listNodeStats(options));
  const back = stats.filter(({ name, status }) => status === 'running' && stopped.includes(name)).map(({ name }) => name);
  return back.length === 0 ? undefined : `Changed since listed: ${listNodes(back)} ${back.length === 1 ? 'runs' : 'run'} now.`;
}

/** The nodes that do not run, by an answer of now and by what was seen before. */
export async function readStopped(read: Read, seenStopped: () => readonly NodeName[]): Promise<{ readonly stopped: readonly NodeName[]; readonly isRunning: (node: NodeName) => boolean }> {
  const stats = await read((api, options) => api.listNodeStats(options));
  const running = new Set(stats.filter(({ status }) => status === 'running').map(({ name }) => name));
  const named = new Set([...stats.map(({ name }) => name), ...seenStopped()]);
  return { stopped: [...named].filter((name) => !running.has(name)), isRunning: (node) => running.has(node) };
}

/** Why nobody is found, with the nodes on which nobody could be: without them where they cannot be read. */
export async function withLookAlike(text: string, read: Read, seenStopped: () => readonly NodeName[]): Promise<string> {
  const stopped = await readStopped(read, seenStopped).then((nodes) => nodes.stopped, (thrown: unknown) => {
    if (thrown instanceof ApiError) return seenStopped();
    throw thrown;
  });
  return [text, lookAlikeText(stopped)].filter((part) => part !== undefined).join(' ');
}

/** Names for a sentence. */
export const listNodes = (nodes: readonly NodeName[]): string => nodes.join(', ');
