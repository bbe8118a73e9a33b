import { reading } from '../../monitor/query/part.ts';
import { comparedBy, comparedFields, defineNoun } from '../noun.ts';
import { nodeFields } from './fields.ts';
import { nodes, nodeStats } from './resource.ts';
import { type NodeRow, selectNodes } from './select.ts';

export const nodeNoun = defineNoun({
  watches: () => [nodes, nodeStats],
  onDemand: [],
  recorded: 'everyRefresh',
  compared: comparedBy<NodeRow>({
    noun: { one: 'node', many: 'nodes' },
    nameOf: ({ name }) => name,
    identity: ({ name }) => name,
    fields: comparedFields(nodeFields, ['clock']),
    node: ({ name }) => name,
    read: (state) =>
      reading(state, nodeStats).data === undefined ? undefined : { rows: selectNodes(state), isWhole: true },
  }),
});
