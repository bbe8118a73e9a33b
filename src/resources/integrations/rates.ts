import type { Integration, IntegrationCounters, LossReason } from '../../domain/integrations.ts';
import { lostOf } from '../../domain/integrations.ts';
import type { ByNode } from '../../domain/node.ts';

/** What a part counted per second, on a node, over the time between two readings. */
export interface IntegrationRates {
  readonly seconds: number;
  readonly matched: number | undefined;
  readonly succeeded: number | undefined;
  readonly lost: number | undefined;
  /** The reason for most of what was lost. */
  readonly mostly?: LossReason | undefined;
}

interface Sample {
  /** Monotonic time. */
  readonly atMs: number;
  readonly counters: IntegrationCounters;
}

/** Rates are averages of this time: an action with a message every few seconds fails again and again, not always. */
const windowMs = 60_000;

export const integrationKey = ({ kind, id }: Pick<Integration, 'kind' | 'id'>): string => `${kind} ${id}`;

const isFewer = (before: number | undefined, after: number | undefined): boolean =>
  before !== undefined && after !== undefined && after < before;

/** Whether counters began again in between, as when their node restarts. */
const isReset = (before: IntegrationCounters, after: IntegrationCounters): boolean =>
  isFewer(before.matched, after.matched) ||
  isFewer(before.succeeded, after.succeeded) ||
  Object.entries(before.lost).some(([reason, count]) => isFewer(count, after.lost[reason as LossReason]));

function ratesBetween(first: Sample, last: Sample): IntegrationRates {
  const seconds = (last.atMs - first.atMs) / 1_000;
  const perSecond = (before: number | undefined, after: number | undefined): number | undefined =>
    before === undefined || after === undefined ? undefined : (after - before) / seconds;
  const [most] = (Object.entries(last.counters.lost) as [LossReason, number][])
    .map(([reason, count]) => [reason, count - (first.counters.lost[reason] ?? count)] as const)
    .filter(([, count]) => count > 0)
    .toSorted(([, a], [, b]) => b - a);
  return {
    seconds,
    matched: perSecond(first.counters.matched, last.counters.matched),
    succeeded: perSecond(first.counters.succeeded, last.counters.succeeded),
    lost: perSecond(lostOf(first.counters), lostOf(last.counters)),
    mostly: most?.[0],
  };
}

export interface RateRecorder {
  /** Records a reading, and returns the rates that are known then. */
  record(parts: readonly Integration[], atMs: number): ReadonlyMap<string, ByNode<IntegrationRates>>;
  /** Allows no rate across this moment. */
  breakRates(): void;
}

/** Keeps the counters of the last minute, of each part on each node. */
export function createRateRecorder(): RateRecorder {
  let samples = new Map<string, readonly Sample[]>();
  return {
    record(parts, atMs) {
      const next = new Map<string, readonly Sample[]>();
      const rates = new Map<string, ByNode<IntegrationRates>>();
      for (const part of parts) {
        const byNode = new Map<string, IntegrationRates>();
        for (const [node, { counters }] of part.nodes) {
          if (counters === undefined) continue;
          const key = JSON.stringify([part.kind, part.id, node]);
          const before = samples.get(key) ?? [];
          const last = before.at(-1);
          const going = last === undefined || isReset(last.counters, counters) ? [] : before;
          // The first one is older than the window, so that the rate covers all of it.
          const from = going.findLastIndex((sample) => sample.atMs <= atMs - windowMs);
          const kept = [...going.slice(Math.max(0, from)), { atMs, counters }];
          next.set(key, kept);
          const [first] = kept;
          if (first !== undefined && first.atMs < atMs) byNode.set(node, ratesBetween(first, { atMs, counters }));
        }
        rates.set(integrationKey(part), byNode);
      }
      samples = next;
      return rates;
    },
    breakRates() {
      samples = new Map();
    },
  };
}
