import { reading } from '../../monitor/query/part.ts';
import { comparedBy, comparedFields, defineNoun, partOfReading } from '../noun.ts';
import { accessBackendFields } from './fields.ts';
import { accessBackends } from './resource.ts';
import { type AccessBackendRow, accessBackendRows, selectAccessBackends } from './select.ts';

export const accessBackendNoun = defineNoun({
  watches: () => [accessBackends],
  onDemand: [],
  recorded: 'everyMinute',
  capability: 'accessBackends',
  compared: comparedBy<AccessBackendRow>({
    noun: { one: 'access backend', many: 'access backends' },
    nameOf: ({ key }) => key,
    identity: ({ key }) => key,
    fields: comparedFields(accessBackendFields),
    read(state) {
      const rows = selectAccessBackends(state);
      return rows && { rows, isWhole: reading(state, accessBackends).unusable === undefined };
    },
  }),
  // One reading has no rates.
  whole: partOfReading(accessBackends, (backends) => ({
    rows: accessBackendRows(backends, new Map()),
    isCut: false,
  })),
});
