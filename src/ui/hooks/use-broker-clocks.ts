import { useMemo } from 'react';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import { selectBrokerClock } from '../../monitor/select/nodes.ts';
import type { Monitor } from '../../monitor/state.ts';
import { useResource, useStore } from './use-store.ts';
import type { FetchContext } from '../list/resource-notice.ts';

/** The brokers' own clocks, which alone can tell how old something of theirs is. */
export interface BrokerClocks {
  /**
   * What the clock of a node shows now; `undefined` when it is not known. Without a node, the clock
   * of any, as long as all show about the same.
   */
  readonly clockOf: (node: NodeName | undefined) => BrokerSeconds | undefined;
  /** This machine's own clock. */
  readonly nowMs?: number | undefined;
}

/** Clocks that are read one after the other and told in whole seconds agree no better than this. */
const agreedSeconds = 3;

/** Watches the nodes for their clocks. */
export const useBrokerClocks = (monitor: Monitor, nowMs: number): BrokerClocks => {
  const nodes = useResource(monitor, 'nodes');
  return useMemo(() => {
    const shown = (nodes.data ?? []).flatMap(({ clock }) => (clock === undefined ? [] : [clock]));
    const isAgreed = shown.length > 0 && Math.max(...shown) - Math.min(...shown) <= agreedSeconds;
    const hasClock = new Set(nodes.data?.filter(({ clock }) => clock !== undefined).map(({ name }) => name));
    return {
      nowMs,
      clockOf: (node) =>
        isAgreed || (node !== undefined && hasClock.has(node)) ? selectBrokerClock(monitor.store.getState(), node, nowMs) : undefined,
    };
  }, [monitor, nodes, nowMs]);
};

/** When and whether anything is fetched. */
export const useFetchContext = (monitor: Monitor, nowMs: number): FetchContext => {
  const isFrozen = useStore(monitor.store, (state) => state.isFrozen);
  const isUnauthorized = useStore(monitor.store, (state) => state.isUnauthorized);
  return { nowMs, isFrozen, isUnauthorized };
};
