import { defineFields } from '../../table/field.ts';
import type { PluginRow } from './select.ts';

/** Fields that all nodes have in common; a screen adds one for each node. */
export const pluginFields = defineFields<PluginRow>()({
  plugin: { label: 'PLUGIN', type: 'name', get: ({ name }) => name },
  active: {
    label: 'ALL NODES',
    type: 'number',
    get: ({ activeCount }) => activeCount,
    order: ({ activeCount, byNode }) => (byNode.size === 0 ? undefined : activeCount / byNode.size),
  },
  version: {
    label: 'VERSION',
    type: 'text',
    get: ({ versions }) => (versions.length === 0 ? undefined : versions.join(' ')),
  },
  description: { label: 'DESCRIPTION', type: 'text', get: ({ description }) => description },
});
