import { ApiError } from '../api/errors.ts';
import type { NodeName } from '../domain/node.ts';
import { toApiError } from '../monitor/polling/backoff.ts';
import { maybeOnStoppedNodeText } from '../monitor/select/stopped-nodes.ts';
import type { Read, VerificationResult } from './action.ts';
import { listNodes } from './describe.ts';

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
  const allNodes = new Set([...stats.map(({ name }) => name), ...seenStopped()]);
  return { stopped: [...allNodes].filter((name) => !running.has(name)), isRunning: (node) => running.has(node) };
}

/** Adds the stopped nodes to a text that says that a client is not found: it could be on one of them. */
export async function withStoppedNodes(text: string, read: Read, seenStopped: () => readonly NodeName[]): Promise<string> {
  const stopped = await readStoppedNodes(read, seenStopped).then((nodes) => nodes.stopped, (thrown: unknown) => {
    if (thrown instanceof ApiError) return seenStopped();
    throw thrown;
  });
  return [text, maybeOnStoppedNodeText(stopped)].filter((part) => part !== undefined).join(' ');
}
