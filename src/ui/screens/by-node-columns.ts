import { useState } from 'react';
import type { NodeName } from '../../domain/node.ts';
import { glyphs } from '../glyphs.ts';
import { type SafeText, safe } from '../safe-text.ts';
import type { Theme } from '../theme.ts';
import { stepView } from './metrics.tsx';

/** The part of a node's name before `@`, where no other node has the same; else the whole name. */
export const shortNodeName = (node: NodeName, nodes: readonly NodeName[]): string => {
  const start = (name: NodeName): string => name.split('@')[0] ?? name;
  return start(node) !== '' && nodes.filter((other) => start(other) === start(node)).length === 1 ? start(node) : node;
};

/** The header of a node's column, with a sign at the one that actions concern. */
export const nodeHeader = (theme: Theme, node: NodeName, nodes: readonly NodeName[], isChosen: boolean): SafeText => {
  const name = theme.escape(shortNodeName(node, nodes), 32);
  return isChosen ? safe`${glyphs.cursor}${name}` : name;
};

/** Which node's column actions concern. */
export interface NodeCursor {
  /** `undefined` stands for all nodes. */
  readonly node: NodeName | undefined;
  readonly step: (by: 1 | -1) => void;
}

/** A cursor over the columns of nodes: all nodes, then each. A node that is gone leads back to all. */
export const useNodeCursor = (nodes: readonly NodeName[], first?: NodeName): NodeCursor => {
  const [wanted, setWanted] = useState<NodeName | undefined>(first);
  const node = wanted !== undefined && nodes.includes(wanted) ? wanted : undefined;
  return { node, step: (by) => { setWanted(stepView(nodes, node, by)); } };
};

/** What actions concern now, for the line below the list. */
export const chosenText = (theme: Theme, node: NodeName | undefined): SafeText =>
  safe`v on ${node === undefined ? safe`all nodes` : theme.escape(node, 40)} `;
