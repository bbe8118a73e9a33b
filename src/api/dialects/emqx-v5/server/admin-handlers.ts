import type { ApiKey, Ban, BanKind, BanTarget, Plugin } from '../../../../domain/administration.ts';
import type { ServedApi } from '../../../dialect.ts';
import { BrokerError } from '../../../errors.ts';
import type { CallOptions } from '../../../management-api.ts';
import { canonicalAddress } from '../../../server/address.ts';
import type { JsonObject } from '../../../server/request.ts';
import { invalid, noContent, ok, RefusalError } from './answer.ts';
import { required, runningNodes } from '../../../server/served-calls.ts';
import { banKinds } from '../decode-lists.ts';
import { encodeAlarm, encodeApiKey, encodeBan, encodePlugin, encodeUser, type NodePlugin, pluginId } from './encode.ts';
import { fromPage } from '../../../server/rows.ts';
import { pageAnswer } from './pages.ts';
import { bodyOf, fieldOf, type Handler, optionalFlag, optionalText, readBoolean, readPage, readText } from './query.ts';
import type { V5Profile } from './profiles.ts';
import type { Route } from '../../../server/router.ts';
import { nowSeconds } from '../../../server/epoch.ts';
import { plainTime, readTime } from './times.ts';

/**
 * Serves alarms, bans, plugins, users and API keys. `endLogins` is called for a user who is deleted or has a new
 * password.
 */
