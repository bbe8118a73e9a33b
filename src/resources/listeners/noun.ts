import { reading } from '../../monitor/query/part.ts';
import { comparedBy, comparedFields, defineNoun } from '../noun.ts';
import { listenerFields } from './fields.ts';
import { listeners } from './resource.ts';
import { type ListenerRow, selectListeners } from './select.ts';

export const listenerNoun = defineNoun({
  watches: () => [listeners],
  onDemand: [],
  recorded: 'everyRefresh',
  compared: comparedBy<ListenerRow>({
    noun: { one: 'listener', many: 'listeners' },
    nameOf: ({ listener, node }) => `${listener.protocol} ${listener.listen} on ${node}`,
    identity: ({ key }) => key,
    fields: comparedFields(listenerFields, ['shutdown']),
    administered: { screen: 'listeners' },
    node: ({ node }) => node,
    read(state) {
      const rows = selectListeners(state);
      return rows && { rows, isWhole: reading(state, listeners).unusable === undefined };
    },
  }),
});
