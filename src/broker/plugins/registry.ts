import type { ClientIdentity } from '../engine/hooks.ts';
import { Message } from '../engine/message.ts';
import { isValidTopic } from '../engine/topics.ts';
import { quote } from '../log.ts';
import type { BrokerNode } from '../node.ts';
import { createAuthHttp } from './auth-http.ts';
import { authClientId, authUsername } from './auth-stored.ts';
import { type PluginDefinition, PluginError, type PluginSettingDefinition, type PluginValues, type RunningPlugin } from './plugin.ts';
import { createWebHook } from './web-hook.ts';

/**
 * The management interface and its admin users. It runs as long as the broker does: whoever stopped it
 * could not start it again, having no interface left to do that with.
 */
export const dashboard: PluginDefinition = {
  name: 'dashboard',
  description: 'Management interface and its admin users',
  activeByDefault: true,
  settings: [],
  cannotStopReason: 'It is the management interface itself: without it nothing could be started again.',
  start: () => ({ stop: () => undefined }),
};

const qosKey = 'module.presence.qos';
const moduleSettings: readonly PluginSettingDefinition[] = [
  { key: qosKey, initial: '1', description: 'QoS of the presence messages, 0 to 2', required: true },
];

/**
 * What would split a topic or be a wildcard in it, and what a receiver may close the connection for
 * (MQTT 3.1.1, 1.5.3), as mosquitto's clients do: an id must not throw out who listens.
 */
