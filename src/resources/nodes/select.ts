import type { Listener } from '../../domain/administration.ts';
import { memoise } from '../../domain/memoise.ts';
import type { Stats } from '../../domain/metrics.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { BrokerSeconds, ByNode, NodeInfo, NodeName, NodeStats } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorState, ResourceState } from '../../monitor/state.ts';
import { listeners } from '../listeners/resource.ts';
import { stats } from '../statistics/resource.ts';
import { type LastKnown, nodes, nodeStats, type SeenNode, seenNodes } from './resource.ts';

/** A figure with its limit. `share` exceeds 1 when the limit is exceeded. */
export interface Gauge {
  readonly used: number | undefined;
  readonly limit: number | undefined;
  readonly share: number | undefined;
}

export interface NodeRow {
  readonly name: NodeName;
  /** `unknown`: the broker no longer lists the node. */
  readonly status: SeenNode['status'];
  /** The broker's own text, not escaped. Empty when `unknown`. */
  readonly statusText: string;
  readonly isSilent?: true | undefined;
  /** `undefined` if the status never changed. */
  readonly sinceMs: number | undefined;
  readonly info: NodeInfo | undefined;
  readonly stats: NodeStats | undefined;
  readonly counts: Stats | undefined;
  readonly listeners: readonly Listener[] | undefined;
  readonly memory: Gauge;
  readonly processes: Gauge;
  /** Clients, as a lower bound: the API does not report descriptors in use. */
  readonly fileDescriptors: Gauge;
}

export function withLastKnown(row: NodeRow, last: LastKnown | undefined): NodeRow {
  if (last === undefined || row.status === 'running' || row.status === 'other') return row;
  const { info, stats, counts, listeners } = last;
  return { ...row, info, stats, counts, listeners, ...gaugesOf(stats, counts) };
}

const gaugesOf = (
  load: NodeStats | undefined,
  counts: Stats | undefined,
): Pick<NodeRow, 'memory' | 'processes' | 'fileDescriptors'> => ({
  memory: gauge(load?.memoryUsedBytes, load?.memoryTotalBytes),
  processes: gauge(load?.processesUsed, load?.processLimit),
  fileDescriptors: gauge(load?.clients ?? counts?.clients.count, load?.maxFileDescriptors),
});

/** Adds the number of clients, which some brokers have in their statistics only. */
const withClients = (load: NodeStats | undefined, counts: Stats | undefined): NodeStats | undefined =>
  load === undefined || load.clients !== undefined || counts?.clients.count === undefined
    ? load
    : { ...load, clients: counts.clients.count };

/** Makes a gauge. It has no share if a value is missing or the limit is 0. */
export function gauge(used: number | undefined, limit: number | undefined): Gauge {
  const hasShare = used !== undefined && limit !== undefined && limit > 0;
  return { used, limit, share: hasShare ? used / limit : undefined };
}

const mergeNodes = memoise(
  (
    listed: readonly NodeInfo[] | undefined,
    measured: readonly NodeStats[] | undefined,
    counted: ByNode<Stats> | undefined,
    listening: ByNode<readonly Listener[]> | undefined,
    seen: ReadonlyMap<NodeName, SeenNode> | undefined,
  ): readonly NodeRow[] => {
    const infos = new Map(listed?.map((node) => [node.name, node]));
    const loads = new Map(measured?.map((node) => [node.name, node]));
    const names = new Set([...infos.keys(), ...loads.keys(), ...(seen?.keys() ?? [])]);
    return [...names].toSorted(compareNatural).map((name) => {
      // The statistics list every node, at every tick.
      const counts = counted?.get(name);
      const load = withClients(loads.get(name), counts);
      const info = infos.get(name);
      const source = load ?? (loads.size === 0 ? info : undefined);
      const known = seen?.get(name);
      const status = source?.status ?? known?.status ?? info?.status ?? 'unknown';
      return {
        name,
        status,
        statusText: source?.statusText ?? (status === 'unknown' ? '' : (info?.statusText ?? '')),
        ...(source?.isSilent === true && { isSilent: true as const }),
        sinceMs: known?.status === status ? known.sinceMs : undefined,
        info,
        stats: load,
        counts,
        listeners: listening?.get(name),
        ...gaugesOf(load, counts),
      };
    });
  },
);

