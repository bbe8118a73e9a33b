import { gather } from '../../api/json.ts';
import type { CallOptions, Page, PageRequest } from '../../api/management-api.ts';

/** Reads a page in slices; rows that change in between may be old or new. */
export async function readPage<T>(
  { page, pageSize }: PageRequest,
  totalItems: number,
  walk: (start: number, count: number) => Iterable<T>,
  options: CallOptions | undefined,
): Promise<Page<T>> {
  return {
    page,
    pageSize,
    totalItems,
    totalPages: Math.ceil(totalItems / pageSize),
    items: await gather(walk((page - 1) * pageSize, pageSize), options?.signal),
  };
}

export function pageOf<T>(all: readonly T[], { page, pageSize }: PageRequest): Page<T> {
  return {
    page,
    pageSize,
    totalItems: all.length,
    totalPages: Math.ceil(all.length / pageSize),
    items: all.slice((page - 1) * pageSize, page * pageSize),
  };
}
