import type { NodeName } from '../../domain/node.ts';
import type { Setting } from '../../domain/setting.ts';
import { type ByNodeRows, mergeByNode } from '../by-node.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import { selectNodes } from './nodes.ts';
import type { NodeRow } from './nodes.ts';
import type { MonitorState } from '../state.ts';

/** One hot setting, over all nodes. */
export interface SettingRow {
  /** Of application and key: unique. */
  readonly id: string;
  readonly app: string;
  readonly key: string;
  readonly dataType: string | undefined;
  /** What each node has; a node that has been read and is missing here has no such setting. */
  readonly byNode: ReadonlyMap<NodeName, Setting>;
  /** The nodes that have been read do not all have the same value. */
  readonly isDifferent: boolean;
}

const mergeSettings = memoise((
  nodes: readonly NodeRow[], settings: MonitorState['settings']['data'], isOneByOne: boolean, nodeSettings: MonitorState['nodeSettings'], isUnderstood: boolean,
): ByNodeRows<SettingRow> =>
  mergeByNode(
    nodes,
    (node) => (isOneByOne ? nodeSettings.get(node)?.data : settings?.get(node)),
    ({ app, key }) => JSON.stringify([app, key]),
    (listed, read) => [...listed].map(([id, { first: { app, key, dataType }, byNode }]): SettingRow => ({
      id, app, key, dataType, byNode,
      isDifferent: (isUnderstood && byNode.size < read.size) || new Set([...byNode.values()].map(({ value }) => value)).size > 1,
    })).toSorted((a, b) => compareNatural(a.key, b.key) || compareNatural(a.app, b.app)),
  ));

/** The settings of all nodes at once are refused by this broker: they are read node by node, also when it has gone since. */
export function selectIsOneByOne({ settings, nodeSettings }: MonitorState): boolean {
  return settings.data === undefined && (settings.error?.kind === 'not-available' || nodeSettings.size > 0);
}

/** The hot settings of all nodes that run and have been read (§2.12), by key. */
export function selectSettings(state: MonitorState): ByNodeRows<SettingRow> {
  // One that a node seems to lack may be one that was not understood.
  const isUnderstood = [state.settings, ...state.nodeSettings.values()].every(({ unusable }) => unusable === undefined);
  return mergeSettings(selectNodes(state), state.settings.data, selectIsOneByOne(state), state.nodeSettings, isUnderstood);
}
