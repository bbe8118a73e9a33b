import { comparedTables } from '../compare/tables.ts';
import type { Client } from '../domain/client.ts';
import type { MetricName } from '../domain/metrics.ts';
import type { NodeName } from '../domain/node.ts';
import { reading } from '../monitor/query/part.ts';
import type { MonitorState, ScanState } from '../monitor/state.ts';
import type { RecordedSample, Recording, TimeRange } from '../recording/recording.ts';
import { clientScan } from '../resources/clients/resource.ts';
import type { RatePoint } from '../resources/metrics/history.ts';
import { selectRateSeries } from '../resources/metrics/rates.ts';
import { selectNodes } from '../resources/nodes/select.ts';
import { queueDropSeries } from '../resources/sessions/queue-drops.ts';
import { sessionScan } from '../resources/sessions/resource.ts';
import { subscriptionScan } from '../resources/subscriptions/resource.ts';
import type { TimelineEvent } from '../domain/event.ts';
import { verdictOf } from '../triage/check.ts';
import { triageView } from '../triage/view.ts';
import { mergeEvents } from '../timeline/merge-events.ts';
import type { GraphPoint } from './document.ts';
import type { NameCollector } from './names.ts';
import { createLossCounter, type LossCounter } from './losses.ts';
import { createProblemHistory, type ReportedProblem } from './problems.ts';

/** What a recording says of a range of time. */
export interface Observations {
  readonly first: RecordedSample;
  readonly last: RecordedSample;
  /** Samples near both ends at which no list was being read: what came and went can be told between them. */
  readonly compared: readonly [RecordedSample, RecordedSample];
  /** Versions of the program that recorded it. */
  readonly programs: readonly string[];
  readonly events: readonly TimelineEvent[];
  /** The worst first, then by their beginnings. */
  readonly problems: readonly ReportedProblem[];
  readonly losses: LossCounter;
  /** The last known connection of a client in the range. */
  readonly clientOf: (clientId: string) => Client | undefined;
  readonly rates: ReadonlyMap<RateName, readonly GraphPoint[]>;
  readonly clientsByNode: ReadonlyMap<NodeName, readonly GraphPoint[]>;
  /** Whether the checks ran: without them, that there are no problems says nothing. */
  readonly areProblemsRecorded: boolean;
  /** Times within the range of which nothing is known. */
  readonly gaps: readonly TimeRange[];
}

export const rateNames = ['messages.received', 'messages.sent', 'messages.dropped'] as const satisfies MetricName[];
/** `queues`: messages that full queues lose, which no counter of the broker includes. */
export type RateName = (typeof rateNames)[number] | 'queues';

/** More samples are not looked at one by one; those of events always are. */
const maxVisited = 3_000;

/** Rates over a longer step hide what happened in it: the line has a gap there. */
const maxStepMs = (intervalSeconds: number): number => Math.max(15_000, 5_000 * intervalSeconds);
/** The sessions, and with them what queues lose, are read less often. */
const maxScanStepMs = 120_000;

/** The samples of a range that are looked at, and one before it: its state is that of the beginning. */
function visitedTimes(
  recording: Pick<Recording, 'samples'>,
  { fromMs, toMs }: TimeRange,
  events: readonly TimelineEvent[],
): readonly number[] {
  const within = recording.samples().filter((atMs) => atMs >= fromMs && atMs <= toMs);
  const step = Math.ceil(within.length / maxVisited);
  const times = new Set(within.filter((_, index) => index % step === 0 || index === within.length - 1));
  if (step > 1) for (const { atMs } of events) if (atMs >= fromMs && atMs <= toMs) times.add(atMs);
  return [...times].toSorted((a, b) => a - b);
}

/** Samples so far from the ends of the range are not taken for them. */
const maxFromEndMs = 120_000;

/** Counts the lists of a sample that can be compared; 0 while one is being read. */
const comparableLists = ({ state }: RecordedSample): number =>
  [clientScan, subscriptionScan].some((scan) => reading<ScanState<unknown>, []>(state, scan).phase === 'running')
    ? 0
    : comparedTables.filter((table) => table.read(state) !== undefined).length;

/** Finds the sample near each end of a range that has most lists. */
function createEnds() {
  const near = (a: RecordedSample, b: RecordedSample): boolean => Math.abs(a.at.wallMs - b.at.wallMs) <= maxFromEndMs;
  let first: { readonly sample: RecordedSample; lists: number } | undefined;
  let begin: RecordedSample | undefined;
  let last: { readonly sample: RecordedSample; readonly lists: number } | undefined;
  return {
    add(sample: RecordedSample): void {
      const lists = comparableLists(sample);
      begin ??= sample;
      if (first === undefined || (lists > first.lists && near(begin, sample))) first = { sample, lists };
      if (last === undefined || lists >= last.lists || !near(last.sample, sample)) last = { sample, lists };
    },
    compared: (): readonly [RecordedSample, RecordedSample] | undefined => first && last && [first.sample, last.sample],
  };
}

/** A sample is taken once a minute at least; a machine that slept took none. */
const maxSilenceMs = 120_000;

