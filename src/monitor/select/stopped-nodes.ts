import type { NodeName } from '../../domain/node.ts';
import type { MonitorState } from '../state.ts';

/** Nodes that were seen and do not run now, in order of first sight. */
export const stoppedNodesOf = ({ seenNodes }: Pick<MonitorState, 'seenNodes'>): readonly NodeName[] =>
  [...(seenNodes ?? [])].filter(([, { status }]) => status !== 'running').map(([name]) => name);

/**
 * Why "not connected" may be wrong, as a sentence: the broker answers the same for a client on a node that is down
 * (field notes, "Actions"). `undefined` while all nodes run. Raw.
 */
export function maybeOnStoppedNodeText(nodes: readonly NodeName[]): string | undefined {
  if (nodes.length === 0) return undefined;
  return nodes.length === 1
    ? `${nodes.join('')} does not run: a client on it looks the same as one that is not connected.`
    : `${nodes.join(', ')} do not run: a client on one of them looks the same as one that is not connected.`;
}
