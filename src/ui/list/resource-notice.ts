import { unusableText } from '../../monitor/scan/left-out.ts';
import type { MonitorState, ResourceName, ResourceState } from '../../monitor/state.ts';
import { formatAge, formatDuration } from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { EmptyMessage } from '../components/table-lines.ts';

/** What decides when a failed request is made again. */
export interface FetchContext {
  readonly nowMs: number;
  readonly isFrozen: boolean;
  readonly isUnauthorized: boolean;
}

/** When a request is retried: `tried again in 3 s`. */
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

/** The part of an error that is shown. */
export interface Failure {
  readonly message: string;
  readonly brief: string;
}

/** An error in a few words; the log has the whole sentence. */
export const errorText = (theme: Theme, { brief }: Failure): SafeText => safe`${theme.escape(brief)} (L: log)`;

/** The whole sentence of an error; it may quote a broker or the system. */
export const wholeError = (theme: Theme, { message }: Failure): SafeText => theme.escape(message);

/** A possible cause, appended to a message; may be empty. */
export const hintText = (theme: Theme, error: { readonly hint: string | undefined } | undefined): SafeText =>
  (error?.hint === undefined ? safe`` : safe` ${theme.escape(error.hint)}`);

/** Shown instead of rows while there is no data: loading, or failed and when it is retried. */
export const missingMessage = (theme: Theme, state: ResourceState<unknown>, what: SafeText, fetchContext: FetchContext): EmptyMessage => {
  if (state.error !== undefined) {
    return { text: safe` ! ${what}: not read, ${retryText(state.nextAttemptAtMs, state.isFetching, fetchContext)}. ${wholeError(theme, state.error)}`, role: 'error', isUnread: true };
  }
  return idleMessage(fetchContext) ?? { text: safe` ··· reading ${what}`, role: 'dim', isUnread: true };
};

/** Shown instead of rows when nothing is being read; `undefined` when something is. */
export const idleMessage = ({ isFrozen, isUnauthorized }: FetchContext): EmptyMessage | undefined => {
  if (isUnauthorized) {
    return { text: safe` Not read: the login was rejected.`, role: 'error', isUnread: true };
  }
  return isFrozen ? { text: safe` Not read: frozen. p goes on.`, role: 'dim', isUnread: true } : undefined;
};

/** What is wrong with the data shown: a failed refresh, its age, or rows that were not understood. */
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

/** Names of the resources for operators. */
export const resourceNames: Readonly<Record<ResourceName, SafeText>> = {
  nodes: safe`node list`,
  nodeStats: safe`node statistics`,
  listeners: safe`listeners`,
  metrics: safe`metrics`,
  stats: safe`statistics`,
};

/** Shown instead of figures: loading, failed, or an empty answer. */
export const readingMessage = (theme: Theme, state: MonitorState, name: ResourceName, nowMs: number): Span => {
  const resource = state.resources[name];
  return resource.data === undefined
    ? missingMessage(theme, resource, resourceNames[name], { nowMs, isFrozen: state.isFrozen, isUnauthorized: state.isUnauthorized })
    : { text: safe` the broker lists none`, role: 'dim' };
};
