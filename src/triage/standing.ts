import type { TextPart } from '../domain/text.ts';
import { type CheckId, type CheckReading, pastReadingMs, verdictOf } from './check.ts';
import type { TriageReport } from './triage.ts';

/** What "nothing found" covers at a moment, and what it does not. */
export interface TriageSummary {
  /** Checks that this broker offers anything for. */
  readonly total: number;
  /** Judged wholly, from what is read now, and nothing found. */
  readonly fine: readonly CheckId[];
  /** What only Triage reads, and has not read yet. */
  readonly unread: readonly CheckReading['noun'][];
  /** What was fine when it was last read. */
  readonly past: readonly { readonly noun: CheckReading['noun']; readonly atMs: number }[];
  /** Why the rest could not be judged; each reason once, whichever checks it keeps from a verdict. */
  readonly doubts: readonly (readonly TextPart[])[];
}

const textOf = (parts: readonly TextPart[]): string => parts.map(({ text }) => text).join('');

/** What a report says beside its findings. */
export function summarizeTriage({ results }: TriageReport, nowMs: number): TriageSummary {
  const fine: CheckId[] = [];
  const unread: CheckReading['noun'][] = [];
  const past: { noun: CheckReading['noun']; atMs: number }[] = [];
  const doubts = new Map<string, readonly TextPart[]>();
  for (const result of results) {
    const { check, reading } = result;
    const pastMs = pastReadingMs(result, nowMs);
    if (result.isNotOffered === true) continue;
    if (reading !== undefined && reading.atMs === undefined && !reading.isWatched && verdictOf(result) === 'unjudged') unread.push(reading.noun);
    else if (verdictOf(result) !== 'fine') for (const doubt of result.doubts) doubts.set(textOf(doubt), doubt);
    else if (reading !== undefined && pastMs !== undefined) past.push({ noun: reading.noun, atMs: pastMs });
    else fine.push(check);
  }
  return { total: results.filter(({ isNotOffered }) => isNotOffered !== true).length, fine, unread, past, doubts: [...doubts.values()] };
}
