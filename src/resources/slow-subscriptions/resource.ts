import type { CallOptions, ReadingApi } from '../../api/management-api.ts';
import type { SlowSubscriptions } from '../../domain/messages.ts';
import { defineResource } from '../../monitor/query/query.ts';
import { offered } from '../offered.ts';

/** Reads the slowest subscriptions. @throws ApiError; NotAvailableError where the API has no such list */
export const readSlowSubscriptions = async (api: ReadingApi, options: CallOptions): Promise<SlowSubscriptions> =>
  offered(api, 'listSlowSubscriptions', 'slow subscriptions')(options);

/** Subscriptions whose messages take longest to be delivered, as the broker ranks them. */
export const slowSubscriptions = defineResource<SlowSubscriptions>({
  name: 'slowSubscriptions',
  source: 'slow subscriptions',
  every: 'fifthTick',
  read: readSlowSubscriptions,
});