const special = /[/+#%\p{Cc}\p{Noncharacter_Code_Point}]/gu;

/**
 * Tells who comes and goes, below `$SYS/brokers/<node>/clients/<client id>/`. In an id `/ + # %`, control
 * characters and noncharacters are percent-encoded; of one that makes the topic too long nothing is told.
 */
export const modules: PluginDefinition = {
  name: 'modules',
  description: 'Presence messages of clients below $SYS',
  activeByDefault: true,
  settings: moduleSettings,
  start: ({ node, cluster }, values) => {
    const text = values.get(qosKey);
    if (text !== '0' && text !== '1' && text !== '2') throw new PluginError(`${qosKey} must be 0, 1 or 2.`);
    const qos = ({ 0: 0, 1: 1, 2: 2 } as const)[text];
    const publishPresence = ({ clientId, username }: ClientIdentity, what: string, about: Readonly<Record<string, unknown>>): void => {
      const topic = `$SYS/brokers/${node.name}/clients/${clientId.replace(special, encodeURIComponent)}/${what}`;
      if (!isValidTopic(topic, node.settings.maxTopicLevels)) return;
      const payload = JSON.stringify({ clientid: clientId, username: username ?? null, ...about, ts: Math.floor(Date.now() / 1000) });
      void cluster.publish(new Message({ topic, payload: Buffer.from(payload), qos, retain: false, publisher: '$SYS' }), node);
    };
    return {
      connected: (client) => publishPresence(client, 'connected', {
        ipaddress: client.ipAddress ?? null, clean_sess: client.cleanSession, protocol: client.protocolVersion, connack: 0,
      }),
      disconnected: (client, reason) => publishPresence(client, 'disconnected', { reason }),
      stop: () => undefined,
    };
  },
};

const countKey = 'retainer.max_message_num';
const sizeKey = 'retainer.max_payload_size';
const retainerSettings: readonly PluginSettingDefinition[] = [
  { key: countKey, initial: '1000000', description: 'Most retained messages of the cluster; 0 is no bound', required: true },
  { key: sizeKey, initial: '64KB', description: 'Largest payload that is retained; 0 is no bound', required: true },
];

const factors: Readonly<Record<string, number>> = { '': 1, KB: 1024, MB: 1024 ** 2 };

/** A number with or without a unit. @throws PluginError */
function readLimit(values: PluginValues, key: string, units: readonly string[]): number {
  const [, digits, unit = ''] = /^(\d{1,12})([A-Z]*)$/u.exec(values.get(key)) ?? [];
  const factor = units.includes(unit) ? factors[unit] : undefined;
  if (digits === undefined || factor === undefined) throw new PluginError(`${key} must be a number${units.length > 1 ? ', of bytes or with KB or MB' : ''}.`);
  return Number(digits) * factor || Infinity;
}

/** The one that a node goes by: it begins before the one whose settings it replaces is stopped. */
const current = new WeakMap<BrokerNode, RunningPlugin>();

/** Stores retained messages and sends them to new subscribers. Without it the node does neither; what others stored stays. */
export const retainer: PluginDefinition = {
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
        // An empty payload takes one away.
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

/** An example to begin with: says in the log, at `info`, what each of its hooks is told. */
export const pluginTemplate: PluginDefinition = {
  name: 'plugin_template',
  description: 'Example of a plugin; logs what happens at level info',
  activeByDefault: false,
  settings: [],
  start: ({ log }) => {
    const say = (text: string): void => log('info', `plugin_template: ${text}`);
    say('started');
    return {
      connected: ({ clientId }) => say(`${quote(clientId)} connected`),
      disconnected: ({ clientId }, reason) => say(`${quote(clientId)} disconnected (${reason})`),
      subscribed: (clientId, filter, qos) => say(`${quote(clientId)} subscribed to ${quote(filter)} with QoS ${qos}`),
      unsubscribed: (clientId, filter) => say(`${quote(clientId)} unsubscribed from ${quote(filter)}`),
      published: ({ topic, payload, publisher }) => say(`${quote(publisher)} published ${payload.length} bytes to ${quote(topic)}`),
      stop: () => say('stopped'),
    };
  },
};

/** Stands in for the product prefix of §2.8. */
export const pluginPrefix = 'broker_';

/** One that is listed and refuses to start. */
function unavailable(name: string, description: string, why: string): PluginDefinition {
  return {
    name,
    description,
    activeByDefault: false,
    settings: [],
    start: () => {
      throw new PluginError(why);
    },
  };
}

function needs(name: string, description: string, service: string): PluginDefinition {
  return unavailable(name, description, `It needs ${service}, which the embedded broker does not work with; ${pluginPrefix}auth_http can ask any service.`);
}

function notIncluded(name: string, description: string): PluginDefinition {
  return unavailable(name, description, 'It is not part of the embedded broker.');
}

/** Those that both variants have (§2.8). */
const common: readonly PluginDefinition[] = [
  authClientId,
  createAuthHttp(),
  needs('auth_jwt', 'Authentication with JWT', 'an issuer of tokens'),
  needs('auth_ldap', 'Authentication and access control with LDAP', 'an LDAP server'),
  needs('auth_mongo', 'Authentication and access control with MongoDB', 'a MongoDB server'),
  needs('auth_mysql', 'Authentication and access control with MySQL', 'a MySQL server'),
  needs('auth_pgsql', 'Authentication and access control with PostgreSQL', 'a PostgreSQL server'),
  needs('auth_redis', 'Authentication and access control with Redis', 'a Redis server'),
  authUsername,
  notIncluded('coap', 'CoAP gateway'),
  dashboard,
  notIncluded('lua_hook', 'Hooks in Lua'),
  modules,
  pluginTemplate,
  notIncluded('recon', 'Memory and process figures of the Erlang runtime'),
  notIncluded('reloader', 'Reloads changed code of the Erlang runtime'),
  retainer,
  notIncluded('sn', 'MQTT-SN gateway'),
  notIncluded('stomp', 'STOMP gateway'),
  createWebHook(),
];

/** Descriptions of plugins that one variant alone has. */
const extraDescriptions: Readonly<Record<string, string>> = { lwm2m: 'LwM2M gateway' };

/** All plugins of a variant in the order of their names; `extra` are those that it has beside the common ones. */
export function listPluginDefinitions(extra: readonly string[]): readonly PluginDefinition[] {
  const all = [...common, ...extra.map((name) => notIncluded(name, extraDescriptions[name] ?? name))];
  return all.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
