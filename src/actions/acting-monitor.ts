import type { ManagementApi } from '../api/management-api.ts';
import { readOnlyApi } from '../api/read-only-api.ts';
import { type Clock, systemClock } from '../monitor/clock.ts';
import { clampInterval, createMonitorCore, type MonitorCore } from '../monitor/monitor.ts';
import { keyOf } from '../monitor/polling/watch-list.ts';
import { stoppedNodesOf } from '../monitor/select/stopped-nodes.ts';
import type { MonitorOperations, Watched } from '../monitor/state.ts';
import { createStateWriter, type StateWriter } from '../monitor/store.ts';
import type { Action, ActionResult } from './action.ts';
import { type AuditEntry, type AuditLog, withAuditDeadline } from './audit.ts';
import { type Bulk, type BulkProgress, clampPerSecond, describeBulk, type PartlyDone, partlyDoneAction, partlyDoneBulk, startBulk } from './bulk.ts';
import { describeResult, isSuccess } from './describe.ts';
import { createRunner } from './runner.ts';
import { type ActingState, type ActionRecord, initialActingState, type WatchedMonitor } from './state.ts';

export interface BulkRequest {
  /** Completes a sentence: `disconnect 12 clients`. */
  readonly title: string;
  /** Started per second, max; default 20. */
  readonly perSecond?: number | undefined;
}

/** The monitor with the means to act; `ActingState.actions` and `bulk` show the progress. */
export interface ActingMonitor extends WatchedMonitor, MonitorOperations {
  /** Runs a confirmed action, then reads what it touched again. Never rejects: a refusal is a result. */
  runAction(action: Action): Promise<ActionResult>;
  /** Runs many actions at a limited rate. `undefined` while another bulk runs. */
  startBulk(actions: readonly Action[], request: BulkRequest): Bulk | undefined;
  /** Starts no more actions of the running bulk; those already started finish. */
  abortBulk(): void;
  /** Resolves when no action runs and all outcomes are recorded. */
  whenActionsEnd(): Promise<void>;
}

export interface MonitorOptions {
  readonly api: ManagementApi;
  readonly clock?: Clock | undefined;
  /** Clamped to 0.5 to 60. */
  readonly intervalSeconds: number;
  /** 0 to 1; spreads back-off. */
  readonly random?: (() => number) | undefined;
  /** Refuses every action, and limits the port to reads. */
  readonly isReadOnly?: boolean | undefined;
  /** Records every action; one that cannot be recorded is not sent. `undefined`: no audit. */
  readonly audit?: AuditLog | undefined;
  /** Batches readings within this time into one state; 0 unless given. */
  readonly holdMs?: number | undefined;
  /** Max rows kept per list; 1,000,000 unless given. */
  readonly maxRows?: number | undefined;
  /** First sentence of the log; raw. */
  readonly firstNote?: string | undefined;
}

/** Polls only what is watched. See `Monitor`. */
export function createMonitor(options: MonitorOptions): ActingMonitor {
  const isReadOnly = options.isReadOnly ?? false;
  const api = isReadOnly ? readOnlyApi(options.api) : options.api;
  const clock = options.clock ?? systemClock;
  const holdMs = options.holdMs ?? 0;
  const initial = { ...initialActingState(clampInterval(options.intervalSeconds)), isReadOnly, urls: api.urls };
  const writer = createStateWriter(initial, holdMs > 0 ? (giveOut) => { clock.setTimer(holdMs, giveOut); } : undefined);
  const core = createMonitorCore({
    api, clock, writer,
    random: options.random,
    maxRows: options.maxRows,
    firstNote: options.firstNote,
    // First, so that queued actions end too.
    onStop: (because) => { actions.stop(because); },
  });
  const actions = createMonitorActions({ api, clock, writer, core, isReadOnly, audit: options.audit });
  return {
    ...core.monitor,
    store: writer.store,
    runAction: actions.run,
    startBulk: actions.startBulk,
    abortBulk: actions.abortBulk,
    whenActionsEnd: actions.whenEnded,
  };
}

interface MonitorActionsOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly writer: StateWriter<ActingState>;
  readonly core: MonitorCore;
  readonly audit: AuditLog | undefined;
  readonly isReadOnly: boolean;
}

interface MonitorActions {
  readonly run: ActingMonitor['runAction'];
  readonly startBulk: ActingMonitor['startBulk'];
  readonly abortBulk: ActingMonitor['abortBulk'];
  readonly whenEnded: ActingMonitor['whenActionsEnd'];
  /** Ends all actions; the outcome of sent ones is then unknown. @param because the reason, as a sentence */
  stop(because: string): void;
}

const maxRecords = 200;
const maxPartlyDone = 50;

