import { BrokerError, NotSupportedError, RefusedError } from '../../errors.ts';
import type { CallOptions, WriteApi } from '../../management-api.ts';
import { notSentTexts } from '../../texts.ts';
import type { Caller, CallTarget } from '../caller.ts';
import type { Endpoint, PathParams } from '../endpoints.ts';
import type { Ban, BanKind, BanTarget } from '../../../domain/administration.ts';
import { banKinds, endOfTime } from './decode-lists.ts';
import type { KnownBroker } from './known-broker.ts';
import { endpoints } from './paths.ts';
import type { createReads } from './reads.ts';
import { v4Texts } from './texts.ts';

const maxBodyBytes = 1_048_576;
const banPage = 1_000;
const maxBanPages = 20;

const at = <Pattern extends string>(endpoint: Endpoint<Pattern>, params: PathParams<Pattern>): CallTarget => ({
  method: endpoint.method,
  path: endpoint.build(params),
});

const lacks = (task: string) => (): Promise<never> => Promise.reject(new NotSupportedError(task));

/** Refuses a topic that the broker would split. @throws RefusedError */
function refuseTopic(topic: string): void {
  if (topic === '') throw new RefusedError(notSentTexts.emptyTopic);
  if (topic.includes(',')) throw new RefusedError(v4Texts.comma);
}

function refuseEmptyPassword(password: string): void {
  if (password === '') throw new RefusedError(notSentTexts.emptyPassword);
}

/** @throws RefusedError for a kind that the API does not have */
function wireKind(kind: BanKind): string {
  const wire = banKinds[kind];
  if (wire === undefined) throw new RefusedError(v4Texts.notABanKind);
  return wire;
}

