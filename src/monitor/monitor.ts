import {
  AbortedError,
  type ApiError,
  LoginLockedError,
  ProxyLoginError,
  SilentNodeError,
  TimeoutError,
  asApiError,
  isNotOffered,
} from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import { type Clock, systemClock } from './clock.ts';
import { createJournal, type Journal } from './journal.ts';
import { createAdministration } from './polling/administration.ts';
import { slowIntervalSeconds, staleGraceSeconds, startingSeconds } from './polling/intervals.ts';
import type { PollOutcome } from './polling/poller.ts';
import { createRequestMeter } from './polling/request-meter.ts';
import { createRequestScheduler } from './polling/request-scheduler.ts';
import { createLocator } from './polling/locate.ts';
import { type Call, createMonitorResources, listedClient, readClientDetail } from './polling/resources.ts';
import { unusableNote } from './scan/missing-rows.ts';
import type { Scan } from './scan/scan.ts';
import { createScans, scanNames } from './scan/scans.ts';
import { selectLowestUptime, selectNodes } from './select/nodes.ts';
import { loginFailureOf } from './select/freshness.ts';
import { createSignIn } from './sign-in.ts';
import { type Effects, watchedKey, type Monitor, type MonitorOperations, type Watched } from './state.ts';
import type { StateWriter } from './store.ts';
import { journalTexts, stoppedText } from './texts.ts';

export interface MonitorCoreOptions {
  readonly api: ManagementApi;
  readonly clock?: Clock | undefined;
  readonly writer: StateWriter;
  readonly random?: (() => number) | undefined;
  readonly maxRows?: number | undefined;
  /** First entries of the log, raw. */
  readonly firstNotes?: readonly string[] | undefined;
  /** Called first when the monitor stops, with the reason as a sentence. */
  readonly onStop?: ((because: string) => void) | undefined;
}

export interface MonitorCore {
  readonly monitor: Monitor & MonitorOperations;
  readonly journal: Journal;
  readonly call: Call;
  /** The same, to a URL that the operator chose. */
  readonly callAtUrl: Call;
  applyEffects(effects: Effects): void;
  /** Stops all polling. */
  rejectLogin(error: ApiError): void;
  signInAgain(): void;
  /** For when the current password is rejected. */
  storeCandidateLogin(takePassword: () => void): void;
}

export const clampInterval = (seconds: number): number =>
  Math.min(60, Math.max(0.5, Number.isFinite(seconds) ? seconds : 2));

type Task = Pick<Scan, 'start' | 'stop' | 'reschedule' | 'retryConnection'> & {
  refresh(): unknown;
  refreshAfterChange(): unknown;
};

