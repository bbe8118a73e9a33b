import type { NodeName } from '../domain/node.ts';
import type { Setting } from '../domain/setting.ts';
import { memoise } from './memoise.ts';
import { compareNatural } from './natural-order.ts';
import { selectNodes } from './select-nodes.ts';
import type { NodeRow } from './select-nodes.ts';
import type { MonitorState } from './state.ts';

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

export interface SettingRows {
  /** All nodes ever seen; the columns. */
  readonly nodes: readonly NodeName[];
  /** Nodes that run: those that can be asked. */
  readonly running: readonly NodeName[];
  /** Nodes that run and whose settings have been read, at once or one by one. */
  readonly read: ReadonlySet<NodeName>;
  readonly rows: readonly SettingRow[];
}

const merge = memoise((
  nodes: readonly NodeRow[], settings: MonitorState['settings']['data'], isOneByOne: boolean, nodeSettings: MonitorState['nodeSettings'],
): SettingRows => {
  const running = nodes.filter(({ status }) => status === 'running').map(({ name }) => name);
  const read = new Set<NodeName>();
  const listed = new Map<string, { readonly setting: Setting; readonly byNode: Map<NodeName, Setting> }>();
  for (const node of running) {
    const own = isOneByOne ? nodeSettings.get(node)?.data : settings?.get(node);
    if (own === undefined) continue;
    read.add(node);
    for (const setting of own) {
      const id = JSON.stringify([setting.app, setting.key]);
      const row = listed.get(id) ?? { setting, byNode: new Map<NodeName, Setting>() };
      row.byNode.set(node, setting);
      listed.set(id, row);
    }
  }
  const rows = [...listed].map(([id, { setting: { app, key, dataType }, byNode }]): SettingRow => ({
    id, app, key, dataType, byNode,
    isDifferent: byNode.size < read.size || new Set([...byNode.values()].map(({ value }) => value)).size > 1,
  })).toSorted((a, b) => compareNatural(a.key, b.key) || compareNatural(a.app, b.app));
  return { nodes: nodes.map(({ name }) => name), running, read, rows };
});

/** The settings of all nodes at once are refused by this broker: they are read node by node, also when it has gone since. */
export function selectIsOneByOne({ settings, nodeSettings }: MonitorState): boolean {
  return settings.data === undefined && (settings.error?.kind === 'not-available' || nodeSettings.size > 0);
}

/** The hot settings of all nodes that run and have been read (§2.12), by key. */
export function selectSettings(state: MonitorState): SettingRows {
  return merge(selectNodes(state), state.settings.data, selectIsOneByOne(state), state.nodeSettings);
}
