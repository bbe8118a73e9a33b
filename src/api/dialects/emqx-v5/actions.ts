import { BrokerError, NotSupportedError, RefusedError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import type { CallOptions, WriteApi } from '../../management-api.ts';
import { notSentTexts } from '../../texts.ts';
import { LoginRefusedError } from './answer.ts';
import type { Caller, CallTarget } from '../caller.ts';
import type { KnownCluster } from './cluster.ts';
import { banKinds, traceTypes } from './decode-lists.ts';
import { type Endpoint, isDotSegment, type PathParams } from '../endpoints.ts';
import { decodeRows, Fields, timeText } from '../fields.ts';
import { endpoints } from './paths.ts';
import { v5Texts } from './texts.ts';
import { isValidFilter } from './topic-filter.ts';

const maxBodyBytes = 1_048_576;

const at = <Pattern extends string>(endpoint: Endpoint<Pattern>, params: PathParams<Pattern>): CallTarget => ({
  method: endpoint.method,
  path: endpoint.build(params),
});

const lacks = (task: string) => (): Promise<never> => Promise.reject(new NotSupportedError(task));

function refuseFilter(topic: string): void {
  if (topic === '') throw new RefusedError(notSentTexts.emptyTopic);
  if (!isValidFilter(topic)) throw new RefusedError(v5Texts.invalidFilter);
}

function refuseEmptyPassword(password: string): void {
  if (password === '') throw new RefusedError(notSentTexts.emptyPassword);
}

/** Creates the actions. Each sends its request once, without retrying. */
export function createActions(caller: Caller, known: KnownCluster): WriteApi {
  const act = async (target: CallTarget, options: CallOptions | undefined, body?: unknown): Promise<void> => {
    await caller.act(target, options, body);
  };

  function requireLogin(what: string): void {
    if (!caller.hasToken) throw new NotSupportedError(what, {}, v5Texts.loginNeeded(what));
  }

  /** Returns the fields for the tags. Releases without roles refuse `role`, and show the description. */
  const userFields = (tags: string): Readonly<Record<string, string>> =>
    known.hasRoles ? { role: tags, description: '' } : { description: tags };

  /** Starts or stops a plugin, which must exist: the broker reports success for one that does not. */
  async function setPlugin(plugin: string, target: CallTarget, options: CallOptions | undefined): Promise<void> {
    try {
      await act(target, options);
    } finally {
      known.plugins = undefined;
    }
    const names = await caller.read(endpoints.listPlugins.build({}), options, (body) =>
      decodeRows(body, 'plugins', (fields) => `${fields.text('name') ?? ''}-${fields.text('rel_vsn') ?? ''}`),
    );
    if (!names.includes(plugin))
      throw new BrokerError('does-not-exist', undefined, { meaning: v5Texts.noPlugin, request: caller.lineOf(target) });
  }

  return {
    // A path cannot hold ".", but the body of the bulk request can.
    disconnectClient: async (clientId, options) =>
      isDotSegment(clientId) && known.isAtLeast(5, 1)
        ? act(at(endpoints.disconnectClients, {}), options, [clientId])
        : act(at(endpoints.disconnectClient, { clientId }), options),
    clearAclCache: async (clientId, _, options) => act(at(endpoints.clearAuthorizationCache, { clientId }), options),

    async subscribe({ clientId, topic, qos }, options) {
      refuseFilter(topic);
      await act(at(endpoints.subscribe, { clientId }), options, { topic, qos });
    },
    async unsubscribe({ clientId, topic }, options) {
      const target = at(endpoints.unsubscribe, { clientId });
      // The broker reports success for a subscription that is not there.
      const topics = await caller.read(endpoints.listClientSubscriptions.build({ clientId }), options, (body) =>
        decodeRows(body, 'subscriptions', (fields) => fields.text('topic')),
      );
      if (!topics.includes(topic)) {
        throw new BrokerError('does-not-exist', undefined, {
          meaning: v5Texts.notSubscribed,
          request: caller.lineOf(target),
        });
      }
      await act(target, options, { topic });
    },
    async publish({ topic, payload = '', qos, retain, clientId }, options) {
      if (topic === '') throw new RefusedError(notSentTexts.emptyTopic);
      if (/[+#]/u.test(topic)) throw new RefusedError(notSentTexts.wildcard);
      if (clientId !== undefined) throw new RefusedError(v5Texts.noSender);
      const body = { topic, payload, qos, retain };
      if (Buffer.byteLength(JSON.stringify(body)) > maxBodyBytes) throw new RefusedError(notSentTexts.messageTooLarge);
      const { status } = await caller.act(at(endpoints.publish, {}), options, body);
      if (status === 202) options?.onNoReceiver?.();
    },

    startPlugin: async (_, plugin, options) => setPlugin(plugin, at(endpoints.startPlugin, { plugin }), options),
    stopPlugin: async (_, plugin, options) => setPlugin(plugin, at(endpoints.stopPlugin, { plugin }), options),
    startListener: async (id, options) => act(at(endpoints.startListener, { id }), options),
    stopListener: async (id, options) => act(at(endpoints.stopListener, { id }), options),

    changeSetting: lacks('read or change settings'),
    replacePluginSettings: lacks('read or change settings of plugins'),

    async addBan({ kind, value, reason, until }, options) {
      if (value === '') throw new RefusedError(notSentTexts.emptyId);
      await act(at(endpoints.addBan, {}), options, {
        as: banKinds[kind],
        who: value,
        reason,
        until: until === undefined ? undefined : timeText(until),
      });
    },
    liftBan: async ({ kind, value }, options) =>
      act(at(endpoints.liftBan, { kind: banKinds[kind], who: value }), options),
    startIntegration: async (kind, id, options) => {
      const start = {
        connector: endpoints.startConnector,
        action: endpoints.startAction,
        source: endpoints.startSource,
      };
      const target = at(start[kind], { id });
      try {
        await act(target, options);
      } catch (error) {
        // The code is that of a wrong value, but nothing that was sent is wrong.
        if (!(error instanceof BrokerError) || error.kind !== 'invalid') throw error;
        throw new BrokerError('failed', error.brokerMessage, {
          code: error.code,
          request: caller.lineOf(target),
        });
      }
    },
    setRuleEnabled: async (id, isEnabled, options) =>
      act(at(endpoints.changeRule, { id }), options, { enable: isEnabled }),
    clearEndedAlarms: async (options) => act(at(endpoints.clearEndedAlarms, {}), options),
    deleteRetained: async (topic, options) => act(at(endpoints.deleteRetained, { topic }), options),

    async startTrace({ name, kind, value, endAt }, options) {
      if (value === '') throw new RefusedError(notSentTexts.emptyId);
      const type = traceTypes[kind];
      await act(at(endpoints.startTrace, {}), options, { name, type, [type]: value, end_at: timeText(endAt) });
    },
    stopTrace: async (name, options) => act(at(endpoints.stopTrace, { name }), options),
    deleteTrace: async (name, options) => act(at(endpoints.deleteTrace, { name }), options),

    async addApiKey({ name, description = '', expiresAt }, options) {
      requireLogin(v5Texts.apiKeys);
      const { body } = await caller.act(at(endpoints.addApiKey, {}), options, {
        name,
        desc: description,
        enable: true,
        expired_at: expiresAt === undefined ? 'infinity' : timeText(expiresAt),
      });
      const fields = new Fields(isObject(body) ? body : {});
      return { key: fields.text('api_key') ?? '', secret: fields.text('api_secret') ?? '' };
    },
    async setApiKeyEnabled(name, isEnabled, options) {
      requireLogin(v5Texts.apiKeys);
      // The whole record is sent back: fields left out may be reset, such as the role.
      const { raw } = await caller.read(endpoints.getApiKey.build({ name }), options, (body) =>
        Fields.of(body, 'API key'),
      );
      const { desc, expired_at: expiredAt, role } = raw;
      await act(at(endpoints.changeApiKey, { name }), options, {
        desc,
        expired_at: expiredAt,
        role,
        enable: isEnabled,
      });
    },
    async deleteApiKey(name, options) {
      requireLogin(v5Texts.apiKeys);
      await act(at(endpoints.deleteApiKey, { name }), options);
    },

    async addUser({ username, password, tags }, options) {
      requireLogin(v5Texts.users);
      if (username === '') throw new RefusedError(notSentTexts.emptyUsername);
      refuseEmptyPassword(password);
      await act(at(endpoints.addUser, {}), options, { username, password, ...userFields(tags) });
    },
    async changeUserTags(username, tags, options) {
      requireLogin(v5Texts.users);
      await act(at(endpoints.changeUser, { username }), options, userFields(tags));
    },
    async deleteUser(username, options) {
      requireLogin(v5Texts.users);
      await act(at(endpoints.deleteUser, { username }), options);
    },
    async checkCredentials(username, password, options) {
      const target = at(endpoints.login, {});
      try {
        await act(target, options, { username, password });
      } catch (error) {
        // Not about the login of this session: polling goes on.
        if (!(error instanceof LoginRefusedError)) throw error;
        throw new BrokerError('wrong-credentials', undefined, { code: error.code, request: caller.lineOf(target) });
      }
    },
    async changePassword(username, oldPassword, newPassword, options) {
      requireLogin(v5Texts.users);
      refuseEmptyPassword(newPassword);
      await act(at(endpoints.changePassword, { username }), options, { old_pwd: oldPassword, new_pwd: newPassword });
    },
  };
}
