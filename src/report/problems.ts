import { reading } from '../monitor/query/part.ts';
import type { RecordedSample, SampleTime } from '../recording/recording.ts';
import type { TimelineEvent } from '../domain/event.ts';
import { magnitudeOf } from '../checks/words.ts';
import { beginMs, type Finding } from '../triage/problem.ts';
import type { Severity } from '../triage/thresholds.ts';
import { triageView } from '../triage/view.ts';
import type { LossCounter } from './losses.ts';

/** A problem in a range of time, from its beginning to its end. Times are times of day. */
export interface ReportedProblem {
  readonly key: string;
  /** The worst. */
  readonly severity: Severity;
  /** As it was recorded at its worst; `undefined` if it lasted for too short a time to be in a sample. */
  readonly worst: RecordedFinding | undefined;
  /** As it was recorded last. */
  readonly latest: RecordedFinding | undefined;
  /** What the timeline says of it, oldest first. */
  readonly events: readonly TimelineEvent[];
  readonly beganMs: number | undefined;
  /** It began at this time or before. */
  readonly isBeginUnknown: boolean;
  readonly end: ProblemEnd;
  /** Messages that it is known to have cost. */
  readonly lost: { readonly count: number; readonly isMin: boolean } | undefined;
  /** Clients that it is about. */
  readonly clientIds: readonly string[];
  readonly node: string | undefined;
  /** Problems that it caused. */
  readonly parts: readonly ReportedProblem[];
}

export interface RecordedFinding {
  readonly atMs: number;
  readonly finding: Finding;
}

/** `moment`: an event, which has no end. */
export type ProblemEnd =
  | { readonly kind: 'moment' | 'open' }
  | { readonly kind: 'ended'; readonly atMs: number }
  /** It ended between two samples. */
  | { readonly kind: 'between'; readonly fromMs: number; readonly toMs: number }
  /** Nothing shows whether it goes on since then. */
  | { readonly kind: 'unknown'; readonly sinceMs: number };

interface Occurrence {
  readonly key: string;
  readonly events: TimelineEvent[];
  worst: RecordedFinding | undefined;
  latest: RecordedFinding | undefined;
  /** The first sample without it. */
  goneMs: number | undefined;
  /** The problem that caused it when that was last known. */
  partOf: string | undefined;
  lostBefore: number | undefined;
  lostAfter: number | undefined;
}

/** Collects problems from samples, in their order. */
export interface ProblemHistory {
  add(sample: RecordedSample, losses: LossCounter): void;
  end(): readonly ReportedProblem[];
}

/** A problem is shown as open for this long after its end, in case that it comes back. */
const settleMs = 60_000;

const severityRank = { critical: 2, warning: 1 } as const;

const isWorse = (next: Finding, before: Finding): boolean => {
  const change = severityRank[next.severity] - severityRank[before.severity];
  return change > 0 || (change === 0 && (magnitudeOf(next) ?? 0) > (magnitudeOf(before) ?? 0));
};

const endedOf = ({ events }: Occurrence): TimelineEvent | undefined => {
  const last = events.findLast(({ kind }) => kind === 'ended' || kind === 'began');
  return last?.kind === 'ended' ? last : undefined;
};

/** @param events of the range, by time */
export function createProblemHistory(events: readonly TimelineEvent[]): ProblemHistory {
  const occurrences: Occurrence[] = [];
  const byKey = new Map<string, Occurrence[]>();
  let lastMs = 0;

  function begin(key: string): Occurrence {
    const occurrence: Occurrence = {
      key,
      events: [],
      worst: undefined,
      latest: undefined,
      goneMs: undefined,
      partOf: undefined,
      lostBefore: undefined,
      lostAfter: undefined,
    };
    occurrences.push(occurrence);
    byKey.set(key, [...(byKey.get(key) ?? []), occurrence]);
    return occurrence;
  }

  for (const event of events) {
    if (event.problem === undefined) continue;
    const current = byKey.get(event.problem)?.at(-1);
    const isBegin = event.kind === 'began' || event.replaces !== undefined;
    const isNew = current === undefined || (isBegin && endedOf(current) !== undefined);
    for (const key of event.replaces ?? []) {
      const replaced = byKey.get(key)?.at(-1);
      if (replaced !== undefined) replaced.partOf = event.problem;
    }
    (isNew ? begin(event.problem) : current).events.push(event);
  }

  /** Finds what a problem of a sample is a part of: it began before, and had not ended. */
  function occurrenceAt(key: string, atMs: number): Occurrence {
    const found = byKey.get(key)?.findLast((each) => {
      const began = each.events[0]?.kind === 'began' ? each.events[0].atMs : Number.NEGATIVE_INFINITY;
      return began <= atMs;
    });
    if (found === undefined) return begin(key);
    const endMs = endedOf(found)?.atMs ?? found.goneMs;
    return endMs === undefined || atMs <= endMs + settleMs ? found : begin(key);
  }

  return {
    add({ at, state }, losses) {
      const { open, report } = reading(state, triageView);
      const shown = new Map(report.problems.map((finding) => [finding.key, finding]));
      // A part of another problem is not shown by itself, and neither is one that is about to end.
      const parts = [...open].filter(
        ([, { partOf }]) => partOf !== undefined && (open.has(partOf) || shown.has(partOf)),
      );
      const current = new Map([...parts, ...shown]);
      for (const finding of current.values()) {
        const occurrence = occurrenceAt(finding.key, at.wallMs);
        if (finding.partOf !== undefined && current.has(finding.partOf)) occurrence.partOf = finding.partOf;
        const recorded = { atMs: at.wallMs, finding: withWallTimes(finding, at) };
        const clientId = finding.jump.clientId;
        const lost = clientId === undefined ? undefined : losses.of(clientId);
        if (occurrence.latest === undefined) occurrence.lostBefore = lost;
        occurrence.lostAfter = lost;
        occurrence.latest = recorded;
        occurrence.goneMs = undefined;
        if (occurrence.worst === undefined || isWorse(finding, occurrence.worst.finding)) occurrence.worst = recorded;
      }
      for (const each of occurrences)
        if (each.latest !== undefined && !current.has(each.key)) each.goneMs ??= at.wallMs;
      lastMs = at.wallMs;
    },
    end: () => withParts(occurrences.map((each) => [each, reported(each, lastMs)])),
  };
}

