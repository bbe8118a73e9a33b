import type { ReactNode } from 'react';
import type { PluginSetting } from '../../domain/administration.ts';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { watchOf } from '../../monitor/query/part.ts';
import { formatText, loadingText, unknownText } from '../../terminal/format.ts';
import { wrapWords } from '../../terminal/line.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { endsRow, type SpanRow } from '../../tui/components/blocks.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useReading, useStore, useWatch } from '../../tui/hooks/use-store.ts';
import { changesHere } from '../../tui/list/changes-here.ts';
import { detailRoom, longTextRows, rowPanel, useRested } from '../../tui/list/detail.tsx';
import { shownPluginValue } from '../plugin-settings/actions.ts';
import { stopWarning } from './actions.ts';
import { pluginSettings } from './resource.ts';
import { type PluginRow, selectPlugins } from './select.ts';
import { activityText, pluginsTexts } from './texts.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { activitySign } from '../../terminal/glyphs.ts';
import { activityRole } from './view/columns.ts';

interface PluginPanelProps extends Pick<ScreenProps, 'monitor' | 'width' | 'height'> {
  readonly row: PluginRow;
  readonly node: NodeName | undefined;
}

/** Draws the selected plugin beside the list. @param node the target of actions; `undefined` for all nodes */
export const pluginPanel = (
  monitor: PluginPanelProps['monitor'],
  row: PluginRow,
  node: NodeName | undefined,
  width: number,
  height: number,
): ReactNode => <PluginPanel monitor={monitor} row={row} node={node} width={width} height={height} />;

/**
 * Shows what the plugin is, its state and version on each node, and its settings on one of them, read once the cursor
 * rests.
 */
const PluginPanel = ({ monitor, row, node, width, height }: PluginPanelProps): ReactNode => {
  const theme = useTheme();
  const { name, description, byNode, activeCount } = row;
  const { nodes, running } = useStore(monitor.store, selectPlugins);
  const actions = useStore(monitor.store, (state) => state.actions);
  const hasSettings = useStore(monitor.store, (state) => state.capabilities?.settings === true);
  const shownNode = [node, ...running].find((each) => each !== undefined && byNode.has(each));
  const isRested = useRested(name) !== undefined;
  useWatch(
    monitor,
    hasSettings && isRested && shownNode !== undefined ? watchOf(pluginSettings, shownNode, name) : undefined,
  );
  const read = useReading(monitor, pluginSettings, shownNode ?? '', name);
  const room = detailRoom(width, height).width;
  const settings = !hasSettings || read.error !== undefined ? [] : read.data;
  return rowPanel(
    theme.escape(name, room),
    [
      { rows: description === undefined ? [[{ text: unknownText }]] : longTextRows(theme, room, description) },
      {
        title: pluginsTexts.nodes,
        rows: [...byNode].map(([each, { active, version }]): SpanRow =>
          endsRow(
            room,
            [
              { text: activitySign(active), role: activityRole(active) },
              { text: safe` ${theme.escapeEnds(shortNodeName(each, nodes), room)}` },
            ],
            [
              {
                text: safe`${activityText(active)}  ${formatText(version, (raw) => theme.escape(raw, 16))}`,
                role: 'dim',
              },
            ],
          ),
        ),
      },
      ...(activeCount === 0
        ? []
        : [
            {
              title: pluginsTexts.ifStopped,
              rows: wrapWords(stopWarning(row, true), room).map((text): SpanRow => [{ text }]),
            },
          ]),
      ...changesHere(theme, room, { actions }, (target) => target['plugin'] === name),
      ...(shownNode === undefined || settings?.length === 0
        ? []
        : [
            {
              title: pluginsTexts.settings,
              note: pluginsTexts.settingsOf(theme.escapeEnds(shortNodeName(shownNode, nodes), room)),
              rows: settings?.map((setting) => settingRow(theme, room, setting)) ?? [
                [{ text: loadingText, role: 'dim' as const }],
              ],
            },
          ]),
    ],
    width,
    height,
  );
};

/** The share of a line for a value, beside its key. */
const valueShare = 0.45;

const settingRow = (theme: Theme, width: number, setting: PluginSetting): SpanRow =>
  endsRow(
    width,
    [{ text: theme.escape(setting.key, width), role: 'dim' }],
    [{ text: shownPluginValue(theme, setting, Math.floor(width * valueShare)) }],
  );
