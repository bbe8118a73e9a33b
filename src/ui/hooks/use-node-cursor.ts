import { useState } from 'react';
import type { NodeName } from '../../domain/node.ts';
import { useListMemory } from '../list/list-memory.ts';

/** Which node a screen shows, or its actions concern. */
export interface NodeCursor {
  /** `undefined` stands for all nodes. */
  readonly node: NodeName | undefined;
  readonly step: (by: 1 | -1) => void;
}

/** What comes after (1) or before (-1) a node: all nodes, then each. A node that is gone leads back to all. */
export const stepNode = (nodes: readonly NodeName[], node: NodeName | undefined, by: 1 | -1): NodeName | undefined => {
  const views: readonly (NodeName | undefined)[] = [undefined, ...nodes];
  const at = views.indexOf(node);
  return at === -1 ? undefined : views[(at + by + views.length) % views.length];
};

/**
 * A cursor over nodes, that stands where it was left under this key; else on `first`. What is chosen
 * stays chosen while a list of nodes lacks it, but stands for all nodes then, unless it `isKept`.
 */
export const useNodeCursor = (memoryKey: string, nodes: readonly NodeName[], first: NodeName | undefined, { isKept = false } = {}): NodeCursor => {
  const memory = useListMemory()?.nodes;
  const [wanted, setWanted] = useState(() => memory?.get(memoryKey) ?? { node: first });
  const node = isKept || (wanted.node !== undefined && nodes.includes(wanted.node)) ? wanted.node : undefined;
  return {
    node,
    step: (by) => {
      const next = { node: stepNode(nodes, node, by) };
      memory?.set(memoryKey, next);
      setWanted(next);
    },
  };
};
