import { AbortedError, type ApiError, ProxyLoginError } from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import { type Clock, systemClock } from './clock.ts';
import { createJournal, type Journal } from './journal.ts';
import { createAdministration } from './polling/administration.ts';
import { toApiError } from './polling/backoff.ts';
import { type Call, readClientDetail } from './polling/client-detail.ts';
import { slowIntervalSeconds, staleGraceSeconds } from './polling/intervals.ts';
import type { PollOutcome } from './polling/poller.ts';
import { createRequestMeter } from './polling/request-meter.ts';
import { createRequestScheduler } from './polling/request-scheduler.ts';
import { createMonitorResources } from './polling/resources.ts';
import { createWatchList, keyOf } from './polling/watch-list.ts';
import { unusableNote } from './scan/left-out.ts';
import type { Scan } from './scan/scan.ts';
import { createScans, scanNames, scanTitles } from './scan/scans.ts';
import { createSignIn } from './sign-in.ts';
import type { Effects, Monitor, MonitorOperations, Watched } from './state.ts';
import type { StateWriter } from './store.ts';

export interface MonitorCoreOptions {
  readonly api: ManagementApi;
  readonly clock?: Clock | undefined;
  /** Holds the state, with `isReadOnly` and the interval already set. */
  readonly writer: StateWriter;
  /** 0 to 1; spreads back-off. */
  readonly random?: (() => number) | undefined;
  /** How many rows of one list are kept; 1,000,000 unless given. */
  readonly maxRows?: number | undefined;
  /** First entry of the log, raw. */
  readonly firstNote?: string | undefined;
  /** Called first when the monitor stops. @param because the reason, as a sentence */
  readonly onStop?: ((because: string) => void) | undefined;
}

/** The monitor, with what actions need from it. */
export interface MonitorCore {
  readonly monitor: Monitor & MonitorOperations;
  readonly journal: Journal;
  /** Makes one request, within the limits of the monitor. */
  readonly call: Call;
  /** The same, for a request to a URL that the operator chose. */
  readonly callAtUrl: Call;
  /** Refreshes what an action changed, if it is watched. */
  applyEffects(effects: Effects): void;
  /** Stops all fetching after a rejected login. */
  refuse(error: ApiError): void;
  /** Retries with the changed password, if the old one was rejected. */
  signInAgain(): void;
  /** Keeps a password that may have become valid, for when the current one is rejected. */
  keepLogin(takePassword: () => void): void;
}

export const clampInterval = (seconds: number): number => Math.min(60, Math.max(0.5, Number.isFinite(seconds) ? seconds : 2));

type Task = Pick<Scan, 'start' | 'stop' | 'reschedule' | 'retryConnection'> & { refresh(): unknown; refreshAfterChange(): unknown };

