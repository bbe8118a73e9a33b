import { type ReactNode, useMemo, useState } from 'react';
import { type Alarm, alarmName } from '../../domain/administration.ts';
import type { Watchable } from '../../monitor/query/part.ts';
import { formatBrokerTime, formatDuration } from '../../terminal/format.ts';
import { composeLine } from '../../terminal/line.ts';
import { safe, trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useReading, useStore, useWatches } from '../../tui/hooks/use-store.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import { detailRoom, detailRows, longTextRows, restRows, rowPanel } from '../../tui/list/detail.tsx';
import { useNodeNames, withShortNodes } from '../view/node-names.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { maxListedNote, useFifthTickList } from '../view/node-table.ts';
import { alarmActions } from './actions.ts';
import { alarmFields } from './fields.ts';
import { alarms, endedAlarms } from './resource.ts';
import { alarmWatches, hasNoAlarms } from './select.ts';
import { alarmsTexts } from './texts.ts';
import { type BrokerClocks, useBrokerClocks } from '../view/broker-clocks.ts';
import { screenTexts } from '../view/texts.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { alarmColumns } from './view/columns.ts';

const columnSets = { active: alarmColumns.filter(({ id }) => id !== 'ended'), ended: alarmColumns } as const;
type Which = keyof typeof columnSets;

const drawn: readonly (keyof typeof alarmFields)[] = ['alarm', 'node', 'since', 'ended', 'duration', 'message'];

const alarmPanel = (theme: Theme, alarm: Alarm, clocks: BrokerClocks, width: number, height: number): ReactNode => {
  const room = detailRoom(width, height).width;
  const { id, node, severity, occurredAt, endedAt, summary, title } = alarm;
  const text = summary ?? title;
  return rowPanel(
    theme.escape(id, room),
    [
      {
        rows: [
          ...detailRows(room, [
            ...(node === undefined ? [] : [{ label: alarmsTexts.node, value: theme.escape(node, room) }]),
            ...(severity === undefined ? [] : [{ label: alarmsTexts.severity, value: theme.escape(severity, room) }]),
            { label: alarmsTexts.since, value: formatBrokerTime(occurredAt) },
            ...(endedAt === undefined ? [] : [{ label: alarmsTexts.endedAt, value: formatBrokerTime(endedAt) }]),
            { label: alarmsTexts.duration, value: formatDuration(alarmFields.duration.age(alarm, clocks)) },
          ]),
          ...restRows(theme, room, alarmColumns, drawn, alarm, clocks),
        ],
      },
      ...(text === undefined ? [] : [{ rows: longTextRows(theme, room, text) }]),
    ],
    width,
    height,
  );
};

const endedWatches: readonly Watchable[] = [endedAlarms];
const noAlarms: readonly Alarm[] = [];
const latestFirst = {
  active: { columnId: 'duration', isReversed: false },
  ended: { columnId: 'ended', isReversed: true },
} as const;

/** Identifies an alarm, which may end and begin again. */
const identity = (alarm: Alarm): string =>
  alarm.endedAt === undefined ? alarmName(alarm) : `${alarmName(alarm)} ${alarm.occurredAt ?? ''} ${alarm.endedAt}`;

/** Shows active alarms, or those that ended, if the API lists them. */
export const AlarmsScreen = (props: ScreenProps): ReactNode => {
  const [chosen, setChosen] = useState<Which>('active');
  const hasHistory = useStore(props.monitor.store, ({ capabilities }) => capabilities?.alarmHistory === true);
  const which = hasHistory ? chosen : 'active';
  useKeys('alarms', {
    toggleHistory: hasHistory
      ? () => {
          setChosen(which === 'active' ? 'ended' : 'active');
        }
      : undefined,
  });
  return <AlarmList key={which} {...props} which={which} hasHistory={hasHistory} />;
};

const AlarmList = ({
  monitor,
  which,
  hasHistory,
  width,
  height,
  notify,
}: ScreenProps & { readonly which: Which; readonly hasHistory: boolean }): ReactNode => {
  const theme = useTheme();
  const isActive = which === 'active';
  const isNotOffered = useStore(monitor.store, (all) => isActive && hasNoAlarms(all));
  const apiName = useStore(monitor.store, ({ capabilities }) => capabilities?.apiName);
  const activeWatches = useStore(monitor.store, alarmWatches);
  useWatches(monitor, isActive ? activeWatches : endedWatches);
  const state = useReading(monitor, isActive ? alarms : endedAlarms);
  const view = useFifthTickList(
    monitor,
    state,
    isActive ? safe`alarms` : safe`ended alarms`,
    safe` ${isActive ? alarmsTexts.noneActive : alarmsTexts.noneEnded}`,
  );
  const clocks = useBrokerClocks(monitor, useNow(1000));
  const nodeNames = useNodeNames(monitor);
  const columns = useMemo(() => withShortNodes(columnSets[which], ({ node }) => node, nodeNames), [which, nodeNames]);
  const list = useList({
    ...view,
    ...(isNotOffered && {
      message: { text: safe` ${screenTexts.notOffered(trusted(apiName ?? 'this broker'), alarmsTexts.notOffered)}` },
      problem: undefined,
    }),
    heading: composeLine(theme, width, [
      { text: safe` ${isActive ? alarmsTexts.active : alarmsTexts.ended}`, role: 'title' },
      ...(hasHistory
        ? [{ text: safe`  ${isActive ? alarmsTexts.showEnded : alarmsTexts.showActive}`, role: 'dim' as const }]
        : []),
    ]),
    listKey: isActive ? placeKey({ screen: 'alarms' }) : 'alarms ended',
    table: isActive ? 'alarms' : 'ended-alarms',
    rows: state.data ?? noAlarms,
    columns,
    data: clocks,
    getId: identity,
    initialSort: latestFirst[which],
    noun: safe`alarm`,
    title: isActive ? alarmsTexts.active : alarmsTexts.ended,
    footerNote: maxListedNote(state.data),
    detail: (alarm, ...size) => alarmPanel(theme, alarm, clocks, ...size),
    copyText: alarmName,
    width,
    height,
    notify,
  });
  useActions('alarms', alarmActions, { ended: isActive ? 0 : (state.data?.length ?? 0) }, { notify });
  return <ListView list={list} />;
};
