import { isIP } from 'node:net';
import type { ServedApi } from '../../../dialect.ts';
import { BrokerError } from '../../../errors.ts';
import { lazily } from '../../../json.ts';
import type { CallOptions, PageRequest } from '../../../management-api.ts';
import { canonicalAddress } from '../../../server/address.ts';
import { type Answer, clientNotFound, invalid, noContent, ok, RefusalError, type WireRecord } from './answer.ts';
import { required, runningNodes } from '../../../server/served-calls.ts';
import { wantedNodes } from './context.ts';
import { createServedClients, type ServedClient } from '../../../server/served-clients.ts';
import { encodeAclDecision, encodeClient, encodeSubscribed, encodeSubscription } from './encode.ts';
import { countOf, search, take } from '../../../server/rows.ts';
import { pageAnswer } from './pages.ts';
import { bodyOf, type Handler, readBoolean, readChoice, readLimit, readPage, readQos, readText } from './query.ts';
import type { V5Profile } from './profiles.ts';
import type { Route } from '../../../server/router.ts';
import { readTime } from './times.ts';

type Filter = (row: ServedClient) => boolean;

interface Filters {
  readonly all: readonly Filter[];
  /** Whether parts of texts match. Real brokers do not count the rows then. */
  readonly isFuzzy: boolean;
  readonly clientIds: readonly string[];
  readonly isConnected: boolean | undefined;
}

const cursorPattern = /^\d{1,15}$/u;

/** @throws RefusalError for a bad value */
function readFilters(query: URLSearchParams): Filters {
  const all: Filter[] = [];
  const usernames = query.getAll('username');
  if (usernames.length > 0)
    all.push(({ client }) => client?.username !== undefined && usernames.includes(client.username));
  const address = query.get('ip_address');
  if (address !== null) {
    if (isIP(address) === 0)
      throw new RefusalError(
        400,
        'INVALID_PARAMETER',
        `the ip_address parameter expected type is ip, but the value is ${address}`,
      );
    const wanted = canonicalAddress(address);
    all.push(({ client }) => client?.ipAddress !== undefined && canonicalAddress(client.ipAddress) === wanted);
  }
  const state = readChoice(query, 'conn_state', ['connected', 'idle', 'disconnected']);
  if (state === 'idle') all.push(() => false);
  const isClean = readBoolean(query, 'clean_start');
  if (isClean !== undefined) all.push(({ session }) => session.cleanSession === isClean);
  const version = query.get('proto_ver');
  if (version !== null) all.push(({ client }) => String(client?.protocolVersion) === version);
  const [likeId, likeName] = [query.get('like_clientid'), query.get('like_username')];
  if (likeId !== null) all.push(({ session }) => session.clientId.includes(likeId));
  if (likeName !== null) all.push(({ client }) => client?.username?.includes(likeName) === true);
  for (const [name, read] of [
    ['created_at', ({ session }: ServedClient) => session.createdAt],
    ['connected_at', ({ client }: ServedClient) => client?.connectedAt],
  ] as const) {
    for (const [prefix, sign] of [
      ['gte_', 1],
      ['lte_', -1],
    ] as const) {
      const text = query.get(prefix + name);
      if (text === null) continue;
      const limit = readTime(text, prefix + name);
      all.push((row) => ((read(row) ?? Number.NaN) - limit) * sign >= 0);
    }
  }
  return {
    all,
    isFuzzy: likeId !== null || likeName !== null,
    clientIds: query.getAll('clientid'),
    isConnected: state === 'connected' ? true : state === 'disconnected' ? false : undefined,
  };
}

const rowFields = new Set(
  Object.keys(
    encodeClient({
      session: {
        clientId: '',
        cleanSession: undefined,
        createdAt: undefined,
        node: undefined,
        maxInflight: undefined,
        inflight: undefined,
        queueLength: undefined,
        dropped: undefined,
        awaitingRel: undefined,
        awaitingAck: undefined,
        awaitingComp: undefined,
        subscriptions: undefined,
        delivered: undefined,
        enqueued: undefined,
        unparsed: {},
      },
      client: undefined,
    }),
  ),
);
/** Fields that real brokers know and this one does not have. */
const otherFields: ReadonlySet<string> = new Set([
  'listener',
  'disconnected_at',
  'awaiting_rel_max',
  'recv_pkt',
  'recv_cnt',
  'send_pkt',
  'send_cnt',
  'heap_size',
  'reductions',
  'mailbox_len',
  'zone',
  ...['recv_msg.qos', 'send_msg.qos'].flatMap((name) => ['0', '1', '2'].map((qos) => name + qos)),
  'recv_msg.dropped',
  'recv_msg.dropped.await_pubrel_timeout',
  'send_msg.dropped.expired',
  'send_msg.dropped.too_large',
]);

