import type { AccessBackend } from '../../domain/access.ts';
import type { ByNode } from '../../domain/node.ts';
import type { CounterRates } from '../../monitor/counter-rates.ts';
import { definePart } from '../../monitor/query/part.ts';
import { defineResource } from '../../monitor/query/query.ts';
import { offered } from '../offered.ts';

/** Backends that decide who may connect, publish and subscribe. */
export const accessBackends = defineResource<readonly AccessBackend[]>({
  name: 'accessBackends',
  source: 'access backends',
  every: 'fifthTick',
  read: async (api, call) => offered(api, 'listAccessBackends', 'access backends')(call),
});

export type AccessRates = CounterRates<'asked' | 'accepted' | 'refused' | 'undecided'>;

/** The rates of the last minute, by purpose and ID. A node without two readings since its counters began is missing. */
export const accessRates = definePart<ReadonlyMap<string, ByNode<AccessRates>>>('accessRates', new Map());
