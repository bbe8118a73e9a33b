import type { NodeName } from '../../domain/node.ts';
import { glyphs } from '../glyphs.ts';
import { type SafeText, safe } from '../safe-text.ts';
import type { Theme } from '../theme.ts';

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

/** What actions concern now, for the line below the list. */
export const chosenText = (theme: Theme, node: NodeName | undefined): SafeText =>
  safe`v on ${node === undefined ? safe`all nodes` : theme.escape(node, 40)} `;
