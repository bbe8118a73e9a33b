import { type ApiError, isAbsent, isForbidden } from '../../api/errors.ts';
import { unusableText } from '../../monitor/scan/missing-rows.ts';
import type { ResourceState } from '../../monitor/state.ts';
import { formatAge, formatDuration } from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { EmptyMessage } from '../components/table.tsx';
import { listTexts } from './texts.ts';
import type { FetchContext } from '../hooks/use-store.ts';

/** Says when a request is retried: `retry in 3 s`. */
export const retryText = (
  nextAttemptAtMs: number | undefined,
  isFetching: boolean,
  { nowMs, isFrozen, isUnauthorized }: FetchContext,
): SafeText => {
  if (isUnauthorized) {
    return listTexts.noRetry;
  }
  if (isFrozen) {
    return listTexts.noRetryFrozen;
  }
  if (isFetching || nextAttemptAtMs === undefined || nextAttemptAtMs <= nowMs) {
    return listTexts.retrying;
  }
  return listTexts.retryIn(formatDuration(Math.ceil((nextAttemptAtMs - nowMs) / 1000)));
};

export interface Failure {
  readonly message: string;
  readonly brief: string;
}

/** Writes an error in a few words; the log has the whole sentence. */
export const errorText = (theme: Theme, { brief }: Failure): SafeText => listTexts.inLog(theme.escape(brief));

/** Writes the whole sentence of an error; it may quote a broker or the system. */
export const wholeError = (theme: Theme, { message }: Failure): SafeText => theme.escape(message);

/** Writes a possible cause, appended to a message; may be empty. */
export const hintText = (theme: Theme, error: { readonly hint: string | undefined } | undefined): SafeText =>
  error?.hint === undefined ? safe`` : safe` ${theme.escape(error.hint)}`;

/** Stands in place of rows that the broker lacks, or the login may not read. */
export const absentMessage = (theme: Theme, error: ApiError, what: SafeText): EmptyMessage => ({
  text: safe` ${isForbidden(error) ? listTexts.forbidden(what) : wholeError(theme, error)}`,
  role: 'dim',
  isUnread: true,
});

/** Stands in place of rows while there is no data: loading, or failed and when it is retried. */
export const missingMessage = (
  theme: Theme,
  state: ResourceState<unknown>,
  what: SafeText,
  fetchContext: FetchContext,
): EmptyMessage => {
  if (state.error !== undefined && isAbsent(state.error)) return absentMessage(theme, state.error, what);
  if (state.error !== undefined) {
    return {
      text: safe` ${listTexts.failed(what, retryText(state.nextAttemptAtMs, state.isFetching, fetchContext), wholeError(theme, state.error))}`,
      role: 'error',
      isUnread: true,
    };
  }
  return idleMessage(fetchContext) ?? { text: safe` ${listTexts.loading(what)}`, role: 'dim', isUnread: true };
};

/** Stands in place of rows when nothing is being read; `undefined` when something is. */
export const idleMessage = ({ isFrozen, isUnauthorized, isPast }: FetchContext): EmptyMessage | undefined => {
  if (isPast === true) return { text: safe` ${listTexts.notRecorded}`, role: 'dim', isUnread: true };
  if (isUnauthorized) {
    return { text: safe` ${listTexts.loginRejected}`, role: 'error', isUnread: true };
  }
  return isFrozen ? { text: safe` ${listTexts.frozen}`, role: 'dim', isUnread: true } : undefined;
};

/** From this age on, a list of the past says how old it was: a recording reads most lists each minute. */
const minPastSeconds = 5;

/** Says what is wrong with the data shown: a failed refresh, its age, or rows that were not understood. */
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
  const seconds = (fetchContext.nowMs - state.updatedAtMs) / 1_000;
  const isOld = isStale || (fetchContext.isPast === true && seconds >= minPastSeconds);
  if (state.error === undefined && !isOld) {
    return state.unusable === undefined
      ? undefined
      : { text: listTexts.unusable(what, theme.escape(unusableText(state.unusable))), role: 'warning' };
  }
  const age = formatAge(seconds);
  if (state.error === undefined) {
    return {
      text: fetchContext.isFrozen ? listTexts.staleFrozen(what, age) : listTexts.stale(what, age),
      role: isStale ? 'warning' : 'dim',
    };
  }
  return {
    text: listTexts.staleFailed(
      what,
      age,
      retryText(state.nextAttemptAtMs, state.isFetching, fetchContext),
      errorText(theme, state.error),
    ),
    role: isStale ? 'error' : 'warning',
  };
};
