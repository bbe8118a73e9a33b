import { type ReactNode, useMemo } from 'react';
import type { MonitorState } from '../../../monitor/state.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { composeEnds, composeLine, type Line } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { Rows } from '../../components/painted.tsx';
import { useTheme } from '../../components/theme-context.ts';
import { absentNotes, isAbsent } from '../../frame/hints.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useStore } from '../../hooks/use-store.ts';
import { type CommandId, formatKeys } from '../../keys/keymap.ts';
import { useKeymap } from '../../keys/use-keys.ts';
import { selectCursorId } from '../../list/list-state.ts';
import { type ListControl, useListKeys, useListState, useListSync } from '../../list/use-list-state.ts';
import { type Place, placeKey } from '../../navigation.ts';

interface MoreItem {
  readonly id: string;
  readonly label: SafeText;
  readonly note: SafeText;
  readonly command: CommandId;
  readonly place: Place;
}

const items: readonly MoreItem[] = [
  { id: 'triage', label: safe`Triage`, note: safe`what is wrong, since when, and where to look`, command: 'screenTriage', place: { screen: 'triage' } },
  { id: 'settings', label: safe`Settings`, note: safe`hot settings of every node`, command: 'screenSettings', place: { screen: 'settings' } },
  { id: 'users', label: safe`Users`, note: safe`who may use the management interface`, command: 'screenUsers', place: { screen: 'users' } },
  { id: 'log', label: safe`Log`, note: safe`what was done and what failed in this run`, command: 'screenLog', place: { screen: 'log' } },
];

/** What the menu offers on a broker of these capabilities. */
export const moreItems = (capabilities: MonitorState['capabilities']): readonly MoreItem[] =>
  items.filter(({ command }) => !isAbsent(command, capabilities));

const initialSort = { columnId: '', isReversed: false };

/** Screens without a tab of their own, and what there is not, and why. */
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
  useListKeys(control, { onOpen: chosen === undefined ? undefined : () => { go(chosen.place); } });
  const isReadOnly = useStore(monitor.store, (state) => state.isReadOnly);
  const lines: Line[] = [
    ...shown.map(({ id, label, note, command }) => {
      const binding = keymap.bindings.find((each) => each.id === command);
      const isCursor = id === cursorId;
      return composeEnds(
        theme, width,
        [{ text: isCursor ? glyphs.cursor : safe` ` }, { text: label, role: 'title' }, { text: safe`  ${note}`, role: 'dim' }],
        [{ text: binding === undefined ? safe`` : safe`${formatKeys(binding, theme.charset)} `, role: 'key' }],
        isCursor ? 'cursor' : 'normal',
      );
    }),
    ...absentNotes({ capabilities, isReadOnly }).flatMap(({ title, notes }) => [
      composeLine(theme, width, []),
      composeLine(theme, width, [{ text: safe` ${title}`, role: 'title' }]),
      ...notes.map(([what, why]) => composeLine(theme, width, [{ text: safe` ${what}: ${why}`, role: 'dim' }])),
    ]),
  ];
  while (lines.length < height) {
    lines.push(composeLine(theme, width, []));
  }
  return <Rows lines={lines.slice(0, height)} />;
};
