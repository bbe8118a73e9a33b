import type { NodeName } from '../../domain/node.ts';
import { disclose } from '../../domain/secret-keys.ts';
import { watchOf } from '../../monitor/query/part.ts';
import { defineFields } from '../../table/field.ts';
import { comparedBy, comparedFields, defineNoun } from '../noun.ts';
import { selectNodes } from '../nodes/select.ts';
import { nodeSettings, settings } from './resource.ts';
import { selectIsReadByNode, selectSettings } from './select.ts';

interface SettingOnNode {
  readonly app: string;
  readonly name: string;
  readonly node: NodeName;
  readonly value: string | undefined;
}

const fieldsOnNode = defineFields<SettingOnNode>()({
  value: { label: 'VALUE', type: 'text', get: ({ name, value }) => disclose(name, value) },
});

export const settingNoun = defineNoun({
  watches: (state) =>
    selectIsReadByNode(state) ? selectSettings(state).running.map((node) => watchOf(nodeSettings, node)) : [settings],
  onDemand: [],
  recorded: 'everyMinute',
  capability: 'settings',
  compared: comparedBy<SettingOnNode>({
    noun: { one: 'setting', many: 'settings' },
    nameOf: ({ name, node }) => `${name} on ${node}`,
    identity: ({ app, name, node }) => JSON.stringify([app, name, node]),
    idOnScreen: ({ app, name }) => JSON.stringify([app, name]),
    fields: comparedFields(fieldsOnNode),
    administered: { screen: 'settings' },
    node: ({ node }) => node,
    read(state) {
      const { rows, read } = selectSettings(state);
      if (read.size === 0) return undefined;
      return {
        rows: rows.flatMap(({ app, key, byNode }) =>
          [...byNode].map(([node, { value }]) => ({ app, name: key, node, value })),
        ),
        isWhole: selectNodes(state).every(({ name, status }) => status === 'stopped' || read.has(name)),
      };
    },
  }),
  // A row has a value for each node, and lists have one for all.
});
