import { type ApiError, HttpStatusError, RateLimitedError } from '../../api/errors.ts';
import type { MonitorState, ResourceState } from '../state.ts';

/** Data older than so many intervals, plus `staleGraceSeconds`, is stale. */
export const staleIntervals = 3;
export const staleGraceSeconds = 5;

/** Metrics of nodes that are read one by one are read so often in the background. */
export const nodeMetricsSeconds = 10;
export const maxBackgroundNodes = 16;

/** How long after the start of a node its clients connect. What is read at every fifth interval is read at each one then. */
export const startingSeconds = 20;
/** How long after the start of a node its totals only show that its clients have connected. */
export const warmUpSeconds = 60;

const fifth = 5;
const maxFifthTickSeconds = 60;

export function fifthTickSeconds(intervalSeconds: number): number {
  return Math.max(intervalSeconds, Math.min(fifth * intervalSeconds, maxFifthTickSeconds));
}

export function freshForSeconds(everySeconds: number): number {
  return staleIntervals * everySeconds + staleGraceSeconds;
}

/** Whether data is late; `false` before the first answer. */
export function isOlderThanExpected(
  { updatedAtMs }: Pick<ResourceState<unknown>, 'updatedAtMs'>,
  everySeconds: number,
  nowMs: number,
): boolean {
  return updatedAtMs !== undefined && (nowMs - updatedAtMs) / 1_000 > freshForSeconds(everySeconds);
}

export function isFifthTickStale(
  resource: Pick<ResourceState<unknown>, 'updatedAtMs'>,
  { intervalSeconds }: Pick<MonitorState, 'intervalSeconds'>,
  nowMs: number,
): boolean {
  return isOlderThanExpected(resource, fifthTickSeconds(intervalSeconds), nowMs);
}

const minBackoffMs = 1_000;
const maxBackoffMs = 30_000;
const minRetryAfterSeconds = 1;
const maxRetryAfterSeconds = 300;

/** Returns a delay: full jitter between 1 s and a bound that doubles up to 30 s. @param failures in a row, from 1 */
export function backoffMs(failures: number, random: () => number): number {
  const boundMs = Math.min(maxBackoffMs, minBackoffMs * 2 ** Math.min(failures, 16));
  return minBackoffMs + random() * (boundMs - minBackoffMs);
}

/** Returns the `Retry-After` of a 429 or 503, limited to 1-300 s. */
export function retryAfterMs(error: ApiError): number | undefined {
  const seconds =
    error instanceof RateLimitedError || error instanceof HttpStatusError ? error.retryAfterSeconds : undefined;
  if (seconds === undefined || Number.isNaN(seconds)) return undefined;
  return 1_000 * Math.min(maxRetryAfterSeconds, Math.max(minRetryAfterSeconds, seconds));
}
