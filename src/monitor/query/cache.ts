import { AbortedError, type ApiError } from '../../api/errors.ts';
import type { ReadingApi } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import { createPoller, type Poller, type PollOutcome } from '../polling/poller.ts';
import type { RequestScheduler } from '../polling/request-scheduler.ts';
import { createScanTask, type ScanTask } from '../scan/scan.ts';
import type { ScanNode } from '../scan/scan-node.ts';
import { partialNote, scanLimits, unusableNote } from '../scan/missing-rows.ts';
import { type MonitorState, type ResourceState, type ScanState, wholeCluster } from '../state.ts';
import type { StateWriter } from '../store.ts';
import { asWatch, reading, type Watch, type Watchable, watchKey, withoutReading, withReading } from './part.ts';
import type { Follower, Following, QueryContext, Resource, Scan } from './query.ts';

/** Everything that the cache must know of a cluster to pace and order its readings. */
export interface ClusterKnowledge {
  /** Lists all nodes at every tick. Scans begin with it. */
  readonly nodes: Resource<readonly ListedNode[]>;
  readonly followers: readonly Follower[];
  /** The broker has just started, or a node of it: clients come back, and what is read at every fifth tick changes fast. */
  readonly isStarting: (state: MonitorState, nowMs: number) => boolean;
  /** A node does not respond: what waits for it is not a problem of its own. */
  readonly hasSilentNode: (state: MonitorState) => boolean;
  /** Queries whose values differ between addresses: read again after a failover. */
  readonly ownOfAddress: readonly Watchable[];
  readonly isStopped: (state: MonitorState, node: NodeName) => boolean;
}

interface ListedNode {
  readonly name: NodeName;
  readonly status: string;
}

export interface QueryCacheOptions {
  readonly api: ReadingApi;
  readonly clock: Clock;
  readonly writer: StateWriter;
  readonly journal: Journal;
  readonly schedule: RequestScheduler['schedule'];
  readonly random: () => number;
  readonly cluster: ClusterKnowledge;
  readonly maxRows: number | undefined;
  /** The shortest interval that the watchers of a query ask for; 0 without any. */
  readonly everySeconds: (watch: Watch) => number;
  readonly tickMs: () => number;
  readonly fifthTickMs: () => number;
  /** The list of nodes may be so old for a scan. */
  readonly freshMs: () => number;
  readonly onOutcome: (source: string, outcome: PollOutcome<unknown>) => void;
  readonly onUnauthorized: (error: ApiError) => void;
  /** Whether the log has an error already. */
  readonly isKnown: (error: ApiError) => boolean;
  /** Called when the API answers again, or a node runs or answers that did not. */
  readonly onBack: () => void;
}

/** Reads one query, by polling or by scanning. */
export type QueryTask = Pick<ScanTask, 'start' | 'stop' | 'reschedule' | 'retryConnection'> & {
  refresh(): unknown;
  refreshAfterChange(): unknown;
  /** The error of the last attempt, also while it is not confirmed. */
  lastError?(): ApiError | undefined;
  /** Ends a running scan: see `ScanTask`. */
  abort?(): boolean;
  drop?(identity: string): void;
};

export interface QueryCache {
  taskOf(watch: Watch): QueryTask;
  /** Keeps the value, until `release`. */
  keep(watch: Watch): void;
  /** Lets the value go. It stays until newer ones that are not watched either take its place. */
  release(watch: Watch): void;
  /** Starts rates again: answers come from another address. */
  noteOtherSource(): void;
}

const nothingToRead: QueryTask = {
  start() {},
  stop() {},
  reschedule() {},
  retryConnection() {},
  refresh() {},
  refreshAfterChange() {},
};

