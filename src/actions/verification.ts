import { sleep } from '../monitor/clock.ts';
import type { Clock } from '../monitor/clock.ts';
import { toApiError } from '../monitor/polling/backoff.ts';
import type { Answer, Finding, Plan, Read } from './action.ts';

/** Longest that reading goes on for an effect that does not show. */
export const verificationMs = 5_000;
/** Pauses between readings: an effect usually shows at once, or takes as long as a cluster needs to hear of it. */
const pausesMs = [250, 500, 1_000, 2_000] as const;

export interface VerificationOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A reading that ends with the given signal. */
  readonly readWith: (signal: AbortSignal) => Read;
}

/** Settles with `work`, or rejects with the signal's reason as soon as that ends: a port may ignore signals. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => { reject(signal.reason); };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => { signal.removeEventListener('abort', end); });
  });
}

/**
 * Reads until everything is as wanted, at most five times and not longer than 5 s. The answer is
 * what the last finished reading found.
 */
export async function verify(verifyPlan: NonNullable<Plan['verify']>, answers: readonly Answer[], options: VerificationOptions): Promise<readonly Finding[]> {
  const { clock, signal } = options;
  const budget = new AbortController();
  const cancelBudget = clock.setTimer(verificationMs, () => { budget.abort(); });
  const both = AbortSignal.any([signal, budget.signal]);
  let findings: readonly Finding[] = [];
  try {
    for (const pauseMs of [0, ...pausesMs]) {
      if (pauseMs > 0) await sleep(clock, pauseMs, both);
      if (both.aborted) break;
      const next = await readOnce(verifyPlan, answers, options.readWith(both), both);
      // Cut short by us: what was found before stands.
      if (both.aborted && findings.length > 0) break;
      findings = next;
      if (findings.length > 0 && findings.every(({ state }) => state === 'as-wanted')) break;
    }
  } finally {
    cancelBudget();
  }
  return findings;
}

async function readOnce(verifyPlan: NonNullable<Plan['verify']>, answers: readonly Answer[], read: Read, signal: AbortSignal): Promise<readonly Finding[]> {
  try {
    return await untilAborted(verifyPlan(read, answers), signal);
  } catch (thrown) {
    return [{ node: undefined, state: 'unreadable', error: signal.aborted ? undefined : toApiError(thrown) }];
  }
}
