import type { Listener } from '../../domain/administration.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { ByNode, NodeName } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { type Gauge, gauge } from '../nodes/select.ts';
import { listeners } from './resource.ts';

export interface ListenerRow {
  readonly key: string;
  readonly node: NodeName;
  readonly listener: Listener;
  readonly clients: Gauge;
}

const rowsOfListeners = (byNode: ByNode<readonly Listener[]>): readonly ListenerRow[] => {
  const used = new Map<string, number>();
  return [...byNode]
    .toSorted(([a], [b]) => compareNatural(a, b))
    .flatMap(([node, list]) =>
      list.map((listener) => {
        const name = JSON.stringify([node, listener.protocol, listener.listen]);
        const twin = used.get(name) ?? 0;
        used.set(name, twin + 1);
        return {
          key: twin === 0 ? name : `${name} ${twin}`,
          node,
          listener,
          clients: gauge(listener.currentClients, listener.maxClients),
        };
      }),
    );
};

const listListeners = memoise((byNode: ByNode<readonly Listener[]> | undefined): readonly ListenerRow[] | undefined =>
  byNode === undefined ? undefined : rowsOfListeners(byNode),
);

export function selectListeners(state: MonitorState): readonly ListenerRow[] | undefined {
  return listListeners(reading(state, listeners).data);
}

export const listenersOf = (node: NodeName, own: readonly Listener[]): readonly ListenerRow[] =>
  rowsOfListeners(new Map([[node, own]]));