/** Holds the tasks that read queries, writes what is read into the state, and lets followers derive from it. */
export function createQueryCache(options: QueryCacheOptions): QueryCache {
  const { api, clock, writer, journal, schedule, random, cluster, tickMs, fifthTickMs } = options;
  const tasks = new Map<string, QueryTask>();
  /** Values that nothing watches, by query, oldest first. */
  const idle = new Map<string, Map<string, Watch>>();
  const shared = new Map<unknown, unknown>();
  const onOtherSource: (() => void)[] = [];
  let fifthTickStartedMs = Number.NEGATIVE_INFINITY;
  let rareStartedMs = Number.NEGATIVE_INFINITY;
  const fifthTickVital = new Map<string, Poller<unknown>>();

  const context: QueryContext = {
    api,
    clock,
    journal,
    state: writer.state,
    write: (part, value, ...key) => {
      writer.write(withReading(writer.state(), part, value, ...key));
    },
    share: (create) => {
      if (!shared.has(create)) shared.set(create, create(context));
      return shared.get(create) as ReturnType<typeof create>;
    },
    reschedule: (watchable) => {
      tasks.get(watchKey(watchable))?.reschedule();
    },
    onNodeBack: options.onBack,
    onOtherSource: (listener) => {
      onOtherSource.push(listener);
    },
  };

  /** Returns how long a vital resource of every fifth tick waits: two are never read in the same tick. */
  function postponeFifthTickMs(intervalMs: number): number {
    return Math.max(0, fifthTickStartedMs + Math.min(tickMs(), intervalMs / 2) - clock.monotonicMs());
  }

  /**
   * Returns how long a rare reading waits. Of what is neither vital nor read at each tick, one is read in each tick
   * without a vital resource of every fifth tick. Where those are read in every tick, there is no other.
   */
  function postponeRareMs(): number {
    const nowMs = clock.monotonicMs();
    if (fifthTickVitalMs() > 2 * tickMs()) {
      const waitMs = Math.max(fifthTickStartedMs, rareStartedMs) + tickMs() - nowMs;
      if (waitMs > 0) return waitMs;
      const untilFifthTickMs = Math.min(
        ...[...fifthTickVital.values()]
          .map((poller) => (poller.state().nextAttemptAtMs ?? Infinity) - clock.nowMs())
          .filter((ms) => ms >= 0),
      );
      if (untilFifthTickMs < tickMs()) return untilFifthTickMs + tickMs();
    }
    rareStartedMs = nowMs;
    return 0;
  }

  const fifthTickVitalMs = (): number => (cluster.isStarting(writer.state(), clock.nowMs()) ? tickMs() : fifthTickMs());

  function intervalMsOf({ every, isVital }: Resource<unknown, never>): number {
    return every === 'tick' ? tickMs() : isVital ? fifthTickVitalMs() : fifthTickMs();
  }

  const followingsOf = ({ query, key }: Watch): readonly Following<unknown>[] =>
    cluster.followers.filter((each) => each.query === query).map((each) => each.create(context, ...key));

  function createResourceTask(watch: Watch): Poller<unknown> {
    const resource = watch.query as Resource<unknown, never>;
    const key = watch.key as never;
    const isOfFifthTick = resource.every === 'fifthTick';
    const source = resource.source(...key);
    const node = resource.nodeOf?.(...key);
    const readValue = resource.open(context, ...key);
    const followings = followingsOf(watch);
    const intervalMs = (): number => Math.max(intervalMsOf(resource), options.everySeconds(watch) * 1_000);
    let wasAway = false;
    const poller = createPoller<unknown>({
      clock,
      random,
      intervalMs,
      postponeMs: !isOfFifthTick
        ? undefined
        : resource.isVital
          ? () => postponeFifthTickMs(intervalMs())
          : postponeRareMs,
      read: (signal, onUnusable) => {
        if (isOfFifthTick && resource.isVital) fifthTickStartedMs = clock.monotonicMs();
        const request = <R>(send: () => Promise<R>): Promise<R> =>
          schedule(
            () => {
              for (const following of followings) following.onRequest?.();
              return send();
            },
            { signal, kind: resource.isVital ? 'cluster' : 'detail', node, leavesSlot: resource.isInParts },
          );
        const call = { signal, onUnusable, request };
        return resource.isInParts ? readValue(call) : request(() => readValue(call));
      },
      onState: (state: ResourceState<unknown>) => {
        if (tasks.get(watchKey(watch)) === poller) writer.write(withReading(writer.state(), resource, state, ...key));
      },
      onOutcome: (outcome) => {
        if (outcome.kind !== 'failed') for (const { onAnswer } of followings) onAnswer(outcome.data);
        options.onOutcome(source, outcome);
        if (!resource.isVital) return;
        const isBack = wasAway && outcome.kind !== 'failed';
        wasAway =
          outcome.kind === 'failed' &&
          (wasAway || outcome.error.kind === 'timeout' || outcome.error.kind === 'unreachable');
        if (isBack) options.onBack();
      },
    });
    if (isOfFifthTick && resource.isVital) fifthTickVital.set(resource.name, poller);
    return poller;
  }

  async function listNodes(scan: Scan<unknown>, signal: AbortSignal): Promise<readonly ScanNode[]> {
    const counted = (name: NodeName): ScanNode => ({ name, expected: scan.expected(writer.state(), name) });
    if (scan.isOfCluster) return [counted(wholeCluster)];
    const task = taskOf(asWatch(cluster.nodes));
    const { updatedAtMs } = reading(writer.state(), cluster.nodes);
    const isFresh = updatedAtMs !== undefined && clock.nowMs() - updatedAtMs < options.freshMs();
    if (!isFresh) await task.refresh();
    if (signal.aborted) return [];
    const { data, error } = reading(writer.state(), cluster.nodes);
    if (data !== undefined) return data.filter(({ status }) => status !== 'stopped').map(({ name }) => counted(name));
    throw error ?? task.lastError?.() ?? new AbortedError();
  }

  /** Aligns a scan with a tick of the cluster's values, so that both are drawn at once. */
  function untilTickMs(wantedMs: number): number {
    const { nextAttemptAtMs } = reading(writer.state(), cluster.nodes);
    const everyMs = tickMs();
    const untilNextMs = nextAttemptAtMs === undefined ? undefined : nextAttemptAtMs - clock.nowMs();
    // Otherwise the machine was suspended, or the poller is backing off.
    const isKnown = untilNextMs !== undefined && untilNextMs >= 0 && untilNextMs <= everyMs;
    return isKnown ? untilNextMs + Math.round((wantedMs - untilNextMs) / everyMs) * everyMs : wantedMs;
  }

  function createScanTaskOf(watch: Watch): ScanTask {
    const scan = watch.query as Scan<unknown>;
    const source = (node?: NodeName): string =>
      node === undefined || node === wholeCluster ? scan.noun : `${scan.noun} of ${node}`;
    const followings = followingsOf(watch);
    return createScanTask<unknown>({
      api,
      clock,
      schedule,
      random,
      scan,
      listNodes: (signal) => listNodes(scan, signal),
      limits: { ...scanLimits, ...(options.maxRows !== undefined && { maxRows: options.maxRows }) },
      intervalMs: () => untilTickMs(Math.max(tickMs(), options.everySeconds(watch) * 1_000)),
      onState: (state: ScanState<unknown>) => {
        writer.write(withReading(writer.state(), scan, state));
        for (const { onAnswer } of followings) onAnswer(state);
      },
      onError: (error, node) => {
        if (error.kind === 'unauthorized') options.onUnauthorized(error);
        // That the node is down is known, and said once.
        else if (node === undefined || !cluster.isStopped(writer.state(), node))
          journal.failure(source(node), error, options.isKnown(error));
      },
      onNodeRead: (node, coverage) => {
        journal.success(source());
        journal.success(source(node));
        journal.remark(`${source(node)}, cut`, coverage.cut, partialNote(source(node), coverage));
        journal.remark(
          source(node),
          coverage.unusable?.example,
          coverage.unusable && unusableNote(source(node), coverage.unusable, coverage.read),
        );
      },
    });
  }

  function taskOf(watch: Watch): QueryTask {
    if (watch.query.kind === 'derived') return nothingToRead;
    const text = watchKey(watch);
    let task = tasks.get(text);
    if (task === undefined) {
      task = watch.query.kind === 'scan' ? createScanTaskOf(watch) : createResourceTask(watch);
      tasks.set(text, task);
      writer.write(withReading(writer.state(), watch.query, watch.query.empty, ...(watch.key as never)));
    }
    return task;
  }

  function forget(text: string, watch: Watch): void {
    tasks.delete(text);
    writer.write(withoutReading(writer.state(), watch));
  }

  return {
    taskOf,
    keep(watch) {
      idle.get(watch.query.name)?.delete(watchKey(watch));
      taskOf(watch);
    },
    release(watch) {
      if (watch.key.length === 0) return;
      const { name, maxUnwatched } = watch.query as Resource<unknown, never>;
      const unwatched = idle.get(name) ?? new Map<string, Watch>();
      idle.set(name, unwatched.set(watchKey(watch), watch));
      for (const [text, oldest] of [...unwatched].slice(0, Math.max(0, unwatched.size - maxUnwatched))) {
        unwatched.delete(text);
        forget(text, oldest);
      }
    },
    noteOtherSource() {
      for (const listener of onOtherSource) listener();
    },
  };
}