export function adminRoutes(
  api: ServedApi,
  { banSeconds }: Pick<V5Profile, 'banSeconds'>,
  endLogins: (username: string) => void,
): readonly Route<Handler>[] {
  const alarms: Handler = async ({ query, options }) => {
    const page = readPage(query);
    const now = nowSeconds();
    if (readBoolean(query, 'activated') === false) {
      return pageAnswer(
        fromPage(await required(api.listEndedAlarms, 'listEndedAlarms')(page, options)),
        page,
        (alarm) => encodeAlarm(alarm, now),
      );
    }
    const list = required(api.listAlarms, 'listAlarms');
    const all = (await Promise.all((await runningNodes(api, options)).map((node) => list(node, options)))).flat();
    const start = (page.page - 1) * page.pageSize;
    const found = {
      items: all.slice(start, start + page.pageSize),
      count: all.length,
      hasNext: start + page.pageSize < all.length,
    };
    return pageAnswer(found, page, (alarm) => encodeAlarm(alarm, now));
  };
  const clearAlarms: Handler = async ({ options }) => {
    await required(api.clearEndedAlarms, 'clearEndedAlarms')(options);
    return noContent;
  };

  const bans: Handler = async ({ query, options }) => {
    const page = readPage(query);
    const { items, totalItems } = await required(api.listBans, 'listBans')(page, options);
    // Without `hasnext`, as from real brokers.
    return ok({ data: items.map(encodeBan), meta: { page: page.page, limit: page.pageSize, count: totalItems } });
  };
  const findBan = async (target: BanTarget, options: CallOptions): Promise<Ban | undefined> => {
    const list = required(api.listBans, 'listBans');
    const { items } = await list({ page: 1, pageSize: Number.MAX_SAFE_INTEGER }, options);
    return items.find((ban) => ban.kind === target.kind && sameValue(ban) === sameValue(target));
  };
  const addBan: Handler = async ({ body, options }) => {
    const fields = bodyOf({ body });
    const kind = banKindOf(readText(fields, 'as'), 'root.as');
    const value = readText(fields, 'who');
    const until =
      fieldOf(fields, 'until') ?? (banSeconds === undefined ? undefined : plainTime(nowSeconds() + banSeconds));
    const reason = optionalText(fields, 'reason');
    try {
      await required(api.addBan, 'addBan')(
        {
          kind,
          value,
          ...(reason !== undefined && reason !== '' && { reason }),
          ...(until !== undefined && until !== 'infinity' && { until: readTime(until, 'root.until') }),
        },
        options,
      );
    } catch (error) {
      if (!(error instanceof BrokerError) || error.kind !== 'exists') throw error;
      const old = await findBan({ kind, value }, options);
      throw new RefusalError(400, 'ALREADY_EXISTS', JSON.stringify(old === undefined ? {} : encodeBan(old)));
    }
    const added = await findBan({ kind, value }, options);
    return ok(encodeBan(added ?? { kind, value, reason, by: undefined, since: undefined, until: undefined }));
  };
  const liftBan: Handler = async ({ param, options }) => {
    const [wire, value] = [param('as'), param('who')];
    const target = { kind: banKindOf(wire, 'as'), value };
    if ((await findBan(target, options)) === undefined)
      throw new RefusalError(404, 'NOT_FOUND', `${wire}: ${value} not found`);
    await required(api.liftBan, 'liftBan')(target, options);
    return noContent;
  };

  const plugins = async (options: CallOptions): Promise<ReadonlyMap<string, readonly NodePlugin[]>> => {
    const byId = new Map<string, NodePlugin[]>();
    const list = required(api.listPlugins, 'listPlugins');
    for (const node of await runningNodes(api, options)) {
      for (const plugin of await list(node, options))
        byId.set(pluginId(plugin), [...(byId.get(pluginId(plugin)) ?? []), { node, plugin }]);
    }
    return byId;
  };
  const plugin: Handler = async ({ param, options }) => {
    const parts = (await plugins(options)).get(param('plugin'));
    if (parts === undefined) throw new RefusalError(404, 'NOT_FOUND', param('plugin'));
    return ok(encodePlugin(parts));
  };
  /** Reports success also if the plugin does not exist, or is in this state already. */
  const setPlugin =
    (call: 'startPlugin' | 'stopPlugin'): Handler =>
    async ({ param, options }) => {
      const found: Plugin | undefined = (await plugins(options)).get(param('plugin'))?.[0]?.plugin;
      if (found === undefined) return noContent;
      try {
        await required(api[call], call)(undefined, found.name, options);
      } catch (error) {
        if (!(error instanceof BrokerError) || (error.kind !== 'already-started' && error.kind !== 'not-started'))
          throw error;
      }
      return noContent;
    };

  const addUser: Handler = async ({ body, options }) => {
    const fields = bodyOf({ body });
    requireNoRole(fields);
    const user = {
      username: readText(fields, 'username'),
      password: readText(fields, 'password'),
      tags: optionalText(fields, 'description') ?? '',
    };
    requireLength(user.password);
    try {
      await required(api.addUser, 'addUser')(user, options);
    } catch (error) {
      if (error instanceof BrokerError && error.kind === 'exists')
        throw new RefusalError(400, 'BAD_REQUEST', 'username_already_exists');
      throw error;
    }
    return ok(encodeUser(user));
  };
  const changeUser: Handler = async ({ param, body, options }) => {
    const fields = bodyOf({ body });
    requireNoRole(fields);
    const user = { username: param('username'), tags: readText(fields, 'description') };
    await required(api.changeUserTags, 'changeUserTags')(user.username, user.tags, options);
    return ok(encodeUser(user));
  };
  const deleteUser: Handler = async ({ param, options }) => {
    await required(api.deleteUser, 'deleteUser')(param('username'), options);
    endLogins(param('username'));
    return noContent;
  };
  const changePassword: Handler = async ({ param, body, options }) => {
    const fields = bodyOf({ body });
    const next = readText(fields, 'new_pwd');
    requireLength(next);
    await required(api.changePassword, 'changePassword')(param('username'), readText(fields, 'old_pwd'), next, options);
    endLogins(param('username'));
    return noContent;
  };

  const findKey = async (name: string, options: CallOptions): Promise<ApiKey> => {
    const found = (await required(api.listApiKeys, 'listApiKeys')(options)).find((key) => key.name === name);
    if (found === undefined) throw new RefusalError(404, 'NOT_FOUND', 'not_found');
    return found;
  };
  const addKey: Handler = async ({ body, options }) => {
    const fields = bodyOf({ body });
    requireNoRole(fields);
    const name = readText(fields, 'name');
    const expiry = fieldOf(fields, 'expired_at') ?? 'infinity';
    const description = optionalText(fields, 'desc');
    let secret: string;
    try {
      ({ secret } = await required(api.addApiKey, 'addApiKey')(
        {
          name,
          ...(description !== undefined && { description }),
          ...(expiry !== 'infinity' && expiry !== 'undefined' && { expiresAt: readTime(expiry, 'root.expired_at') }),
        },
        options,
      ));
    } catch (error) {
      if (error instanceof BrokerError && error.kind === 'exists')
        throw new RefusalError(400, 'BAD_REQUEST', 'name_already_existed');
      throw error;
    }
    if (optionalFlag(fields, 'enable') === false)
      await required(api.setApiKeyEnabled, 'setApiKeyEnabled')(name, false, options);
    return ok({ ...encodeApiKey(await findKey(name, options), nowSeconds()), api_secret: secret });
  };
  /** Changes `enable` only. */
  const changeKey: Handler = async ({ param, body, options }) => {
    const { name } = await findKey(param('name'), options);
    const fields = bodyOf({ body });
    requireNoRole(fields);
    const isEnabled = optionalFlag(fields, 'enable');
    if (isEnabled !== undefined) await required(api.setApiKeyEnabled, 'setApiKeyEnabled')(name, isEnabled, options);
    return ok(encodeApiKey(await findKey(name, options), nowSeconds()));
  };
  const deleteKey: Handler = async ({ param, options }) => {
    const { name } = await findKey(param('name'), options);
    await required(api.deleteApiKey, 'deleteApiKey')(name, options);
    return noContent;
  };

  return [
    { method: 'GET', pattern: '/alarms', handler: alarms },
    { method: 'DELETE', pattern: '/alarms', handler: clearAlarms },
    { method: 'GET', pattern: '/banned', handler: bans },
    { method: 'POST', pattern: '/banned', handler: addBan },
    { method: 'DELETE', pattern: '/banned/:as/:who', handler: liftBan },
    {
      method: 'GET',
      pattern: '/plugins',
      handler: async ({ options }) => ok([...(await plugins(options)).values()].map(encodePlugin)),
    },
    { method: 'GET', pattern: '/plugins/:plugin', handler: plugin },
    { method: 'PUT', pattern: '/plugins/:plugin/start', handler: setPlugin('startPlugin') },
    { method: 'PUT', pattern: '/plugins/:plugin/stop', handler: setPlugin('stopPlugin') },
    {
      method: 'GET',
      pattern: '/users',
      handler: async ({ options }) => ok((await required(api.listUsers, 'listUsers')(options)).map(encodeUser)),
    },
    { method: 'POST', pattern: '/users', handler: addUser },
    { method: 'PUT', pattern: '/users/:username', handler: changeUser },
    { method: 'DELETE', pattern: '/users/:username', handler: deleteUser },
    { method: 'POST', pattern: '/users/:username/change_pwd', handler: changePassword },
    {
      method: 'GET',
      pattern: '/api_key',
      handler: async ({ options }) =>
        ok((await required(api.listApiKeys, 'listApiKeys')(options)).map((key) => encodeApiKey(key, nowSeconds()))),
    },
    { method: 'POST', pattern: '/api_key', handler: addKey },
    {
      method: 'GET',
      pattern: '/api_key/:name',
      handler: async ({ param, options }) => ok(encodeApiKey(await findKey(param('name'), options), nowSeconds())),
    },
    { method: 'PUT', pattern: '/api_key/:name', handler: changeKey },
    { method: 'DELETE', pattern: '/api_key/:name', handler: deleteKey },
  ];
}

/** Returns what bans are compared by, because addresses have several forms. */
const sameValue = ({ kind, value }: BanTarget): string => (kind === 'address' ? canonicalAddress(value) : value);

/** Refuses roles: every user and key of this broker may do everything. @throws RefusalError for another role */
function requireNoRole(body: JsonObject): void {
  const role = optionalText(body, 'role');
  if (role !== undefined && role !== 'administrator')
    throw new RefusalError(400, 'BAD_REQUEST', 'This broker has no role but administrator');
}

/** @throws RefusalError for an unknown kind */
function banKindOf(wire: string, path: string): BanKind {
  const kind = (Object.keys(banKinds) as BanKind[]).find((each) => banKinds[each] === wire);
  if (kind === undefined) throw invalid(path, 'unable_to_convert_to_enum_symbol', wire);
  return kind;
}

function requireLength(password: string): void {
  if (password.length < 8 || password.length > 64)
    throw new RefusalError(400, 'BAD_REQUEST', 'The range of password length is 8~64');
}
