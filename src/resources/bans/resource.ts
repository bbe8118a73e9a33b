import type { CallOptions, ReadingApi } from '../../api/management-api.ts';
import type { Ban } from '../../domain/administration.ts';
import { readPages } from '../../monitor/polling/pages.ts';
import { defineResource } from '../../monitor/query/query.ts';
import { offered } from '../offered.ts';

/** Reads the bans. @param isEnough ends it early @throws ApiError; NotAvailableError where the API has no bans */
export async function readBans(
  api: ReadingApi,
  options: CallOptions,
  isEnough?: (bans: readonly Ban[]) => boolean,
): Promise<readonly Ban[]> {
  const list = offered(api, 'listBans', 'bans');
  return readPages((page) => list(page, options), isEnough);
}

/** Shows clients that the broker refuses. */
export const bans = defineResource<readonly Ban[]>({
  name: 'bans',
  source: 'bans',
  every: 'fifthTick',
  read: (api, call) => readBans(api, call),
});