function gapsOf(recording: Pick<Recording, 'gaps' | 'samples'>): readonly TimeRange[] {
  const known = recording.gaps();
  const begins = new Set(known.map(({ fromMs }) => fromMs));
  const samples = recording.samples();
  const silent = samples.flatMap((toMs, index): readonly TimeRange[] => {
    const fromMs = samples[index - 1] ?? toMs;
    return toMs - fromMs > maxSilenceMs && !begins.has(fromMs) ? [{ fromMs, toMs }] : [];
  });
  return [...known, ...silent].toSorted((a, b) => a.fromMs - b.fromMs);
}

export interface ObserveOptions {
  /** Collects what a redacted report must not show. */
  readonly names?: NameCollector | undefined;
  /** Events that earlier runs and other programs saw. */
  readonly keptEvents?: readonly TimelineEvent[] | undefined;
  /** Says how much of the range is read: 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/**
 * Reads a range of a recording, sample by sample.
 *
 * @returns `undefined` if nothing was recorded in it
 */
export async function observe(
  recording: Recording<MonitorState, TimelineEvent>,
  range: TimeRange,
  { names, keptEvents = [], onProgress }: ObserveOptions = {},
): Promise<Observations | undefined> {
  const events = mergeEvents(
    keptEvents.filter(({ atMs }) => atMs >= range.fromMs && atMs <= range.toMs),
    await recording.events(range.fromMs, range.toMs),
  );
  const times = visitedTimes(recording, range, events);
  let [first, last]: [RecordedSample | undefined, RecordedSample | undefined] = [undefined, undefined];
  const ends = createEnds();
  const programs = new Set<string>();
  let areProblemsRecorded = false;
  const problems = createProblemHistory(events);
  const losses = createLossCounter();
  const clientRows: (readonly Client[])[] = [];
  const rates = new Map<RateName, GraphPoint[]>();
  const clientsByNode = new Map<NodeName, GraphPoint[]>();

  function addRates(name: RateName, points: readonly RatePoint[], sample: RecordedSample, maxMs: number): void {
    const { monotonicMs, wallMs } = sample.at;
    const known = rates.get(name) ?? [];
    // A process that was started later counts its monotonic time from another moment.
    const isSameRun = last !== undefined && last.at.monotonicMs <= monotonicMs && last.program === sample.program;
    const afterMs = isSameRun ? (last?.at.monotonicMs ?? 0) - monotonicMs + wallMs : (first?.at.wallMs ?? wallMs);
    for (const { atMs, perSecond } of points) {
      const pointMs = wallMs + (atMs - monotonicMs);
      if (pointMs <= afterMs || pointMs > wallMs) continue;
      const before = known.at(-1)?.atMs;
      const isStep = before === undefined || pointMs - before <= maxMs;
      known.push({ atMs: pointMs, value: isStep ? perSecond : undefined });
    }
    rates.set(name, known);
  }

  for (const [index, atMs] of times.entries()) {
    onProgress?.(index / times.length);
    const sample = await recording.at(atMs);
    if (sample === undefined || sample.at.wallMs < range.fromMs || sample.at.wallMs > range.toMs) continue;
    const { state, at } = sample;
    first ??= sample;
    programs.add(sample.program);
    areProblemsRecorded ||= reading(state, triageView).report.results.some(
      (result) => verdictOf(result) !== 'unchecked',
    );
    names?.add(state);
    losses.add(reading(state, sessionScan).rows);
    problems.add(sample, losses);
    const { rows } = reading(state, clientScan);
    if (rows.length > 0 && rows !== clientRows.at(-1)) clientRows.push(rows);
    if (clientRows.length > 3) clientRows.splice(1, 1);
    for (const name of rateNames)
      addRates(name, selectRateSeries(state, name), sample, maxStepMs(state.intervalSeconds));
    addRates('queues', queueDropSeries(reading(state, triageView).queueDrops), sample, maxScanStepMs);
    for (const node of selectNodes(state)) {
      const points = clientsByNode.get(node.name) ?? [];
      points.push({ atMs: at.wallMs, value: node.status === 'running' ? node.stats?.clients : undefined });
      clientsByNode.set(node.name, points);
    }
    last = sample;
    ends.add(sample);
    await nextTurn();
  }
  if (first === undefined || last === undefined) return undefined;
  const [beginMs, endMs] = [first.at.wallMs, last.at.wallMs];
  const found = problems.end();
  for (const { clientIds } of found) names?.addFound({ clientIds });
  for (const event of events) names?.addFound(event);
  return {
    first,
    last,
    compared: ends.compared() ?? [first, last],
    programs: [...programs],
    events,
    problems: found,
    losses,
    clientOf: memoisedSearch(clientRows),
    rates,
    clientsByNode,
    areProblemsRecorded,
    gaps: gapsOf(recording).filter(({ fromMs, toMs }) => toMs > beginMs && fromMs < endMs),
  };
}

function memoisedSearch(lists: readonly (readonly Client[])[]): (clientId: string) => Client | undefined {
  let byId: ReadonlyMap<string, Client> | undefined;
  return (clientId) => {
    byId ??= new Map(lists.flatMap((rows) => rows.map((row) => [row.clientId, row] as const)));
    return byId.get(clientId);
  };
}
