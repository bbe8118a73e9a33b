import type { NodeName } from '../../domain/node.ts';
import { watchOf } from '../../monitor/query/part.ts';
import { defineFields } from '../../table/field.ts';
import { comparedBy, comparedFields, defineNoun } from '../noun.ts';
import { selectNodes } from '../nodes/select.ts';
import { plugins, pluginSettings } from './resource.ts';
import { selectPlugins } from './select.ts';

interface PluginOnNode {
  readonly name: string;
  readonly node: NodeName;
  readonly active: boolean | undefined;
  readonly version: string | undefined;
}

const fieldsOnNode = defineFields<PluginOnNode>()({
  active: { label: 'ACTIVE', type: 'flag', get: ({ active }) => active },
  version: { label: 'VERSION', type: 'text', get: ({ version }) => version },
});

export const pluginNoun = defineNoun({
  watches: (state) => selectPlugins(state).running.map((node) => watchOf(plugins, node)),
  onDemand: [pluginSettings],
  recorded: 'everyMinute',
  compared: comparedBy<PluginOnNode>({
    noun: { one: 'plugin', many: 'plugins' },
    nameOf: ({ name, node }) => `${name} on ${node}`,
    identity: ({ name, node }) => JSON.stringify([name, node]),
    idOnScreen: ({ name }) => name,
    fields: comparedFields(fieldsOnNode),
    administered: { screen: 'plugins' },
    node: ({ node }) => node,
    read(state) {
      const { rows, read } = selectPlugins(state);
      if (read.size === 0) return undefined;
      return {
        rows: rows.flatMap(({ name, byNode }) =>
          [...byNode].map(([node, { active, version }]) => ({ name, node, active, version })),
        ),
        isWhole: selectNodes(state).every(({ name, status }) => status === 'stopped' || read.has(name)),
      };
    },
  }),
});
