import type { Plugin } from '../../../domain/administration.ts';
import type { NodeName } from '../../../domain/node.ts';
import { formatText, unknownText } from '../../../terminal/format.ts';
import { activitySign } from '../../../terminal/glyphs.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { widestFitting } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import type { CellContext } from '../../../tui/components/column.ts';
import { columnsOf } from '../../../tui/components/field-columns.ts';
import type { ListColumn } from '../../../tui/list/use-list.tsx';
import { type ByNodeData, type NodeCells, nodeColumnsOf, withNodeColumns } from '../../view/node-table.ts';
import { pluginFields } from '../fields.ts';
import type { PluginRow } from '../select.ts';
import { activityText, pluginsTexts } from '../texts.ts';

type PluginColumn = ListColumn<PluginRow, ByNodeData>;
type Context = CellContext<ByNodeData>;

/** Writes the longest form that fits; `!` for a different version is never dropped. */
const stateText = (row: PluginRow, plugin: Plugin, { width, text }: Context): SafeText => {
  const sign = activitySign(plugin.active);
  const long = safe`${sign} ${activityText(plugin.active)}`;
  if (row.versions.length <= 1) {
    return widestFitting([long], width) ?? sign;
  }
  const version = formatText(plugin.version, text);
  const forms = [safe`${long} ! ${version}`, safe`${sign} ! ${version}`, safe`${sign} !`];
  return widestFitting(forms, width) ?? safe`${sign}!`;
};

const cells: NodeCells<PluginRow, Plugin> = {
  type: 'flag',
  get: ({ active }) => active,
  order: ({ active, version }) => `${activityText(active)} ${version ?? ''}`,
  format: (plugin, row, context) => stateText(row, plugin, context),
  role: ({ active }) => activityRole(active),
  width: { min: 11, max: 24, grow: 0.3 },
};

/** Whether a plugin is not the same on all nodes, as far as known. */
const isMixed = ({
  activeCount,
  knownCount,
  byNode,
}: Pick<PluginRow, 'activeCount' | 'knownCount' | 'byNode'>): boolean =>
  knownCount !== byNode.size || (activeCount !== 0 && activeCount !== byNode.size);

const common = columnsOf(pluginFields, {
  plugin: { width: { min: 20, max: 34 }, isSticky: true },
  active: {
    format: ({ activeCount, knownCount, byNode }) => {
      const text = pluginsTexts.activeOn(activeCount, byNode.size);
      return isMixed({ activeCount, knownCount, byNode }) ? safe`! ${text}` : text;
    },
    roleOf: (row) => (isMixed(row) ? 'warning' : undefined),
    width: { min: 11, max: 12, grow: 0 },
    isSticky: true,
  },
  version: {
    format: ({ versions }, { text }) => {
      const [first] = versions;
      if (first === undefined) {
        return unknownText;
      }
      return versions.length === 1 ? text(first) : safe`! ${versions.length} versions`;
    },
    // Spare columns are for the description.
    width: { min: 9, max: 16 },
    isSnug: true,
    priority: 3,
  },
  description: { role: 'dim', width: { min: 20, max: 80, grow: 4 }, priority: 4 },
});

/** The columns of plugins, one of them for each node. */
export const pluginColumns = (theme: Theme, nodes: readonly NodeName[]): readonly PluginColumn[] =>
  withNodeColumns(common, nodeColumnsOf(theme, nodes, cells));

export const activityRole = (active: boolean | undefined): Role =>
  active === undefined ? 'normal' : active ? 'ok' : 'dim';
