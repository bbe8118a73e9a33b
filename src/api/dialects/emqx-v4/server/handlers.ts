import { isIP } from 'node:net';
import type { Ban, BanKind, BanTarget } from '../../../../domain/administration.ts';
import type { Subscription } from '../../../../domain/client.ts';
import type { NodeName } from '../../../../domain/node.ts';
import type { ServedApi } from '../../../dialect.ts';
import { BrokerError } from '../../../errors.ts';
import { lazily } from '../../../json.ts';
import type { CallOptions, Page, PageRequest } from '../../../management-api.ts';
import { canonicalAddress } from '../../../server/address.ts';
import { nowSeconds, secondsOfEpoch } from '../../../server/epoch.ts';
import type { Route } from '../../../server/router.ts';
import { countOf, type FoundRows, fromPage, rowsOf, search, take } from '../../../server/rows.ts';
import { required, runningNodes } from '../../../server/served-calls.ts';
import { createServedClients, type ServedClient } from '../../../server/served-clients.ts';
import { banKinds, endOfTime } from '../decode-lists.ts';
import { type Answer, internalError, notFound, ok, refusal, RefusalError, type WireRecord } from './answer.ts';
import * as encode from './encode.ts';
import type { V4Profile } from './profiles.ts';
import { fieldOf, type Handler, optionalText, readInteger, readPage, readQos, readText } from './request.ts';

/** The length of a ban without an end. */
const banSeconds = 300;

interface PageShape {
  /** Whether rows were filtered: they are not counted then. */
  readonly isFiltered?: boolean | undefined;
  readonly hasHasNext?: boolean | undefined;
}

/** Answers with a page, lazily: it may be very long. */
const pageAnswer = <T>(
  { items, hasNext, count }: FoundRows<T>,
  { page, pageSize }: PageRequest,
  encodeRow: (item: T) => WireRecord,
  { isFiltered = false, hasHasNext = true }: PageShape = {},
): Answer => ({
  status: 200,
  long: {
    meta: { page, limit: pageSize, ...(hasHasNext && { hasnext: hasNext }), count: isFiltered ? -1 : count },
    data: lazily(items, encodeRow),
    code: 0,
  },
});

type Filter = (row: ServedClient) => boolean;

/** Reads the filters of clients; unknown ones are ignored. @throws RefusalError for a bad value */
function readFilters(query: URLSearchParams): {
  readonly all: readonly Filter[];
  readonly isConnected: boolean | undefined;
} {
  const all: Filter[] = [];
  const text = (name: string, filter: (wanted: string) => Filter): void => {
    const wanted = query.get(name);
    if (wanted !== null) all.push(filter(wanted));
  };
  const state = query.get('conn_state');
  text(
    'conn_state',
    (wanted) =>
      ({ client }) =>
        (client !== undefined) === (wanted === 'connected'),
  );
  text(
    'clientid',
    (wanted) =>
      ({ session }) =>
        session.clientId === wanted,
  );
  text(
    'username',
    (wanted) =>
      ({ client }) =>
        client?.username === wanted,
  );
  text(
    '_like_clientid',
    (wanted) =>
      ({ session }) =>
        session.clientId.includes(wanted),
  );
  text(
    '_like_username',
    (wanted) =>
      ({ client }) =>
        client?.username?.includes(wanted) === true,
  );
  text(
    'clean_start',
    (wanted) =>
      ({ session }) =>
        String(session.cleanSession) === wanted,
  );
  text(
    'proto_ver',
    (wanted) =>
      ({ client }) =>
        String(client?.protocolVersion) === wanted,
  );
  text('ip_address', (wanted) => {
    if (isIP(wanted) === 0) throw new RefusalError(refusal(108, `Can't convert <<"${wanted}">> to ip type`));
    const address = canonicalAddress(wanted);
    return ({ client }) => client?.ipAddress !== undefined && canonicalAddress(client.ipAddress) === address;
  });
  for (const [name, read] of [
    ['mqueue_len', ({ session }: ServedClient) => session.queueLength],
    ['mqueue_dropped', ({ session }: ServedClient) => session.dropped],
  ] as const) {
    const [min, max] = [readInteger(query, `_gte_${name}`), readInteger(query, `_lte_${name}`)];
    if (min !== undefined) all.push((row) => (read(row) ?? Number.NaN) >= min);
    if (max !== undefined) all.push((row) => (read(row) ?? Number.NaN) <= max);
  }
  return { all, isConnected: state === 'connected' ? true : state === 'disconnected' ? false : undefined };
}

