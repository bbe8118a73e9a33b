import { useMemo, type ReactNode } from 'react';
import { triageOf } from '../../../triage/triage.ts';
import { selectCursorId } from '../../list/list-state.ts';
import { useListKeys, useListState, useListSync } from '../../list/use-list-state.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useWatch } from '../../hooks/use-resource.ts';
import { useStore, wholeState } from '../../hooks/use-store.ts';
import { useTheme } from '../../theme-context.ts';
import { Rows } from '../../components/rows.tsx';
import { overviewLines } from './lines.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useJump } from '../use-jump.ts';

const initialSort = { columnId: '', isReversed: false };

/** What is wrong, the health of each node, totals and rates. */
export const OverviewScreen = ({ monitor, width, height, go }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  useWatch(monitor, { kind: 'resource', name: 'nodes' });
  useWatch(monitor, { kind: 'resource', name: 'nodeStats' });
  useWatch(monitor, { kind: 'resource', name: 'stats' });
  useWatch(monitor, { kind: 'resource', name: 'metrics' });
  useWatch(monitor, { kind: 'resource', name: 'listeners' });
  const report = useMemo(() => triageOf(monitor).update(state, nowMs), [monitor, state, nowMs]);
  const { findings } = report;
  const ids = useMemo(() => findings.map(({ key }) => key), [findings]);
  const control = useListState(initialSort);
  const list = useListSync(control, ids, Math.max(1, height));
  const cursorKey = selectCursorId(list);
  const chosen = findings.find(({ key }) => key === cursorKey);
  const jump = useJump(go);
  useListKeys(control, { onOpen: chosen === undefined ? undefined : () => { jump(chosen.jump, nowMs); } });
  return <Rows lines={overviewLines(theme, width, height, state, nowMs, report, cursorKey)} />;
};