/** Creates a monitor, which polls only what is watched. */
export function createMonitorCore(options: MonitorCoreOptions): MonitorCore {
  const { api, writer } = options;
  const clock = options.clock ?? systemClock;
  const random = options.random ?? Math.random;
  const journal = createJournal(writer, clock);
  if (options.firstNote !== undefined) journal.note('info', options.firstNote);
  const meter = createRequestMeter({ clock, api, onLoad: (causedLoad) => { writer.write({ causedLoad }); } });
  const scheduler = createRequestScheduler({
    onRequest() {
      const end = meter.begin();
      return () => {
        end();
        noteVariant();
      };
    },
    onReached() {
      for (const watched of watchers.all()) taskOf(watched).retryConnection();
    },
  });
  const { schedule } = scheduler;
  const call: Call = (request, signal) => schedule(request, { signal, kind: 'cluster' });
  const callAtUrl: Call = (request, signal) => schedule(request, { signal, kind: 'aside', isAtChosenUrl: true });
  const watchers = createWatchList();
  const ender = new AbortController();
  let isStopped = false;

  const intervalMs = (): number => writer.state().intervalSeconds * 1_000;
  const slowIntervalMs = (): number => slowIntervalSeconds(writer.state().intervalSeconds) * 1_000;

  function noteVariant(): void {
    const { capabilities, variantDoubt } = api;
    const before = writer.state();
    if (capabilities !== before.capabilities) writer.write({ capabilities });
    if (variantDoubt === before.variantDoubt) return;
    writer.write({ variantDoubt });
    if (variantDoubt !== undefined) journal.note('warning', variantDoubt);
  }

  function noteOutcome(source: string, outcome: PollOutcome<unknown>): void {
    if (outcome.kind !== 'failed') {
      journal.success(source);
      journal.remark(source, outcome.unusable?.example, outcome.unusable && unusableNote(source, outcome.unusable));
    } else if (outcome.error.kind === 'unauthorized') refuse(outcome.error);
    else journal.failure(source, outcome.error);
  }

  const maySignIn = (): boolean => writer.state().isUnauthorized && writer.state().proxyRefusal === undefined;

  function refuse(error: ApiError): void {
    if (writer.state().isUnauthorized) return;
    writer.write({ isUnauthorized: true, proxyRefusal: error instanceof ProxyLoginError ? error : undefined });
    journal.note('error', error.message);
    apply();
    if (maySignIn()) void signIn.tryKept();
  }

  const { resources, nodeMetrics, clientDetails, topicRoutes, breakRates } = createMonitorResources({
    api, clock, writer, journal, schedule, random, intervalMs, slowIntervalMs, onOutcome: noteOutcome,
  });

  const atLeast = (ms: number, watched: Watched): number => Math.max(ms, watchers.everySeconds(watched) * 1_000);

  const administration = createAdministration({
    api, clock, writer, journal, random, schedule,
    intervalMs: (watched) => atLeast(slowIntervalMs(), watched),
    onOutcome: noteOutcome,
  });

  const scans = createScans({
    api, clock, writer, journal, random, schedule,
    maxRows: options.maxRows,
    tickMs: intervalMs,
    intervalMs: (scan) => atLeast(intervalMs(), { kind: scan }),
    nodeStats: resources.nodeStats,
    freshMs: () => 2 * intervalMs() + staleGraceSeconds * 1_000,
    onUnauthorized: refuse,
  });

  function taskOf(watched: Watched): Task {
    switch (watched.kind) {
      case 'resource': return resources[watched.name];
      case 'nodeMetrics': return nodeMetrics.get(watched.node);
      case 'clientDetail': return clientDetails.get(watched.clientId);
      case 'topicRoutes': return topicRoutes.get(watched.topic);
      case 'nodePlugins': return administration.nodePlugins.get(watched.node);
      case 'nodeSettings': return administration.nodeSettings.get(watched.node);
      case 'pluginSettings': return administration.pluginSettings.get(watched.node, watched.plugin);
      case 'settings':
      case 'alarms':
      case 'users': return administration[watched.kind];
      default: return scans[watched.kind];
    }
  }

  /** Pollers in a map are kept for a while after their last watcher left. */
  function setWatched(watched: Watched, isKept: boolean): void {
    const act = isKept ? 'keep' : 'release';
    switch (watched.kind) {
      case 'nodeMetrics': nodeMetrics[act](watched.node); break;
      case 'clientDetail': clientDetails[act](watched.clientId); break;
      case 'topicRoutes': topicRoutes[act](watched.topic); break;
      case 'nodePlugins':
      case 'nodeSettings': administration[watched.kind][act](watched.node); break;
      case 'pluginSettings': administration.pluginSettings[act](watched.node, watched.plugin); break;
      default:
    }
  }

  const mayFetch = (): boolean => !isStopped && !writer.state().isFrozen && !writer.state().isUnauthorized;

  /** Starts or stops everything watched, according to the state. */
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

  /** Reschedules if the shortest interval of the watchers changed. */
  function rescheduleIfSooner(watched: Watched, beforeSeconds: number): void {
    if (watchers.everySeconds(watched) !== beforeSeconds && mayFetch()) taskOf(watched).reschedule();
  }

  function applyEffects({ gone = [], refresh }: Effects): void {
    for (const { scan, identity } of gone) scans[scan].drop(identity);
    if (!mayFetch()) return;
    const affected = new Set(refresh.map(keyOf));
    for (const watched of watchers.all()) if (affected.has(keyOf(watched))) void taskOf(watched).refreshAfterChange();
  }

  const signIn = createSignIn({
    api, call,
    note: (text) => { journal.note('warning', text); },
    onAccepted() {
      writer.write({ isUnauthorized: false });
      journal.note('info', 'Signed in anew: fetching goes on.');
      apply();
      refresh();
      writer.flush();
    },
  });

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
    noteTakeover(takeover) {
      if (isStopped) return;
      // Each URL may have counters of its own.
      breakRates();
      writer.write({ takeover: { ...takeover, atMs: clock.nowMs() } });
      journal.note('warning', `${takeover.insteadOf} is given up. ${takeover.because} ${takeover.url} answers now.`);
      // Each URL may have users of its own.
      applyEffects({ refresh: [{ kind: 'users' }] });
      writer.flush();
    },
    noteSkippedAddress(skipped) {
      if (isStopped) return;
      writer.write({ skippedAddress: { ...skipped, atMs: clock.nowMs() } });
      journal.note('warning', `Skipped ${skipped.url}. ${skipped.message}`);
      writer.flush();
    },
    async signIn(takePassword) {
      return maySignIn() && !isStopped ? signIn.tryPassword(takePassword) : writer.state().proxyRefusal;
    },
    abortScan(only) {
      const ended = scanNames.filter((name) => (only === undefined || only === name) && scans[name].abort());
      for (const name of ended) journal.note('info', `The scan of the ${scanTitles[name]} was ended by hand.`);
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
        return await readClientDetail(api, clientId, call, signal);
      } catch (thrown) {
        const error = toApiError(thrown);
        if (error.kind === 'unauthorized') refuse(error);
        throw error;
      }
    },
    async readUsers(url) {
      const port = api.at?.(url);
      if (port === undefined) throw new AbortedError();
      try {
        return (await callAtUrl(() => port.listUsers({ signal: ender.signal }), ender.signal)).map((user) => ({ ...user, url }));
      } catch (thrown) {
        throw toApiError(thrown);
      }
    },
    stop(because = 'The program was ended.') {
      if (isStopped) return;
      isStopped = true;
      // Before the queue is cleared, so that waiting actions report the reason.
      options.onStop?.(because);
      signIn.stop();
      ender.abort();
      scheduler.stop();
      meter.stop();
      apply();
      watchers.clear();
      writer.flush();
    },
  };

  return {
    monitor, journal, call, callAtUrl, applyEffects, refuse,
    signInAgain() {
      if (maySignIn()) void signIn.tryPassword(() => {});
    },
    keepLogin(takePassword) {
      signIn.keep(takePassword);
      if (maySignIn()) void signIn.tryKept();
    },
  };
}

const nodeStatsWatched: Watched = { kind: 'resource', name: 'nodeStats' };

/** These scans take the list of nodes from the statistics. */
const needsNodes = ({ kind }: Watched): boolean => kind === 'clientScan' || kind === 'sessionScan' || kind === 'subscriptionScan';
