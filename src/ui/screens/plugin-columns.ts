import type { NodeName } from '../../domain/node.ts';
import type { Plugin } from '../../domain/plugin.ts';
import type { PluginRow } from '../../store/select-plugins.ts';
import { loadingText, unknownText } from '../format.ts';
import { glyphs } from '../glyphs.ts';
import { type SafeText, safe } from '../safe-text.ts';
import { widthOf } from '../text-width.ts';
import type { Theme } from '../theme.ts';
import type { CellContext } from '../widgets/column.ts';
import { nodeHeader } from './by-node-columns.ts';
import type { ListColumn } from './list-screen.tsx';

/** What the cells need beside the plugins. */
export interface PluginListData {
  readonly read: ReadonlySet<NodeName>;
  /** Asked for, neither read nor failed. */
  readonly loading: ReadonlySet<NodeName>;
}

type PluginColumn = ListColumn<PluginRow, PluginListData>;
type Context = CellContext<PluginListData>;

const signOf = ({ active }: Plugin): SafeText => (active === undefined ? safe`?` : active ? glyphs.running : glyphs.stopped);
const wordOf = ({ active }: Plugin): SafeText => (active === undefined ? safe`not told` : active ? safe`active` : safe`inactive`);

/** The roomiest form that fits; the sign of a difference is never lost. */
const stateText = (row: PluginRow, plugin: Plugin, { width, text }: Context): SafeText => {
  const sign = signOf(plugin);
  const long = safe`${sign} ${wordOf(plugin)}`;
  if (row.versions.length <= 1) {
    return widthOf(long) <= width ? long : sign;
  }
  const version = plugin.version === undefined ? unknownText : text(plugin.version);
  const forms = [safe`${long} ! ${version}`, safe`${sign} ! ${version}`, safe`${sign} !`];
  return forms.find((form) => widthOf(form) <= width) ?? safe`${sign}!`;
};

const nodeColumn = (theme: Theme, node: NodeName, nodes: readonly NodeName[], isChosen: boolean): PluginColumn => ({
  id: `on ${node}`,
  header: nodeHeader(theme, node, nodes, isChosen),
  value: ({ byNode }) => {
    const plugin = byNode.get(node);
    return plugin === undefined ? undefined : `${plugin.active === undefined ? 'not told' : plugin.active ? 'active' : 'inactive'} ${plugin.version ?? ''}`;
  },
  format: (row, context) => {
    const plugin = row.byNode.get(node);
    if (plugin !== undefined) {
      return stateText(row, plugin, context);
    }
    if (context.data.loading.has(node)) {
      return loadingText;
    }
    return context.data.read.has(node) ? safe`absent` : unknownText;
  },
  width: { min: 12, max: 24 },
  priority: 1,
});

/** A plugin in a row, a node in a column (§2.8). Built anew when the nodes change. */
export const pluginColumns = (theme: Theme, nodes: readonly NodeName[], chosen: NodeName | undefined): readonly PluginColumn[] => [
  {
    id: 'plugin',
    header: safe`PLUGIN`,
    value: ({ name }) => name,
    format: ({ name }, { text }) => text(name),
    width: { min: 20, max: 34 },
    isSticky: true,
  },
  {
    id: 'active',
    header: safe`ACTIVE`,
    value: ({ activeCount, byNode }) => (byNode.size === 0 ? undefined : activeCount / byNode.size),
    format: ({ activeCount, knownCount, byNode }) => {
      const text = safe`${activeCount}/${byNode.size}`;
      return knownCount === byNode.size && (activeCount === 0 || activeCount === byNode.size) ? text : safe`! ${text}`;
    },
    width: 8,
    // In sight however many nodes stand to the right of it.
    isSticky: true,
  },
  ...nodes.map((node) => nodeColumn(theme, node, nodes, node === chosen)),
  {
    id: 'version',
    header: safe`VERSION`,
    value: ({ versions }) => (versions.length === 0 ? undefined : versions.join(' ')),
    format: ({ versions }, { text }) => {
      const [first] = versions;
      if (first === undefined) {
        return unknownText;
      }
      return versions.length === 1 ? text(first) : safe`! ${versions.length} versions`;
    },
    width: { min: 12, max: 20, grow: 0.3 },
    priority: 3,
  },
  {
    id: 'description',
    header: safe`DESCRIPTION`,
    value: ({ description }) => description,
    format: ({ description }, { text }) => (description === undefined ? unknownText : text(description)),
    width: { min: 20, max: 80 },
    priority: 4,
  },
];
