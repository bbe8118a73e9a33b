import { useMemo, useRef, type ReactNode } from 'react';
import { selectGroupedProblems } from '../../store/select-grouped-problems.ts';
import { polledFindings, triageOf } from '../../store/triage/triage.ts';
import type { MonitorState } from '../../store/state.ts';
import { useNow } from '../hooks/use-now.ts';
import { useWatch } from '../hooks/use-resource.ts';
import { useStore } from '../hooks/use-store.ts';
import { useTheme } from '../theme-context.ts';
import { Rows } from '../widgets/rows.tsx';
import { overviewLines } from './overview-lines.ts';
import type { ScreenProps } from './screen.ts';

const wholeState = (state: MonitorState): MonitorState => state;

/**
 * Remembers since when each key has been there without a break, as far as this screen has looked: a
 * least duration for what nobody knows the beginning of.
 */
const useFirstSeen = (keys: readonly string[], nowMs: number): ((key: string) => number | undefined) => {
  const seen = useRef<ReadonlyMap<string, number>>(new Map());
  return useMemo(() => {
    seen.current = new Map(keys.map((key) => [key, seen.current.get(key) ?? nowMs]));
    const now = seen.current;
    return (key: string) => now.get(key);
    // oxlint-disable-next-line react/exhaustive-deps -- the moment counts when the keys change, not with every tick
  }, [keys]);
};

/** What is wrong, the health of each node, totals and rates. */
export const OverviewScreen = ({ monitor, width, height }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  useWatch(monitor, { kind: 'resource', name: 'nodes' });
  useWatch(monitor, { kind: 'resource', name: 'nodeStats' });
  useWatch(monitor, { kind: 'resource', name: 'stats' });
  useWatch(monitor, { kind: 'resource', name: 'metrics' });
  useWatch(monitor, { kind: 'resource', name: 'listeners' });
  const problems = selectGroupedProblems(state);
  const report = useMemo(() => triageOf(monitor).update(state, nowMs), [monitor, state, nowMs]);
  const findings = useMemo(() => polledFindings(report), [report]);
  const keys = useMemo(() => [...problems, ...findings].map(({ key }) => key), [problems, findings]);
  const firstSeenMs = useFirstSeen(keys, nowMs);
  return <Rows lines={overviewLines(theme, width, height, state, nowMs, firstSeenMs, findings)} />;
};
