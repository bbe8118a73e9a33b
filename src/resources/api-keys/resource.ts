import type { CallOptions, ReadingApi } from '../../api/management-api.ts';
import type { ApiKey } from '../../domain/administration.ts';
import { defineResource } from '../../monitor/query/query.ts';
import { offered } from '../offered.ts';

/** Reads the API keys, without their secrets. @throws ApiError; NotAvailableError where the API has no keys */
export const readApiKeys = async (api: ReadingApi, options: CallOptions): Promise<readonly ApiKey[]> =>
  offered(api, 'listApiKeys', 'API keys')(options);

/** Keys that scripts sign in with. */
export const apiKeys = defineResource<readonly ApiKey[]>({
  name: 'apiKeys',
  source: 'API keys',
  every: 'fifthTick',
  read: readApiKeys,
});
