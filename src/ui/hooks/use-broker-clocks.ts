import { useMemo } from 'react';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import { selectBrokerClock } from '../../monitor/select/nodes.ts';
import type { Monitor } from '../../monitor/state.ts';
import type { FetchContext } from '../list/resource-notice.ts';
import { useResource, useStore } from './use-store.ts';

/** The clocks of the nodes, by which ages of broker timestamps are computed. */
export interface BrokerClocks {
  /** The clock of a node now; `undefined` when unknown. Without a node: any clock, as long as all agree. */
  readonly clockOf: (node: NodeName | undefined) => BrokerSeconds | undefined;
  /** This machine's own clock. */
  readonly nowMs?: number | undefined;
}

/** Clocks read one after the other in whole seconds may differ by this much. */
const agreedSeconds = 3;

/** The nodes' clocks, kept up to date. */
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

/** Whether anything is fetched now. */
export const useFetchContext = (monitor: Monitor, nowMs: number): FetchContext => {
  const isFrozen = useStore(monitor.store, (state) => state.isFrozen);
  const isUnauthorized = useStore(monitor.store, (state) => state.isUnauthorized);
  return { nowMs, isFrozen, isUnauthorized };
};
