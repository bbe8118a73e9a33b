import { useMemo, type ReactNode } from 'react';
import type { Monitor, Watched } from '../../../monitor/state.ts';
import { triageOf, triageWatches } from '../../../triage/triage.ts';
import type { TriageWatch } from '../../../triage/triage.ts';
import { selectCursorId } from '../../list/list-state.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { useListKeys, useListState, useListSync } from '../../list/use-list-state.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useStore, wholeState } from '../../hooks/use-store.ts';
import { useWatches } from '../../hooks/use-watches.ts';
import { placeKey } from '../../navigation.ts';
import { useTheme } from '../../theme-context.ts';
import { Rows } from '../../components/rows.tsx';
import type { ScreenProps } from '../../frame/screen.ts';
import { stopScan } from '../../list/stop-scan.ts';
import { triageItems, triageLines } from './lines.ts';
import { useJump } from '../use-jump.ts';
/** Watches a part of what Triage wants, all of one patience. */
const useTriageWatch = (monitor: Monitor, wanted: readonly TriageWatch[], isPart: (watched: Watched) => boolean): void => {
  const part = wanted.filter(({ watched }) => isPart(watched));
  useWatches(monitor, part.map(({ watched }) => watched), part[0]?.everySeconds);
};

const initialSort = { columnId: '', isReversed: false };

/** Ordered checks, each with its evidence, for how long, and the way to the rows behind it. */
export const TriageScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const triage = triageOf(monitor);
  const report = useMemo(() => triage.update(state, nowMs), [triage, state, nowMs]);
  const wanted = triageWatches(state, triage.sessionReadings(), report.findings.some(({ check }) => check === 'fanOut'));
  // Nodes come and go, and so does patience; what has nothing to do with either is not read anew because of that.
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'resource');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'sessionScan');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'clientScan');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'alarms');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'subscriptionScan');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'settings');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'nodePlugins');
  const items = useMemo(() => triageItems(report), [report]);
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const control = useListState(initialSort, placeKey({ screen: 'triage' }));
  const list = useListSync(control, ids, height);
  const cursorId = selectCursorId(list);
  const chosen = items.find(({ id }) => id === cursorId);
  const jump = useJump(go);
  useListKeys(control, {
    onOpen: chosen === undefined ? undefined : () => { jump(chosen.jump, nowMs); },
  });
  useKeys('scan', {
    abortScan: () => { notify(stopScan(monitor)); },
  });
  return <Rows lines={triageLines(theme, width, height, report, items, list.cursorIndex, nowMs)} />;
};
