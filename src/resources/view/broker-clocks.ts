import { useMemo } from 'react';
import type { BrokerSeconds, NodeInfo, NodeName } from '../../domain/node.ts';
import type { Monitor, MonitorState, ResourceState } from '../../monitor/state.ts';
import { nodes as nodeList } from '../nodes/resource.ts';
import { selectBrokerClock } from '../nodes/select.ts';
import { useResource } from '../../tui/hooks/use-store.ts';

export interface BrokerClocks {
  /** Returns the clock of a node now; `undefined` when unknown. Without a node: any clock, as long as all agree. */
  readonly clockOf: (node: NodeName | undefined) => BrokerSeconds | undefined;
  readonly nowMs?: number | undefined;
}

const agreedSeconds = 3;

export const brokerClocksOf = (
  stateNow: () => MonitorState,
  nodes: ResourceState<readonly NodeInfo[]>,
  nowMs: number,
): BrokerClocks => {
  const shown = (nodes.data ?? []).flatMap(({ clock }) => (clock === undefined ? [] : [clock]));
  const isAgreed = shown.length > 0 && Math.max(...shown) - Math.min(...shown) <= agreedSeconds;
  const hasClock = new Set(nodes.data?.filter(({ clock }) => clock !== undefined).map(({ name }) => name));
  return {
    nowMs,
    clockOf: (node) =>
      isAgreed || (node !== undefined && hasClock.has(node)) ? selectBrokerClock(stateNow(), node, nowMs) : undefined,
  };
};

export const useBrokerClocks = (monitor: Monitor, nowMs: number): BrokerClocks => {
  const nodes = useResource(monitor, nodeList);
  return useMemo(() => brokerClocksOf(() => monitor.store.getState(), nodes, nowMs), [monitor, nodes, nowMs]);
};
