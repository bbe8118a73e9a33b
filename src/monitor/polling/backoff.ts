import { ApiError, BadAnswerError, HttpStatusError, RateLimitedError } from '../../api/errors.ts';

const minBackoffMs = 1_000;
const maxBackoffMs = 30_000;
const minRetryAfterSeconds = 1;
const maxRetryAfterSeconds = 300;

/**
 * How long to wait after the `failures`-th failure in a row (from 1): between 1 s and a bound that
 * doubles up to 30 s, spread over all of that range so that several monitors do not come back in step.
 */
export function backoffMs(failures: number, random: () => number): number {
  const boundMs = Math.min(maxBackoffMs, minBackoffMs * 2 ** Math.min(failures, 16));
  return minBackoffMs + random() * (boundMs - minBackoffMs);
}

/** What a 429 or 503 asks for, within 1 to 300 s; `undefined` for other errors and when it asks for nothing. */
export function retryAfterMs(error: ApiError): number | undefined {
  const seconds = error instanceof RateLimitedError || error instanceof HttpStatusError ? error.retryAfterSeconds : undefined;
  if (seconds === undefined || Number.isNaN(seconds)) return undefined;
  return 1_000 * Math.min(maxRetryAfterSeconds, Math.max(minRetryAfterSeconds, seconds));
}

/** Everything thrown as an `ApiError`: what is not one is a fault in handling the answer. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  return new BadAnswerError(`it could not be handled: ${what}`, { cause: thrown });
}
