import { type Variant, variants } from '../../api/dialects/emq-v2/variants.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import { type NodeState, type PersistentState, StateError, type StateSource } from '../data/operator-state.ts';
import { type AccessRule, AccessRules } from '../engine/access-rules.ts';
import { createLog, type Log, logConnections } from '../log.ts';
import { createClusterPlugins } from '../plugins/cluster-plugins.ts';
import { listPluginDefinitions } from '../plugins/registry.ts';
import { createHotSettings, type SettingsApi } from './hot-settings.ts';
import { createPluginApi, type PluginApi } from './plugin-api.ts';

export interface OperatorOptions {
  readonly variant: Variant;
  /** Access rules (default `defaultAccessRules`). */
  readonly accessRules?: readonly AccessRule[] | undefined;
  /** Settings and plugin states of an earlier run. */
  readonly state?: PersistentState | undefined;
  /** Receives each log line: printable ASCII, no secrets, no line end. */
  readonly log?: ((line: string) => void) | undefined;
}

/** What an operator can change about a cluster while it runs. */
export interface OperatorControls {
  readonly api: SettingsApi & PluginApi;
  readonly state: StateSource;
  readonly accessRules: AccessRules;
  /** Stops the plugins without changing their state. */
  close(): void;
}

/**
 * Adds plugins, hot settings, access rules and the log to a cluster that is not started.
 * @throws StateError when the given state cannot be restored
 * @throws RangeError for an invalid access rule
 */
export function createOperatorControls(cluster: BrokerCluster, options: OperatorOptions): OperatorControls {
  const write = options.log ?? (() => undefined);
  const logs = new Map<NodeName, Log>(cluster.nodes.map(({ name, settings }) => [name, createLog(name, () => settings.logLevel, write)]));
  const logOf = (node: NodeName): Log => logs.get(node) ?? (() => undefined);

  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const accessRules = new AccessRules(options.accessRules);
  const settings = createHotSettings(cluster, changed);
  const definitions = listPluginDefinitions(variants[options.variant].extraPlugins);
  const plugins = createClusterPlugins({ cluster, definitions, rules: accessRules, logOf });
  logConnections(cluster, logOf);

  const given = Object.entries(options.state?.nodes ?? {});
  const problems = given.flatMap(([name, state]) => {
    const node = cluster.node(name);
    return node === undefined ? [] : [...settings.restore(node, state.settings), ...(plugins.get(name)?.restore(state.plugins) ?? [])];
  });
  const close = (): void => {
    for (const node of plugins.values()) node.close();
  };
  if (problems.length > 0) {
    close();
    throw new StateError(problems);
  }

  return {
    api: { ...settings.api, ...createPluginApi(cluster, plugins, changed) },
    accessRules,
    state: {
      exportState: () => {
        const foreign = given.filter(([name]) => cluster.node(name) === undefined);
        const own = [...plugins].map(([name, node]): [string, NodeState] => [
          name, { settings: settings.changedOn(name), plugins: node.changedStates() },
        ]);
        const touched = own.filter(([, state]) => Object.keys(state.settings).length + Object.keys(state.plugins).length > 0);
        return { nodes: Object.fromEntries([...foreign, ...touched]) };
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    close,
  };
}
