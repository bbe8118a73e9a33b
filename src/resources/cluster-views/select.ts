import type { Alarm } from '../../domain/administration.ts';
import { memoise } from '../../domain/memoise.ts';
import type { NodeName } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { alarms } from '../alarms/resource.ts';
import { type AddressView, clusterViews, type ClusterViews } from './resource.ts';

/** Nodes that see each other and no others. */
export interface ClusterPart {
  /** Who sees it: nodes, or addresses where the API does not say which node answers. */
  readonly by: readonly string[];
  readonly nodes: readonly NodeName[];
}

/** A cluster whose nodes see different nodes. */
export interface Split {
  /** The largest part first. */
  readonly parts: readonly ClusterPart[];
  /** Whose view is shown: a node, or an address. */
  readonly shown: string | undefined;
  /** Nodes that run, but not in the view that is shown. */
  readonly apart: readonly NodeName[];
}

const nameOf = ({ url, view }: AddressView): string => view?.self ?? url;

function partsOf(addresses: readonly AddressView[]): readonly ClusterPart[] {
  const byNodes = Map.groupBy(
    addresses.flatMap((address) =>
      address.view === undefined ? [] : [{ address, nodes: address.view.nodes.toSorted() }],
    ),
    ({ nodes }) => JSON.stringify(nodes),
  );
  return [...byNodes.values()]
    .map((same) => ({
      by: [...new Set(same.map(({ address }) => nameOf(address)))].toSorted(),
      nodes: same[0]?.nodes ?? [],
    }))
    .toSorted((a, b) => b.nodes.length - a.nodes.length || b.by.length - a.by.length);
}

const splitOf = memoise(({ addresses, shownUrl }: ClusterViews): Split | undefined => {
  const parts = partsOf(addresses.filter(({ isSteady }) => isSteady));
  if (parts.length < 2) return undefined;
  const shown = addresses.find(({ url }) => url === shownUrl);
  const seen = new Set(shown?.view?.nodes);
  return {
    parts,
    shown: shown && nameOf(shown),
    apart: [...new Set(parts.flatMap(({ nodes }) => nodes))].filter((node) => !seen.has(node)).toSorted(),
  };
});

const noViews: ClusterViews = { addresses: [], shownUrl: undefined };

/** Returns the split that two readings in a row have shown. */
export const selectSplit = (state: Pick<MonitorState, 'readings'>): Split | undefined =>
  splitOf(reading(state, clusterViews).data ?? noViews);

/** Whether the last reading showed different views, whatever the one before did. */
export const selectViewsDiffer = (state: Pick<MonitorState, 'readings'>): boolean =>
  partsOf(reading(state, clusterViews).data?.addresses ?? []).length > 1;

const seenIn = memoise(({ addresses }: ClusterViews): ReadonlySet<NodeName> =>
  partsOf(addresses).length > 1 ? new Set(addresses.flatMap(({ view }) => view?.nodes ?? [])) : new Set(),
);

/** Returns the nodes that any address saw run when they last showed different ones; none while they agree. */
export const selectSeenNodes = (state: Pick<MonitorState, 'readings'>): ReadonlySet<NodeName> =>
  seenIn(reading(state, clusterViews).data ?? noViews);

/** Returns whose view is shown; `undefined` if that is not known. */
export function selectShownView(state: Pick<MonitorState, 'readings'>): string | undefined {
  const { addresses, shownUrl } = reading(state, clusterViews).data ?? noViews;
  const shown = addresses.find(({ url }) => url === (shownUrl ?? ''));
  return shown && nameOf(shown);
}

/** Whether an alarm says that a node has lost touch with another one. */
export const isParted = ({ partedFrom }: Alarm): boolean => partedFrom !== undefined;

export const selectHasPartitionAlarm = (state: Pick<MonitorState, 'readings'>): boolean =>
  (reading(state, alarms).data ?? []).some(isParted);

/** Returns whose view of a split cluster is shown; `undefined` of one that is not known to be split. */
export const selectSplitView = (state: Pick<MonitorState, 'readings'>): string | undefined =>
  selectSplit(state) !== undefined || selectHasPartitionAlarm(state) ? selectShownView(state) : undefined;
