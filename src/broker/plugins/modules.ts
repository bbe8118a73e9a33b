import { Message } from '../engine/message.ts';
import type { ClientIdentity } from '../engine/hooks.ts';
import { isValidTopic } from '../engine/topics.ts';
import { PluginError, type PluginDefinition, type PluginSettingDefinition } from './plugin.ts';

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
  isActiveAtStart: true,
  settings: moduleSettings,
  start: ({ node, cluster }, values) => {
    const text = values.get(qosKey);
    if (text !== '0' && text !== '1' && text !== '2') throw new PluginError(`${qosKey} must be 0, 1 or 2.`);
    const qos = ({ 0: 0, 1: 1, 2: 2 } as const)[text];
    const tell = ({ clientId, username }: ClientIdentity, what: string, about: Readonly<Record<string, unknown>>): void => {
      const topic = `$SYS/brokers/${node.name}/clients/${clientId.replace(special, encodeURIComponent)}/${what}`;
      if (!isValidTopic(topic, node.settings.maxTopicLevels)) return;
      const payload = JSON.stringify({ clientid: clientId, username: username ?? null, ...about, ts: Math.floor(Date.now() / 1000) });
      void cluster.publish(new Message({ topic, payload: Buffer.from(payload), qos, retain: false, publisher: '$SYS' }), node);
    };
    return {
      connected: (client) => tell(client, 'connected', {
        ipaddress: client.ipAddress ?? null, clean_sess: client.cleanSession, protocol: client.protocolVersion, connack: 0,
      }),
      disconnected: (client, reason) => tell(client, 'disconnected', { reason }),
      stop: () => undefined,
    };
  },
};