/** Returns the time of day of a steady time of a sample. */
const wallOf = ({ wallMs, steadyMs }: SampleTime, atMs: number): number => wallMs + (atMs - steadyMs);

/** Tells problems that others caused with those. By severity, then by their beginning. */
function withParts(all: readonly (readonly [Occurrence, ReportedProblem])[]): readonly ReportedProblem[] {
  const parts = Map.groupBy(
    all.filter(([{ partOf }]) => all.some(([{ key }]) => key === partOf)),
    ([{ partOf }]) => partOf,
  );
  const told = new Set([...parts.values()].flat());
  const named = new Set<string>();
  return all
    .filter((each) => !told.has(each))
    .map(([{ key }, problem]) => {
      // Of two times that it was there, the first has them.
      const own = named.has(key) ? [] : (parts.get(key) ?? []);
      named.add(key);
      return { ...problem, parts: own.map(([, part]) => part) };
    })
    .toSorted(
      (a, b) =>
        severityRank[b.severity] - severityRank[a.severity] ||
        (a.beganMs ?? 0) - (b.beganMs ?? 0) ||
        a.key.localeCompare(b.key),
    );
}

const wallTimes = ['sinceMs', 'atMs', 'foundMs', 'happenedMs', 'seenMs'] as const satisfies readonly (keyof Finding)[];

/** Times of a finding are those of the process that saw it. */
function withWallTimes(finding: Finding, at: RecordedSample['at']): Finding {
  const times = wallTimes.flatMap((name) => {
    const value = finding[name];
    return value === undefined ? [] : [[name, wallOf(at, value)] as const];
  });
  return { ...finding, ...Object.fromEntries(times) };
}

function reported(occurrence: Occurrence, lastMs: number): ReportedProblem {
  const { key, events, worst, latest } = occurrence;
  const began = events.find(({ kind }) => kind === 'began');
  const beganMs = began?.sinceMs ?? began?.atMs ?? (latest === undefined ? undefined : beginMs(latest.finding));
  const ended = endedOf(occurrence);
  const severities = new Set([worst?.finding.severity, ...events.map(({ severity }) => severity)]);
  const lost = ended?.lost ?? events.findLast((event) => event.lost !== undefined)?.lost;
  const counted =
    occurrence.lostBefore === undefined || occurrence.lostAfter === undefined
      ? undefined
      : occurrence.lostAfter - occurrence.lostBefore;
  return {
    key,
    severity: severities.has('critical') ? 'critical' : 'warning',
    worst,
    latest,
    events,
    beganMs: beganMs ?? events[0]?.sinceMs ?? events[0]?.atMs,
    isBeginUnknown:
      began === undefined
        ? latest === undefined || (latest.finding.sinceMs ?? latest.finding.atMs) === undefined
        : began.isBeginUnknown === true,
    end: endOf(occurrence, ended, lastMs),
    lost:
      lost !== undefined
        ? { count: lost, isMin: false }
        : counted !== undefined && counted > 0
          ? { count: counted, isMin: true }
          : undefined,
    clientIds: [
      ...new Set([
        ...events.flatMap(({ clientId }) => clientId ?? []),
        ...[worst, latest].flatMap((each) => [
          ...(each?.finding.jump.clientId === undefined ? [] : [each.finding.jump.clientId]),
          ...(each?.finding.jump.found?.clientIds ?? []),
        ]),
      ]),
    ],
    node: events.find(({ node }) => node !== undefined)?.node ?? worst?.finding.jump.node,
    parts: [],
  };
}

function endOf(occurrence: Occurrence, ended: TimelineEvent | undefined, lastMs: number): ProblemEnd {
  const { events, latest, goneMs } = occurrence;
  if (latest?.finding.atMs !== undefined) return { kind: 'moment' };
  if (ended !== undefined) return { kind: 'ended', atMs: ended.atMs };
  if (latest !== undefined && goneMs !== undefined) return { kind: 'between', fromMs: latest.atMs, toMs: goneMs };
  if (latest?.finding.seenMs !== undefined) return { kind: 'unknown', sinceMs: latest.finding.seenMs };
  const change = events.findLast(({ kind }) => kind === 'unknown' || kind === 'known');
  if (change?.kind === 'unknown') return { kind: 'unknown', sinceMs: change.sinceMs ?? change.atMs };
  // Too short to be in a sample, and nothing says that it ended.
  return latest === undefined ? { kind: 'unknown', sinceMs: events.at(-1)?.atMs ?? lastMs } : { kind: 'open' };
}
