import { createHash } from 'node:crypto';
import type { Route as BrokerRoute, Subscription } from '../../../../domain/client.ts';
import type { SessionMessage } from '../../../../domain/messages.ts';
import type { ServedApi } from '../../../dialect.ts';
import { BrokerError } from '../../../errors.ts';
import { lazily } from '../../../json.ts';
import type { CallOptions, PageRequest, PublishRequest } from '../../../management-api.ts';
import { type Answer, clientNotFound, invalid, noContent, ok, RefusalError, type WireRecord } from './answer.ts';
import { required } from '../../../server/served-calls.ts';
import { wantedNodes } from './context.ts';
import { encodeRetained, encodeSessionMessage, encodeSlow, encodeSubscription } from './encode.ts';
import { countOf, fromPage, rowsOf, search, take } from '../../../server/rows.ts';
import { pageAnswer } from './pages.ts';
import {
  bodyOf,
  type Handler,
  optionalFlag,
  optionalText,
  readChoice,
  readInteger,
  readLimit,
  readPage,
  readQos,
  readText,
} from './query.ts';
import type { V5Profile } from './profiles.ts';
import type { Route } from '../../../server/router.ts';

/** Serves subscriptions, topics, publishing, retained messages, and messages that wait. */
export function messageRoutes(
  api: ServedApi,
  { skipsCutMessages, deletesAnyRetained }: Pick<V5Profile, 'skipsCutMessages' | 'deletesAnyRetained'>,
): readonly Route<Handler>[] {
  const subscriptions: Handler = async ({ query, options }) => {
    const page = readPage(query);
    const filters = readSubscriptionFilters(query);
    const nodes = await wantedNodes(api, query, options);
    const list = (node: string, part: PageRequest) => api.listSubscriptions(node, part, options);
    const clientId = query.get('clientid');
    if (clientId === null && filters.length === 0) {
      const count = await countOf(nodes, list);
      const start = (page.page - 1) * page.pageSize;
      const items = start >= count ? [] : await take(rowsOf(nodes, list, start), page.pageSize);
      return pageAnswer({ items, count, hasNext: start + page.pageSize < count }, page, encodeSubscription);
    }
    const rows = clientId === null ? rowsOf(nodes, list) : ofClient(clientId, nodes, options);
    const found = await search(rows, (row) => filters.every((filter) => filter(row)), page, !query.has('match_topic'));
    return pageAnswer(found, page, encodeSubscription);
  };
  async function* ofClient(
    clientId: string,
    nodes: readonly string[],
    options: CallOptions,
  ): AsyncGenerator<Subscription, void> {
    for (const row of await api.getSubscriptions(clientId, options)) if (nodes.includes(row.node ?? '')) yield row;
  }

  const encodeRoute = ({ topic, node }: BrokerRoute): WireRecord => ({ topic, node });
  const topics: Handler = async ({ query, options }) => {
    const page = readPage(query);
    const [topic, node] = [query.get('topic'), query.get('node')];
    if (topic === null && node === null)
      return pageAnswer(fromPage(await api.listRoutes(page, options)), page, encodeRoute);
    const all =
      topic === null
        ? rowsOf([''], (_, part) => api.listRoutes(part, options))
        : each(await api.getRoutes(topic, options));
    return pageAnswer(
      await search(all, (route) => node === null || route.node === node, page, node === null),
      page,
      encodeRoute,
    );
  };
  const topic: Handler = async ({ param, options }) => {
    const routes = await api.getRoutes(param('topic'), options);
    if (routes.length === 0) throw new RefusalError(404, 'TOPIC_NOT_FOUND', 'Topic not found');
    return ok(routes.map(encodeRoute));
  };

  let published = 0;
  const messageId = (): string => {
    published += 1;
    return idText(`${Date.now()} ${published}`);
  };
  const publishOne = async (
    body: unknown,
    options: CallOptions,
  ): Promise<{ readonly status: number; readonly json: WireRecord }> => {
    const request = readMessage(body);
    if (!('topic' in request)) return { status: 400, json: request };
    let hasReceiver = true;
    try {
      await required(api.publish, 'publish')(request, {
        ...options,
        onNoReceiver: () => {
          hasReceiver = false;
        },
      });
    } catch (error) {
      if (error instanceof BrokerError && error.kind === 'failed')
        return { status: 400, json: { message: error.brokerMessage, reason_code: 128 } };
      throw error;
    }
    return hasReceiver
      ? { status: 200, json: { id: messageId() } }
      : { status: 202, json: { message: 'no_matching_subscribers', reason_code: 16 } };
  };
  const publishMany: Handler = async ({ body, options }) => {
    if (!Array.isArray(body)) throw invalid('root', { expected: 'array' });
    const results: { readonly status: number; readonly json: WireRecord }[] = [];
    for (const item of body) results.push(await publishOne(item, options));
    return { status: Math.max(200, ...results.map(({ status }) => status)), json: results.map(({ json }) => json) };
  };

  const notRetained = (): RefusalError => new RefusalError(404, 'NOT_FOUND', "Viewed message doesn't exist");
  const listRetained: Handler = async ({ query, options }) => {
    const page = readPage(query);
    const filter = query.get('topic');
    const found = await required(api.listRetained, 'listRetained')(filter ?? undefined, page, options);
    const { items, hasNext, count } = fromPage(found);
    const encode = (message: (typeof items)[number]): WireRecord => ({
      ...encodeRetained(message),
      msgid: idText(`${message.topic} ${message.publishedAt ?? 0}`),
    });
    return pageAnswer(
      { items, hasNext: found.hasNext ?? hasNext, count: filter === null ? count : undefined },
      page,
      encode,
    );
  };
  const getRetained: Handler = async ({ param, options }) => {
    const message = await required(api.getRetained, 'getRetained')(param('topic'), options);
    if (message === undefined) throw notRetained();
    const { topic: name, publishedAt, payload } = message;
    return ok({
      ...encodeRetained(message),
      msgid: idText(`${name} ${publishedAt ?? 0}`),
      payload: Buffer.from(payload).toString('base64'),
    });
  };
  const deleteRetained: Handler = async ({ param, options }) => {
    if ((await required(api.getRetained, 'getRetained')(param('topic'), options)) === undefined) {
      if (deletesAnyRetained) return noContent;
      throw notRetained();
    }
    await required(api.deleteRetained, 'deleteRetained')(param('topic'), options);
    return noContent;
  };

  /**
   * Serves messages of a session. A position `PAGE_N` names a page of the broker, and how many of its messages were
   * returned.
   */
  const sessionMessages =
    (which: 'queue' | 'inflight'): Handler =>
    async ({ param, query, options }) => {
      const clientId = param('clientid');
      const limit = readLimit(query);
      const form = readChoice(query, 'payload', ['none', 'base64', 'plain'], 'not_a_enum_symbol') ?? 'base64';
      const maxBytes = readInteger(query, 'max_payload_bytes', 1_000_000, Number.MAX_SAFE_INTEGER, 'pos_integer()');
      const start = query.get('position') ?? 'none';
      const parsed = /^(?:none|(\w*)_(\d{1,15}))$/u.exec(start);
      if (parsed === null) throw new RefusalError(400, 'INVALID_PARAMETER', 'position_limit_invalid');
      if ((await api.getSession(clientId, options)).length === 0) throw clientNotFound();
      const read = required(api.listSessionMessages, 'listSessionMessages');
      let [from, skip] = [parsed[1] ?? '', Number(parsed[2] ?? 0)];
      const items: { readonly message: SessionMessage; readonly id: string }[] = [];
      let [bytes, walked, isCut] = [0, 0, false];
      for (;;) {
        const { items: some, next } = await read(clientId, which, from === '' ? undefined : from, options);
        for (const message of some.slice(skip)) {
          const size = payloadText(message, form)?.length ?? 0;
          isCut ||= items.length > 0 && bytes + size > maxBytes;
          if (walked >= limit || (isCut && !skipsCutMessages)) break;
          walked += 1;
          if (!isCut)
            items.push({ message, id: idText(`${message.topic} ${message.publishedAt ?? 0} ${from} ${skip}`) });
          bytes += size;
          skip += 1;
        }
        if (next === undefined || skip < some.length || walked >= limit) break;
        [from, skip] = [next, 0];
      }
      const position = items.length === 0 ? start : `${from}_${skip}`;
      const first = items.length === 0 ? start : start === 'none' ? '_0' : start;
      return {
        status: 200,
        long: {
          meta: { start: first, position },
          data: lazily(items, ({ message, id }) => encodeSessionMessage(message, payloadText(message, form), id)),
        },
      };
    };

  const slow: Handler = async ({ options }) => {
    const { items } = await required(api.listSlowSubscriptions, 'listSlowSubscriptions')(options);
    return ok({ data: items.map(encodeSlow) });
  };
  const slowSettings: Handler = async ({ options }) => {
    const { isEnabled, thresholdMs } = await required(api.listSlowSubscriptions, 'listSlowSubscriptions')(options);
    return ok({
      enable: isEnabled,
      threshold: `${thresholdMs ?? 0}ms`,
      top_k_num: 10,
      stats_type: 'whole',
      expire_interval: '300s',
    });
  };

  return [
    { method: 'GET', pattern: '/subscriptions', handler: subscriptions },
    { method: 'GET', pattern: '/topics', handler: topics },
    { method: 'GET', pattern: '/topics/:topic', handler: topic },
    { method: 'POST', pattern: '/publish', handler: ({ body, options }): Promise<Answer> => publishOne(body, options) },
    { method: 'POST', pattern: '/publish/bulk', handler: publishMany },
    { method: 'GET', pattern: '/mqtt/retainer/messages', handler: listRetained },
    { method: 'GET', pattern: '/mqtt/retainer/message/:topic', handler: getRetained },
    { method: 'DELETE', pattern: '/mqtt/retainer/message/:topic', handler: deleteRetained },
    { method: 'GET', pattern: '/clients/:clientid/mqueue_messages', handler: sessionMessages('queue') },
    { method: 'GET', pattern: '/clients/:clientid/inflight_messages', handler: sessionMessages('inflight') },
    { method: 'GET', pattern: '/slow_subscriptions', handler: slow },
    { method: 'GET', pattern: '/slow_subscriptions/settings', handler: slowSettings },
  ];
}

