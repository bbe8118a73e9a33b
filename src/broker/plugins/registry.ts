import type { ClientIdentity } from '../engine/hooks.ts';
import { Message } from '../engine/message.ts';
import { isValidTopic } from '../../domain/topics.ts';
import { quote } from '../log.ts';
import type { BrokerNode } from '../node.ts';
import { authClientId, authUsername, createAuthHttp } from './auth.ts';
import {
  type PluginDefinition,
  PluginError,
  type PluginSettingDefinition,
  type PluginValues,
  type RunningPlugin,
} from './plugin.ts';
import { createWebHook } from './web-hook.ts';

/** A plugin that cannot be stopped: nothing could start it again. */
const dashboard: PluginDefinition = {
  name: 'dashboard',
  description: 'Management API and its administrators',
  activeByDefault: true,
  settings: [],
  cannotStopReason: 'It serves the management API, so it could not be started again.',
  start: () => ({ stop: () => undefined }),
};

const qosKey = 'module.presence.qos';
const moduleSettings: readonly PluginSettingDefinition[] = [
  { key: qosKey, initial: '1', description: 'QoS of the presence messages, 0 to 2', required: true },
];

/** Characters that split a topic, are wildcards, or make clients such as mosquitto's disconnect (MQTT 3.1.1, 1.5.3). */
const special = /[/+#%\p{Cc}\p{Noncharacter_Code_Point}]/gu;

/**
 * Publishes to `$SYS/brokers/<node>/clients/<client id>/`, with special characters percent-encoded; nothing if that is
 * too long.
 */
const modules: PluginDefinition = {
  name: 'modules',
  description: 'Publishes connects and disconnects of clients below $SYS',
  activeByDefault: true,
  settings: moduleSettings,
  start: ({ node, cluster }, values) => {
    const text = values.get(qosKey);
    if (text !== '0' && text !== '1' && text !== '2') throw new PluginError(`${qosKey} must be 0, 1 or 2.`);
    const qos = ({ 0: 0, 1: 1, 2: 2 } as const)[text];
    const publishPresence = (
      { clientId, username }: ClientIdentity,
      event: string,
      fields: Readonly<Record<string, unknown>>,
    ): void => {
      const topic = `$SYS/brokers/${node.name}/clients/${clientId.replace(special, encodeURIComponent)}/${event}`;
      if (!isValidTopic(topic, node.settings.maxTopicLevels)) return;
      const payload = JSON.stringify({
        clientid: clientId,
        username: username ?? null,
        ...fields,
        ts: Math.floor(Date.now() / 1000),
      });
      void cluster.publish(
        new Message({ topic, payload: Buffer.from(payload), qos, retain: false, publisher: '$SYS' }),
        node,
      );
    };
    return {
      connected: (client) =>
        publishPresence(client, 'connected', {
          ipaddress: client.ipAddress ?? null,
          clean_sess: client.cleanSession,
          protocol: client.protocolVersion,
          connack: 0,
        }),
      disconnected: (client, reason) => publishPresence(client, 'disconnected', { reason }),
      stop: () => undefined,
    };
  },
};

const countKey = 'retainer.max_message_num';
const sizeKey = 'retainer.max_payload_size';
const retainerSettings: readonly PluginSettingDefinition[] = [
  {
    key: countKey,
    initial: '1000000',
    description: 'Max retained messages in the cluster; 0 = unlimited',
    required: true,
  },
  { key: sizeKey, initial: '64KB', description: 'Max payload of a retained message; 0 = unlimited', required: true },
];

const factors: Readonly<Record<string, number>> = { '': 1, KB: 1024, MB: 1024 ** 2 };

/** Reads a limit, whose unit is optional. @throws PluginError */
function readLimit(values: PluginValues, key: string, units: readonly string[]): number {
  const [, digits, unit = ''] = /^(\d{1,12})([A-Z]*)$/u.exec(values.get(key)) ?? [];
  const factor = units.includes(unit) ? factors[unit] : undefined;
  if (digits === undefined || factor === undefined)
    throw new PluginError(`${key} must be a number${units.length > 1 ? ' of bytes, KB or MB' : ''}.`);
  return Number(digits) * factor || Infinity;
}

/** The running retainer of each node: with new settings it starts before the old one is stopped. */
const current = new WeakMap<BrokerNode, RunningPlugin>();

/**
 * Stores retained messages. Without this plugin they are neither stored nor sent to new subscribers; stored ones
 * remain.
 */
const retainer: PluginDefinition = {
  name: 'retainer',
  description: 'Retained messages',
  activeByDefault: true,
  settings: retainerSettings,
  start: ({ node, cluster }, values) => {
    const maxCount = readLimit(values, countKey, ['']);
    const maxBytes = readLimit(values, sizeKey, ['', 'KB', 'MB']);
    node.settings.retainAvailable = true;
    const self: RunningPlugin = {
      retain: ({ topic, payload }) => {
        if (payload.length === 0) return true;
        if (payload.length > maxBytes) return false;
        return cluster.sharedStat('retained') < maxCount || cluster.retained(topic).length > 0;
      },
      stop: () => {
        if (current.get(node) === self) node.settings.retainAvailable = false;
      },
    };
    current.set(node, self);
    return self;
  },
};

/** An example for your own plugins: logs the calls of its hooks at level `info`. */
const pluginTemplate: PluginDefinition = {
  name: 'plugin_template',
  description: 'Example plugin; logs events at level info',
  activeByDefault: false,
  settings: [],
  start: ({ log }) => {
    const logLine = (text: string): void => log('info', `plugin_template: ${text}`);
    logLine('started');
    return {
      connected: ({ clientId }) => logLine(`${quote(clientId)} connected`),
      disconnected: ({ clientId }, reason) => logLine(`${quote(clientId)} disconnected (${reason})`),
      subscribed: (clientId, filter, qos) =>
        logLine(`${quote(clientId)} subscribed to ${quote(filter)} with QoS ${qos}`),
      unsubscribed: (clientId, filter) => logLine(`${quote(clientId)} unsubscribed from ${quote(filter)}`),
      published: ({ topic, payload, publisher }) =>
        logLine(`${quote(publisher)} published ${payload.length} bytes to ${quote(topic)}`),
      stop: () => logLine('stopped'),
    };
  },
};

/** The prefix of plugin names, where a product has its own. */
export const pluginPrefix = 'broker_';

function unavailable(name: string, description: string, reason: string): PluginDefinition {
  return {
    name,
    description,
    activeByDefault: false,
    settings: [],
    start: () => {
      throw new PluginError(reason);
    },
  };
}

function needsService(name: string, description: string, service: string): PluginDefinition {
  return unavailable(
    name,
    description,
    `It needs ${service}, which the embedded broker does not support. Use ${pluginPrefix}auth_http.`,
  );
}

function notIncluded(name: string, description: string): PluginDefinition {
  return unavailable(name, description, 'It is not part of the embedded broker.');
}

const common: readonly PluginDefinition[] = [
  authClientId,
  createAuthHttp(),
  needsService('auth_jwt', 'Authentication with JWT', 'a token issuer'),
  needsService('auth_ldap', 'Authentication and access control with LDAP', 'an LDAP server'),
  needsService('auth_mongo', 'Authentication and access control with MongoDB', 'a MongoDB server'),
  needsService('auth_mysql', 'Authentication and access control with MySQL', 'a MySQL server'),
  needsService('auth_pgsql', 'Authentication and access control with PostgreSQL', 'a PostgreSQL server'),
  needsService('auth_redis', 'Authentication and access control with Redis', 'a Redis server'),
  authUsername,
  notIncluded('coap', 'CoAP gateway'),
  dashboard,
  notIncluded('lua_hook', 'Hooks in Lua'),
  modules,
  pluginTemplate,
  notIncluded('recon', 'Memory and process statistics of the Erlang runtime'),
  notIncluded('reloader', 'Reloads changed code of the Erlang runtime'),
  retainer,
  notIncluded('sn', 'MQTT-SN gateway'),
  notIncluded('stomp', 'STOMP gateway'),
  createWebHook(),
];

const extraDescriptions: Readonly<Record<string, string>> = { lwm2m: 'LwM2M gateway' };

export function listPluginDefinitions(extra: readonly string[]): readonly PluginDefinition[] {
  const all = [...common, ...extra.map((name) => notIncluded(name, extraDescriptions[name] ?? name))];
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
