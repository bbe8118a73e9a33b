import type { NodeName } from '../../../domain/node.ts';
import { RefusedError, UnusableIdError } from '../../errors.ts';
import type { ApiOperations, CallOptions } from '../../management-api.ts';
import type { Caller } from './caller.ts';
import { endpoints } from './paths.ts';
import type { Reads } from './reads.ts';

/** The operations of the port that change something or check a password. */
export type Actions = Omit<ApiOperations, keyof Reads>;

/** Brokers take an empty password (field notes, "Actions"). */
function refuseEmptyPassword(password: string): void {
  if (password === '') throw new RefusedError('the password is empty');
}

/** In a body nothing else would stop it; a path has no place for it anyway. */
function refuseEmptyId(clientId: string | undefined): void {
  if (clientId === '') throw new UnusableIdError('it is empty');
}

function refuseEmptyTopic(topic: string): void {
  if (topic === '') throw new RefusedError('the topic is empty');
}

function refuseTopic(topic: string): void {
  refuseEmptyTopic(topic);
  if (/[+#]/u.test(topic)) throw new RefusedError('nothing can be published to a topic with the wildcards + or #');
}

/** The acting half of the port. Each operation sends its request once and never again. */
export function createActions(caller: Caller): Actions {
  async function setPlugin(node: NodeName | undefined, plugin: string, active: boolean, options: CallOptions): Promise<void> {
    const { capabilities } = await caller.rules('start or stop a plugin', options);
    const body = { active };
    if (!capabilities.pluginPerNode) return caller.act({ endpoint: endpoints.setPlugin, params: { plugin }, body, ...options });
    if (node === undefined) throw new RefusedError('this broker starts and stops plugins on one node, and none was named');
    return caller.act({ endpoint: endpoints.setNodePlugin, params: { node, plugin }, body, ...options });
  }

  return {
    disconnectClient: (clientId, options) =>
      caller.act({ endpoint: endpoints.disconnectClient, params: { clientId }, ...options }),
    clearAclCache: (clientId, topic, options) =>
      caller.act({ endpoint: endpoints.clearAclCache, params: { clientId }, body: { topic }, ...options }),

    async subscribe({ clientId, topic, qos }, options) {
      refuseEmptyId(clientId);
      refuseEmptyTopic(topic);
      await caller.act({ endpoint: endpoints.subscribe, params: {}, body: { topic, qos, client_id: clientId }, ...options });
    },
    async unsubscribe({ clientId, topic }, options = {}) {
      refuseEmptyId(clientId);
      await caller.require('unsubscribe', options);
      await caller.act({ endpoint: endpoints.unsubscribe, params: {}, body: { topic, client_id: clientId }, ...options });
    },
    async publish({ topic, payload, qos, retain, clientId }, options) {
      refuseTopic(topic);
      refuseEmptyId(clientId);
      // What is undefined is not sent: the broker's defaults hold (§4.4).
      const body = { topic, payload, qos, retain, client_id: clientId };
      await caller.act({ endpoint: endpoints.publish, params: {}, body, ...options });
    },

    startPlugin: (node, plugin, options = {}) => setPlugin(node, plugin, true, options),
    stopPlugin: (node, plugin, options = {}) => setPlugin(node, plugin, false, options),

    async changeSetting(node, { app, key, value }, options = {}) {
      await caller.require('settings', options);
      const body = { key, value };
      if (node === undefined) return caller.act({ endpoint: endpoints.changeSetting, params: { app }, body, ...options });
      return caller.act({ endpoint: endpoints.changeNodeSetting, params: { node, app }, body, ...options });
    },
    async replacePluginSettings(node, plugin, settings, options = {}) {
      await caller.require('settings', options);
      await caller.act({ endpoint: endpoints.replacePluginSettings, params: { node, plugin }, body: settings, ...options });
    },

    async addUser({ username, password, tags }, options) {
      if (username === '') throw new RefusedError('the user name is empty');
      refuseEmptyPassword(password);
      await caller.act({ endpoint: endpoints.addUser, params: {}, body: { username, password, tags }, ...options });
    },
    changeUserTags: (username, tags, options) =>
      caller.act({ endpoint: endpoints.changeUserTags, params: { username }, body: { tags }, ...options }),
    deleteUser: (username, options) => caller.act({ endpoint: endpoints.deleteUser, params: { username }, ...options }),
    checkCredentials: (username, password, options) =>
      caller.act({ endpoint: endpoints.checkCredentials, params: {}, body: { username, password }, ...options }),
    async changePassword(username, oldPassword, newPassword, options = {}) {
      refuseEmptyPassword(newPassword);
      const { passwordFields } = await caller.rules('change a password', options);
      const body = { [passwordFields.oldPassword]: oldPassword, [passwordFields.newPassword]: newPassword };
      await caller.act({ endpoint: endpoints.changePassword, params: { username }, body, ...options });
    },
  };
}
