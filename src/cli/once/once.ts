import { type ApiError, type ApiErrorKind, isAbsent } from '../../api/errors.ts';
import type { ReadingApi } from '../../api/management-api.ts';
import { createTriage, neededReads } from '../../checks/triage.ts';
import { problemText, uncheckedText } from '../../checks/words.ts';
import type { Listener } from '../../domain/administration.ts';
import { allMetricNames, type Metrics, type Stats } from '../../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeInfo, NodeName, NodeStats } from '../../domain/node.ts';
import { plainText } from '../../domain/sentence.ts';
import { type Clock, sleep, systemClock } from '../../monitor/clock.ts';
import { shownWallMs } from '../../monitor/shown-time.ts';
import { asWatch, reading, type Watch, watchKey, withoutReading } from '../../monitor/query/part.ts';
import type { MonitorState, ResourceState, ScanState } from '../../monitor/state.ts';
import { accessBackends } from '../../resources/access-backends/resource.ts';
import { alarms } from '../../resources/alarms/resource.ts';
import { integrations } from '../../resources/integrations/resource.ts';
import { clientScan } from '../../resources/clients/resource.ts';
import { listeners } from '../../resources/listeners/resource.ts';
import { selectRate } from '../../resources/metrics/rates.ts';
import { metrics } from '../../resources/metrics/resource.ts';
import { nodes, nodeStats } from '../../resources/nodes/resource.ts';
import { selectNodes } from '../../resources/nodes/select.ts';
import { sessionScan } from '../../resources/sessions/resource.ts';
import { stats } from '../../resources/statistics/resource.ts';
import { selectClientsByNode, selectTotals } from '../../resources/statistics/select.ts';
import { selectVital, vitalResources } from '../../resources/vital.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import { beginMs, subjectOf } from '../../triage/problem.ts';
import type { Severity } from '../../triage/thresholds.ts';
import type { Begin } from '../../triage/finding-changes.ts';
import { summarizeTriage, type TriageSummary } from '../../triage/triage.ts';
import { triageTexts } from '../../resources/problems/view/texts.ts';
import { selectQueueDrops, type TriageReport, triageView } from '../../triage/view.ts';
import { absenceOf } from '../../monitor/scan/absent-list.ts';
import { createClusterReader, stateOf } from './cluster-reader.ts';

export type RecordByNode<T> = Readonly<Record<NodeName, T>>;

/** A node. Either half is `undefined` when its list failed or lacks the node. */
export interface SnapshotNode {
  readonly name: NodeName;
  readonly info: NodeInfo | undefined;
  readonly stats: NodeStats | undefined;
}

/** A problem. `text` is not escaped; it may quote the broker. */
export interface SnapshotProblem {
  readonly check: string;
  readonly code: string;
  readonly severity: Severity;
  readonly text: string;
  readonly node: NodeName | undefined;
  readonly client: string | undefined;
  readonly topic: string | undefined;
  /** The time at which it began or was first seen: ISO 8601, UTC, by this machine's clock. */
  readonly since: string | undefined;
}

/** Everything that `--once` reads. A part that failed is `undefined` and listed in `errors`. */
export interface Snapshot {
  /** ISO 8601, UTC, by this machine's clock. */
  readonly takenAt: string;
  readonly variant: string | undefined;
  readonly problems: readonly SnapshotProblem[];
  readonly ok: readonly string[];
  /** Why other checks are incomplete: lists that were not read, or missing data. */
  readonly notChecked: readonly string[];
  /** Sorted by name; `undefined` only when both lists of nodes failed. */
  readonly nodes: readonly SnapshotNode[] | undefined;
  readonly listeners: RecordByNode<readonly Listener[]> | undefined;
  readonly metrics:
    | { readonly kind: 'by-node'; readonly nodes: RecordByNode<Metrics> }
    | { readonly kind: 'total'; readonly total: Metrics }
    | undefined;
  /** The increase of counters per second between two readings; `undefined` after a single one. */
  readonly ratesPerSecond: Metrics | undefined;
  readonly stats: RecordByNode<Stats> | undefined;
  readonly clients: { readonly total: number | undefined; readonly byNode: RecordByNode<number> };
  readonly errors: readonly SnapshotError[];
}

