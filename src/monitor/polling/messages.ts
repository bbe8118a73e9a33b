import { NotAvailableError } from '../../api/errors.ts';
import type { CallOptions, ManagementApi } from '../../api/management-api.ts';
import type {
  RetainedContent,
  RetainedMessage,
  SessionMessage,
  SessionMessageKind,
  SlowSubscriptions,
} from '../../domain/messages.ts';
import { clientSearchKey, type PartOfList, type ResourceState, sessionMessagesKey, type Watched } from '../state.ts';
import type { StateWriter } from '../store.ts';
import { featureTexts, sourceTexts } from '../texts.ts';
import { readClientSearch } from './client-search.ts';
import { createPollerMap, type Poller, type PollerMap } from './poller.ts';

/** What is read of a list of messages: more help nobody, and cost the broker much. */
export const maxMessages = 1_000;
const pageSize = 200;

/** @throws ApiError; NotAvailableError where the API has no such list, like the others */
export async function readSlowSubscriptions(api: ManagementApi, options: CallOptions): Promise<SlowSubscriptions> {
  if (api.listSlowSubscriptions === undefined) throw new NotAvailableError(featureTexts.slowSubscriptions);
  return api.listSlowSubscriptions(options);
}

/** The first `maxMessages`. */
export async function readRetained(api: ManagementApi, options: CallOptions): Promise<PartOfList<RetainedMessage>> {
  const list = api.listRetained?.bind(api);
  if (list === undefined) throw new NotAvailableError(featureTexts.retained);
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

export async function readRetainedContent(
  api: ManagementApi,
  topic: string,
  options: CallOptions,
): Promise<RetainedContent | undefined> {
  if (api.getRetained === undefined) throw new NotAvailableError(featureTexts.retained);
  return api.getRetained(topic, options);
}

/** A page of large messages has few. */
const maxPages = 32;

/** The first `maxMessages`, or fewer large ones, in the order of the broker. */
export async function readSessionMessages(
  api: ManagementApi,
  clientId: string,
  which: SessionMessageKind,
  options: CallOptions,
): Promise<PartOfList<SessionMessage>> {
  const list = api.listSessionMessages?.bind(api);
  if (list === undefined) throw new NotAvailableError(featureTexts.sessionMessages);
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

export interface MessagePollers {
  readonly slowSubscriptions: Poller<SlowSubscriptions>;
  readonly retained: Poller<PartOfList<RetainedMessage>>;
  readonly retainedContent: KeyedPollers<Extract<Watched, { readonly kind: 'retainedContent' }>>;
  readonly sessionMessages: KeyedPollers<Extract<Watched, { readonly kind: 'sessionMessages' }>>;
  readonly clientSearch: KeyedPollers<Extract<Watched, { readonly kind: 'clientSearch' }>>;
}

/** Pollers by what is watched. */
export interface KeyedPollers<W extends Watched> {
  get(watched: W): Poller<unknown>;
  keep(watched: W): void;
  release(watched: W): void;
}

type MakePoller = <T>(
  source: string,
  watched: Watched,
  read: (options: CallOptions) => Promise<T>,
  onState: (state: ResourceState<T>) => void,
) => Poller<T>;

const maxUnwatched = 8;

export function createMessagePollers(api: ManagementApi, writer: StateWriter, poller: MakePoller): MessagePollers {
  function keyed<W extends Watched, T>(
    keyOf: (watched: W) => string,
    source: (watched: W) => string,
    read: (watched: W, options: CallOptions) => Promise<T>,
    onStates: (states: ReadonlyMap<string, ResourceState<T>>) => void,
  ): KeyedPollers<W> {
    const known = new Map<string, W>();
    const pollers: PollerMap<T> = createPollerMap<T>({
      maxUnwatched,
      create: (key, onState) => {
        const watched = known.get(key);
        if (watched === undefined) throw new Error(`nothing is watched as ${key}`);
        return poller(source(watched), watched, (options) => read(watched, options), onState);
      },
      onStates: (states) => {
        for (const key of known.keys()) if (!states.has(key)) known.delete(key);
        onStates(states);
      },
    });
    const keep = (watched: W): string => {
      const key = keyOf(watched);
      known.set(key, watched);
      return key;
    };
    return {
      get: (watched) => pollers.get(keep(watched)),
      keep: (watched) => {
        pollers.keep(keep(watched));
      },
      release: (watched) => {
        pollers.release(keep(watched));
      },
    };
  }

  return {
    slowSubscriptions: poller(
      sourceTexts.slowSubscriptions,
      { kind: 'slowSubscriptions' },
      (options) => readSlowSubscriptions(api, options),
      (slowSubscriptions) => {
        writer.write({ slowSubscriptions });
      },
    ),
    retained: poller(
      sourceTexts.retained,
      { kind: 'retained' },
      (options) => readRetained(api, options),
      (retained) => {
        writer.write({ retained });
      },
    ),
    retainedContent: keyed(
      ({ topic }) => topic,
      () => sourceTexts.retained,
      async ({ topic }, options) => (await readRetainedContent(api, topic, options)) ?? ('none' as const),
      (retainedContents) => {
        writer.write({ retainedContents });
      },
    ),
    sessionMessages: keyed(
      ({ clientId, which }) => sessionMessagesKey(clientId, which),
      ({ clientId }) => sourceTexts.sessionMessages(clientId),
      ({ clientId, which }, options) => readSessionMessages(api, clientId, which, options),
      (sessionMessages) => {
        writer.write({ sessionMessages });
      },
    ),
    clientSearch: keyed(
      ({ searches }) => clientSearchKey(searches),
      () => sourceTexts.clientSearch,
      ({ searches }, options) => readClientSearch(api, searches, options),
      (clientSearches) => {
        writer.write({ clientSearches });
      },
    ),
  };
}
