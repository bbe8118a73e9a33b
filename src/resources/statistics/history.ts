import { type StatName, statNames } from '../../domain/metrics.ts';

/** Totals of the cluster at one time; `undefined` where one is unknown or lacks a node. */
export interface TotalsSample {
  /** Monotonic time. */
  readonly atMs: number;
  readonly values: Readonly<Partial<Record<StatName, number>>>;
  /** The broker has just started: every client that connects would count as a change. */
  readonly isWarmingUp?: true | undefined;
}

const windowMs = 5 * 60_000;
const stepMs = 5_000;

/** Appends a sample of at most every five seconds, and keeps those of the last five minutes: 61. */
export function appendTotals(samples: readonly TotalsSample[], sample: TotalsSample): readonly TotalsSample[] {
  const last = samples.at(-1);
  if (last !== undefined && sample.atMs - last.atMs < stepMs) return samples;
  return [...samples.filter(({ atMs }) => atMs >= sample.atMs - windowMs), sample];
}

export interface TotalsChange {
  /** The age of the first sample; `undefined` without two samples. */
  readonly seconds: number | undefined;
  /** Returns the change since the first sample; `undefined` where either is unknown. */
  readonly of: (name: StatName, now: number | undefined) => number | undefined;
}

/**
 * Returns the change of totals over the samples since the broker's start: the last five minutes, or less while they are
 * younger.
 */
export function totalsChange(samples: readonly TotalsSample[]): TotalsChange {
  const first = samples.find(({ isWarmingUp }) => isWarmingUp !== true);
  const last = samples.at(-1);
  if (first === undefined || last === undefined || first === last) return { seconds: undefined, of: () => undefined };
  return {
    seconds: (last.atMs - first.atMs) / 1_000,
    of: (name, now) => {
      const before = first.values[name];
      return before === undefined || now === undefined ? undefined : now - before;
    },
  };
}

/** Returns the known totals, without those that are lower bounds. */
export const knownTotals = (
  totals: Readonly<Record<StatName, { readonly value: number | undefined; readonly missingNodes: readonly unknown[] }>>,
): TotalsSample['values'] =>
  Object.fromEntries(
    statNames.flatMap((name) => {
      const { value, missingNodes } = totals[name];
      return value === undefined || missingNodes.length > 0 ? [] : [[name, value] as const];
    }),
  );
