import { BrokerError, NotFoundError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { AccessBackend } from '../../domain/access.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import { type AccessRule, AccessRules } from '../engine/access.ts';
import { createLog, type Log, logConnections } from '../log.ts';
import { createClusterPlugins, type NodePlugins } from '../plugins/cluster-plugins.ts';
import { listPluginDefinitions } from '../plugins/registry.ts';
import {
  type NodeState,
  persistChange,
  type PersistentState,
  requireActing,
  requireRunning,
  runningNodes,
  StateError,
  type StateSource,
} from './changes.ts';
import { createHotSettings, type SettingsApi } from './hot-settings.ts';

export interface OperatorOptions {
  readonly extraPlugins?: readonly string[] | undefined;
  readonly accessRules?: readonly AccessRule[] | undefined;
  readonly state?: PersistentState | undefined;
  /** Receives each log line: printable ASCII, no secrets, no line end. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface OperatorControls {
  readonly api: SettingsApi & PluginApi & AccessApi;
  readonly state: StateSource;
  readonly accessRules: AccessRules;
  /** Stops the plugins without changing their stored state. */
  close(): void;
}

/**
 * Creates the controls of a cluster that is not started yet. @throws StateError for unusable stored state, RangeError
 * for an invalid access rule.
 */
export function createOperatorControls(cluster: BrokerCluster, options: OperatorOptions): OperatorControls {
  const write = options.log ?? (() => undefined);
  const logs = new Map<NodeName, Log>(
    cluster.nodes.map(({ name, settings }) => [name, createLog(name, () => settings.logLevel, write)]),
  );
  const logOf = (node: NodeName): Log => logs.get(node) ?? (() => undefined);

  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };

  const accessRules = new AccessRules(options.accessRules);
  const settings = createHotSettings(cluster, changed);
  const definitions = listPluginDefinitions(options.extraPlugins ?? []);
  const plugins = createClusterPlugins({ cluster, definitions, rules: accessRules, logOf });
  logConnections(cluster, logOf);

  const stored = Object.entries(options.state?.nodes ?? {});
  const problems = stored.flatMap(([name, state]) => {
    const node = cluster.node(name);
    return node === undefined
      ? []
      : [...settings.restore(node, state.settings), ...(plugins.get(name)?.restore(state.plugins) ?? [])];
  });
  const close = (): void => {
    for (const node of plugins.values()) node.close();
  };
  if (problems.length > 0) {
    close();
    throw new StateError(problems);
  }

  return {
    api: {
      ...settings.api,
      ...createPluginApi(cluster, plugins, changed),
      listAccessBackends: async () => listBackends(cluster, plugins),
    },
    accessRules,
    state: {
      exportState: () => {
        const unknown = stored.filter(([name]) => cluster.node(name) === undefined);
        const states = [...plugins].map(([name, node]): [string, NodeState] => [
          name,
          { settings: settings.changedOn(name), plugins: node.changedStates() },
        ]);
        const changedStates = states.filter(
          ([, state]) => Object.keys(state.settings).length + Object.keys(state.plugins).length > 0,
        );
        return { nodes: Object.fromEntries([...unknown, ...changedStates]) };
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    close,
  };
}

type AccessApi = Required<Pick<ManagementApi, 'listAccessBackends'>>;

/** Lists what decides about access, with the nodes that run. */
function listBackends(cluster: BrokerCluster, plugins: ReadonlyMap<NodeName, NodePlugins>): readonly AccessBackend[] {
  const all = runningNodes(cluster).flatMap(({ name }) =>
    (plugins.get(name)?.describeBackends() ?? []).map((backend) => ({ ...backend, node: name })),
  );
  return [...Map.groupBy(all, ({ purpose, id }) => `${purpose} ${id}`).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const nodes = own.map(
      ({ node, isEnabled, isConnected, counters }) => [node, { isEnabled, isConnected, counters }] as const,
    );
    return [{ purpose: first.purpose, id: first.id, nodes: new Map(nodes) }];
  });
}

type PluginApi = Pick<
  ManagementApi,
  'listPlugins' | 'startPlugin' | 'stopPlugin' | 'getPluginSettings' | 'replacePluginSettings'
>;

export function createPluginApi(
  cluster: BrokerCluster,
  plugins: ReadonlyMap<NodeName, NodePlugins>,
  changed: () => void,
): PluginApi {
  const read = (name: NodeName): NodePlugins => {
    const found = plugins.get(requireRunning(cluster, name).name);
    if (found === undefined) throw new NotFoundError();
    return found;
  };
  const act = (name: NodeName): NodePlugins => {
    const found = plugins.get(requireActing(cluster, name).name);
    if (found === undefined) throw new BrokerError('failed');
    return found;
  };
  const change = (make: () => () => void): Promise<void> =>
    persistChange(cluster.recorder, () => {
      const undo = make();
      changed();
      return () => {
        undo();
        changed();
      };
    });
  const onRunning = (): readonly NodePlugins[] => runningNodes(cluster).flatMap(({ name }) => plugins.get(name) ?? []);

  const undoAll = (undo: readonly (() => void)[]): void => {
    for (const undoOne of undo) undoOne();
  };

  /** Starts a plugin on all nodes. If one refuses, the others are undone. */
  const startOnAll = (plugin: string): (() => void) => {
    const stopped = onRunning().filter((node) => node.isActive(plugin) !== true);
    if (stopped.length === 0) throw new BrokerError('already-started', 'already_started');
    const undo: (() => void)[] = [];
    for (const node of stopped) {
      try {
        undo.push(node.start(plugin));
      } catch (error) {
        undoAll(undo);
        throw error;
      }
    }
    return () => undoAll(undo);
  };
  const stopOnAll = (plugin: string): (() => void) => {
    const active = onRunning().filter((node) => node.isActive(plugin) === true);
    if (active.length === 0) throw new BrokerError('not-started', 'not_started');
    const undo = active.map((node) => node.stop(plugin));
    return () => undoAll(undo);
  };

  return {
    async listPlugins(node) {
      return read(node).list();
    },
    async startPlugin(node, plugin) {
      await change(() => (node === undefined ? startOnAll(plugin) : act(node).start(plugin)));
    },
    async stopPlugin(node, plugin) {
      await change(() => (node === undefined ? stopOnAll(plugin) : act(node).stop(plugin)));
    },
    async getPluginSettings(node, plugin) {
      const settings = read(node).settings(plugin);
      if (settings === undefined) throw new NotFoundError();
      return settings;
    },
    async replacePluginSettings(node, plugin, settings) {
      await change(() => act(node).replaceSettings(plugin, settings));
    },
  };
}
