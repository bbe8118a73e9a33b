import type { NodeName } from '../domain/node.ts';
import type { NodeRow } from './select/nodes.ts';

/** Something that nodes have, over all of them. */
export interface ByNodeRows<Row> {
  /** All nodes ever seen; the columns. */
  readonly nodes: readonly NodeName[];
  /** Nodes that run: those that can be asked. */
  readonly running: readonly NodeName[];
  /** Nodes that run and have been read. */
  readonly read: ReadonlySet<NodeName>;
  readonly rows: readonly Row[];
}

/** One of the things that nodes have. */
export interface OnNodes<Item> {
  /** As the first node that has it says. */
  readonly first: Item;
  /** What each node says; a node that has been read and is missing here does not have it. */
  readonly byNode: ReadonlyMap<NodeName, Item>;
}

/** Puts together what the nodes that run and have been read list, by its key; `rowsOf` makes the rows of it. */
export function mergeByNode<Item, Row>(
  nodes: readonly NodeRow[],
  itemsOf: (node: NodeName) => readonly Item[] | undefined,
  keyOf: (item: Item) => string,
  rowsOf: (listed: ReadonlyMap<string, OnNodes<Item>>, read: ReadonlySet<NodeName>) => readonly Row[],
): ByNodeRows<Row> {
  const running = nodes.filter(({ status }) => status === 'running').map(({ name }) => name);
  const read = new Set<NodeName>();
  const listed = new Map<string, { readonly first: Item; readonly byNode: Map<NodeName, Item> }>();
  // What a node said before it stopped is not so any more.
  for (const node of running) {
    const items = itemsOf(node);
    if (items === undefined) continue;
    read.add(node);
    for (const item of items) {
      const key = keyOf(item);
      const known = listed.get(key);
      if (known === undefined) listed.set(key, { first: item, byNode: new Map([[node, item]]) });
      else known.byNode.set(node, item);
    }
  }
  return { nodes: nodes.map(({ name }) => name), running, read, rows: rowsOf(listed, read) };
}
