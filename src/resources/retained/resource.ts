import type { CallOptions, ReadingApi } from '../../api/management-api.ts';
import type { RetainedContent, RetainedMessage } from '../../domain/messages.ts';
import { defineResource } from '../../monitor/query/query.ts';
import type { PartOfList } from '../../monitor/state.ts';
import { maxMessages } from '../messages.ts';
import { offered } from '../offered.ts';

const feature = 'retained messages';
const pageSize = 200;

/** Reads the first `maxMessages`. @throws ApiError; NotAvailableError where the API has no such list */
export async function readRetained(api: ReadingApi, options: CallOptions): Promise<PartOfList<RetainedMessage>> {
  const list = offered(api, 'listRetained', feature);
  const items: RetainedMessage[] = [];
  for (let page = 1; ; page += 1) {
    const {
      items: found,
      totalPages,
      hasNext = totalPages !== undefined && page < totalPages,
    } = await list(undefined, { page, pageSize }, options);
    items.push(...found);
    if (!hasNext || found.length === 0 || items.length >= maxMessages)
      return {
        items: items.slice(0, maxMessages),
        hasMore: items.length > maxMessages || (hasNext && found.length > 0),
      };
  }
}

/** Reads one message with its payload; `undefined` if nothing is retained for the topic. @throws ApiError; NotAvailableError where the API cannot */
export const readRetainedContent = async (
  api: ReadingApi,
  topic: string,
  options: CallOptions,
): Promise<RetainedContent | undefined> => offered(api, 'getRetained', feature)(topic, options);

/** Retained messages without their payloads: the first thousand. */
export const retained = defineResource<PartOfList<RetainedMessage>>({
  name: 'retained',
  source: feature,
  every: 'fifthTick',
  read: readRetained,
});

/** The payload of one retained message, by topic; `'none'` if nothing is retained. */
export const retainedContent = defineResource<RetainedContent | 'none', [topic: string]>({
  name: 'retainedContent',
  source: feature,
  every: 'fifthTick',
  maxUnwatched: 8,
  recorded: 'no',
  read: async (api, call, topic) => (await readRetainedContent(api, topic, call)) ?? 'none',
});
