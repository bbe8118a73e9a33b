import { ApiError } from '../api/errors.ts';
import { type Clock, sleep } from '../monitor/clock.ts';
import type { FollowUp, Read, ReadFollowUp } from './action.ts';
import { followUpTexts } from './texts.ts';
import { untilAborted } from './verification.ts';

/** Pauses between readings: most clients reconnect at once or within some seconds. */
const pausesMs = [0, 250, 750, 1_000, 1_500, 1_500] as const;
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
export const followUpMs = sum(pausesMs);
/** Pauses while the outcome is on the screen: others come back after a minute. */
const slowPauseMs = 5_000;
export const watchMs = 120_000;
const slowPausesMs: readonly number[] = Array.from({ length: (watchMs - followUpMs) / slowPauseMs }, () => slowPauseMs);
/** A slow broker gets so much longer to answer. */
const graceMs = 2_000;

export interface FollowUpOptions {
  readonly clock: Clock;
  /** Ends the reading early, with what is known. */
  readonly signal: AbortSignal;
  /** Aborted when the outcome is closed; reading then ends after 5 s. */
  readonly untilClosed?: AbortSignal | undefined;
  /** The time when the request was sent, on the monotonic clock. */
  readonly sentAtMs: number;
  readonly readWith: (signal: AbortSignal) => Read;
  readonly onReading: (text: string) => void;
}

/** Reads what an action led to, max six times in 5 s, then every 5 s until it is closed, for max 2 minutes. Returns the last text; `undefined` when there is nothing to say. */
export async function follow(
  readFollowUp: ReadFollowUp,
  { clock, signal, untilClosed, sentAtMs, readWith, onReading }: FollowUpOptions,
): Promise<string | undefined> {
  const elapsedMs = (): number => clock.monotonicMs() - sentAtMs;
  let last: FollowUp | undefined;
  let isUnread = false;
  const textNow = (): string | undefined =>
    isUnread ? (last === undefined ? followUpTexts.unread : followUpTexts.unreadSince(last.text)) : last?.text;

  /** Whether reading on could tell more. */
  async function readAfter(pauses: readonly number[], isSlow: boolean, ending: AbortSignal): Promise<boolean> {
    const deadline = new AbortController();
    const cancelDeadline = clock.setTimer(sum(pauses) + graceMs, () => {
      deadline.abort();
    });
    const any = AbortSignal.any([ending, deadline.signal]);
    try {
      for (const pauseMs of pauses) {
        if (pauseMs > 0) await sleep(clock, pauseMs, any);
        if (any.aborted) break;
        try {
          const next = await untilAborted(readFollowUp(readWith(any), elapsedMs), any);
          last = next;
          isUnread = false;
          if (next === undefined) return false;
          onReading(next.text);
          if (next.isFinal) return false;
        } catch (thrown) {
          if (ending.aborted && last !== undefined) break;
          if (!any.aborted && !(thrown instanceof ApiError)) throw thrown;
          isUnread = isSlow || last === undefined;
          if (isSlow) onReading(textNow() ?? followUpTexts.unread);
        }
      }
    } finally {
      cancelDeadline();
    }
    return !ending.aborted;
  }

  const mayChange = await readAfter(pausesMs, false, signal);
  if (mayChange && untilClosed !== undefined && !untilClosed.aborted)
    await readAfter(slowPausesMs, true, AbortSignal.any([signal, untilClosed]));
  return textNow();
}