export function createMonitorCore(options: MonitorCoreOptions): MonitorCore {
  const { api, writer } = options;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const journal = createJournal(writer, clock);
  for (const text of options.firstNotes ?? []) journal.note('info', text, { isSetup: true });
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
  let cancelRetry = (): void => {};

  const intervalMs = (): number => writer.state().intervalSeconds * 1_000;
  const slowIntervalMs = (): number => slowIntervalSeconds(writer.state().intervalSeconds) * 1_000;

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
    // Screens say what a broker does not offer; it is no failure.
    else if (isNotOffered(outcome.error)) journal.success(source);
    else journal.failure(source, outcome.error, isKnown(outcome.error));
  }

  function retryConnection(): void {
    for (const watched of watchers.all()) taskOf(watched).retryConnection();
  }

  /** The API as a whole cannot be reached, which is a problem of its own. */
  const isApiDown = ({ kind }: ApiError): boolean =>
    (kind === 'unreachable' || kind === 'timeout') &&
    watchers.all().some((watched) => watched.kind === 'resource' && resources[watched.name].lastError()?.kind === kind);

  /** What waits for a node that does not respond: the node is the problem. */
  const isOfSilentNode = (error: ApiError): boolean =>
    error instanceof SilentNodeError ||
    mayBeOfSilentNode(error) ||
    ((error.kind === 'node-unreachable' || error.kind === 'timeout' || error.kind === 'not-found') &&
      selectNodes(writer.state()).some(({ isSilent }) => isSilent === true));

  /** The reading of the nodes, which will tell, waits as well. */
  function mayBeOfSilentNode(error: ApiError): boolean {
    const { updatedAtMs, isFetching } = resources.nodeStats.state();
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
    journal.note('error', error.message);
    apply();
    retryLocked(error);
    if (maySignIn()) void signIn.tryCandidate();
  }

  const atLeast = (ms: number, watched: Watched): number => Math.max(ms, watchers.everySeconds(watched) * 1_000);

  const { resources, nodeMetrics, clientDetails, topicRoutes, postponeRareMs, breakRates } = createMonitorResources({
    api,
    clock,
    writer,
    journal,
    schedule,
    random,
    intervalMs,
    onOutcome: noteOutcome,
    onBack: retryConnection,
    slowIntervalMs: () =>
      (selectLowestUptime(writer.state(), clock.nowMs()) ?? startingSeconds) < startingSeconds
        ? intervalMs()
        : slowIntervalMs(),
    nodeIntervalMs: (node) => atLeast(intervalMs(), { kind: 'nodeMetrics', node }),
  });

  const administration = createAdministration({
    api,
    clock,
    writer,
    journal,
    random,
    schedule,
    intervalMs: (watched) => atLeast(slowIntervalMs(), watched),
    postponeMs: postponeRareMs,
    onOutcome: noteOutcome,
  });

  const scans = createScans({
    api,
    clock,
    writer,
    journal,
    random,
    schedule,
    maxRows: options.maxRows,
    tickMs: intervalMs,
    intervalMs: (scan) => atLeast(intervalMs(), { kind: scan }),
    nodeStats: resources.nodeStats,
    freshMs: () => 2 * intervalMs() + staleGraceSeconds * 1_000,
    onUnauthorized: rejectLogin,
    isKnown,
  });

  function taskOf(watched: Watched): Task {
    switch (watched.kind) {
      case 'resource':
        return resources[watched.name];
      case 'nodeMetrics':
        return nodeMetrics.get(watched.node);
      case 'clientDetail':
        return clientDetails.get(watched.clientId);
      case 'topicRoutes':
        return topicRoutes.get(watched.topic);
      case 'nodePlugins':
        return administration.nodePlugins.get(watched.node);
      case 'nodeSettings':
        return administration.nodeSettings.get(watched.node);
      case 'pluginSettings':
        return administration.pluginSettings.get(watched.node, watched.plugin);
      case 'settings':
      case 'alarms':
      case 'endedAlarms':
      case 'bans':
      case 'apiKeys':
      case 'users':
        return administration[watched.kind];
      case 'slowSubscriptions':
        return administration.messages.slowSubscriptions;
      case 'retained':
        return administration.messages.retained;
      case 'retainedContent':
        return administration.messages.retainedContent.get(watched);
      case 'sessionMessages':
        return administration.messages.sessionMessages.get(watched);
      case 'clientSearch':
        return administration.messages.clientSearch.get(watched);
      default:
        return scans[watched.kind];
    }
  }

  /** A poller in a map outlives its last watcher for a while. */
  function setWatched(watched: Watched, isKept: boolean): void {
    const act = isKept ? 'keep' : 'release';
    switch (watched.kind) {
      case 'nodeMetrics':
        nodeMetrics[act](watched.node);
        break;
      case 'clientDetail':
        clientDetails[act](watched.clientId);
        break;
      case 'topicRoutes':
        topicRoutes[act](watched.topic);
        break;
      case 'nodePlugins':
      case 'nodeSettings':
        administration[watched.kind][act](watched.node);
        break;
      case 'pluginSettings':
        administration.pluginSettings[act](watched.node, watched.plugin);
        break;
      case 'retainedContent':
        administration.messages.retainedContent[act](watched);
        break;
      case 'sessionMessages':
        administration.messages.sessionMessages[act](watched);
        break;
      case 'clientSearch':
        administration.messages.clientSearch[act](watched);
        break;
      default:
    }
  }

  const mayFetch = (): boolean => !isStopped && !writer.state().isFrozen && !writer.state().isUnauthorized;

  function apply(): void {
    const isOn = mayFetch();
    for (const watched of watchers.all()) {
      if (isOn) taskOf(watched).start();
      else taskOf(watched).stop();
    }
  }

  function acquire(watched: Watched, everySeconds?: number): void {
    const before = watchers.everySeconds(watched);
    if (!watchers.add(watched, everySeconds)) {
      rescheduleIfSooner(watched, before);
      return;
    }
    setWatched(watched, true);
    if (needsNodes(watched)) acquire(nodeStatsWatched);
    if (mayFetch()) taskOf(watched).start();
  }

  function release(watched: Watched, everySeconds?: number): void {
    const before = watchers.everySeconds(watched);
    if (!watchers.remove(watched, everySeconds)) {
      rescheduleIfSooner(watched, before);
      return;
    }
    taskOf(watched).stop();
    setWatched(watched, false);
    if (needsNodes(watched)) release(nodeStatsWatched);
  }

  function rescheduleIfSooner(watched: Watched, beforeSeconds: number): void {
    if (watchers.everySeconds(watched) !== beforeSeconds && mayFetch()) taskOf(watched).reschedule();
  }

  function applyEffects({ gone = [], refresh }: Effects): void {
    for (const { scan, identity } of gone) scans[scan].drop(identity);
    if (!mayFetch()) return;
    const affected = new Set(refresh.map(watchedKey));
    for (const watched of watchers.all())
      if (affected.has(watchedKey(watched))) void taskOf(watched).refreshAfterChange();
  }

  const signIn = createSignIn({
    api,
    call,
    note: (text) => {
      journal.note('warning', text);
    },
    onAccepted() {
      journal.note('info', journalTexts.signedIn);
      resume();
    },
    onUnknown(error) {
      journal.note('warning', journalTexts.loginUnknown(error.message));
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

  function refresh(): void {
    if (!mayFetch()) return;
    for (const watched of watchers.all()) void taskOf(watched).refresh();
  }

  function showWatched(): void {
    writer.write({ watched: watchers.all() });
  }

  const monitor: Monitor & MonitorOperations = {
    store: writer.store,
    watch(watched, everySeconds) {
      if (isStopped) return () => {};
      acquire(watched, everySeconds);
      showWatched();
      let isHeld = true;
      return () => {
        if (!isHeld || isStopped) return;
        isHeld = false;
        release(watched, everySeconds);
        showWatched();
      };
    },
    refresh,
    note(level, text, atMs) {
      if (!isStopped) journal.note(level, text, { atMs });
    },
    noteFailover(failover) {
      if (isStopped) return;
      // Each URL may have its own counters.
      breakRates();
      writer.write({ failover: { ...failover, atMs: clock.nowMs() } });
      journal.note('warning', journalTexts.failover(failover));
      // Each URL may have its own users.
      applyEffects({ refresh: [{ kind: 'users' }] });
      retryConnection();
      writer.flush();
    },
    noteSkippedAddress(skipped) {
      if (isStopped) return;
      writer.write({ skippedAddress: { ...skipped, atMs: clock.nowMs() } });
      journal.note('warning', journalTexts.skippedAddress(skipped));
      writer.flush();
    },
    async signIn(takePassword) {
      return (maySignIn() || loginFails()) && !isStopped
        ? signIn.tryPassword(takePassword)
        : writer.state().proxyLoginError;
    },
    abortScan(only) {
      const ended = scanNames.filter((name) => (only === undefined || only === name) && scans[name].abort());
      for (const name of ended) journal.note('info', journalTexts.scanStopped(name));
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
      if (mayFetch()) for (const watched of watchers.all()) taskOf(watched).reschedule();
      writer.flush();
    },
    async readClient(clientId, signal) {
      try {
        const detail = await readClientDetail(api, clientId, call, signal);
        return await createLocator()(detail, listedClient(writer.state(), clientId), (request) =>
          call(() => request(api, { signal }), signal),
        );
      } catch (thrown) {
        const error = asApiError(thrown);
        if (error.kind === 'unauthorized') rejectLogin(error);
        throw error;
      }
    },
    async readUsers(url) {
      const port = api.at?.(url);
      if (port === undefined) throw new AbortedError();
      try {
        return (await callAtUrl(() => port.listUsers({ signal: abortController.signal }), abortController.signal)).map(
          (user) => ({ ...user, url }),
        );
      } catch (thrown) {
        throw asApiError(thrown);
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

const nodeStatsWatched: Watched = { kind: 'resource', name: 'nodeStats' };

/** These scans take the list of nodes from the statistics. */
const needsNodes = ({ kind }: Watched): boolean =>
  kind === 'clientScan' || kind === 'sessionScan' || kind === 'subscriptionScan';

export interface WatchList {
  all(): readonly Watched[];
  add(watched: Watched, everySeconds?: number): boolean;
  remove(watched: Watched, everySeconds?: number): boolean;
  /** The shortest interval of all watchers; 0 without any. */
  everySeconds(watched: Watched): number;
  clear(): void;
}

export function createWatchList(): WatchList {
  const entries = new Map<string, { readonly watched: Watched; readonly waits: number[] }>();
  return {
    all: () => [...entries.values()].map((entry) => entry.watched),
    add(watched, everySeconds = 0) {
      const key = watchedKey(watched);
      const entry = entries.get(key);
      if (entry === undefined) entries.set(key, { watched, waits: [everySeconds] });
      else entry.waits.push(everySeconds);
      return entry === undefined;
    },
    remove(watched, everySeconds = 0) {
      const key = watchedKey(watched);
      const entry = entries.get(key);
      if (entry === undefined) return false;
      const at = entry.waits.indexOf(everySeconds);
      if (at >= 0) entry.waits.splice(at, 1);
      return entry.waits.length === 0 && entries.delete(key);
    },
    everySeconds: (watched) => Math.min(...(entries.get(watchedKey(watched))?.waits ?? [0])),
    clear() {
      entries.clear();
    },
  };
}
