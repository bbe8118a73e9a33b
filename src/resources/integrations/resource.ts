import type { Integration } from '../../domain/integrations.ts';
import type { ByNode } from '../../domain/node.ts';
import { definePart } from '../../monitor/query/part.ts';
import { defineResource } from '../../monitor/query/query.ts';
import { offered } from '../offered.ts';
import type { IntegrationRates } from './rates.ts';

/** Connectors, actions, sources and rules, with what they counted. */
export const integrations = defineResource<readonly Integration[]>({
  name: 'integrations',
  source: 'integrations',
  every: 'fifthTick',
  read: async (api, call) => offered(api, 'listIntegrations', 'integrations')(call),
});

/** The rates of the last minute, by kind and ID. A node without two readings since its counters began is missing. */
export const integrationRates = definePart<ReadonlyMap<string, ByNode<IntegrationRates>>>(
  'integrationRates',
  new Map(),
);
