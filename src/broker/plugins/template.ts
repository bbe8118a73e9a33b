import { quote } from '../log.ts';
import type { PluginDefinition } from './plugin.ts';

/** An example to begin with: says in the log, at `info`, what each of its hooks is told. */
export const pluginTemplate: PluginDefinition = {
  name: 'plugin_template',
  description: 'Example of a plugin; logs what happens at level info',
  isActiveAtStart: false,
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
