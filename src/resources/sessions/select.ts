import type { Setting } from '../../domain/administration.ts';
import { hasCounters, type Session } from '../../domain/client.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { NodeName } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { selectSettings, type SettingRow } from '../settings/select.ts';
import { sessionScan } from './resource.ts';

const limitsOf = memoise((rows: readonly SettingRow[], settingKey: string | undefined): ReadonlyMap<string, number> => {
  const byNode = rows.find(({ key }) => key === settingKey)?.byNode ?? new Map<string, Setting>();
  return new Map(
    [...byNode].flatMap(([node, { value }]) =>
      value !== undefined && /^\d{1,12}$/u.test(value) && Number(value) > 0 ? [[node, Number(value)] as const] : [],
    ),
  );
});

const keepEqual = (() => {
  let last: ReadonlyMap<string, number> = new Map();
  return (next: ReadonlyMap<string, number>): ReadonlyMap<string, number> => {
    if (next.size !== last.size || [...next].some(([node, limit]) => last.get(node) !== limit)) last = next;
    return last;
  };
})();

/** Returns maximum queue lengths by node, of those with one; the same map while nothing changes. */
export const selectQueueLimits = (state: MonitorState): ReadonlyMap<string, number> =>
  keepEqual(limitsOf(selectSettings(state).rows, state.capabilities?.queueLimitSetting));

export interface Elsewhere {
  readonly count: number;
  readonly total: number;
  readonly nodes: readonly NodeName[];
}

const findElsewhere = memoise((rows: readonly Session[]): Elsewhere => {
  const elsewhere = rows.filter((session) => session.node !== undefined && !hasCounters(session));
  return {
    count: elsewhere.length,
    total: rows.length,
    nodes: [...new Set(elsewhere.flatMap(({ node }) => (node === undefined ? [] : [node])))].toSorted(compareNatural),
  };
});

/** Returns sessions whose counters only their own nodes know, which were not asked. */
export const selectElsewhere = (state: Pick<MonitorState, 'readings'>): Elsewhere =>
  findElsewhere(reading(state, sessionScan).rows);
