import type { Setting } from '../../domain/administration.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { ByNode, NodeName } from '../../domain/node.ts';
import { reading, readings } from '../../monitor/query/part.ts';
import type { MonitorState, ResourceState } from '../../monitor/state.ts';
import { type ByNodeRows, mergeByNode } from '../by-node.ts';
import { type NodeRow, selectNodes } from '../nodes/select.ts';
import { nodeSettings, settings } from './resource.ts';

export interface SettingRow {
  readonly id: string;
  readonly app: string;
  readonly key: string;
  readonly dataType: string | undefined;
  readonly byNode: ReadonlyMap<NodeName, Setting>;
  readonly isDifferent: boolean;
}

const mergeSettings = memoise(
  (
    nodes: readonly NodeRow[],
    all: ByNode<readonly Setting[]> | undefined,
    isOneByOne: boolean,
    single: ReadonlyMap<NodeName, ResourceState<readonly Setting[]>>,
    isUnderstood: boolean,
  ): ByNodeRows<SettingRow> =>
    mergeByNode(
      nodes,
      (node) => (isOneByOne ? single.get(node)?.data : all?.get(node)),
      ({ app, key }) => JSON.stringify([app, key]),
      (listed, read) =>
        [...listed]
          .map(
            ([
              id,
              {
                first: { app, key, dataType },
                byNode,
              },
            ]): SettingRow => ({
              id,
              app,
              key,
              dataType,
              byNode,
              isDifferent:
                (isUnderstood && byNode.size < read.size) ||
                new Set([...byNode.values()].map(({ value }) => value)).size > 1,
            }),
          )
          .toSorted((a, b) => compareNatural(a.key, b.key) || compareNatural(a.app, b.app)),
    ),
);

/** Whether settings are read by node, because the broker cannot list those of all nodes at once. */
export function selectIsReadByNode(state: MonitorState): boolean {
  const { data, error } = reading(state, settings);
  return data === undefined && (error?.kind === 'not-available' || readings(state, nodeSettings).size > 0);
}

/** Settings by application and key, with the value on each node. */
export function selectSettings(state: MonitorState): ByNodeRows<SettingRow> {
  const all = reading(state, settings);
  const single = readings(state, nodeSettings);
  // A missing setting may be one that was not decoded.
  const isUnderstood = [all, ...single.values()].every(({ unusable }) => unusable === undefined);
  return mergeSettings(selectNodes(state), all.data, selectIsReadByNode(state), single, isUnderstood);
}
