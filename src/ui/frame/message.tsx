import type { ReactNode } from 'react';
import type { ActingState, ActionState, WatchedMonitor } from '../../actions/state.ts';
import { ageSeconds } from '../../monitor/select/freshness.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { formatBytes, formatCount, formatDuration, formatElapsed } from '../../terminal/format.ts';
import { composeEnds, type Line, type Span, spansWidth } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { widestFitting } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { Rows } from '../components/painted.tsx';
import { useTheme } from '../components/theme-context.ts';
import { useNow } from '../hooks/use-now.ts';
import { useStore, wholeState } from '../hooks/use-store.ts';
import { allBindings } from '../keys/keymap.ts';
import { errorText, resourceNames } from '../list/resource-notice.ts';

/** The first watched resource that fails: what, why, next attempt, age of the data shown. */
const failure = (theme: Theme, state: MonitorState, nowMs: number): readonly Span[] | undefined => {
  for (const watched of state.watched ?? []) {
    if (watched.kind !== 'resource') {
      continue;
    }
    const { error, nextAttemptAtMs } = state.resources[watched.name];
    if (error === undefined) {
      continue;
    }
    const age = ageSeconds(state, watched.name, nowMs);
    const again = nextAttemptAtMs === undefined ? safe`` : safe` Again in ${formatDuration(Math.max(0, nextAttemptAtMs - nowMs) / 1000)}.`;
    const shown = age === undefined ? safe`` : safe` Shown: ${formatDuration(age)} old.`;
    return [{ text: safe` ! ${resourceNames[watched.name]}: ${errorText(theme, error)}.${again}${shown}`, role: 'error' }];
  }
  return undefined;
};

/** Progress of a bulk action. */
const bulkSpans = ({ bulk }: ActionState): readonly Span[] =>
  bulk === undefined || bulk.phase === 'finished'
    ? []
    : [{ text: safe`disconnecting ${formatCount(bulk.total - bulk.waiting - bulk.running)} of ${formatCount(bulk.total)}`, role: 'warning' }, { text: safe` (B) · `, role: 'dim' }];

/** Requests and bytes of the last minute, in the longest wording that fits. */
const loadText = ({ causedLoad: { requests, answerBytes, seconds } }: MonitorState, room: number): SafeText => {
  const count = safe`${formatCount(requests)} ${requests === 1 ? safe`request` : safe`requests`}/min `;
  if (answerBytes === undefined) return count;
  const whole = safe`${formatBytes(answerBytes)} in ${formatElapsed(seconds * 1_000)} · ${count}`;
  return widestFitting([whole], room) ?? count;
};

const signInKey = trusted(allBindings.find(({ id }) => id === 'signIn')?.keys[0] ?? '');

/** How long a failover is shown. */
const takeoverShownMs = 15_000;

const takeoverNote = (theme: Theme, { takeover }: MonitorState, nowMs: number): readonly Span[] | undefined =>
  takeover === undefined || nowMs - takeover.atMs > takeoverShownMs
    ? undefined
    : [{ text: safe` ! now ${theme.escape(takeover.url)}, because ${theme.escape(takeover.insteadOf)} is gone: ${theme.escape(takeover.because)}`, role: 'warning' }];

/** Longer than a failover, which is shown first. */
const skipShownMs = 2 * takeoverShownMs;

const skipNote = (theme: Theme, { skippedAddress }: MonitorState, nowMs: number): readonly Span[] | undefined =>
  skippedAddress === undefined || nowMs - skippedAddress.atMs > skipShownMs
    ? undefined
    : [{ text: safe` ! skipped ${theme.escape(skippedAddress.url)}: ${errorText(theme, skippedAddress)}`, role: 'warning' }];

/** Columns between the message and the load. */
const minGap = 2;

/** Left: the last message, else what fails. Right: a running bulk action and the load caused by the monitor. */
export const messageLine = (theme: Theme, width: number, state: ActingState, notice: SafeText | undefined, nowMs: number): Line => {
  const left: readonly Span[] = (() => {
    if (notice !== undefined) {
      return [{ text: safe` ${notice}`, role: 'accent' }];
    }
    if (state.proxyRefusal !== undefined) {
      return [{ text: safe` ! ${theme.escape(state.proxyRefusal.brief)}; nothing is fetched meanwhile`, role: 'error' }];
    }
    if (state.isUnauthorized) {
      return [{ text: safe` ! the broker rejected the user name or password: ${signInKey} signs in; nothing is fetched meanwhile`, role: 'error' }];
    }
    return takeoverNote(theme, state, nowMs) ?? skipNote(theme, state, nowMs) ?? failure(theme, state, nowMs) ?? [];
  })();
  const bulk = bulkSpans(state);
  const taken = spansWidth([...left, ...bulk]);
  return composeEnds(theme, width, left, [...bulk, { text: loadText(state, width - taken - minGap), role: 'dim' }]);
};

export interface MessageProps {
  readonly monitor: WatchedMonitor;
  readonly notice: SafeText | undefined;
  readonly width: number;
}

/** The line above the key hints. */
export const Message = ({ monitor, notice, width }: MessageProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  return <Rows lines={[messageLine(theme, width, state, notice, nowMs)]} />;
};