export interface SnapshotError {
  /** Names what was not read: a part of the snapshot, or a list that only checks need. */
  readonly part: string;
  readonly kind: ApiErrorKind;
  readonly message: string;
}

export interface SnapshotOptions {
  readonly clock?: Clock | undefined;
  readonly variant?: (() => string | undefined) | undefined;
  /** Delay before the second reading of the metrics and of the sessions; without it they are read once. */
  readonly rateSeconds?: number | undefined;
  readonly deadlineMs?: number | undefined;
  /** Returns what is known of the cause when the deadline ends requests. */
  readonly whyLost?: (() => string | undefined) | undefined;
  /** Skips what only checks need: sessions, clients, alarms, plugins, settings and the like. */
  readonly isQuick?: boolean | undefined;
  /** Returns when problems began that monitors have seen before. */
  readonly begins?: ((nowMs: number) => Promise<ReadonlyMap<string, Begin>>) | undefined;
  /** Limits the rows of the sessions and of the clients; default 20,000. A longer list is not read. */
  readonly maxRows?: number | undefined;
}

export interface OnceReading {
  readonly takenAtMs: number;
  readonly variant: string | undefined;
  readonly rateSeconds: number | undefined;
  readonly isQuick: boolean;
  /** Lists with more than `maxRows` rows. */
  readonly tooLong: ReadonlySet<OnceList>;
  readonly maxRows: number;
  /** The same state that the monitor keeps. */
  readonly state: MonitorState;
  readonly report: TriageReport;
  /** Messages per second that full queues lost between the two readings; `undefined` if unknown. */
  readonly queueDropsPerSecond: number | undefined;
  readonly errors: readonly SnapshotError[];
}

/** Max rows of a list that `--once` reads. A longer list is not read, because half a list proves nothing. */
export const maxOnceRows = 20_000;

const scanOf = { sessions: sessionScan, clients: clientScan } as const;

export type OnceList = keyof typeof scanOf;

const onceLists = Object.keys(scanOf) as readonly OnceList[];

/** Resources that are read in a fixed order. The others that checks need are read once the nodes are known. */
const inOrder: ReadonlySet<unknown> = new Set([...Object.values(vitalResources), ...Object.values(scanOf)]);

/**
 * Reads everything that Triage reads, each part once, and what has counters twice. Never rejects: each part
 * fails on its own.
 */
