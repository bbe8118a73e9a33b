import type { NodeName } from '../domain/node.ts';
import type { NodeRow } from './nodes/select.ts';

export interface ByNodeRows<Row> {
  readonly nodes: readonly NodeName[];
  readonly running: readonly NodeName[];
  readonly read: ReadonlySet<NodeName>;
  readonly rows: readonly Row[];
}

export interface OnNodes<Item> {
  /** The item of the first node that has it. */
  readonly first: Item;
  /** Items by node; nodes without the item are missing. */
  readonly byNode: ReadonlyMap<NodeName, Item>;
}

export function mergeByNode<Item, Row>(
  nodes: readonly NodeRow[],
  itemsOf: (node: NodeName) => readonly Item[] | undefined,
  keyOf: (item: Item) => string,
  rowsOf: (listed: ReadonlyMap<string, OnNodes<Item>>, read: ReadonlySet<NodeName>) => readonly Row[],
): ByNodeRows<Row> {
  const running = nodes.filter(({ status }) => status === 'running').map(({ name }) => name);
  const read = new Set<NodeName>();
  const listed = new Map<string, { readonly first: Item; readonly byNode: Map<NodeName, Item> }>();
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
