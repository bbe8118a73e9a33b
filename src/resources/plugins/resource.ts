import type { Plugin, PluginSetting } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import { defineResource } from '../../monitor/query/query.ts';
import { orNotAvailable } from '../offered.ts';
import { withoutSecrets } from '../settings/resource.ts';

const settingsOf = (node: NodeName, plugin: string): string => `the settings of plugin ${plugin} on ${node}`;

/** Plugins of one node: no API lists those of all nodes. */
export const plugins = defineResource<readonly Plugin[], [node: NodeName]>({
  name: 'plugins',
  source: (node) => `plugins of ${node}`,
  every: 'fifthTick',
  nodeOf: (node) => node,
  maxUnwatched: 64,
  read: (api, call, node) => api.listPlugins(node, call),
});

/** Settings of one plugin on one node. */
export const pluginSettings = defineResource<readonly PluginSetting[], [node: NodeName, plugin: string]>({
  name: 'pluginSettings',
  source: (node, plugin) => `settings of ${plugin} on ${node}`,
  every: 'fifthTick',
  nodeOf: (node) => node,
  maxUnwatched: 64,
  recorded: (state) => ({ ...state, data: state.data && withoutSecrets(state.data) }),
  read: (api, call, node, plugin) =>
    orNotAvailable(settingsOf(node, plugin), api.getPluginSettings(node, plugin, call)),
});