export async function readCluster(api: ReadingApi, options: SnapshotOptions = {}): Promise<OnceReading> {
  const { clock = systemClock, rateSeconds, deadlineMs, whyLost, isQuick = false, maxRows = maxOnceRows } = options;
  const tooLong = new Set<OnceList>();
  const triage = createTriage();
  const reader = createClusterReader({
    api,
    clock,
    maxRows,
    deadlineMs,
    whyLost,
    onState: (next) => {
      triage.follow(withoutLong(next));
    },
  });
  const { read, signal } = reader;
  /** Readings that only the checks need, by key. */
  const needed = new Map<string, Watch>();

  /** Half a list proves nothing: one that is too long counts as unread. */
  function withoutLong(state: MonitorState): MonitorState {
    for (const list of onceLists)
      if ([...reading<ScanState<unknown>, []>(state, scanOf[list]).leftOut.values()].some(({ cut }) => cut === 'rows'))
        tooLong.add(list);
    return [...tooLong].reduce<MonitorState>(
      (left, list) => ({
        ...left,
        ...withoutReading(left, asWatch(scanOf[list])),
        watched: left.watched?.filter((each) => each !== scanOf[list] && asWatch(each).query !== scanOf[list]),
      }),
      state,
    );
  }

  async function readMetricsTwice(): Promise<void> {
    await read(metrics);
    if (rateSeconds === undefined || reading(reader.state(), metrics).error !== undefined) return;
    await sleep(clock, rateSeconds * 1_000, signal);
    await read(metrics);
  }

  async function readList(list: OnceList): Promise<ScanState<unknown>['phase'] | undefined> {
    const state = reader.state();
    const lengths = (reading(state, nodeStats).data ?? [])
      .filter(({ status }) => status !== 'stopped')
      .map(({ name }) => scanOf[list].expected(state, name) ?? 0);
    if (lengths.reduce((sum, length) => sum + length, 0) > maxRows) tooLong.add(list);
    else await read(scanOf[list]);
    return tooLong.has(list) ? undefined : reading<ScanState<unknown>, []>(reader.state(), scanOf[list]).phase;
  }

  /** Reads the sessions, the clients, and the sessions again: in this order a session without a client is known to be offline. */
  async function readLists(): Promise<void> {
    const phase = await readList('sessions');
    const readAtMs = clock.monotonicMs();
    if (!signal.aborted) await readList('clients');
    // A list that failed once is not worth a second load.
    if (phase !== 'complete' || rateSeconds === undefined) return;
    await sleep(clock, Math.max(0, readAtMs + rateSeconds * 1_000 - clock.monotonicMs()), signal);
    await readList('sessions');
  }

  /** Reads what the checks need by now and has not been read, but for what waits. */
  async function readNeeded(waits: (watch: Watch) => boolean = () => false): Promise<void> {
    const watches = neededReads(reader.state(), { findings: [] }, triage.sessionReadings())
      .filter(({ watched }) => !inOrder.has(watched) && !needed.has(watchKey(watched)))
      .map(({ watched }) => asWatch(watched))
      .filter((watch) => !waits(watch));
    for (const watch of watches) needed.set(watchKey(watch), watch);
    await read(...watches);
  }

  /** Reads counters again of which a single reading says nothing. */
  async function readCountersAgain(): Promise<void> {
    if (rateSeconds === undefined || signal.aborted) return;
    const counted = [integrations, accessBackends].filter(
      (each) => (reading<ResourceState<readonly unknown[]>, []>(reader.state(), each).data?.length ?? 0) > 0,
    );
    if (counted.length === 0) return;
    await sleep(clock, rateSeconds * 1_000, signal);
    await read(...counted.map(asWatch));
  }

  /** Reads what only Triage needs. The list of nodes must be known. */
  async function readTriage(): Promise<void> {
    if (isQuick || signal.aborted || reading(reader.state(), nodeStats).data === undefined) return;
    // Of several addresses, the sessions show which node answers at each. Its alarms are its own.
    const hasOthers = (api.urls?.length ?? 0) > 1;
    await Promise.all([
      readLists().then(() => readNeeded()),
      readNeeded(({ query }) => hasOthers && query.name === alarms.name).then(readCountersAgain),
    ]);
  }

  await Promise.all([read(nodes, nodeStats, stats).then(readTriage), readMetricsTwice(), read(listeners)]);
  // Once nothing is read any more, what failed alone has failed.
  reader.stop();
  if (options.begins !== undefined) triage.takeOn(await options.begins(clock.nowMs()));
  const takenAtMs = clock.nowMs();
  const state = triage.derive(withoutLong(reader.state()), takenAtMs);
  const { report, sessionReadings } = reading(state, triageView);
  const queueDropsPerSecond =
    sessionReadings < 2 ? undefined : selectQueueDrops(state, takenAtMs).current?.cluster.perSecond;
  return {
    takenAtMs,
    variant: options.variant?.(),
    rateSeconds,
    isQuick,
    tooLong,
    maxRows,
    state,
    report,
    queueDropsPerSecond,
    errors: errorsOf(state, [...needed.values()]),
  };
}

/** Returns the reading that a recorded state is, with the problems that were found then. */
export function recordedReading(state: MonitorState, takenAtMs: number): OnceReading {
  const { report, sessionReadings } = reading(state, triageView);
  return {
    takenAtMs,
    variant: undefined,
    rateSeconds: undefined,
    isQuick: false,
    tooLong: new Set(),
    maxRows: maxOnceRows,
    state,
    report,
    queueDropsPerSecond:
      sessionReadings < 2 ? undefined : selectQueueDrops(state, takenAtMs).current?.cluster.perSecond,
    errors: errorsOf(state, []),
  };
}

const isMissing = (error: ApiError | undefined): boolean => error !== undefined && isAbsent(error);