/** Creates the actions. Each sends its request once, without retrying. */
export function createActions(caller: Caller, known: KnownBroker, reads: ReturnType<typeof createReads>): WriteApi {
  const act = async (target: CallTarget, options: CallOptions | undefined, body?: unknown): Promise<void> => {
    await caller.act(target, options, body);
  };

  /** @throws NotSupportedError for NanoMQ */
  async function requireEmqx(task: string, options: CallOptions | undefined): Promise<void> {
    if ((await known.offer(caller, options)).isNanoMq) throw new NotSupportedError(task);
  }

  /** @throws NotSupportedError where the API has no users */
  async function requireUsers(options: CallOptions | undefined): Promise<void> {
    known.requireUsers(await known.offer(caller, options), 'change users');
  }

  /** Finds a ban: the broker would replace it, or report success for one that is not there. @throws RefusedError */
  async function findBan({ kind, value }: BanTarget, options: CallOptions | undefined): Promise<Ban | undefined> {
    for (let page = 1; page <= maxBanPages; page += 1) {
      const { items, hasNext } = (await reads.listBans?.({ page, pageSize: banPage }, options)) ?? { items: [] };
      const found = items.find((ban) => ban.kind === kind && ban.value === value);
      if (found !== undefined || hasNext !== true) return found;
    }
    throw new RefusedError(v4Texts.manyBans);
  }

  return {
    async disconnectClient(clientId, options) {
      await requireEmqx('disconnect a client', options);
      await act(at(endpoints.disconnectClient, { clientId }), options);
    },
    async clearAclCache(clientId, _, options) {
      await requireEmqx('clear an ACL cache', options);
      await act(at(endpoints.clearAclCache, { clientId }), options);
    },

    async subscribe({ clientId, topic, qos }, options) {
      refuseTopic(topic);
      await requireEmqx('subscribe for a client', options);
      await act(at(endpoints.subscribe, {}), options, { clientid: clientId, topic, qos });
    },
    async unsubscribe({ clientId, topic }, options) {
      if (topic === '') throw new RefusedError(notSentTexts.emptyTopic);
      await requireEmqx('unsubscribe for a client', options);
      const target = at(endpoints.unsubscribe, {});
      // The broker reports success for a subscription that is not there.
      const subscriptions = await reads.getSubscriptions(clientId, options);
      if (subscriptions.every((subscription) => subscription.topic !== topic))
        throw new BrokerError('does-not-exist', undefined, {
          meaning: v4Texts.notSubscribed,
          request: caller.lineOf(target),
        });
      await act(target, options, { clientid: clientId, topic });
    },
    async publish({ topic, payload = '', qos = 0, retain = false, clientId = 'http' }, options) {
      refuseTopic(topic);
      // NanoMQ would accept it.
      if (/[+#]/u.test(topic)) throw new RefusedError(notSentTexts.wildcard);
      const body = { topic, payload, qos, retain, clientid: clientId };
      if (Buffer.byteLength(JSON.stringify(body)) > maxBodyBytes) throw new RefusedError(notSentTexts.messageTooLarge);
      await act(at(endpoints.publish, {}), options, body);
    },

    async startPlugin(node, plugin, options) {
      await requireEmqx('start a plugin', options);
      await act(at(endpoints.startPlugin, { node: node ?? '', plugin }), options);
    },
    async stopPlugin(node, plugin, options) {
      await requireEmqx('stop a plugin', options);
      await act(at(endpoints.stopPlugin, { node: node ?? '', plugin }), options);
    },

    changeSetting: lacks('read or change settings'),
    replacePluginSettings: lacks('read or change settings of plugins'),

    async clearEndedAlarms(options) {
      if ((await known.offer(caller, options)).alarms !== 'activated')
        throw new NotSupportedError('clear ended alarms');
      await act(at(endpoints.clearEndedAlarms, {}), options);
    },

    async addBan({ kind, value, reason = '', until }, options) {
      if (value === '') throw new RefusedError(notSentTexts.emptyId);
      const as = wireKind(kind);
      await requireEmqx('add a ban', options);
      const target = at(endpoints.addBan, {});
      if ((await findBan({ kind, value }, options)) !== undefined)
        throw new BrokerError('exists', undefined, { meaning: v4Texts.exists, request: caller.lineOf(target) });
      const end = until === undefined ? endOfTime : known.zone.toEpoch(until);
      if (end === undefined) throw new RefusedError(v4Texts.noClock);
      // Without a reason the broker fails.
      await act(target, options, { who: value, as, reason, until: Math.round(end) });
    },
    async liftBan({ kind, value }, options) {
      const target = at(endpoints.liftBan, { kind: wireKind(kind), who: value });
      await requireEmqx('lift a ban', options);
      if ((await findBan({ kind, value }, options)) === undefined)
        throw new BrokerError('does-not-exist', undefined, { request: caller.lineOf(target) });
      await act(target, options);
    },

    async addUser({ username, password, tags }, options) {
      await requireUsers(options);
      if (username === '') throw new RefusedError(notSentTexts.emptyUsername);
      refuseEmptyPassword(password);
      await act(at(endpoints.addUser, {}), options, { username, password, tags });
    },
    async changeUserTags(username, tags, options) {
      await requireUsers(options);
      await act(at(endpoints.changeUser, { username }), options, { tags });
    },
    async deleteUser(username, options) {
      await requireUsers(options);
      await act(at(endpoints.deleteUser, { username }), options);
    },
    async checkCredentials(username, password, options) {
      await requireUsers(options);
      await act(at(endpoints.checkCredentials, {}), options, { username, password });
    },
    async changePassword(username, oldPassword, newPassword, options) {
      await requireUsers(options);
      refuseEmptyPassword(newPassword);
      try {
        await act(at(endpoints.changePassword, { username }), options, { old_pwd: oldPassword, new_pwd: newPassword });
      } catch (error) {
        // The same text as for a login.
        if (!(error instanceof BrokerError) || error.kind !== 'wrong-credentials') throw error;
        const { request, code, brokerMessage } = error;
        throw new BrokerError('wrong-old-password', brokerMessage, { request, code });
      }
    },
  };
}
