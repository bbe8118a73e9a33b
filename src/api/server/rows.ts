import type { Page, PageRequest } from '../management-api.ts';

/** Reads one page of the list of a node. */
type ListOf<T> = (node: string, page: PageRequest) => Promise<Page<T>>;

const chunkSize = 500;

/** Yields the rows of all nodes as one list, node after node. */
export async function* rowsOf<T>(nodes: readonly string[], list: ListOf<T>, skip = 0): AsyncGenerator<T, void> {
  let left = skip;
  for (const node of nodes) {
    if (left > 0) {
      const { totalItems = 0 } = await list(node, { page: 1, pageSize: 1 });
      if (left >= totalItems) {
        left -= totalItems;
        continue;
      }
    }
    for (let page = Math.floor(left / chunkSize) + 1; ; page += 1) {
      const { items } = await list(node, { page, pageSize: chunkSize });
      const start = left % chunkSize;
      left = 0;
      yield* items.slice(start);
      if (items.length < chunkSize) break;
    }
  }
}

export async function countOf(nodes: readonly string[], list: ListOf<unknown>): Promise<number> {
  const pages = await Promise.all(nodes.map((node) => list(node, { page: 1, pageSize: 1 })));
  return pages.reduce((sum, { totalItems = 0 }) => sum + totalItems, 0);
}

export interface FoundRows<T> {
  readonly items: readonly T[];
  readonly hasNext: boolean;
  /** The number of rows; `undefined` where real brokers do not say. */
  readonly count: number | undefined;
}

/** Returns one page of the rows that are wanted. `isCounted` reads on to the end. */
export async function search<T>(
  rows: AsyncIterable<T>,
  isWanted: (row: T) => boolean,
  { page, pageSize }: PageRequest,
  isCounted: boolean,
): Promise<FoundRows<T>> {
  const items: T[] = [];
  const start = (page - 1) * pageSize;
  let count = 0;
  for await (const row of rows) {
    if (!isWanted(row)) continue;
    if (count >= start && items.length < pageSize) items.push(row);
    count += 1;
    if (!isCounted && count > start + pageSize) break;
  }
  return { items, hasNext: count > start + pageSize, count: isCounted ? count : undefined };
}

export async function take<T>(rows: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const row of rows) {
    taken.push(row);
    if (taken.length >= count) break;
  }
  return taken;
}

export function fromPage<T>({ items, totalItems, page, pageSize }: Page<T>): FoundRows<T> {
  return { items, count: totalItems, hasNext: page * pageSize < (totalItems ?? 0) };
}
