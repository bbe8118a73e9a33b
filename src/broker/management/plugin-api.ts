import { BrokerError, NotFoundError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import type { NodePlugins } from '../plugins/node-plugins.ts';
import { persistChange, requireActing, requireRunning, runningNodes } from './shared.ts';

/** The plugins part of `ManagementApi` (§4.6, §4.7). */
export type PluginApi = Pick<ManagementApi, 'listPlugins' | 'startPlugin' | 'stopPlugin' | 'getPluginSettings' | 'replacePluginSettings'>;

/** `changed` is called after each change. */
export function createPluginApi(cluster: BrokerCluster, plugins: ReadonlyMap<NodeName, NodePlugins>, changed: () => void): PluginApi {
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
  /** `make` returns a function that undoes the change. */
  const change = (make: () => () => void): Promise<void> => persistChange(cluster.recorder, () => {
    const undo = make();
    changed();
    return () => {
      undo();
      changed();
    };
  });
  const onRunning = (): readonly NodePlugins[] => runningNodes(cluster).flatMap(({ name }) => plugins.get(name) ?? []);

  /** Starts the plugin on all nodes where it is stopped; when one node refuses, the others are undone. */
  const startOnAll = (plugin: string): (() => void) => {
    const stopped = onRunning().filter((node) => node.isActive(plugin) !== true);
    if (stopped.length === 0) throw new BrokerError('already-started', 'already_started');
    const undo: (() => void)[] = [];
    for (const node of stopped) {
      try {
        undo.push(node.start(plugin));
      } catch (error) {
        for (const step of undo) step();
        throw error;
      }
    }
    return () => {
      for (const step of undo) step();
    };
  };
  const stopOnAll = (plugin: string): (() => void) => {
    const active = onRunning().filter((node) => node.isActive(plugin) === true);
    if (active.length === 0) throw new BrokerError('not-started', 'not_started');
    const undo = active.map((node) => node.stop(plugin));
    return () => {
      for (const step of undo) step();
    };
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