/** @throws RefusalError for a node that is stopped, or unknown */
async function requireNode(api: ServedApi, node: NodeName, options: CallOptions, code?: number): Promise<void> {
  if ((await runningNodes(api, options)).includes(node)) return;
  const isKnown = (await api.listNodeStats(options)).some(({ name }) => name === node);
  throw new RefusalError(isKnown ? refusal(code, 'nodedown') : notFound);
}

const sameValue = ({ kind, value }: BanTarget): string => (kind === 'address' ? canonicalAddress(value) : value);

/** @throws RefusalError for an unknown kind */
function banKindOf(wire: unknown): BanKind {
  const kind = (Object.keys(banKinds) as BanKind[]).find((each) => banKinds[each] === wire);
  if (kind === undefined)
    throw new RefusalError(refusal(108, "value of 'as' must be one of: ['clientid', 'username', 'peerhost']"));
  return kind;
}

/** Splits at commas, as the broker does. @throws RefusalError for no topic, or an empty one */
function topicsOf(topic: string | undefined): readonly string[] {
  const topics = (topic ?? '').split(',').filter((each) => each !== '');
  if (topics.length === 0) throw new RefusalError(refusal(115, 'bad_topic'));
  return topics;
}

export function routesOf(api: ServedApi, { releaseOf }: V4Profile): readonly Route<Handler>[] {
  const routes: Route<Handler>[] = [];
  const on = (method: Route<Handler>['method'], pattern: string, handler: Handler): void => {
    routes.push({ method, pattern, handler });
  };
  const clients = createServedClients(api);

  const brokers = async (options: CallOptions): Promise<readonly WireRecord[]> =>
    (await api.listNodes(options)).map((info) => encode.encodeBroker(info, releaseOf(info.version)));
  const nodes = async (options: CallOptions): Promise<readonly WireRecord[]> => {
    const [infos, all, stats] = await Promise.all([
      api.listNodes(options),
      api.listNodeStats(options),
      api.listStats(options),
    ]);
    return all
      .filter(({ status }) => status !== 'stopped')
      .map((figures) => {
        const info = infos.find(({ name }) => name === figures.name);
        return encode.encodeNode(figures, info, releaseOf(info?.version), stats.get(figures.name)?.sessions.count);
      });
  };
  /** Answers about a node that runs, or is known. */
  const ofNode =
    (read: (node: NodeName, options: CallOptions) => Promise<unknown>, code?: number): Handler =>
    async ({ param, options }) => {
      await requireNode(api, param('node'), options, code);
      return ok(await read(param('node'), options));
    };

  on('GET', '/brokers', async ({ options }) => ok(await brokers(options)));
  on(
    'GET',
    '/brokers/:node',
    ofNode(async (node, options) => (await brokers(options)).find((row) => row['node'] === node), 102),
  );
  on('GET', '/nodes', async ({ options }) => ok(await nodes(options)));
  on('GET', '/nodes/:node', async ({ param, options }) => {
    const node = param('node');
    const found = (await nodes(options)).find((row) => row['node'] === node);
    if (found !== undefined) return ok(found);
    const isKnown = (await api.listNodeStats(options)).some(({ name }) => name === node);
    return isKnown ? ok({ node, error: 'nodedown' }) : notFound;
  });
  on('GET', '/stats', async ({ options }) =>
    ok([...(await api.listStats(options))].map(([node, stats]) => ({ node, stats: encode.encodeStats(stats) }))),
  );
  on(
    'GET',
    '/nodes/:node/stats',
    ofNode(async (node, options) => encode.encodeStats(await api.getStats(node, options))),
  );
  on('GET', '/metrics', async ({ options }) => {
    const figures = await api.listMetrics(options);
    const byNode = figures.kind === 'by-node' ? [...figures.nodes] : [];
    return ok(byNode.map(([node, metrics]) => ({ node, metrics: encode.encodeMetrics(metrics) })));
  });
  on(
    'GET',
    '/nodes/:node/metrics',
    ofNode(async (node, options) => encode.encodeMetrics(await api.getMetrics(node, options))),
  );
  on('GET', '/listeners', async ({ options }) =>
    ok(
      [...(await api.listListeners(options))].map(([node, listeners]) => ({
        node,
        listeners: listeners.map(encode.encodeListener),
      })),
    ),
  );
  on(
    'GET',
    '/nodes/:node/listeners',
    ofNode(async (node, options) => (await api.getListeners(node, options)).map(encode.encodeListener)),
  );

  const listClients = async (
    wanted: readonly NodeName[],
    query: URLSearchParams,
    options: CallOptions,
  ): Promise<Answer> => {
    const page = readPage(query);
    const { all, isConnected } = readFilters(query);
    const start = (page.page - 1) * page.pageSize;
    if (all.length === 0) {
      const count = await countOf(wanted, (node, part) => api.listSessions(node, part, options));
      const items =
        start >= count || page.pageSize === 0
          ? []
          : await take(clients.rows(wanted, undefined, options, start), page.pageSize);
      return pageAnswer({ items, count, hasNext: start + page.pageSize < count }, page, encode.encodeClient);
    }
    const rows = clients.rows(wanted, isConnected, options, 0);
    const found = await search(rows, (row) => all.every((filter) => filter(row)), page, false);
    return pageAnswer(found, page, encode.encodeClient, { isFiltered: true });
  };
  on('GET', '/clients', async ({ query, options }) => listClients(await runningNodes(api, options), query, options));
  on('GET', '/nodes/:node/clients', async ({ param, query, options }) => {
    await requireNode(api, param('node'), options, 101);
    return listClients([param('node')], query, options);
  });
  const findClient = async (clientId: string, options: CallOptions): Promise<readonly ServedClient[]> => {
    const row = await clients.find(clientId, options);
    return row === undefined ? [] : [row];
  };
  on('GET', '/clients/:clientid', async ({ param, options }) =>
    ok((await findClient(param('clientid'), options)).map(encode.encodeClient)),
  );
  on('GET', '/nodes/:node/clients/:clientid', async ({ param, options }) => {
    await requireNode(api, param('node'), options, 101);
    const rows = await findClient(param('clientid'), options);
    return ok(rows.filter(({ session }) => session.node === param('node')).map(encode.encodeClient));
  });
  on('DELETE', '/clients/:clientid', async ({ param, options }) => {
    try {
      await required(api.disconnectClient, 'disconnectClient')(param('clientid'), options);
    } catch (error) {
      // An unknown client is no failure.
      if (!(error instanceof BrokerError) || error.kind !== 'not-connected') throw error;
    }
    return ok();
  });
  const requireClient = async (clientId: string, options: CallOptions): Promise<ServedClient> => {
    const row = await clients.find(clientId, options);
    if (row === undefined) throw new RefusalError(refusal(112, 'not_found'));
    return row;
  };
  on('GET', '/clients/:clientid/acl_cache', async ({ param, options }) => {
    const { client } = await requireClient(param('clientid'), options);
    return ok(
      client === undefined
        ? []
        : (await required(api.listAclCache, 'listAclCache')(param('clientid'), options)).map(encode.encodeAclDecision),
    );
  });
  on('DELETE', '/clients/:clientid/acl_cache', async ({ param, options }) => {
    const { client } = await requireClient(param('clientid'), options);
    if (client !== undefined) await required(api.clearAclCache, 'clearAclCache')(param('clientid'), undefined, options);
    return ok();
  });

  const listSubscriptions = async (
    wanted: readonly NodeName[],
    query: URLSearchParams,
    options: CallOptions,
  ): Promise<Answer> => {
    const page = readPage(query);
    const list = (node: string, part: PageRequest): Promise<Page<Subscription>> =>
      api.listSubscriptions(node, part, options);
    const [clientId, topic, qos] = [query.get('clientid'), query.get('topic'), query.get('qos')];
    const start = (page.page - 1) * page.pageSize;
    if (clientId === null && topic === null && qos === null) {
      const count = await countOf(wanted, list);
      const items = start >= count || page.pageSize === 0 ? [] : await take(rowsOf(wanted, list, start), page.pageSize);
      return pageAnswer({ items, count, hasNext: start + page.pageSize < count }, page, encode.encodeSubscription);
    }
    const isWanted = (row: Subscription): boolean =>
      (clientId === null || row.clientId === clientId) &&
      (topic === null || row.topic === topic) &&
      (qos === null || String(row.qos) === qos);
    const found = await search(rowsOf(wanted, list), isWanted, page, false);
    return pageAnswer(found, page, encode.encodeSubscription, { isFiltered: true });
  };
  on('GET', '/subscriptions', async ({ query, options }) =>
    listSubscriptions(await runningNodes(api, options), query, options),
  );
  on('GET', '/nodes/:node/subscriptions', async ({ param, query, options }) => {
    await requireNode(api, param('node'), options, 101);
    return listSubscriptions([param('node')], query, options);
  });
  on('GET', '/subscriptions/:clientid', async ({ param, options }) =>
    ok((await api.getSubscriptions(param('clientid'), options)).map(encode.encodeSubscription)),
  );
  on('GET', '/nodes/:node/subscriptions/:clientid', async ({ param, options }) => {
    await requireNode(api, param('node'), options, 101);
    const rows = await api.getSubscriptions(param('clientid'), options);
    return ok(rows.filter(({ node }) => node === undefined || node === param('node')).map(encode.encodeSubscription));
  });

  const unknownChannel = refusal(112, 'channel_not_found');
  /** Turns the refusal of a topic into the API's. */
  const onTopic = async (act: () => Promise<void>): Promise<Answer> => {
    try {
      await act();
    } catch (error) {
      if (error instanceof BrokerError && error.kind === 'failed') return refusal(115, 'bad_topic');
      if (error instanceof BrokerError && error.kind === 'not-connected') return unknownChannel;
      throw error;
    }
    return ok();
  };
  const badClient = refusal(108, 'bad clientid: must be string');
  on('POST', '/mqtt/subscribe', ({ body, options }) =>
    onTopic(async () => {
      const clientId = readText(body, 'clientid', badClient);
      const topics = topicsOf(optionalText(body, 'topic') ?? optionalText(body, 'topics'));
      const qos = readQos(body);
      if ((await clients.find(clientId, options)) === undefined) throw new RefusalError(unknownChannel);
      for (const topic of topics) await required(api.subscribe, 'subscribe')({ clientId, topic, qos }, options);
    }),
  );
  on('POST', '/mqtt/unsubscribe', ({ body, options }) =>
    onTopic(async () => {
      const clientId = readText(body, 'clientid', badClient);
      const topic = optionalText(body, 'topic') ?? '';
      if (topic === '') throw new RefusalError(refusal(115, 'bad_topic'));
      if ((await clients.find(clientId, options)) === undefined) throw new RefusalError(unknownChannel);
      const subscriptions = await api.getSubscriptions(clientId, options);
      // A subscription that is not there is no failure.
      if (subscriptions.some((row) => row.topic === topic))
        await required(api.unsubscribe, 'unsubscribe')({ clientId, topic }, options);
    }),
  );
  on('POST', '/mqtt/publish', ({ body, options }) =>
    onTopic(async () => {
      const topics = topicsOf(optionalText(body, 'topic') ?? optionalText(body, 'topics'));
      const clientId = optionalText(body, 'clientid');
      const message = {
        payload: optionalText(body, 'payload') ?? '',
        qos: readQos(body),
        retain: fieldOf(body, 'retain') === true,
        ...(clientId !== undefined && { clientId }),
      };
      for (const topic of topics) {
        if (/[+#\0]/u.test(topic)) throw new RefusalError(refusal(115, 'bad_topic'));
        await required(api.publish, 'publish')({ topic, ...message }, options);
      }
    }),
  );
  const encodeRoute = ({ topic, node }: { readonly topic: string; readonly node: NodeName }): WireRecord => ({
    topic,
    node,
  });
  on('GET', '/routes', async ({ query, options }) => {
    const page = readPage(query);
    return pageAnswer(fromPage(await api.listRoutes(page, options)), page, encodeRoute, { hasHasNext: false });
  });
  on('GET', '/routes/:topic', async ({ param, options }) =>
    ok((await api.getRoutes(param('topic'), options)).map(encodeRoute)),
  );

  on('GET', '/plugins', async ({ options }) => {
    const list = required(api.listPlugins, 'listPlugins');
    return ok(
      await Promise.all(
        (await runningNodes(api, options)).map(async (node) => ({
          node,
          plugins: (await list(node, options)).map(encode.encodePlugin),
        })),
      ),
    );
  });
  on(
    'GET',
    '/nodes/:node/plugins',
    ofNode(async (node, options) =>
      (await required(api.listPlugins, 'listPlugins')(node, options)).map(encode.encodePlugin),
    ),
  );
  const setPlugin =
    (call: 'startPlugin' | 'stopPlugin'): Handler =>
    async ({ param, options }) => {
      const node = param('node');
      await requireNode(api, node, options);
      const plugins = await required(api.listPlugins, 'listPlugins')(node, options);
      if (plugins.every(({ name }) => name !== param('plugin'))) return notFound;
      await required(api[call], call)(node, param('plugin'), options);
      return ok();
    };
  on('PUT', '/nodes/:node/plugins/:plugin/load', setPlugin('startPlugin'));
  on('PUT', '/nodes/:node/plugins/:plugin/unload', setPlugin('stopPlugin'));

  const activeAlarms = async (node: NodeName, options: CallOptions): Promise<readonly WireRecord[]> =>
    (await required(api.listAlarms, 'listAlarms')(node, options)).map((alarm) =>
      encode.encodeAlarm(alarm, nowSeconds()),
    );
  on('GET', '/alarms/activated', async ({ options }) =>
    ok(
      await Promise.all(
        (await runningNodes(api, options)).map(async (node) => ({ node, alarms: await activeAlarms(node, options) })),
      ),
    ),
  );
  on('GET', '/nodes/:node/alarms/activated', ofNode(activeAlarms));
  on('GET', '/alarms/deactivated', async ({ options }) => {
    const page: PageRequest = { page: 1, pageSize: Number.MAX_SAFE_INTEGER };
    const { items } = await required(api.listEndedAlarms, 'listEndedAlarms')(page, options);
    const now = nowSeconds();
    return ok(
      (await runningNodes(api, options)).map((node) => ({
        node,
        alarms: items.filter((alarm) => alarm.node === node).map((alarm) => encode.encodeAlarm(alarm, now)),
      })),
    );
  });
  on('DELETE', '/alarms/deactivated', async ({ options }) => {
    await required(api.clearEndedAlarms, 'clearEndedAlarms')(options);
    return ok();
  });

  const findBan = async (target: BanTarget, options: CallOptions): Promise<Ban | undefined> => {
    const page: PageRequest = { page: 1, pageSize: Number.MAX_SAFE_INTEGER };
    const { items } = await required(api.listBans, 'listBans')(page, options);
    return items.find((ban) => ban.kind === target.kind && sameValue(ban) === sameValue(target));
  };
  on('GET', '/banned', async ({ query, options }) => {
    const page = readPage(query);
    const found = await required(api.listBans, 'listBans')(page, options);
    return pageAnswer(fromPage(found), page, encode.encodeBan, { hasHasNext: false });
  });
  on('POST', '/banned', async ({ body, options }) => {
    const [as, who] = [fieldOf(body, 'as'), fieldOf(body, 'who')];
    if (as === undefined || typeof who !== 'string') return refusal(107, "missing mandatory params: ['who', 'as']");
    const kind = banKindOf(as);
    const reason = fieldOf(body, 'reason');
    if (typeof reason !== 'string' || (kind === 'address' && isIP(who) === 0)) return internalError;
    const until = fieldOf(body, 'until') ?? Math.floor(Date.now() / 1000) + banSeconds;
    // A new ban replaces the old one.
    if ((await findBan({ kind, value: who }, options)) !== undefined)
      await required(api.liftBan, 'liftBan')({ kind, value: who }, options);
    await required(api.addBan, 'addBan')(
      {
        kind,
        value: who,
        ...(reason !== '' && { reason }),
        ...(typeof until === 'number' && until < endOfTime && { until: secondsOfEpoch(until * 1000) }),
      },
      options,
    );
    return ok(body);
  });
  on('DELETE', '/banned/:as/:who', async ({ param, options }) => {
    const target = { kind: banKindOf(param('as')), value: param('who') };
    if ((await findBan(target, options)) !== undefined) await required(api.liftBan, 'liftBan')(target, options);
    return ok();
  });
  return routes;
}

/** Serves users, for the login of one only. */
export function userRoutes(api: ServedApi): readonly Route<Handler>[] {
  const minLength = 8;
  const maxLength = 64;
  const requireLength = (password: string): void => {
    if (password.length < minLength || password.length > maxLength)
      throw new RefusalError(refusal(undefined, `The password length: ${minLength}-${maxLength}`));
  };
  const undefinedUser = refusal(undefined, 'Username or password undefined');
  return [
    {
      method: 'GET',
      pattern: '/users',
      handler: async ({ options }) => ok((await required(api.listUsers, 'listUsers')(options)).map(encode.encodeUser)),
    },
    {
      method: 'POST',
      pattern: '/users',
      handler: async ({ body, options }) => {
        const [username, password] = [
          readText(body, 'username', undefinedUser),
          readText(body, 'password', undefinedUser),
        ];
        if (username === '' || password === '') return undefinedUser;
        requireLength(password);
        await required(api.addUser, 'addUser')(
          { username, password, tags: optionalText(body, 'tags') ?? 'undefined' },
          options,
        );
        return ok();
      },
    },
    {
      method: 'PUT',
      pattern: '/users/:username',
      handler: async ({ param, body, options }) => {
        await required(api.changeUserTags, 'changeUserTags')(param('username'), readText(body, 'tags'), options);
        return ok();
      },
    },
    {
      method: 'DELETE',
      pattern: '/users/:username',
      handler: async ({ param, options }) => {
        await required(api.deleteUser, 'deleteUser')(param('username'), options);
        return ok();
      },
    },
    {
      method: 'PUT',
      pattern: '/change_pwd/:username',
      handler: async ({ param, body, options }) => {
        const next = readText(body, 'new_pwd');
        const change = required(api.changePassword, 'changePassword');
        try {
          requireLength(next);
          await change(param('username'), readText(body, 'old_pwd'), next, options);
        } catch (error) {
          // Unknown users look like wrong passwords.
          if (error instanceof BrokerError && error.kind === 'unknown-user')
            return refusal(undefined, 'Username/Password error');
          throw error;
        }
        return ok();
      },
    },
    {
      method: 'POST',
      pattern: '/auth',
      handler: async ({ body, options }) => {
        const failed = refusal(undefined, 'Username/Password error');
        const [username, password] = [optionalText(body, 'username') ?? '', optionalText(body, 'password') ?? ''];
        if (username === '' || password === '') return failed;
        try {
          await required(api.checkCredentials, 'checkCredentials')(username, password, options);
        } catch (error) {
          if (error instanceof BrokerError && error.kind === 'unknown-user') return failed;
          throw error;
        }
        return ok();
      },
    },
  ];
}
