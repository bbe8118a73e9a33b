import { isNotOffered } from '../../api/errors.ts';
import type { Alarm, Plugin, Setting } from '../../domain/administration.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { NodeName } from '../../domain/node.ts';
import type { MonitorState, Watched } from '../state.ts';
import { type NodeRow, selectBrokerClock, selectNodes } from './nodes.ts';

export interface PluginRow {
  readonly name: string;
  readonly description: string | undefined;
  readonly byNode: ReadonlyMap<NodeName, Plugin>;
  readonly versions: readonly string[];
  readonly activeCount: number;
  /** Nodes that report whether it is active. */
  readonly knownCount: number;
}

const mergePlugins = memoise(
  (nodes: readonly NodeRow[], nodePlugins: MonitorState['nodePlugins']): ByNodeRows<PluginRow> =>
    mergeByNode(
      nodes,
      (node) => nodePlugins.get(node)?.data,
      ({ name }) => name,
      (listed) =>
        [...listed]
          .toSorted(([a], [b]) => compareNatural(a, b))
          .map(([name, { byNode }]): PluginRow => {
            const plugins = [...byNode.values()];
            const versions = new Set(plugins.flatMap(({ version }) => (version === undefined ? [] : [version])));
            return {
              name,
              byNode,
              description: plugins.find(({ description }) => description !== undefined)?.description,
              versions: [...versions].toSorted(compareNatural),
              activeCount: plugins.filter(({ active }) => active === true).length,
              knownCount: plugins.filter(({ active }) => active !== undefined).length,
            };
          }),
    ),
);

/** §2.8 */
export function selectPlugins(state: MonitorState): ByNodeRows<PluginRow> {
  return mergePlugins(selectNodes(state), state.nodePlugins);
}

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
    settings: MonitorState['settings']['data'],
    isOneByOne: boolean,
    nodeSettings: MonitorState['nodeSettings'],
    isUnderstood: boolean,
  ): ByNodeRows<SettingRow> =>
    mergeByNode(
      nodes,
      (node) => (isOneByOne ? nodeSettings.get(node)?.data : settings?.get(node)),
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

/** The broker cannot list the settings of all nodes at once. */
export function selectIsReadByNode({ settings, nodeSettings }: MonitorState): boolean {
  return settings.data === undefined && (settings.error?.kind === 'not-available' || nodeSettings.size > 0);
}

/** §2.12 */
export function selectSettings(state: MonitorState): ByNodeRows<SettingRow> {
  // A missing setting may be one that was not decoded.
  const isUnderstood = [state.settings, ...state.nodeSettings.values()].every(({ unusable }) => unusable === undefined);
  return mergeSettings(
    selectNodes(state),
    state.settings.data,
    selectIsReadByNode(state),
    state.nodeSettings,
    isUnderstood,
  );
}

export const hasNoAlarms = ({ alarms }: Pick<MonitorState, 'alarms'>): boolean =>
  alarms.error !== undefined && isNotOffered(alarms.error);

const toWatch: readonly Watched[] = [{ kind: 'alarms' }];
const nothing: readonly Watched[] = [];

export const alarmWatches = (state: MonitorState): readonly Watched[] =>
  !hasNoAlarms(state) && selectNodes(state).some(({ status }) => status === 'running') ? toWatch : nothing;

/** When an alarm was set, as a steady time. The broker gives its own local time. */
export function alarmSinceMs(
  { occurredAt }: Pick<Alarm, 'occurredAt'>,
  state: MonitorState,
  nowMs: number,
): number | undefined {
  const clock = selectBrokerClock(state, undefined, nowMs);
  return occurredAt === undefined || clock === undefined || clock < occurredAt
    ? undefined
    : nowMs - (clock - occurredAt) * 1_000;
}

export interface ByNodeRows<Row> {
  readonly nodes: readonly NodeName[];
  readonly running: readonly NodeName[];
  readonly read: ReadonlySet<NodeName>;
  readonly rows: readonly Row[];
}

export interface OnNodes<Item> {
  /** From the first node that has it. */
  readonly first: Item;
  /** Nodes without the item are missing. */
  readonly byNode: ReadonlyMap<NodeName, Item>;
}

export function mergeByNode<Item, Row>(
  nodes: readonly NodeRow[],
  itemsOf: (node: NodeName) => readonly Item[] | undefined,
  keyOf: (item: Item) => string,
  rowsOf: (listed: ReadonlyMap<string, OnNodes<Item>>, read: ReadonlySet<NodeName>) => readonly Row[],
): ByNodeRows<Row> {
  const running = nodes.filter(({ status }) => status === 'running').map(({ name }) => name);
  const read = new Set<NodeName>();
  const listed = new Map<string, { readonly first: Item; readonly byNode: Map<NodeName, Item> }>();
  for (const node of running) {
    const items = itemsOf(node);
    if (items === undefined) continue;
    read.add(node);
    for (const item of items) {
      const key = keyOf(item);
      const known = listed.get(key);
      if (known === undefined) listed.set(key, { first: item, byNode: new Map([[node, item]]) });
      else known.byNode.set(node, item);
    }
  }
  return { nodes: nodes.map(({ name }) => name), running, read, rows: rowsOf(listed, read) };
}