/** Lists what failed; what the broker does not offer or allow has not. */
function errorsOf(state: MonitorState, needed: readonly Watch[]): readonly SnapshotError[] {
  const failed = [
    ...Object.entries(selectVital(state)).map(([part, { error }]) => ({
      part,
      causes: part === 'nodeStats' || !isMissing(error) ? [error] : [],
    })),
    ...onceLists.map((list) => {
      const scan = reading<ScanState<unknown>, []>(state, scanOf[list]);
      const { error, coverage } = scan;
      if (absenceOf(scan) !== undefined) return { part: list, causes: [] };
      return { part: list, causes: [error, ...[...coverage.values()].map((node) => node.error)] };
    }),
    ...needed.map((watch) => {
      const { error } = stateOf(state, watch);
      return { part: partOf(watch), causes: isMissing(error) ? [] : [error] };
    }),
  ];
  const errors = failed.flatMap(({ part, causes }) =>
    causes.filter((cause) => cause !== undefined).map(({ kind, message }) => ({ part, kind, message })),
  );
  return [...new Map(errors.map((error) => [`${error.part} ${error.message}`, error])).values()];
}

/** Returns what a list is called: of `slowSubscriptions`, "slow subscriptions". */
const partOf = ({ query }: Watch): string =>
  query.name.replace(/Scan$/, 's').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Whether any request succeeded. */
export const hasAnything = ({ state }: Pick<OnceReading, 'state'>): boolean =>
  Object.values(selectVital(state)).some(({ data }) => data !== undefined);

/** Lists what was not read, and why. */
export function unreadLists(
  { isQuick, tooLong, maxRows }: Pick<OnceReading, 'isQuick' | 'tooLong' | 'maxRows'>,
  unread: TriageSummary['unread'],
): readonly { readonly nouns: readonly string[]; readonly why: SafeText }[] {
  const others = unread.filter((noun) => noun !== 'sessions' || !tooLong.has(noun));
  return [
    ...(tooLong.size === 0 ? [] : [{ nouns: [...tooLong], why: triageTexts.overOnceLimit(maxRows) }]),
    ...(others.length === 0 ? [] : [{ nouns: others, why: isQuick ? triageTexts.unreadQuick : triageTexts.notRead }]),
  ];
}

export function snapshotOf(reading: OnceReading): Snapshot {
  const { takenAtMs, variant, state, report, errors } = reading;
  const vital = selectVital(state);
  const { ok, unread, unchecked } = summarizeTriage(report, takenAtMs);
  return {
    takenAt: new Date(shownWallMs(takenAtMs)).toISOString(),
    variant,
    problems: report.problems.map((finding) => {
      const { node, clientId: client, topic } = subjectOf(finding);
      const sinceMs = beginMs(finding);
      return {
        check: finding.check,
        code: finding.code,
        severity: finding.severity,
        text: plainText(problemText(finding)),
        node,
        client,
        topic,
        since: sinceMs === undefined ? undefined : new Date(shownWallMs(sinceMs)).toISOString(),
      };
    }),
    ok,
    notChecked: [
      ...unreadLists(reading, unread).flatMap(({ nouns, why }) => nouns.map((noun) => `${noun} ${why}`)),
      ...unchecked.map((reason) => plainText(uncheckedText(reason))),
    ],
    nodes:
      vital.nodes.data === undefined && vital.nodeStats.data === undefined
        ? undefined
        : selectNodes(state).map(({ name, info, stats: load }) => ({ name, info, stats: load })),
    listeners: vital.listeners.data && toRecord(vital.listeners.data),
    metrics: encodeFigures(vital.metrics.data),
    ratesPerSecond: ratesOf(state),
    stats: vital.stats.data && toRecord(vital.stats.data),
    clients: countClients(state),
    errors,
  };
}

function ratesOf(state: MonitorState): Metrics | undefined {
  const known = allMetricNames.flatMap((name) => {
    const perSecond = selectRate(state, name);
    return perSecond === undefined ? [] : [[name, perSecond] as const];
  });
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

function toRecord<T>(byNode: ByNode<T>): RecordByNode<T> {
  const record: Record<NodeName, T> = Object.create(null);
  for (const [node, value] of byNode) record[node] = value;
  return record;
}

function encodeFigures(figures: ClusterFigures<Metrics> | undefined): Snapshot['metrics'] {
  if (figures?.kind !== 'by-node') return figures;
  return { kind: 'by-node', nodes: toRecord(figures.nodes) };
}

function countClients(state: MonitorState): Snapshot['clients'] {
  const { value, missingNodes } = selectTotals(state).clients;
  return { total: missingNodes.length === 0 ? value : undefined, byNode: toRecord(selectClientsByNode(state)) };
}
