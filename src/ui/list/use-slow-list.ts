import { isSlowDataStale } from '../../monitor/polling/intervals.ts';
import type { Monitor, ResourceState } from '../../monitor/state.ts';
import { useNow } from '../hooks/use-now.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { useFetchMood } from '../screens/broker-clocks.ts';
import type { ListScreenProps } from './list-screen.tsx';
import { dataProblem, missingMessage } from './resource-notice.ts';

/** What a list screen shows of the way its rows were read. */
export type ReadView = Pick<ListScreenProps<never, never>, 'message' | 'problem' | 'isStale'>;

/** The same for a list that one request reads as a whole, seldom. `plural`: what its rows are, for `reading the users`; `empty`: said when there are none. */
export const useSlowList = (monitor: Monitor, state: ResourceState<readonly unknown[]>, plural: SafeText, empty: SafeText): ReadView & { readonly generation: unknown } => {
  const theme = useTheme();
  const nowMs = useNow(1000);
  const mood = useFetchMood(monitor, nowMs);
  const isStale = isSlowDataStale(state, monitor.store.getState(), nowMs);
  const { data } = state;
  return {
    generation: state.updatedAtMs,
    message: data === undefined ? missingMessage(theme, state, safe`the ${plural}`, mood) : { text: empty },
    problem: data === undefined || data.length === 0 ? undefined : dataProblem(theme, state, plural, isStale, mood),
    isStale,
  };
};
