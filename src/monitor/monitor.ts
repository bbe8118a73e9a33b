import {
  AbortedError,
  type ApiError,
  LoginLockedError,
  ProxyLoginError,
  SilentNodeError,
  TimeoutError,
  asApiError,
  isAbsent,
} from '../api/errors.ts';
import type { CallOptions, ReadingApi } from '../api/management-api.ts';
import { type Clock, systemClock } from './clock.ts';
import { eventOf, setupNotes } from './events.ts';
import { createJournal, type Journal } from './journal.ts';
import { fifthTickSeconds, staleGraceSeconds } from './polling/intervals.ts';
import type { PollOutcome } from './polling/poller.ts';
import { createRequestMeter } from './polling/request-meter.ts';
import { type Call, createRequestScheduler } from './polling/request-scheduler.ts';
import { type ClusterKnowledge, createQueryCache } from './query/cache.ts';
import { asWatch, reading, type Watch, type Watchable, watchKey, withReading } from './query/part.ts';
import { loginFailureOf, type Resource, type Scan, vitalReadings } from './query/query.ts';
import { unusableNote } from './scan/missing-rows.ts';
import { createSignIn } from './sign-in.ts';
import type { Effects, Monitor, MonitorOperations } from './state.ts';
import type { StateWriter } from './store.ts';
import { journalTexts, stoppedText } from './texts.ts';

export interface MonitorCoreOptions {
  readonly api: ReadingApi;
  readonly cluster: ClusterKnowledge;
  readonly clock?: Clock | undefined;
  readonly writer: StateWriter;
  readonly random?: (() => number) | undefined;
  readonly maxRows?: number | undefined;
  /** Notes on the start of this program only, raw. */
  readonly firstNotes?: readonly string[] | undefined;
  /** Called first when the monitor stops, with the reason as a sentence. */
  readonly onStop?: ((because: string) => void) | undefined;
}

export interface MonitorCore {
  readonly monitor: Monitor & MonitorOperations;
  readonly journal: Journal;
  readonly call: Call;
  /** Sends a call to a URL that the operator chose. */
  readonly callAtUrl: Call;
  applyEffects(effects: Effects): void;
  /** Stops all polling. */
  rejectLogin(error: ApiError): void;
  signInAgain(): void;
  /** Stores a password in case the current one is rejected. */
  storeCandidateLogin(takePassword: () => void): void;
}

export const clampInterval = (seconds: number): number =>
  Math.min(60, Math.max(0.5, Number.isFinite(seconds) ? seconds : 2));

