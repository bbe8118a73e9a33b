import { Box } from 'ink';
import { type ReactNode, useMemo } from 'react';
import type { ActingState, ActionRecord } from '../../actions/acting-monitor.ts';
import type { Undo } from '../../actions/action.ts';
import type { EventSeverity } from '../../domain/event.ts';
import { reading } from '../../monitor/query/part.ts';
import type { TimelineEvent } from '../../domain/event.ts';
import { eventFields } from '../../timeline/fields.ts';
import { setupNotes, timelineEvents } from '../../monitor/events.ts';
import { useOpenOrNotify } from '../../tui/hooks/open-dialog.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import { shownNowMs, shownWallMs } from '../../monitor/shown-time.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { formatMoment } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeLine, wrapWords } from '../../terminal/line.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { Role } from '../../terminal/theme.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { useStore } from '../../tui/hooks/use-store.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { shownText } from './view/event-rows.ts';
import { type AnyAction, actionDefinitions } from '../actions.ts';
import { logTexts } from './texts.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { useJump } from '../view/use-jump.ts';
import { undoRequest } from '../../actions/undo-request.ts';

/** What concerns the start of the program, and actions that go on, beside what happened to the cluster. */
const rowsOf = (
  events: readonly TimelineEvent[],
  setup: readonly TimelineEvent[],
  actions: readonly ActionRecord[],
): readonly TimelineEvent[] => [
  ...events.toReversed(),
  ...setup,
  ...actions
    .filter(({ phase }) => phase !== 'finished')
    .map(({ key, startedAtMs, title, phase }): TimelineEvent => ({
      id: `running ${key}`,
      atMs: shownWallMs(startedAtMs),
      kind: 'action',
      severity: 'info',
      text: `${title} (${phase})`,
      run: '',
    })),
];

const severityRoles: Readonly<Record<EventSeverity, Role>> = { critical: 'error', warning: 'warning', info: 'normal' };

const { time, severity, kind, text, object, lasted, lost, node, client, topic, check } = eventFields;
const shownFields = { time, severity, kind, text, object, lasted, lost, node, client, topic, check } as const;

const minTextWidth = 16;
/** The columns of the time and the severity, and the spaces beside them. */
const firstColumns = 46;
/** The width from which on other columns have room beside the text. */
const minWidthOfAll = 180;

/** The text of an event says most: others stand beside it only where there is room for both. */
const textWidth = (width: number): number =>
  width < minWidthOfAll ? Math.max(minTextWidth, width - firstColumns) : Math.floor(width / 2);

const columnsFor = (width: number) =>
  columnsOf(shownFields, {
    time: { priority: 1, highlightsChanges: false, isSticky: true },
    severity: {
      format: ({ severity: level }) => logTexts.severities[level],
      roleOf: ({ severity: level }) => severityRoles[level],
      width: 8,
      priority: 1,
    },
    text: { width: { min: textWidth(width) }, fills: true, priority: 1 },
    lasted: { priority: 2 },
    object: { width: { min: 14, max: 40 }, priority: 3 },
    kind: { width: { min: 6, max: 14 }, priority: 4 },
  });

const undoOf = (name: string | undefined): Undo | undefined =>
  actionDefinitions.find((action: AnyAction) => action.id === name)?.undo;

const newestFirst = { columnId: 'time', isReversed: true } as const;

/** The number of lines for the entry under the cursor, which may be cut in its row. */
const maxTextLines = 3;
/** The height from which on that entry is shown: lower lists keep their rows. */
const minHeightWithText = 12;

const selectSetup = (state: MonitorState): readonly TimelineEvent[] => reading(state, setupNotes);
const selectActions = ({ actions }: ActingState): readonly ActionRecord[] => actions;
const selectEvents = (state: MonitorState): readonly TimelineEvent[] => reading(state, timelineEvents);

/** What happened to the cluster, in this run and in earlier ones, and what was done to it. */
export const LogScreen = ({ monitor, width, height, notify, go }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const setup = useStore(monitor.store, selectSetup);
  const actions = useStore(monitor.store, selectActions);
  const events = useStore(monitor.store, selectEvents);
  const rows = useMemo(() => rowsOf(events, setup, actions), [events, setup, actions]);
  const columns = useMemo(() => columnsFor(width), [width]);
  const jump = useJump(go);
  const textHeight = height < minHeightWithText ? 0 : maxTextLines;
  const list = useList({
    listKey: placeKey({ screen: 'log' }),
    table: 'log',
    rows,
    columns,
    data: undefined,
    getId: ({ id }) => id,
    initialSort: newestFirst,
    generation: undefined,
    heading: composeLine(theme, width, [{ text: safe` Timeline`, role: 'title' }]),
    noun: safe`event`,
    title: safe`Timeline`,
    onOpen: ({ jump: to }) => {
      if (to === undefined) notify(logTexts.noObject);
      else jump(to, shownNowMs());
    },
    message: { text: safe` ${logTexts.empty}` },
    copyText: ({ text }) => text,
    width,
    height: height - textHeight,
    notify,
  });
  const { row } = list;
  const openDialog = useOpenOrNotify(notify, row?.id);
  useKeys('log', {
    undo:
      row?.kind !== 'action'
        ? undefined
        : () => {
            const { action, atMs, text } = row;
            const undo = undoOf(action?.name);
            openDialog(
              action?.changed === undefined || undo === undefined
                ? { refused: logTexts.notUndoable }
                : { request: undoRequest(theme, { action, undo, text, when: formatMoment(atMs) }) },
            );
          },
  });
  const text = list.row === undefined ? [] : wrapWords(shownText(theme, list.row.text), width - 2);
  const lines = Array.from({ length: textHeight }, (_, index) =>
    composeLine(theme, width, [
      {
        text: safe` ${text[index] ?? safe``}${index === maxTextLines - 1 && text.length > maxTextLines ? glyphs.ellipsis : safe``}`,
      },
    ]),
  );
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <Box flexDirection="column" width={width} height={height - textHeight} overflow="hidden">
        <ListView list={list} />
      </Box>
      {textHeight > 0 && <Rows lines={lines} />}
    </Box>
  );
};
