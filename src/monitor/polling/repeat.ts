import { type ApiError, type ApiErrorKind, asApiError, HttpStatusError } from '../../api/errors.ts';
import { type Clock, sleep } from '../clock.ts';
import { retryAfterMs } from './intervals.ts';

/** A failure that goes on for so long is confirmed, even if it was not repeated. */
export const confirmAfterMs = 10_000;

const passingKinds: ReadonlySet<ApiErrorKind> = new Set([
  'unreachable',
  'timeout',
  'busy',
  'bad-answer',
  'failed',
  'node-unreachable',
]);

/** Whether the next request may well succeed, so that one failure proves nothing. */
export const mayPass = (error: ApiError): boolean =>
  passingKinds.has(error.kind) || (error instanceof HttpStatusError && error.status >= 500);

const repeatAfterMs = 1_000;

/**
 * Reads, and once more if that fails with what may pass. Not for actions. @param isRepeated further conditions @throws
 * ApiError of the second reading
 */
export async function readTwice<T>(
  read: () => Promise<T>,
  {
    clock,
    signal,
    isRepeated = mayPass,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly isRepeated?: (error: ApiError) => boolean },
): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    const error = asApiError(thrown);
    const waitMs = retryAfterMs(error) ?? repeatAfterMs;
    if (signal.aborted || waitMs >= confirmAfterMs || !mayPass(error) || !isRepeated(error)) throw error;
    await sleep(clock, waitMs, signal);
    if (signal.aborted) throw error;
    return read();
  }
}
