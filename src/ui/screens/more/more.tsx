import { type ReactNode, useMemo } from 'react';
import type { MonitorState } from '../../../monitor/state.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { composeEnds, composeLine, type Line } from '../../../terminal/line.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { Rows } from '../../components/painted.tsx';
import { useTheme } from '../../components/theme-context.ts';
import { absentNotes, isAbsent } from '../../frame/hints.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useStore } from '../../hooks/use-store.ts';
import { formatKeys } from '../../keys/keymap.ts';
import { useKeymap } from '../../keys/use-keys.ts';
import { selectCursorId } from '../../list/list-state.ts';
import { type ListControl, useListKeys, useListState, useListSync } from '../../list/use-list-state.ts';
import { placeKey } from '../../navigation.ts';
import { menuScreens, screenCommandOf } from '../registry.ts';

/** The screens that the menu offers on a broker of these capabilities. */
export const moreItems = (capabilities: MonitorState['capabilities']): typeof menuScreens =>
  menuScreens.filter(({ id }) => !isAbsent(screenCommandOf(id), capabilities));

const initialSort = { columnId: '', isReversed: false };

/** The screens without a tab, and what is not available, with the reasons. */
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
  useListKeys(control, { onOpen: chosen === undefined ? undefined : () => { go({ screen: chosen.id }); } });
  const isReadOnly = useStore(monitor.store, (state) => state.isReadOnly);
  const lines: Line[] = [
    ...shown.map(({ id, title, note }) => {
      const binding = keymap.bindings.find((each) => each.id === screenCommandOf(id));
      const isCursor = id === cursorId;
      return composeEnds(
        theme, width,
        [{ text: isCursor ? glyphs.cursor : safe` ` }, { text: title, role: 'title' }, { text: safe`  ${note}`, role: 'dim' }],
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
