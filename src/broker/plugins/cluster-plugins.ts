import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import type { AccessRules } from '../engine/access-rules.ts';
import type { AclAction, AuthenticateResult, BrokerEvents, ClientIdentity, ConnectRequest } from '../engine/hooks.ts';
import type { Log } from '../log.ts';
import { NodePlugins } from './node-plugins.ts';
import type { PluginDefinition, RunningPlugin } from './plugin.ts';

export interface ClusterPluginsOptions {
  readonly cluster: BrokerCluster;
  readonly definitions: readonly PluginDefinition[];
  /** Applied after the plugins. */
  readonly rules: AccessRules;
  readonly logOf: (node: NodeName) => Log;
}

/** Creates the plugins of every node and connects them to the cluster's hooks, which are replaced, and events. */
export function createClusterPlugins({ cluster, definitions, rules, logOf }: ClusterPluginsOptions): ReadonlyMap<NodeName, NodePlugins> {
  const all = new Map(cluster.nodes.map((node) => [
    node.name, new NodePlugins({ node, cluster, log: logOf(node.name) }, cluster.version, definitions),
  ]));
  const runningOn = (node: NodeName | undefined): readonly RunningPlugin[] => (node === undefined ? [] : all.get(node)?.running ?? []);

  cluster.hooks.authenticate = (request) => {
    const plugins = runningOn(request.node).filter(({ authenticate }) => authenticate !== undefined);
    // Left to the setting `allowAnonymous`.
    return plugins.length === 0 ? 'ignore' : authenticateInTurn(plugins, request);
  };
  cluster.hooks.authorize = (client, action, topic) => {
    const plugin = runningOn(client.node).find(({ authorize }) => authorize !== undefined);
    return plugin === undefined ? rules.decide(client, action, topic) : authorizeBy(plugin, rules, client, action, topic);
  };
  cluster.hooks.retain = (message, node) => runningOn(node).every((plugin) => plugin.retain?.(message) ?? true);

  const forward = <E extends keyof BrokerEvents>(
    event: E,
    nodeOf: (...args: BrokerEvents[E]) => NodeName | undefined,
    notify: (plugin: RunningPlugin, ...args: BrokerEvents[E]) => void,
  ): void => {
    const listener = (...args: BrokerEvents[E]): void => {
      const node = nodeOf(...args);
      for (const plugin of runningOn(node)) {
        try {
          notify(plugin, ...args);
        } catch (error) {
          if (node !== undefined) logOf(node)('error', `a plugin failed at ${event}: ${error instanceof Error ? error.name : typeof error}`);
        }
      }
    };
    Reflect.apply(cluster.events.on, cluster.events, [event, listener]);
  };
  forward('connected', ({ node }) => node, (plugin, client) => plugin.connected?.(client));
  forward('disconnected', ({ node }) => node, (plugin, client, reason) => plugin.disconnected?.(client, reason));
  forward('subscribed', (_clientId, _filter, _qos, node) => node, (plugin, clientId, filter, qos) => plugin.subscribed?.(clientId, filter, qos));
  forward('unsubscribed', (_clientId, _filter, node) => node, (plugin, clientId, filter) => plugin.unsubscribed?.(clientId, filter));
  forward('published', (_message, node) => node, (plugin, message) => plugin.published?.(message));
  return all;
}

/** The first plugin that decides. A client that all of them ignore is refused. */
function authenticateInTurn(plugins: readonly RunningPlugin[], request: ConnectRequest): AuthenticateResult | Promise<AuthenticateResult> {
  for (const [index, plugin] of plugins.entries()) {
    const answer = plugin.authenticate?.(request) ?? 'ignore';
    if (answer instanceof Promise) {
      return answer.then((later) => (later === 'ignore' ? authenticateInTurn(plugins.slice(index + 1), request) : later));
    }
    if (answer !== 'ignore') return answer;
  }
  return request.username === undefined ? 'not-authorized' : 'bad-credentials';
}

async function authorizeBy(
  plugin: RunningPlugin,
  rules: AccessRules,
  client: ClientIdentity,
  action: AclAction,
  topic: string,
): Promise<boolean | undefined> {
  // Applies to superusers, too.
  if (rules.isReserved(action, topic)) return false;
  return (await plugin.authorize?.(client, action, topic)) ?? rules.decide(client, action, topic);
}
