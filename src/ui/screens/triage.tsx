import { useMemo, type ReactNode } from 'react';
import type { MonitorState } from '../../store/state.ts';
import { triageOf, triageWatches } from '../../store/triage/triage.ts';
import { useListMemory } from '../hooks/list-memory.ts';
import { createListState, selectCursorId } from '../hooks/list-state.ts';
import { useKeys } from '../hooks/use-keys.ts';
import { useListKeys, useListState, useListSync } from '../hooks/use-list-state.ts';
import { useNow } from '../hooks/use-now.ts';
import { useStore } from '../hooks/use-store.ts';
import { useWatches } from '../hooks/use-watches.ts';
import { placeKey } from '../navigation.ts';
import { safe } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { Rows } from '../widgets/rows.tsx';
import type { ScreenProps } from './screen.ts';
import { placeOf, triageItems, triageLines } from './triage-lines.ts';

const wholeState = (state: MonitorState): MonitorState => state;
const initialSort = { columnId: '', isReversed: false };

/** Ordered checks, each with its evidence, for how long, and the way to the rows behind it. */
export const TriageScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const watched = triageWatches(state);
  // Nodes come and go; what has nothing to do with them is not read anew because of that.
  useWatches(monitor, watched.filter(({ kind }) => kind === 'resource' || kind.endsWith('Scan')));
  useWatches(monitor, watched.filter(({ kind }) => kind === 'settings'));
  useWatches(monitor, watched.filter(({ kind }) => kind === 'nodePlugins'));
  const report = useMemo(() => triageOf(monitor).update(state, nowMs), [monitor, state, nowMs]);
  const items = useMemo(() => triageItems(report), [report]);
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const control = useListState(initialSort, placeKey({ screen: 'triage' }));
  const list = useListSync(control, ids, height);
  const cursorId = selectCursorId(list);
  const chosen = items.find(({ id }) => id === cursorId);
  const memory = useListMemory();
  useListKeys(control, {
    onOpen: chosen === undefined ? undefined : () => {
      const place = placeOf(chosen.jump, nowMs);
      const { sort, row } = chosen.jump;
      if (sort !== undefined) memory?.set(placeKey(place), createListState(sort, row));
      go(place);
    },
  });
  useKeys('scan', {
    abortScan: () => { notify(monitor.abortScan() ? safe`the scan is stopped; the rows stay` : safe`no scan is running`); },
  });
  return <Rows lines={triageLines(theme, width, height, report, items, list.cursorIndex, nowMs)} />;
};
