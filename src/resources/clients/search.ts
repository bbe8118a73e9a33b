import type { CallOptions, ClientSearch, ReadingApi } from '../../api/management-api.ts';
import type { Client } from '../../domain/client.ts';
import { defineResource } from '../../monitor/query/query.ts';
import type { PartOfList } from '../../monitor/state.ts';
import { offered } from '../offered.ts';

/** Limits the clients found: more do not help to find one. */
export const maxFound = 1_000;

/**
 * Reads clients that any of `searches` finds, by id, the first `maxFound`. @throws ApiError; NotAvailableError where
 * the API cannot search
 */
export async function readClientSearch(
  api: ReadingApi,
  searches: readonly ClientSearch[],
  options: CallOptions,
): Promise<PartOfList<Client>> {
  const search = offered(api, 'searchClients', 'client search');
  const found = new Map<string, Client>();
  let hasMore = false;
  for (const each of searches) {
    const {
      items,
      totalPages,
      hasNext = totalPages !== undefined && totalPages > 1,
    } = await search(each, { page: 1, pageSize: maxFound }, options);
    for (const client of items) found.set(client.clientId, client);
    hasMore ||= hasNext;
  }
  return { items: [...found.values()].slice(0, maxFound), hasMore: hasMore || found.size > maxFound };
}

/** Connected clients that the broker finds by any of several searches. */
export const clientSearch = defineResource<PartOfList<Client>, [searches: readonly ClientSearch[]]>({
  name: 'clientSearch',
  source: 'client search',
  every: 'fifthTick',
  maxUnwatched: 8,
  read: (api, call, searches) => readClientSearch(api, searches, call),
});
