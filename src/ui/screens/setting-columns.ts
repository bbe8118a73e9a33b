import type { NodeName } from '../../domain/node.ts';
import type { SettingRow } from '../../store/select-settings.ts';
import { shownValue } from '../actions/shown-value.ts';
import { disclose } from '../../store/actions/secret.ts';
import { loadingText, unknownText } from '../format.ts';
import { safe } from '../safe-text.ts';
import type { Theme } from '../theme.ts';
import { nodeHeader } from './by-node-columns.ts';
import type { ListColumn } from './list-screen.tsx';

/** What the cells need beside the settings. */
export interface SettingListData {
  readonly read: ReadonlySet<NodeName>;
  /** Asked for, neither read nor failed. */
  readonly loading: ReadonlySet<NodeName>;
}

type SettingColumn = ListColumn<SettingRow, SettingListData>;

const nodeColumn = (theme: Theme, node: NodeName, nodes: readonly NodeName[], isChosen: boolean): SettingColumn => ({
  id: `on ${node}`,
  header: nodeHeader(theme, node, nodes, isChosen),
  value: ({ key, byNode }) => disclose(key, byNode.get(node)?.value),
  format: ({ key, byNode }, { theme: own, width, data }) => {
    const setting = byNode.get(node);
    if (setting !== undefined) {
      return shownValue(own, key, setting.value, width);
    }
    if (data.loading.has(node)) {
      return loadingText;
    }
    return data.read.has(node) ? safe`absent` : unknownText;
  },
  width: { min: 9, max: 30 },
  priority: 1,
});

/** A hot setting in a row, a node in a column (§2.12). Built anew when the nodes change. */
export const settingColumns = (theme: Theme, nodes: readonly NodeName[], chosen: NodeName | undefined): readonly SettingColumn[] => [
  {
    id: 'key',
    header: safe`KEY`,
    value: ({ key }) => key,
    format: ({ key }, { text }) => text(key),
    width: { min: 29, max: 48, grow: 2 },
    isSticky: true,
  },
  {
    id: 'differs',
    header: safe`SAME`,
    value: ({ isDifferent }) => isDifferent,
    text: ({ isDifferent }) => (isDifferent ? 'differs' : 'same'),
    // Of a node that does not run nobody knows what it will have.
    format: ({ isDifferent, byNode }) => (isDifferent ? safe`! no` : byNode.size < 2 ? unknownText : byNode.size < nodes.length ? safe`${byNode.size} of ${nodes.length}` : safe`yes`),
    width: { min: 6, max: 10 },
    // In sight however many nodes stand to the right of it.
    isSticky: true,
    sortsFrom: 'largest',
  },
  ...nodes.map((node) => nodeColumn(theme, node, nodes, node === chosen)),
  {
    id: 'type',
    header: safe`TYPE`,
    value: ({ dataType }) => dataType,
    format: ({ dataType }, { text }) => (dataType === undefined ? unknownText : text(dataType)),
    width: { min: 8, max: 12, grow: 0.2 },
    priority: 3,
  },
  {
    id: 'app',
    header: safe`APPLICATION`,
    value: ({ app }) => app,
    format: ({ app }, { text }) => text(app),
    width: { min: 11, max: 24, grow: 0.2 },
    priority: 4,
  },
];