/** Runs actions, records them in the state and the log, and reads what they touched again. */
function createMonitorActions(options: MonitorActionsOptions): MonitorActions {
  const { api, clock, writer, core, isReadOnly } = options;
  const { journal, call, callAtUrl } = core;
  const audit = options.audit === undefined ? undefined : withAuditDeadline(options.audit, clock);
  const runner = createRunner({ api, clock, call, callAtUrl, audit, isReadOnly, seenStopped: () => stoppedNodesOf(writer.state()) });
  const abortController = new AbortController();
  const pending = new Set<Promise<unknown>>();
  let records = 0;
  let bulk: Bulk | undefined;

  function track<T>(work: Promise<T>): Promise<T> {
    pending.add(work);
    void work.finally(() => { pending.delete(work); });
    return work;
  }

  function change(key: string, patch: Partial<ActionRecord>): void {
    writer.write({ actions: writer.state().actions.map((record) => (record.key === key ? { ...record, ...patch } : record)) });
  }

  function note(action: Action, result: ActionResult): void {
    journal.note(isSuccess(result) && result.auditError === undefined ? 'info' : 'warning', describeResult(action, result));
    const errors = action.each === undefined ? [[action.url, result.error] as const] : result.parts.map(({ node, error }) => [node, error] as const);
    for (const [url, error] of errors) {
      // Another address may have other users, so its 401 says nothing about this one.
      if (error?.kind === 'unauthorized' && (url === undefined || url === api.servingUrl)) core.refuse(error);
    }
  }

  async function perform(action: Action): Promise<ActionResult> {
    records += 1;
    const key = String(records);
    const record: ActionRecord = { key, name: action.name, title: action.title, target: action.target, startedAtMs: clock.nowMs(), phase: 'checking', result: undefined };
    writer.write({ actions: [...writer.state().actions.slice(-(maxRecords - 1)), record] });
    // The caller looks for its record at once.
    writer.flush();
    const result = await runner.run(action, { signal: abortController.signal, onPhase: (phase, phaseUrl) => { change(key, { phase, phaseUrl }); } });
    change(key, { phase: 'finished', result });
    note(action, result);
    keep(partlyDoneAction(action, result));
    const { updateCredentials } = action;
    // Requests in between were rejected with the old password.
    if (updateCredentials !== undefined && (isSuccess(result) || result.parts.some(isSuccess))) core.signInAgain();
    // Another address may share these users or not: the new password is tried when the old one is rejected.
    if (updateCredentials !== undefined && (result.outcome === 'unknown' || (action.url !== undefined && isSuccess(result)))) core.keepLogin(() => { updateCredentials(api); });
    core.applyEffects(action.effects(result));
    return result;
  }

  function begin(actions: readonly Action[], { title, perSecond }: BulkRequest): Bulk | undefined {
    if (bulk !== undefined || abortController.signal.aborted) return undefined;
    const bulkId = crypto.randomUUID();
    const chosen = { bulkId, title };
    if (!isReadOnly) recordBulk({ ...chosen, kind: 'bulk-begin', atMs: clock.nowMs(), chosen: actions.length, perSecond: clampPerSecond(perSecond) });
    const touched = new Map<string, Watched>();
    bulk = startBulk(actions, {
      id: bulkId, title, clock, perSecond,
      onProgress: (progress) => { writer.write({ bulk: progress }); },
      run: async (action, onSent) => {
        const result = await runner.run(action, { signal: abortController.signal, bulkId, onPhase: (phase) => { if (phase === 'sending') onSent(); } });
        const { gone, refresh } = action.effects(result);
        for (const watched of refresh) touched.set(keyOf(watched), watched);
        // Rows disappear at once; everything else is read once, at the end.
        core.applyEffects({ gone, refresh: [] });
        if (result.error?.kind === 'unauthorized') core.refuse(result.error);
        return result;
      },
    });
    // So that quitting right away asks first.
    writer.flush();
    // Waiters find the outcome in the state.
    void track(bulk.finished.then((progress) => {
      bulk = undefined;
      if (!isReadOnly) recordBulk({ ...chosen, kind: 'bulk-end', atMs: clock.nowMs(), progress });
      noteBulk(progress);
      core.applyEffects({ refresh: [...touched.values()] });
    }));
    return bulk;
  }

  /** If this fails, the actions fail to record too, and report it. */
  function recordBulk(entry: AuditEntry): void {
    if (audit !== undefined) void track(audit.write(entry).catch(() => {}));
  }

  function noteBulk(progress: BulkProgress): void {
    for (const failure of progress.failures) journal.note('warning', failure.text);
    journal.note(progress.done === progress.total ? 'info' : 'warning', `${progress.endedBecause === undefined ? 'Finished' : 'Aborted'}: ${describeBulk(progress)}`);
    keep(partlyDoneBulk(progress));
  }

  function keep(partlyDone: PartlyDone | undefined): void {
    if (partlyDone !== undefined) writer.write({ partlyDone: [...writer.state().partlyDone.slice(-(maxPartlyDone - 1)), partlyDone] });
  }

  return {
    run: (action) => track(perform(action)),
    startBulk: begin,
    abortBulk() {
      bulk?.abort();
    },
    async whenEnded() {
      while (pending.size > 0) await Promise.allSettled(pending);
      // Waiters read the outcomes from the state.
      writer.flush();
    },
    stop(because) {
      bulk?.abort(because);
      abortController.abort();
    },
  };
}
