import type { AdminUser } from '../../domain/administration.ts';
import { defineResource } from '../../monitor/query/query.ts';
import type { MonitorOperations } from '../../monitor/state.ts';

/** Users of the dashboard; with several addresses those of the one in use, as each may have its own. */
export const users = defineResource<readonly AdminUser[]>({
  name: 'users',
  source: 'users',
  every: 'fifthTick',
  async read(api, call) {
    const { urls = [], servingUrl: url } = api;
    if (urls.length < 2 || url === undefined || api.at === undefined) return api.listUsers(call);
    return (await api.at(url).listUsers(call)).map((user) => ({ ...user, url }));
  },
});

/** Reads the users of one address. @throws ApiError */
export const readUsersAt = async (
  { request }: Pick<MonitorOperations, 'request'>,
  url: string,
): Promise<readonly AdminUser[]> =>
  (await request((api, options) => api.listUsers(options), { url })).map((user) => ({ ...user, url }));
