import type { ResourceName } from '../../monitor/state.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';

/** What an operator calls each resource. */
export const resourceNames: Readonly<Record<ResourceName, SafeText>> = {
  nodes: safe`node list`,
  nodeStats: safe`node statistics`,
  listeners: safe`listeners`,
  metrics: safe`metrics`,
  stats: safe`statistics`,
};
