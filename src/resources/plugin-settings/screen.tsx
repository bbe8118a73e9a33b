import type { ReactNode } from 'react';
import type { DialogOrRefusal } from '../../actions/requests.ts';
import type { PluginSetting } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import { watchOf } from '../../monitor/query/part.ts';
import { unknownText } from '../../terminal/format.ts';
import { wrapWords } from '../../terminal/line.ts';
import { safe, trusted } from '../../terminal/safe-text.ts';
import { escapeEnds } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { titleLine } from '../../tui/components/blocks.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf } from '../../tui/components/field-columns.ts';
import type { EmptyMessage } from '../../tui/components/table.tsx';
import { useOpenDialog } from '../../tui/hooks/open-dialog.ts';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useReading, useStore, useWatches } from '../../tui/hooks/use-store.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import { detailRoom, longTextRows, rowPanel } from '../../tui/list/detail.tsx';
import { hintText } from '../../tui/list/resource-notice.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { plugins, pluginSettings } from '../plugins/resource.ts';
import { selectPlugins } from '../plugins/select.ts';
import { activityText } from '../plugins/texts.ts';
import { activitySign } from '../../terminal/glyphs.ts';
import { pluginSettingActions, pluginSettingsRequest, shownPluginValue } from './actions.ts';
import { pluginSettingFields } from './fields.ts';
import { pluginSettingsTexts } from './texts.ts';
import { screenTexts } from '../view/texts.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import { useFifthTickList } from '../view/node-table.ts';
import type { ScreenProps } from '../../tui/screen.ts';

const columns = columnsOf(pluginSettingFields, {
  key: { width: { min: 22, max: 44 }, isSticky: true, isReadFirst: true },
  value: {
    format: (setting, { theme, width }) => shownPluginValue(theme, setting, width),
    width: { min: 10, max: 80 },
    priority: 1,
  },
  required: { width: 10, priority: 2 },
  description: {
    format: ({ description }, { text }) => (description === '' ? unknownText : text(description)),
    width: { min: 20, max: 90 },
    priority: 3,
  },
});

const identity = ({ key }: PluginSetting): string => key;
const initialSort = { columnId: 'key', isReversed: false };
const noRows: readonly PluginSetting[] = [];

/** Shows the settings of a plugin on a node. */
export const PluginSettingsScreen = ({
  monitor,
  node,
  plugin,
  width,
  height,
  go,
  notify,
}: ScreenProps & { readonly node: NodeName; readonly plugin: string }): ReactNode => {
  const theme = useTheme();
  const ask = useOpenDialog();
  // The same key for all nodes keeps the cursor on its setting.
  const listKey = placeKey({ screen: 'plugin-settings', node: '', plugin });
  const settings = useReading(monitor, pluginSettings, node, plugin);
  const listed = useReading(monitor, plugins, node).data?.find(({ name }) => name === plugin);
  const { running, read, rows: others } = useStore(monitor.store, selectPlugins);
  const isOffered = useStore(monitor.store, (state) => state.capabilities?.settings !== false);
  const apiName = useStore(monitor.store, (state) => state.capabilities?.apiName) ?? 'this broker';
  useWatches(monitor, isOffered ? [watchOf(pluginSettings, node, plugin), watchOf(plugins, node)] : []);
  const view = useFifthTickList(monitor, settings, safe`settings`, safe` ${pluginSettingsTexts.empty}`);
  const rows = settings.data ?? noRows;
  const isMissing = settings.data === undefined && settings.error?.kind === 'not-available';
  const message = ((): EmptyMessage => {
    if (!isOffered) return { text: safe` ${screenTexts.notOffered(trusted(apiName), pluginSettingsTexts.notOffered)}` };
    if (isMissing)
      return { text: safe` ${screenTexts.notFound(pluginSettingsTexts.notFound)}${hintText(theme, settings.error)}` };
    return view.message;
  })();
  const requestOf = ({ key }: PluginSetting): DialogOrRefusal =>
    pluginSettingsRequest(theme, { node, plugin, isActive: listed?.active, settings: rows, key });
  const openInFull = (setting: PluginSetting): void => {
    const { key, description, required } = setting;
    const change = requestOf(setting);
    ask({
      kind: 'text',
      title: pluginSettingsTexts.settingTitle(theme.escape(plugin, 60), theme.escape(node, 60)),
      parts: [
        { label: safe`key`, text: theme.escape(key) },
        { label: safe`value`, text: shownPluginValue(theme, setting) },
        { label: safe`required`, text: required ? safe`yes` : safe`no` },
        { label: safe`description`, text: description === '' ? unknownText : theme.escape(description) },
      ],
      change: 'request' in change ? change.request : undefined,
    });
  };
  const step = (by: 1 | -1): void => {
    const onNodes = others.find(({ name }) => name === plugin)?.byNode;
    // A node whose plugins have not been read may have it.
    const nodes = running.filter((each) => each === node || !read.has(each) || onNodes?.has(each) === true);
    const at = nodes.indexOf(node);
    const next = nodes.at(at === -1 ? Math.min(0, by) : (at + by) % nodes.length);
    if (next === undefined || next === node) notify(pluginSettingsTexts.noOtherNode);
    else go({ screen: 'plugin-settings', node: next, plugin });
  };
  const activity =
    listed === undefined ? unknownText : safe`${activitySign(listed.active)} ${activityText(listed.active)}`;
  const list = useList({
    ...view,
    listKey,
    table: 'plugin-settings',
    rows,
    columns,
    data: undefined,
    getId: identity,
    initialSort,
    noun: safe`setting`,
    title: safe`Plugin settings`,
    message,
    onOpen: openInFull,
    detail: (row, ...size) => pluginSettingPanel(theme, row, ...size),
    detailBelow: 'narrow',
    copyText: identity,
    width,
    height: height - 1,
    notify,
  });
  const { row } = list;
  useKeys('plugin-settings', {
    otherNode: () => {
      step(1);
    },
    otherNodeBack: () => {
      step(-1);
    },
  });
  useActions(
    'plugin-settings',
    pluginSettingActions,
    { row, node, plugin, isActive: listed?.active, settings: rows },
    { notify },
  );
  return (
    <>
      <Rows
        lines={[
          titleLine(
            theme,
            width,
            pluginSettingsTexts.title(theme.escape(plugin, 60), theme.escape(node, 60)),
            activity,
          ),
        ]}
      />
      <ListView list={list} />
    </>
  );
};

/** Draws value and description in full. */
const pluginSettingPanel = (theme: Theme, setting: PluginSetting, width: number, height: number): ReactNode => {
  const room = detailRoom(width, height).width;
  return rowPanel(
    escapeEnds(setting.key, room, theme.charset),
    [
      { rows: longTextRows(theme, room, setting.key) },
      {
        title: pluginSettingsTexts.value,
        rows: wrapWords(shownPluginValue(theme, setting, 12 * room), room)
          .slice(0, 12)
          .map((text) => [{ text }]),
      },
      {
        title: pluginSettingsTexts.description,
        rows: setting.description === '' ? [[{ text: unknownText }]] : longTextRows(theme, room, setting.description),
      },
    ],
    width,
    height,
  );
};
