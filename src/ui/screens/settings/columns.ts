import type { NodeName } from '../../../domain/node.ts';
import type { Setting } from '../../../domain/setting.ts';
import type { SettingRow } from '../../../monitor/select/settings.ts';
import { shownValue } from '../../dialogs/shown-value.ts';
import { disclose } from '../../../actions/secret.ts';
import { formatText, unknownText } from '../../../terminal/format.ts';
import { safe } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { type ByNodeData, type NodeCells, nodeColumnsOf } from '../../list/by-node-columns.ts';
import type { ListColumn } from '../../list/list-screen.tsx';

type SettingColumn = ListColumn<SettingRow, ByNodeData>;

const cells: NodeCells<SettingRow, Setting> = {
  value: ({ value }, { key }) => disclose(key, value),
  format: ({ value }, { key }, { theme, width }) => shownValue(theme, key, value, width),
  width: { min: 9, max: 30 },
};

/** A hot setting in a row, a node in a column (§2.12). Built anew when the nodes change. */
export const settingColumns = (theme: Theme, nodes: readonly NodeName[], chosen: NodeName | undefined): readonly SettingColumn[] => [
  {
    id: 'key',
    header: safe`KEY`,
    value: ({ key }) => key,
    format: ({ key }, { ends }) => ends(key),
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
  ...nodeColumnsOf(theme, nodes, chosen, cells),
  {
    id: 'type',
    header: safe`TYPE`,
    value: ({ dataType }) => dataType,
    format: ({ dataType }, { text }) => formatText(dataType, text),
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
