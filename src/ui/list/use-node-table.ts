import { useMemo } from 'react';
import type { NodeName } from '../../domain/node.ts';
import type { ByNodeRows } from '../../monitor/by-node.ts';
import { isSlowDataStale } from '../../monitor/polling/intervals.ts';
import { emptyResource } from '../../monitor/polling/poller.ts';
import type { Monitor, ResourceState } from '../../monitor/state.ts';
import { useNow } from '../hooks/use-now.ts';
import { useResource } from '../hooks/use-resource.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../theme-context.ts';
import type { Span } from '../../terminal/line.ts';
import type { EmptyMessage } from '../components/table-lines.ts';
import { useFetchMood } from '../screens/broker-clocks.ts';
import { type ByNodeData, shortNodeName } from './by-node-columns.ts';
import { dataProblem, missingMessage } from './resource-notice.ts';
import type { ReadView } from './use-slow-list.ts';

type Read = ResourceState<unknown>;

export interface NodeTableOptions<Row> {
  readonly table: ByNodeRows<Row>;
  /** What each node's request came to; `whole`: one request reads them all. */
  readonly byNode: ReadonlyMap<NodeName, Read>;
  readonly whole?: Read | undefined;
  /** What the rows are: `plugins`. */
  readonly plural: SafeText;
  /** Said when the nodes list none. */
  readonly empty: SafeText;
}

export interface NodeTable {
  /** For the list screen; the data for the cells is the same object as long as nothing changed. */
  readonly view: ReadView & { readonly data: ByNodeData };
  readonly nowMs: number;
  /** What all requests came to, those that were not made yet too. */
  readonly states: readonly (Read | undefined)[];
  /** Nodes that run and have not been read, and those that do not run. */
  readonly unread: readonly NodeName[];
  readonly silent: readonly NodeName[];
  /** How many do not run, for the line below the list; `undefined` where all do. */
  readonly silentNote: SafeText | undefined;
}

/** How the rows of a table with nodes in its columns were read: a node that fails hides no other. */
export const useNodeTable = <Row>(monitor: Monitor, { table: { nodes, running, read, rows }, byNode, whole, plural, empty }: NodeTableOptions<Row>): NodeTable => {
  const theme = useTheme();
  const stats = useResource(monitor, 'nodeStats');
  const nowMs = useNow(1000);
  const mood = useFetchMood(monitor, nowMs);
  const data = useMemo((): ByNodeData => {
    const isWaitedFor = (state: Read | undefined): boolean => state?.data === undefined && state?.error === undefined;
    return { read, loading: new Set(running.filter((node) => !read.has(node) && isWaitedFor(whole ?? byNode.get(node)))) };
  }, [read, running, whole, byNode]);

  const sources = whole === undefined
    ? running.map((node) => ({ what: safe`${plural} of ${theme.escape(shortNodeName(node, nodes), 40)}`, state: byNode.get(node) }))
    : [{ what: plural, state: whole }];
  const isOld = (state: Read | undefined): boolean => state !== undefined && isSlowDataStale(state, monitor.store.getState(), nowMs);
  const failed = sources.find(({ state }) => state?.error !== undefined || isOld(state)) ?? sources.find(({ state }) => state?.unusable !== undefined);
  const failure: Span | undefined = failed?.state === undefined ? undefined
    : dataProblem(theme, failed.state, failed.what, isOld(failed.state), mood) ?? missingMessage(theme, failed.state, failed.what, mood);
  const message = ((): EmptyMessage => {
    if (failure !== undefined) return failure;
    if (sources.length === 0) {
      return stats.data === undefined ? missingMessage(theme, stats, safe`the nodes`, mood) : { text: safe` No node runs that could be asked.` };
    }
    return read.size === 0 && whole?.data === undefined ? missingMessage(theme, emptyResource(), safe`the ${plural}`, mood) : { text: empty };
  })();
  const silent = nodes.filter((node) => !running.includes(node));
  return {
    view: { data, message, problem: rows.length === 0 ? undefined : failure, isStale: sources.length > 0 && sources.every(({ state }) => isOld(state)) },
    nowMs,
    states: sources.map(({ state }) => state),
    unread: running.filter((node) => !read.has(node)),
    silent,
    silentNote: silent.length === 0 ? undefined : safe`${silent.length} of ${nodes.length} nodes not running`,
  };
};
