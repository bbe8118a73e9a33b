import type { ApiError } from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import type { ActingMonitor, BulkRequest } from './acting-monitor.ts';
import type { Action, ActionResult, Effects } from './action.ts';
import { clampPace, startBulk } from './bulk.ts';
import type { Bulk, BulkProgress } from './bulk.ts';
import { describeResult, isGood } from './describe.ts';
import { describeBulk, partlyDoneAction, partlyDoneBulk } from './partly-done.ts';
import type { PartlyDone } from './partly-done.ts';
import { createRunner } from './runner.ts';
import { type AuditEntry, type AuditLog, boundAudit } from './audit.ts';
import type { Call } from '../monitor/polling/client-detail.ts';
import type { Clock } from '../monitor/clock.ts';
import type { Journal } from '../monitor/journal.ts';
import type { ActionRecord } from '../monitor/state.ts';
import type { StateWriter } from '../monitor/store.ts';
import { stoppedNodesOf } from '../monitor/select/stopped-nodes.ts';
import { keyOf } from '../monitor/polling/watch-list.ts';

export interface MonitorActionsOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly writer: StateWriter;
  readonly journal: Journal;
  readonly call: Call;
  readonly callAtUrl: Call;
  readonly audit: AuditLog | undefined;
  readonly isReadOnly: boolean;
  readonly applyEffects: (effects: Effects) => void;
  readonly onUnauthorized: (error: ApiError) => void;
  /** The password is another one now: tries it, if the one before was rejected. */
  readonly signInAgain: () => void;
  /** It is not known whether the password is another one now: `takePassword` is for when the one before is rejected. */
  readonly keepLogin: (takePassword: () => void) => void;
}

export interface MonitorActions {
  readonly run: ActingMonitor['runAction'];
  readonly startBulk: ActingMonitor['startBulk'];
  readonly abortBulk: ActingMonitor['abortBulk'];
  readonly whenEnded: ActingMonitor['whenActionsEnd'];
  /** Ends all actions: what has been sent is then unknown. @param because who ends them, as a sentence */
  stop(because: string): void;
}

const mostRecords = 200;
const mostPartlyDone = 50;

/** Actions within the monitor: recorded in its state and its log, with what they touch read anew. */
export function createMonitorActions(options: MonitorActionsOptions): MonitorActions {
  const { api, clock, writer, journal, call, callAtUrl, isReadOnly } = options;
  const audit = options.audit === undefined ? undefined : boundAudit(options.audit, clock);
  const runner = createRunner({ api, clock, call, callAtUrl, audit, isReadOnly, seenStopped: () => stoppedNodesOf(writer.state()) });
  const ender = new AbortController();
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
    journal.note(isGood(result) && result.auditError === undefined ? 'info' : 'warning', describeResult(action, result));
    const errors = action.each === undefined ? [[action.url, result.error] as const] : result.parts.map(({ node, error }) => [node, error] as const);
    for (const [url, error] of errors) {
      // Another address than the one that serves may well have other users.
      if (error?.kind === 'unauthorized' && (url === undefined || url === api.servingUrl)) options.onUnauthorized(error);
    }
  }

  async function perform(action: Action): Promise<ActionResult> {
    records += 1;
    const key = String(records);
    const record: ActionRecord = { key, name: action.name, title: action.title, target: action.target, startedAtMs: clock.nowMs(), phase: 'checking', result: undefined };
    writer.write({ actions: [...writer.state().actions.slice(-(mostRecords - 1)), record] });
    // Whoever began it looks for its record at once.
    writer.flush();
    const result = await runner.run(action, { signal: ender.signal, onPhase: (phase, phaseUrl) => { change(key, { phase, phaseUrl }); } });
    change(key, { phase: 'finished', result });
    note(action, result);
    keep(partlyDoneAction(action, result));
    const { takeLogin } = action;
    // What was asked in between with the old password was rejected.
    if (takeLogin !== undefined && (isGood(result) || result.parts.some(isGood))) options.signInAgain();
    // At another address it may be another user's, or the same one's: there it is tried when the one before is rejected.
    if (takeLogin !== undefined && (result.outcome === 'unknown' || (action.url !== undefined && isGood(result)))) options.keepLogin(() => { takeLogin(api); });
    options.applyEffects(action.effects(result));
    return result;
  }

  function begin(actions: readonly Action[], { title, perSecond }: BulkRequest): Bulk | undefined {
    if (bulk !== undefined || ender.signal.aborted) return undefined;
    const bulkId = crypto.randomUUID();
    const chosen = { bulkId, title };
    if (!isReadOnly) recordBulk({ ...chosen, kind: 'bulk-begin', atMs: clock.nowMs(), chosen: actions.length, perSecond: clampPace(perSecond) });
    const touched = new Map<string, Effects['refresh'][number]>();
    bulk = startBulk(actions, {
      id: bulkId, title, clock, perSecond,
      onProgress: (progress) => { writer.write({ bulk: progress }); },
      run: async (action, onSent) => {
        const result = await runner.run(action, { signal: ender.signal, bulkId, onPhase: (phase) => { if (phase === 'sending') onSent(); } });
        const { gone, refresh } = action.effects(result);
        for (const watched of refresh) touched.set(keyOf(watched), watched);
        // Rows leave as they go; everything else is read once, at the end.
        options.applyEffects({ gone, refresh: [] });
        if (result.error?.kind === 'unauthorized') options.onUnauthorized(result.error);
        return result;
      },
    });
    // Whoever quits at once has to be asked.
    writer.flush();
    // With what is noted of it: whoever waits for the end finds that in the state.
    void track(bulk.finished.then((progress) => {
      bulk = undefined;
      if (!isReadOnly) recordBulk({ ...chosen, kind: 'bulk-end', atMs: clock.nowMs(), progress });
      noteBulk(progress);
      options.applyEffects({ refresh: [...touched.values()] });
    }));
    return bulk;
  }

  /** Where this fails, the actions fail at it too, and say so. */
  function recordBulk(entry: AuditEntry): void {
    if (audit !== undefined) void track(audit.write(entry).catch(() => {}));
  }

  function noteBulk(progress: BulkProgress): void {
    for (const failure of progress.failures) journal.note('warning', failure.text);
    journal.note(progress.done === progress.total ? 'info' : 'warning', `${progress.endedBecause === undefined ? 'Finished' : 'Aborted'}: ${describeBulk(progress)}`);
    keep(partlyDoneBulk(progress));
  }

  function keep(partlyDone: PartlyDone | undefined): void {
    if (partlyDone !== undefined) writer.write({ partlyDone: [...writer.state().partlyDone.slice(-(mostPartlyDone - 1)), partlyDone] });
  }

  return {
    run: (action) => track(perform(action)),
    startBulk: begin,
    abortBulk() {
      bulk?.abort();
    },
    async whenEnded() {
      while (pending.size > 0) await Promise.allSettled(pending);
      // Whoever waits for the end reads what came of them.
      writer.flush();
    },
    stop(because) {
      bulk?.abort(because);
      ender.abort();
    },
  };
}