export function createMonitorCore(options: MonitorCoreOptions): MonitorCore {
  const { api, cluster, writer } = options;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const journal = createJournal(writer, clock);
  if (options.firstNotes !== undefined) {
    const notes = options.firstNotes.map((text) => eventOf({ atMs: clock.nowMs(), severity: 'info', text }));
    writer.write(withReading(writer.state(), setupNotes, notes));
  }
  const meter = createRequestMeter({
    clock,
    api,
    onLoad: (causedLoad) => {
      writer.write({ causedLoad });
    },
  });
  const scheduler = createRequestScheduler({
    onRequest() {
      const end = meter.begin();
      return () => {
        end();
        noteApi();
      };
    },
    onReached: retryConnection,
  });
  const { schedule } = scheduler;
  const call: Call = (request, signal) => schedule(request, { signal, kind: 'cluster' });
  const callAtUrl: Call = (request, signal) => schedule(request, { signal, kind: 'detail', isAtChosenUrl: true });
  const watchers = createWatchList();
  const abortController = new AbortController();
  let isStopped = false;
  let hasFigures = false;
  let cancelRetry = (): void => {};

  const intervalMs = (): number => writer.state().intervalSeconds * 1_000;
  const fifthTickMs = (): number => fifthTickSeconds(writer.state().intervalSeconds) * 1_000;

  function noteApi(): void {
    const { capabilities, apiDoubt } = api;
    const before = writer.state();
    if (capabilities !== before.capabilities) writer.write({ capabilities });
    if (apiDoubt === before.apiDoubt) return;
    writer.write({ apiDoubt });
    if (apiDoubt !== undefined) journal.note('warning', apiDoubt);
  }

  function noteOutcome(source: string, outcome: PollOutcome<unknown>): void {
    if (outcome.kind !== 'failed') {
      journal.success(source);
      journal.remark(source, outcome.unusable?.example, outcome.unusable && unusableNote(source, outcome.unusable));
    } else if (outcome.error.kind === 'unauthorized') rejectLogin(outcome.error);
    // Screens say what a broker does not offer or allow; it is no failure.
    else if (isAbsent(outcome.error)) journal.success(source);
    else journal.failure(source, outcome.error, isKnown(outcome.error));
    showFirst();
  }

  /** Publishes the first figures of the cluster at once, as soon as they are complete. */
  function showFirst(): void {
    if (hasFigures) return;
    const vital = vitalReadings(writer.state());
    hasFigures = vital.length > 0 && vital.every(({ updatedAtMs }) => updatedAtMs !== undefined);
    if (hasFigures) writer.flush();
  }

  function retryConnection(): void {
    for (const watch of watchers.all()) cache.taskOf(watch).retryConnection();
  }

  /** Whether the API as a whole cannot be reached, which is a problem of its own. */
  const isApiDown = ({ kind }: ApiError): boolean =>
    (kind === 'unreachable' || kind === 'timeout') &&
    watchers.all().some((watch) => isVital(watch) && cache.taskOf(watch).lastError?.()?.kind === kind);

  /** Whether an error is that of a node that does not respond. Then the node is the problem. */
  const isOfSilentNode = (error: ApiError): boolean =>
    error instanceof SilentNodeError ||
    mayBeOfSilentNode(error) ||
    ((error.kind === 'node-unreachable' || error.kind === 'timeout' || error.kind === 'not-found') &&
      cluster.hasSilentNode(writer.state()));

  /** Whether a node may turn out not to respond: the reading of the nodes, which shows it, waits as well. */
  function mayBeOfSilentNode(error: ApiError): boolean {
    const { updatedAtMs, isFetching } = reading(writer.state(), cluster.nodes);
    return (
      error instanceof TimeoutError &&
      isFetching &&
      updatedAtMs !== undefined &&
      updatedAtMs < clock.nowMs() - error.deadlineMs
    );
  }

  const isKnown = (error: ApiError): boolean => isOfSilentNode(error) || isApiDown(error);

  const loginFails = (): boolean => loginFailureOf(writer.state()) !== undefined;
  const maySignIn = (): boolean => writer.state().isUnauthorized && writer.state().proxyLoginError === undefined;

  function rejectLogin(error: ApiError): void {
    if (writer.state().isUnauthorized) return;
    writer.write({ isUnauthorized: true, proxyLoginError: error instanceof ProxyLoginError ? error : undefined });
    journal.note('critical', error.message, { about: { kind: 'sign-in' } });
    apply();
    retryLocked(error);
    if (maySignIn()) void signIn.tryCandidate();
  }

  const cache = createQueryCache({
    api,
    clock,
    writer,
    journal,
    random,
    schedule,
    cluster,
    maxRows: options.maxRows,
    everySeconds: (watch) => watchers.everySeconds(watch),
    tickMs: intervalMs,
    fifthTickMs: fifthTickMs,
    freshMs: () => 2 * intervalMs() + staleGraceSeconds * 1_000,
    onOutcome: noteOutcome,
    onUnauthorized: rejectLogin,
    isKnown,
    onBack: retryConnection,
  });

  const mayFetch = (): boolean => !isStopped && !writer.state().isFrozen && !writer.state().isUnauthorized;

  function apply(): void {
    const isOn = mayFetch();
    for (const watch of watchers.all()) {
      if (isOn) cache.taskOf(watch).start();
      else cache.taskOf(watch).stop();
    }
  }

  function acquire(watch: Watch, everySeconds?: number): void {
    const before = watchers.everySeconds(watch);
    if (!watchers.add(watch, everySeconds)) {
      rescheduleIfSooner(watch, before);
      return;
    }
    cache.keep(watch);
    if (needsNodes(watch)) acquire(asWatch(cluster.nodes));
    if (mayFetch()) cache.taskOf(watch).start();
  }

  function release(watch: Watch, everySeconds?: number): void {
    const before = watchers.everySeconds(watch);
    if (!watchers.remove(watch, everySeconds)) {
      rescheduleIfSooner(watch, before);
      return;
    }
    cache.taskOf(watch).stop();
    cache.release(watch);
    if (needsNodes(watch)) release(asWatch(cluster.nodes));
  }

  function rescheduleIfSooner(watch: Watch, beforeSeconds: number): void {
    if (watchers.everySeconds(watch) !== beforeSeconds && mayFetch()) cache.taskOf(watch).reschedule();
  }

  function applyEffects({ gone = [], refresh: touched }: Effects): void {
    for (const { scan, identity } of gone) cache.taskOf(asWatch(scan)).drop?.(identity);
    if (!mayFetch()) return;
    const affected = new Set(touched.map(watchKey));
    for (const watch of watchers.all())
      if (affected.has(watchKey(watch))) void cache.taskOf(watch).refreshAfterChange();
  }

  const signIn = createSignIn({
    api,
    call,
    note: (text) => {
      journal.note('warning', text, { about: { kind: 'sign-in' } });
    },
    onAccepted() {
      journal.note('info', journalTexts.signedIn, { about: { kind: 'sign-in' } });
      resume();
    },
    onUnknown(error) {
      journal.note('warning', journalTexts.loginUnknown(error.message), { about: { kind: 'sign-in' } });
      resume();
    },
  });

  function resume(): void {
    writer.write({ isUnauthorized: false });
    apply();
    refresh();
    writer.flush();
  }

  /** Tries the same password again when the broker takes logins again. The operator may try at any time. */
  function retryLocked(error: ApiError): void {
    if (!(error instanceof LoginLockedError)) return;
    cancelRetry();
    cancelRetry = clock.setTimer(error.retryAfterSeconds * 1_000, () => {
      void retryNow();
    });
  }

  async function retryNow(): Promise<void> {
    if (isStopped || !maySignIn()) return;
    const error = await signIn.tryPassword(() => {});
    if (error !== undefined && !isStopped) retryLocked(error);
  }

  function refresh(only?: Watchable): void {
    if (!mayFetch()) return;
    const key = only === undefined ? undefined : watchKey(only);
    for (const watch of watchers.all())
      if (key === undefined || watchKey(watch) === key) void cache.taskOf(watch).refresh();
  }

  function showWatched(): void {
    writer.write({ watched: watchers.all() });
  }

  const monitor: Monitor & MonitorOperations = {
    store: writer.store,
    watch(watchable, everySeconds) {
      if (isStopped) return () => {};
      const watch = asWatch(watchable);
      acquire(watch, everySeconds);
      showWatched();
      let isHeld = true;
      return () => {
        if (!isHeld || isStopped) return;
        isHeld = false;
        release(watch, everySeconds);
        showWatched();
      };
    },
    refresh,
    note(severity, text, atMs) {
      if (!isStopped) journal.note(severity, text, { atMs });
    },
    noteFailover(failover) {
      if (isStopped) return;
      // Each URL may have its own counters.
      cache.noteOtherSource();
      writer.write({ failover: { ...failover, atMs: clock.nowMs() } });
      journal.note('warning', journalTexts.failover(failover), { about: { kind: 'failover' } });
      applyEffects({ refresh: cluster.ownOfAddress });
      retryConnection();
      writer.flush();
    },
    noteSkippedAddress(skipped) {
      if (isStopped) return;
      writer.write({ skippedAddress: { ...skipped, atMs: clock.nowMs() } });
      journal.note('warning', journalTexts.skippedAddress(skipped), { about: { kind: 'failover' } });
      writer.flush();
    },
    async signIn(takePassword) {
      return (maySignIn() || loginFails()) && !isStopped
        ? signIn.tryPassword(takePassword)
        : writer.state().proxyLoginError;
    },
    abortScan(only) {
      const ended = watchers
        .all()
        .filter((watch) => (only === undefined || only === watch.query) && cache.taskOf(watch).abort?.() === true);
      for (const { query } of ended) journal.note('info', journalTexts.scanStopped((query as Scan<unknown>).noun));
      writer.flush();
      return ended.length > 0;
    },
    setFrozen(isFrozen) {
      if (isStopped || isFrozen === writer.state().isFrozen) return;
      writer.write({ isFrozen });
      apply();
      writer.flush();
    },
    setIntervalSeconds(seconds) {
      const intervalSeconds = clampInterval(seconds);
      if (isStopped || intervalSeconds === writer.state().intervalSeconds) return;
      writer.write({ intervalSeconds });
      if (mayFetch()) for (const watch of watchers.all()) cache.taskOf(watch).reschedule();
      writer.flush();
    },
    async request(send, { signal = abortController.signal, url } = {}) {
      const port = url === undefined ? api : api.at?.(url);
      if (port === undefined) throw new AbortedError();
      const options: CallOptions = { signal };
      try {
        return await (url === undefined ? call : callAtUrl)(() => send(port, options), signal);
      } catch (thrown) {
        const error = asApiError(thrown);
        // Another address may have other users, so its 401 says nothing about this one.
        if (error.kind === 'unauthorized' && url === undefined) rejectLogin(error);
        throw error;
      }
    },
    stop(because = stoppedText) {
      if (isStopped) return;
      isStopped = true;
      // Before the queue is cleared, so that waiting actions report the reason.
      options.onStop?.(because);
      cancelRetry();
      signIn.stop();
      abortController.abort();
      scheduler.stop();
      meter.stop();
      apply();
      watchers.clear();
      writer.flush();
    },
  };

  return {
    monitor,
    journal,
    call,
    callAtUrl,
    applyEffects,
    rejectLogin,
    signInAgain() {
      if (maySignIn()) void signIn.tryPassword(() => {});
    },
    storeCandidateLogin(takePassword) {
      signIn.storeCandidate(takePassword);
      if (maySignIn()) void signIn.tryCandidate();
    },
  };
}