/** Returns the encoder for `?fields=`. @throws RefusalError for an unknown field */
function readEncoder(
  query: URLSearchParams,
  encode: (row: ServedClient) => WireRecord,
): (row: ServedClient) => WireRecord {
  const text = query.get('fields');
  if (text === null || text === 'all') return encode;
  const names = text.split(',');
  for (const name of names)
    if (!rowFields.has(name) && !otherFields.has(name)) throw invalid('fields', 'matched_no_union_member', name);
  return (row) => {
    const whole = encode(row);
    return Object.fromEntries(names.map((name) => [name, whole[name]]));
  };
}

/** Serves clients with their sessions, and actions on them. */
export function clientRoutes(api: ServedApi, { clientRow }: Pick<V5Profile, 'clientRow'>): readonly Route<Handler>[] {
  const encodeRow = (row: ServedClient): WireRecord => clientRow(encodeClient(row));
  const served = createServedClients(api);
  const requireRow = async (clientId: string, options: CallOptions): Promise<ServedClient> => {
    if (/[\0-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f]/u.test(clientId))
      throw invalid('clientid', { expected: 'binary()' }, clientId);
    const row = await served.find(clientId, options);
    if (row === undefined) throw clientNotFound();
    return row;
  };

  const sessionsOf = (options: CallOptions) => (node: string, page: PageRequest) =>
    api.listSessions(node, page, options);
  const clientsOf = (options: CallOptions) => (node: string, page: PageRequest) => api.listClients(node, page, options);

  async function* rows(
    nodes: readonly string[],
    { clientIds, isConnected }: Filters,
    options: CallOptions,
    skip: number,
  ): AsyncGenerator<ServedClient, void> {
    if (clientIds.length > 0) {
      for (const clientId of clientIds) {
        const row = await served.find(clientId, options);
        if (row !== undefined && nodes.includes(row.session.node ?? '')) yield row;
      }
      return;
    }
    yield* served.rows(nodes, isConnected, options, skip);
  }

  const isWanted =
    ({ all, isConnected }: Filters) =>
    (row: ServedClient): boolean =>
      (isConnected === undefined || (row.client !== undefined) === isConnected) && all.every((filter) => filter(row));

  const list: Handler = async ({ query, options }) => {
    const page = readPage(query);
    const filters = readFilters(query);
    const encode = readEncoder(query, encodeRow);
    const nodes = await wantedNodes(api, query, options);
    const isPlain = filters.all.length === 0 && filters.clientIds.length === 0 && filters.isConnected !== false;
    if (!isPlain) {
      const found = await search(rows(nodes, filters, options, 0), isWanted(filters), page, !filters.isFuzzy);
      return pageAnswer(found, page, encode);
    }
    const count = await countOf(nodes, filters.isConnected === true ? clientsOf(options) : sessionsOf(options));
    const start = (page.page - 1) * page.pageSize;
    const items = start >= count ? [] : await take(rows(nodes, filters, options, start), page.pageSize);
    return pageAnswer({ items, count, hasNext: start + page.pageSize < count }, page, encode);
  };

  const listByCursor: Handler = async ({ query, options }) => {
    const limit = readLimit(query);
    const filters = readFilters(query);
    const encode = readEncoder(query, encodeRow);
    const cursor = query.get('cursor') ?? '0';
    if (!cursorPattern.test(cursor)) throw new RefusalError(400, 'BAD_REQUEST', 'bad cursor');
    const found = await search(
      rows(await runningNodes(api, options), filters, options, 0),
      isWanted(filters),
      { page: 1, pageSize: Number(cursor) + limit },
      false,
    );
    const items = found.items.slice(Number(cursor));
    const next = found.hasNext ? String(Number(cursor) + limit) : undefined;
    return {
      status: 200,
      long: { data: lazily(items, encode), meta: { count: items.length, ...(next !== undefined && { cursor: next }) } },
    };
  };

  const kick: Handler = async ({ param, options }) => {
    await required(api.disconnectClient, 'disconnectClient')(param('clientid'), options);
    return noContent;
  };

  const kickMany: Handler = async ({ body, options }) => {
    if (!Array.isArray(body) || !body.every((id) => typeof id === 'string'))
      throw invalid('root', { expected: 'array' });
    const disconnect = required(api.disconnectClient, 'disconnectClient');
    for (const clientId of body) {
      try {
        await disconnect(clientId, options);
      } catch (error) {
        if (!(error instanceof BrokerError && error.kind === 'not-connected')) throw error;
      }
    }
    return noContent;
  };

  const listSubscriptions: Handler = async ({ param, options }) => {
    const {
      session: { clientId },
    } = await requireRow(param('clientid'), options);
    return ok((await api.getSubscriptions(clientId, options)).map(encodeSubscription));
  };

  /** Subscribes a client. Real brokers accept invalid filters; this one does not. */
  const subscribeOne = async (
    clientId: string,
    node: string | undefined,
    body: unknown,
    options: CallOptions,
  ): Promise<WireRecord> => {
    const fields = bodyOf({ body });
    const [topic, qos] = [readText(fields, 'topic'), readQos(fields)];
    try {
      await required(api.subscribe, 'subscribe')({ clientId, topic, qos }, options);
    } catch (error) {
      if (error instanceof BrokerError && error.kind === 'failed')
        throw new RefusalError(400, 'BAD_REQUEST', error.brokerMessage ?? '');
      throw error;
    }
    return encodeSubscribed({ clientId, topic, qos, node });
  };
  const unsubscribeOne = async (clientId: string, body: unknown, options: CallOptions): Promise<void> => {
    await required(api.unsubscribe, 'unsubscribe')({ clientId, topic: readText(bodyOf({ body }), 'topic') }, options);
  };
  const each = async (body: unknown, act: (item: unknown) => Promise<unknown>): Promise<unknown[]> => {
    if (!Array.isArray(body)) throw invalid('root', { expected: 'array' });
    const results: unknown[] = [];
    for (const item of body) results.push(await act(item));
    return results;
  };
  const onSession =
    (act: (row: ServedClient, body: unknown, options: CallOptions) => Promise<Answer>): Handler =>
    async ({ param, body, options }) =>
      act(await requireRow(param('clientid'), options), body, options);

  const clearCache: Handler = async ({ param, options }) => {
    const { client, session } = await requireRow(param('clientid'), options);
    if (client !== undefined) await required(api.clearAclCache, 'clearAclCache')(session.clientId, undefined, options);
    return noContent;
  };

  const listCache: Handler = async ({ param, options }) => {
    const { client, session } = await requireRow(param('clientid'), options);
    return ok(
      client === undefined
        ? []
        : (await required(api.listAclCache, 'listAclCache')(session.clientId, options)).map(encodeAclDecision),
    );
  };

  return [
    { method: 'GET', pattern: '/clients', handler: list },
    { method: 'GET', pattern: '/clients_v2', handler: listByCursor },
    { method: 'POST', pattern: '/clients/kickout/bulk', handler: kickMany },
    {
      method: 'GET',
      pattern: '/clients/:clientid',
      handler: async ({ param, options }) => ok(encodeRow(await requireRow(param('clientid'), options))),
    },
    { method: 'DELETE', pattern: '/clients/:clientid', handler: kick },
    { method: 'GET', pattern: '/clients/:clientid/subscriptions', handler: listSubscriptions },
    {
      method: 'POST',
      pattern: '/clients/:clientid/subscribe',
      handler: onSession(async ({ session }, body, options) =>
        ok(await subscribeOne(session.clientId, session.node, body, options)),
      ),
    },
    {
      method: 'POST',
      pattern: '/clients/:clientid/subscribe/bulk',
      handler: onSession(async ({ session }, body, options) =>
        ok(await each(body, (item) => subscribeOne(session.clientId, session.node, item, options))),
      ),
    },
    {
      method: 'POST',
      pattern: '/clients/:clientid/unsubscribe',
      handler: onSession(async ({ session }, body, options) => {
        await unsubscribeOne(session.clientId, body, options);
        return noContent;
      }),
    },
    {
      method: 'POST',
      pattern: '/clients/:clientid/unsubscribe/bulk',
      handler: onSession(async ({ session }, body, options) => {
        await each(body, (item) => unsubscribeOne(session.clientId, item, options));
        return noContent;
      }),
    },
    { method: 'GET', pattern: '/clients/:clientid/authorization/cache', handler: listCache },
    { method: 'DELETE', pattern: '/clients/:clientid/authorization/cache', handler: clearCache },
  ];
}