async function* each<T>(items: Iterable<T>): AsyncGenerator<T, void> {
  yield* items;
}

/** Derives an id, because messages have none in this broker. It is the same for the same message. */
const idText = (of: string): string => createHash('sha256').update(of).digest('hex').slice(0, 32).toUpperCase();

function payloadText({ payload }: SessionMessage, form: 'none' | 'base64' | 'plain'): string | undefined {
  if (payload === undefined || form === 'none') return undefined;
  return Buffer.from(payload).toString(form === 'plain' ? 'utf8' : 'base64');
}

function readSubscriptionFilters(query: URLSearchParams): readonly ((subscription: Subscription) => boolean)[] {
  const filters: ((subscription: Subscription) => boolean)[] = [];
  const [topic, matched, group] = [query.get('topic'), query.get('match_topic'), query.get('share_group')];
  const qos = readChoice(query, 'qos', ['0', '1', '2']);
  if (topic !== null) filters.push((row) => row.topic === topic);
  if (qos !== undefined) filters.push((row) => row.qos === Number(qos));
  if (group !== null) filters.push((row) => row.topic.startsWith(`$share/${group}/`));
  if (matched !== null)
    filters.push((row) => matches(row.topic.replace(/^(?:\$share\/[^/]+|\$queue)\//u, ''), matched));
  return filters;
}

function matches(filter: string, topic: string): boolean {
  const [wanted, levels] = [filter.split('/'), topic.split('/')];
  if (topic.startsWith('$') && (wanted[0] === '#' || wanted[0] === '+')) return false;
  for (const [index, level] of wanted.entries()) {
    if (level === '#') return true;
    if (levels[index] === undefined || (level !== '+' && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the message, or the answer to a bad one. @throws RefusalError */
function readMessage(body: unknown): PublishRequest | { readonly message: string; readonly reason_code: number } {
  const fields = bodyOf({ body });
  const topic = readText(fields, 'topic');
  const qos = readQos(fields);
  const text = readText(fields, 'payload');
  const encoding = optionalText(fields, 'payload_encoding') ?? 'plain';
  const retain = optionalFlag(fields, 'retain') ?? false;
  if (encoding !== 'plain' && encoding !== 'base64')
    throw invalid('root.payload_encoding', 'unable_to_convert_to_enum_symbol', encoding);
  if (topic === '' || /[+#\0]/u.test(topic)) return { message: 'topic_name_invalid', reason_code: 144 };
  if (encoding === 'plain') return { topic, payload: text, qos, retain };
  try {
    if (Buffer.from(text, 'base64').toString('base64') !== text) throw new TypeError('not base64');
    // The port takes text only.
    return { topic, payload: utf8.decode(Buffer.from(text, 'base64')), qos, retain };
  } catch {
    return { message: `{decode_base64_payload_failed,<<"${text.slice(0, 100)}">>}`, reason_code: 131 };
  }
}
