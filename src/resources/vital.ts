import { memoise } from '../domain/memoise.ts';
import { reading } from '../monitor/query/part.ts';
import type { MonitorState, ResourceState } from '../monitor/state.ts';
import { listeners } from './listeners/resource.ts';
import { metrics } from './metrics/resource.ts';
import { nodes, nodeStats } from './nodes/resource.ts';
import { stats } from './statistics/resource.ts';

/** The resources without which nothing is known of the cluster, by the names that problems and texts use. */
export const vitalResources = { nodes, nodeStats, listeners, metrics, stats } as const;

export type VitalName = keyof typeof vitalResources;

export const vitalNames = Object.keys(vitalResources) as readonly VitalName[];

/** The states of the vital resources, by name. */
export type VitalStates = {
  readonly [Name in VitalName]: (typeof vitalResources)[Name]['empty'];
};

const together = memoise(
  (...states: readonly unknown[]): VitalStates =>
    Object.fromEntries(vitalNames.map((name, index) => [name, states[index]])) as unknown as VitalStates,
);

/** The same object until one of them changes. */
export const selectVital = (state: Pick<MonitorState, 'readings'>): VitalStates =>
  together(...vitalNames.map((name) => reading<ResourceState<unknown>, []>(state, vitalResources[name])));
