import type { Page, PageRequest } from '../../api/management-api.ts';

export const pageSize = 1_000;

/** Limits the rows of a list that is read as a whole. */
export const maxListed = 10_000;

/** Reads a list page by page, max `maxListed` rows, until `isEnough` of them are read. @throws ApiError */
export async function readPages<T>(
  list: (page: PageRequest) => Promise<Page<T>>,
  isEnough: (rows: readonly T[]) => boolean = () => false,
): Promise<readonly T[]> {
  const rows: T[] = [];
  for (let page = 1; rows.length < maxListed; page += 1) {
    const { items, totalPages, hasNext } = await list({ page, pageSize });
    rows.push(...items);
    if (items.length === 0 || !(hasNext ?? (totalPages !== undefined && page < totalPages)) || isEnough(rows)) break;
  }
  return rows.slice(0, maxListed);
}
