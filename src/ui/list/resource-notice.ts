import { unusableText } from '../../monitor/scan/left-out.ts';
import type { MonitorState, ResourceName, ResourceState } from '../../monitor/state.ts';
import { formatAge, formatDuration } from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { EmptyMessage } from '../components/table-lines.ts';

/** How the program stands, as far as it bears on when something is tried again. */
export interface FetchContext {
  readonly nowMs: number;
  readonly isFrozen: boolean;
  readonly isUnauthorized: boolean;
}

/** When a failed request is made again: `tried again in 3 s`. */
export const retryText = (nextAttemptAtMs: number | undefined, isFetching: boolean, { nowMs, isFrozen, isUnauthorized }: FetchContext): SafeText => {
  if (isUnauthorized) {
    return safe`not tried again`;
  }
  if (isFrozen) {
    return safe`not tried again while frozen`;
  }
  if (isFetching || nextAttemptAtMs === undefined) {
    return safe`being tried again`;
  }
  return safe`tried again in ${formatDuration(Math.max(0, Math.ceil((nextAttemptAtMs - nowMs) / 1000)))}`;
};

/** What of an error is shown. */
export interface Failure {
  readonly message: string;
  readonly brief: string;
}

/** An error in a few words, for one line of a screen: the log has the whole sentence. */
export const errorText = (theme: Theme, { brief }: Failure): SafeText => safe`${theme.escape(brief)} (L: log)`;

/** The sentence of an error, where there is room for it. It may quote a broker or the system. */
export const wholeError = (theme: Theme, { message }: Failure): SafeText => theme.escape(message);

/** What else an error may come from, to end a message; empty where it says nothing. */
export const hintText = (theme: Theme, error: { readonly hint: string | undefined } | undefined): SafeText =>
  (error?.hint === undefined ? safe`` : safe` ${theme.escape(error.hint)}`);

/** Stands where rows would be while there is no data: still loading, or failed and when it is tried again. */
export const missingMessage = (theme: Theme, state: ResourceState<unknown>, what: SafeText, fetchContext: FetchContext): EmptyMessage => {
  if (state.error !== undefined) {
    return { text: safe` ! ${what}: not read, ${retryText(state.nextAttemptAtMs, state.isFetching, fetchContext)}. ${wholeError(theme, state.error)}`, role: 'error', isUnread: true };
  }
  return idleMessage(fetchContext) ?? { text: safe` ··· reading ${what}`, role: 'dim', isUnread: true };
};

/** Stands where rows would be when nothing is being read at all; `undefined` when something is. */
export const idleMessage = ({ isFrozen, isUnauthorized }: FetchContext): EmptyMessage | undefined => {
  if (isUnauthorized) {
    return { text: safe` Not read: the login was rejected.`, role: 'error', isUnread: true };
  }
  return isFrozen ? { text: safe` Not read: frozen. p goes on.`, role: 'dim', isUnread: true } : undefined;
};

/** What is wrong with data that is shown: it failed to be read again, is old, or lacks rows that were not understood. */
export const dataProblem = (
  theme: Theme,
  state: ResourceState<unknown>,
  what: SafeText,
  isStale: boolean,
  fetchContext: FetchContext,
): Span | undefined => {
  if (state.data === undefined || state.updatedAtMs === undefined) {
    return undefined;
  }
  if (state.error === undefined && !isStale) {
    return state.unusable === undefined ? undefined : { text: safe`! ${what}: ${theme.escape(unusableText(state.unusable))} and left out (L: log)`, role: 'warning' };
  }
  const age = formatAge((fetchContext.nowMs - state.updatedAtMs) / 1000);
  if (state.error === undefined) {
    return { text: safe`${what}: as read ${age}${fetchContext.isFrozen ? safe`, frozen` : safe``}`, role: 'warning' };
  }
  return {
    text: safe`! ${what}: as read ${age}, ${retryText(state.nextAttemptAtMs, state.isFetching, fetchContext)}: ${errorText(theme, state.error)}`,
    role: isStale ? 'error' : 'warning',
  };
};

/** What an operator calls each resource. */
export const resourceNames: Readonly<Record<ResourceName, SafeText>> = {
  nodes: safe`node list`,
  nodeStats: safe`node statistics`,
  listeners: safe`listeners`,
  metrics: safe`metrics`,
  stats: safe`statistics`,
};

/** What stands in place of figures that are not there: asked for, failed (why, and when again), or an empty answer. */
export const readingMessage = (theme: Theme, state: MonitorState, name: ResourceName, nowMs: number): Span => {
  const resource = state.resources[name];
  return resource.data === undefined
    ? missingMessage(theme, resource, resourceNames[name], { nowMs, isFrozen: state.isFrozen, isUnauthorized: state.isUnauthorized })
    : { text: safe` the broker lists none`, role: 'dim' };
};
