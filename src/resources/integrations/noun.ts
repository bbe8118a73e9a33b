import { reading } from '../../monitor/query/part.ts';
import { comparedBy, comparedFields, defineNoun, partOfReading } from '../noun.ts';
import { integrationFields } from './fields.ts';
import { integrations } from './resource.ts';
import { type IntegrationRow, integrationRows, selectIntegrations } from './select.ts';

export const integrationNoun = defineNoun({
  watches: () => [integrations],
  onDemand: [],
  recorded: 'everyMinute',
  capability: 'integrations',
  compared: comparedBy<IntegrationRow>({
    noun: { one: 'integration', many: 'integrations' },
    nameOf: ({ part }) => `${part.kind} ${part.id}`,
    identity: ({ key }) => key,
    fields: comparedFields(integrationFields),
    // Their status changes by itself.
    administered: {
      screen: 'integrations',
      fields: [
        { name: 'enabled', label: 'ENABLED', get: ({ part }) => part.isEnabled },
        ...comparedFields(integrationFields, ['id', 'kind', 'status', 'reason']),
      ],
    },
    read(state) {
      const rows = selectIntegrations(state);
      return rows && { rows, isWhole: reading(state, integrations).unusable === undefined };
    },
  }),
  // One reading has no rates.
  whole: partOfReading(integrations, (parts) => ({ rows: integrationRows(parts, new Map()), isCut: false })),
});
