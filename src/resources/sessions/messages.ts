import type { CallOptions, ReadingApi } from '../../api/management-api.ts';
import type { SessionMessage, SessionMessageKind } from '../../domain/messages.ts';
import { defineResource } from '../../monitor/query/query.ts';
import type { PartOfList } from '../../monitor/state.ts';
import { maxMessages } from '../messages.ts';
import { offered } from '../offered.ts';

/** Limits pages: one of large messages has few. */
const maxPages = 32;

/** Reads the first `maxMessages`, or fewer large ones, in the order of the broker. @throws ApiError; NotAvailableError where the API has no such list */
export async function readSessionMessages(
  api: ReadingApi,
  clientId: string,
  which: SessionMessageKind,
  options: CallOptions,
): Promise<PartOfList<SessionMessage>> {
  const list = offered(api, 'listSessionMessages', 'session messages');
  const items: SessionMessage[] = [];
  let from: string | undefined;
  let pages = 0;
  do {
    const page = await list(clientId, which, from, options);
    items.push(...page.items);
    from = page.items.length === 0 || page.next === from ? undefined : page.next;
    pages += 1;
  } while (from !== undefined && items.length < maxMessages && pages < maxPages);
  return { items: items.slice(0, maxMessages), hasMore: from !== undefined };
}

/** Messages that a session holds: its queue, or those in flight. */
export const sessionMessages = defineResource<
  PartOfList<SessionMessage>,
  [clientId: string, which: SessionMessageKind]
>({
  name: 'sessionMessages',
  source: (clientId) => `messages of ${clientId}`,
  every: 'fifthTick',
  maxUnwatched: 8,
  read: (api, call, clientId, which) => readSessionMessages(api, clientId, which, call),
});