/** Returns all nodes ever seen, in natural order. */
export function selectNodes(state: MonitorState): readonly NodeRow[] {
  return mergeNodes(
    reading(state, nodes).data,
    reading(state, nodeStats).data,
    reading(state, stats).data,
    reading(state, listeners).data,
    reading(state, seenNodes),
  );
}

/**
 * Returns nodes whose part of a list is unknown, as the list was requested at `requestedMs`: they do not run or do not
 * respond, or do so again only since then.
 */
export const selectUnreadNodes = (state: MonitorState, requestedMs: number): readonly NodeName[] =>
  selectNodes(state)
    .filter(
      ({ status, isSilent, sinceMs = -Infinity }) =>
        (status !== 'running' && (status !== 'other' || isSilent === true)) || sinceMs > requestedMs,
    )
    .map(({ name }) => name);

/** Returns when the last answer was requested; `undefined` without one. */
export const requestedMsOf = ({
  updatedAtMs,
  durationMs = 0,
}: Pick<ResourceState<unknown>, 'updatedAtMs' | 'durationMs'>): number | undefined =>
  updatedAtMs === undefined ? undefined : updatedAtMs - durationMs;

/** Returns the names of all nodes seen in this run, also of stopped ones. */
export const selectNodeNames = (state: MonitorState): readonly NodeName[] => selectNodes(state).map(({ name }) => name);

export interface NodeCounts {
  readonly running: number;
  readonly total: number;
}

const countNodes = memoise((rows: readonly NodeRow[], isKnown: boolean): NodeCounts | undefined =>
  isKnown ? { running: rows.filter((row) => row.status === 'running').length, total: rows.length } : undefined,
);

export function selectNodeCounts(state: MonitorState): NodeCounts | undefined {
  const isKnown = reading(state, nodes).data !== undefined || reading(state, nodeStats).data !== undefined;
  return countNodes(selectNodes(state), isKnown);
}

/** Returns the broker's time, extrapolated; another node's clock if this one has none. */
export function selectBrokerClock(
  state: MonitorState,
  node: NodeName | undefined,
  nowMs: number,
): BrokerSeconds | undefined {
  const { data, updatedAtMs } = reading(state, nodes);
  if (data === undefined || updatedAtMs === undefined) return undefined;
  const clock = data.find((info) => info.name === node)?.clock ?? data.find((info) => info.clock !== undefined)?.clock;
  return clock === undefined ? undefined : clock + Math.max(0, nowMs - updatedAtMs) / 1_000;
}

/** The nodes that were seen, but do not run. */
export const stoppedNodesOf = (seen: ReadonlyMap<NodeName, SeenNode>): readonly NodeName[] =>
  [...seen].filter(([, { status }]) => status !== 'running').map(([name]) => name);

/** Returns the uptime of the running node that started last; `undefined` if none is known. */
export function selectLowestUptime(state: Pick<MonitorState, 'readings'>, nowMs: number): number | undefined {
  const { data = [], updatedAtMs } = reading(state, nodes);
  const uptimes = data.flatMap(({ status, uptimeSeconds }) =>
    status === 'running' && uptimeSeconds !== undefined ? [uptimeSeconds] : [],
  );
  return uptimes.length === 0 ? undefined : Math.min(...uptimes) + Math.max(0, nowMs - (updatedAtMs ?? nowMs)) / 1_000;
}

/** The number of clients that a node had when it was last read. */
export const lastClients = (last: LastKnown | undefined): number | undefined =>
  last?.stats?.clients ?? last?.counts?.clients.count;
