import { catalog } from './keys.ts';
import { type ReactNode, useMemo } from 'react';
import type { ActingState } from '../actions/acting-monitor.ts';
import { timelineEvents } from '../monitor/events.ts';
import { reading } from '../monitor/query/part.ts';
import type { MonitorState } from '../monitor/state.ts';
import { eventRows } from '../resources/log/view/event-rows.ts';
import { settings } from '../resources/settings/resource.ts';
import { selectSettings } from '../resources/settings/select.ts';
import { users } from '../resources/users/resource.ts';
import { composeLine, type Line } from '../terminal/line.ts';
import { safe, type SafeText } from '../terminal/safe-text.ts';
import { fit, widthOf } from '../terminal/text-width.ts';
import type { Theme } from '../terminal/theme.ts';
import { selectReport } from '../triage/view.ts';
import { rowCursor, titleLine } from '../tui/components/blocks.ts';
import { Rows, useTheme } from '../tui/components/drawing.tsx';
import { useStore, wholeState } from '../tui/hooks/use-store.ts';
import { formatKeys } from '../tui/keys/keymap.ts';
import { useKeymap } from '../tui/keys/use-keys.ts';
import { placeKey, selectCursorId } from '../tui/list/list-state.ts';
import { type ListControl, useListKeys, useListState, useListSync } from '../tui/list/use-list-state.ts';
import { useRowClicks } from '../tui/list/use-row-clicks.ts';
import { useSpoken } from '../tui/speech/use-speech.ts';
import { countText, severityRoles } from '../resources/problems/view/texts.ts';
import { menuScreens, screenCommandOf } from './registry.ts';
import { moreTexts } from './texts.ts';
import type { ScreenProps } from '../tui/screen.ts';
import { logTexts } from '../resources/log/texts.ts';
import { absentNotes } from './absent-notes.ts';

const moreItems = (capabilities: MonitorState['capabilities']): typeof menuScreens =>
  menuScreens.filter(({ id }) => !catalog.isAbsent(screenCommandOf(id), capabilities));

const initialSort = { columnId: '', isReversed: false };

const menuTitle = safe`More`;

const minEventLines = 4;
/** Columns of cursor and key. */
const leadWidth = 5;

/** Draws the last events below a title, in rows that are left. */
const eventLines = (theme: Theme, width: number, rows: number, state: ActingState): readonly Line[] => {
  const events = eventRows(theme, width - 2, state, Math.max(1, rows)).map((row) =>
    composeLine(theme, width, [{ text: safe` ` }, ...row]),
  );
  return rows < minEventLines || events.length === 0
    ? []
    : [
        composeLine(theme, width, []),
        titleLine(theme, width, logTexts.recentEvents, logTexts.newestFirst),
        ...events.slice(0, rows - 2),
      ];
};

/** Shows the screens without a tab, and what is not available here, with the reasons. */
export const MoreScreen = ({ monitor, width, height, go }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const keymap = useKeymap();
  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  const shown = useMemo(() => moreItems(capabilities), [capabilities]);
  const ids = useMemo(() => shown.map(({ id }) => id), [shown]);
  const control: ListControl = useListState(initialSort, placeKey({ screen: 'more' }));
  const list = useListSync(control, ids, height);
  const cursorId = selectCursorId(list);
  const chosen = shown.find(({ id }) => id === cursorId);
  const onClick = useRowClicks(control);
  useListKeys(control, {
    onOpen:
      chosen === undefined
        ? undefined
        : () => {
            go({ screen: chosen.id });
          },
  });
  const isReadOnly = useStore(monitor.store, (state) => state.isReadOnly);
  const state = useStore(monitor.store, wholeState);
  const { findings } = selectReport(state);
  const events = reading(state, timelineEvents);
  const userList = reading(state, users).data;
  const figures: Readonly<Record<string, SafeText | undefined>> = {
    triage: countText(findings),
    settings:
      reading(state, settings).data === undefined ? undefined : moreTexts.settings(selectSettings(state).rows.length),
    users: userList === undefined ? undefined : moreTexts.users(userList.length),
    log: moreTexts.events(events.length, events.filter(({ severity }) => severity === 'critical').length),
  };
  const widest = (texts: readonly SafeText[]): number => Math.max(0, ...texts.map(widthOf)) + 2;
  const titleWidth = widest(shown.map(({ title }) => title));
  const noteWidth = widest(shown.map(({ note }) => note));
  const restWidth = width - leadWidth - titleWidth;
  const items = shown.map(({ id, title, note }) => {
    const figure = figures[id] ?? safe``;
    // A long figure moves to the left rather than being cut.
    const ownNoteWidth = Math.max(Math.min(noteWidth, restWidth - widthOf(figure)), widthOf(note) + 2);
    const binding = keymap.bindings.find((each) => each.id === screenCommandOf(id));
    const isCursor = id === cursorId;
    return composeLine(
      theme,
      width,
      [
        isCursor ? rowCursor(theme) : { text: safe` ` },
        { text: safe` ` },
        { text: fit(binding === undefined ? safe`` : formatKeys(binding, theme.charset), 3), role: 'key' },
        { text: fit(title, titleWidth), role: 'title' },
        { text: fit(note, ownNoteWidth), role: 'dim' },
        {
          text: figure,
          role: id === 'triage' && findings[0] !== undefined ? severityRoles[findings[0].severity] : 'normal',
        },
      ],
      isCursor ? 'cursor' : 'normal',
    );
  });
  const chosenLine = items[shown.findIndex(({ id }) => id === cursorId)];
  useSpoken(chosenLine && { rank: 'row', key: cursorId ?? '', lines: () => [chosenLine] });
  const blank = composeLine(theme, width, []);
  const absent = absentNotes({ capabilities, isReadOnly }).flatMap(({ title, notes }) => [
    blank,
    titleLine(theme, width, title),
    ...notes.map(([what, why]) => composeLine(theme, width, [{ text: safe`  ${what}: ${why}`, role: 'dim' }])),
  ]);
  const above = [titleLine(theme, width, menuTitle), ...items, ...absent];
  const drawn = [...above, ...eventLines(theme, width, height - above.length, state)];
  const lines: readonly Line[] = Array.from({ length: height }, (_, index) => drawn[index] ?? blank);
  return (
    <Rows
      lines={lines}
      onClick={(line) => {
        if (line >= 1 && line <= items.length) onClick(line - 1);
      }}
    />
  );
};