const isVital = ({ query }: Watch): boolean => query.kind === 'resource' && (query as Resource<unknown, never>).isVital;

/** Whether a scan takes the list of nodes from the statistics. */
const needsNodes = ({ query }: Watch): boolean => query.kind === 'scan' && !(query as Scan<unknown>).isOfCluster;

export interface WatchList {
  all(): readonly Watch[];
  add(watch: Watch, everySeconds?: number): boolean;
  remove(watch: Watch, everySeconds?: number): boolean;
  /** Returns the shortest interval of all watchers; 0 without any. */
  everySeconds(watch: Watch): number;
  clear(): void;
}

export function createWatchList(): WatchList {
  const entries = new Map<string, { readonly watch: Watch; readonly waits: number[] }>();
  return {
    all: () => [...entries.values()].map((entry) => entry.watch),
    add(watch, everySeconds = 0) {
      const key = watchKey(watch);
      const entry = entries.get(key);
      if (entry === undefined) entries.set(key, { watch, waits: [everySeconds] });
      else entry.waits.push(everySeconds);
      return entry === undefined;
    },
    remove(watch, everySeconds = 0) {
      const key = watchKey(watch);
      const entry = entries.get(key);
      if (entry === undefined) return false;
      const at = entry.waits.indexOf(everySeconds);
      if (at >= 0) entry.waits.splice(at, 1);
      return entry.waits.length === 0 && entries.delete(key);
    },
    everySeconds: (watch) => Math.min(...(entries.get(watchKey(watch))?.waits ?? [0])),
    clear() {
      entries.clear();
    },
  };
}
