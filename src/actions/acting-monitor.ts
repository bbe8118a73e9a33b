import type { ManagementApi } from '../api/management-api.ts';
import { readOnlyApi } from '../api/read-only-api.ts';
import type { EventAction, EventFacts } from '../domain/event.ts';
import { type Clock, systemClock } from '../monitor/clock.ts';
import { clampInterval, createMonitorCore, type MonitorCore } from '../monitor/monitor.ts';
import type { Monitor, MonitorOperations, MonitorState, ReadableStore } from '../monitor/state.ts';
import { forgetOldest } from '../monitor/scan/scan-rows.ts';
import { createStateWriter, type Derive, initialState, type StateWriter } from '../monitor/store.ts';
import type { Action, ActionResult, ShownValues, Undo, Undoing } from './action.ts';
import { type AuditEntry, type AuditLog, withAuditDeadline } from './audit.ts';
import {
  type Bulk,
  type BulkProgress,
  clampPerSecond,
  countReconnects,
  describeBulk,
  isReconnected,
  type PartlyDone,
  partlyDoneAction,
  partlyDoneBulk,
  reconnectsText,
  startBulk,
} from './bulk.ts';
import { describeResult, isSuccess } from './describe.ts';
import { type ActionPhase, createRunner, type Follow } from './runner.ts';
import { bulkTexts, followUpTexts, undoTexts } from './texts.ts';
import { withoutSecrets } from './undo.ts';
import { untilAborted } from './verification.ts';
import { type Watchable, watchKey } from '../monitor/query/part.ts';
import type { ClusterKnowledge } from '../monitor/query/cache.ts';
import type { NodeName } from '../domain/node.ts';

export interface BulkRequest {
  readonly title: string;
  /** Limits the requests that are started per second; default 20. */
  readonly perSecond?: number | undefined;
}

export interface ActingMonitor extends WatchedMonitor, MonitorOperations {
  /**
   * Runs an action. Never rejects: a refusal is a result. With `untilClosed` it reads for longer what the action leads
   * to.
   */
  runAction(action: Action, untilClosed?: AbortSignal): Promise<ActionResult>;
  /** Runs many actions at a limited rate. `undefined` while another bulk runs. */
  startBulk(actions: readonly Action[], request: BulkRequest): Bulk | undefined;
  abortBulk(): void;
  /** Returns the action that takes back the one of an event, or why there is none. @throws ApiError */
  planUndo(action: EventAction, undo: Undo, signal: AbortSignal): Promise<Undoing>;
  whenActionsEnd(): Promise<void>;
  /** Derives and publishes the state at once. */
  publish(): void;
}

/** Everything that the monitor must know of the cluster that it acts on. */
export interface ActingKnowledge extends ClusterKnowledge {
  /** Returns the nodes that were seen, but do not run. */
  readonly stoppedNodes: (state: MonitorState) => readonly NodeName[];
}

export interface MonitorOptions {
  readonly api: ManagementApi;
  readonly cluster: ActingKnowledge;
  readonly clock?: Clock | undefined;
  /** Clamped to 0.5 to 60. */
  readonly intervalSeconds: number;
  readonly random?: (() => number) | undefined;
  /** Refuses every action. */
  readonly isReadOnly?: boolean | undefined;
  /** Records every action; one that cannot be recorded is not sent. `undefined` for no audit. */
  readonly audit?: AuditLog | undefined;
  /** Batches readings within this time into one state; 0 by default. */
  readonly holdMs?: number | undefined;
  readonly maxRows?: number | undefined;
  /** Notes on the start of this program only; raw. */
  readonly firstNotes?: readonly string[] | undefined;
  /** Who acts from here: the user of the machine. */
  readonly author?: string | undefined;
  /** Adds what follows from the readings and the time: to each state, and at least every three seconds. */
  readonly derive?: Derive<ActingState> | undefined;
}

/** Parts that follow from the time are derived so often, where nothing else is published. */
const deriveEveryMs = 3_000;

export function createActingMonitor(options: MonitorOptions): ActingMonitor {
  const isReadOnly = options.isReadOnly ?? false;
  const api = isReadOnly ? readOnlyApi(options.api) : options.api;
  const clock = options.clock ?? systemClock;
  const holdMs = options.holdMs ?? 0;
  const initial = { ...initialActingState(clampInterval(options.intervalSeconds)), isReadOnly, urls: api.urls };
  const writer = createStateWriter(
    initial,
    holdMs > 0
      ? (publish) => {
          clock.setTimer(holdMs, publish);
        }
      : undefined,
    options.derive,
  );
  const stopDeriving = options.derive === undefined ? () => {} : deriveRegularly(writer, clock);
  const core = createMonitorCore({
    api,
    cluster: options.cluster,
    clock,
    writer,
    random: options.random,
    maxRows: options.maxRows,
    firstNotes: options.firstNotes,
    // First, so that queued actions end too.
    onStop: (because) => {
      stopDeriving();
      actions.stop(because);
    },
  });
  const actions = createMonitorActions({
    api,
    stoppedNodes: options.cluster.stoppedNodes,
    clock,
    writer,
    core,
    isReadOnly,
    audit: options.audit,
    author: options.author,
  });
  return {
    ...core.monitor,
    store: writer.store,
    runAction: actions.run,
    startBulk: actions.startBulk,
    abortBulk: actions.abortBulk,
    planUndo: actions.planUndo,
    whenActionsEnd: actions.whenEnded,
    publish: writer.flush,
  };
}

/** Publishes a state where none was published for so long. Returns a function that ends it. */
function deriveRegularly({ store, flush }: StateWriter<ActingState>, clock: Clock): () => void {
  let publishedMs = clock.monotonicMs();
  let cancel = (): void => {};
  const unsubscribe = store.subscribe(() => {
    publishedMs = clock.monotonicMs();
  });
  const wait = (): void => {
    cancel = clock.setTimer(Math.max(0, publishedMs + deriveEveryMs - clock.monotonicMs()), () => {
      if (clock.monotonicMs() - publishedMs >= deriveEveryMs) {
        publishedMs = clock.monotonicMs();
        flush();
      }
      wait();
    });
  };
  wait();
  return () => {
    cancel();
    unsubscribe();
  };
}

interface MonitorActionsOptions {
  readonly api: ManagementApi;
  readonly stoppedNodes: ActingKnowledge['stoppedNodes'];
  readonly clock: Clock;
  readonly writer: StateWriter<ActingState>;
  readonly core: MonitorCore;
  readonly audit: AuditLog | undefined;
  readonly isReadOnly: boolean;
  readonly author: string | undefined;
}

interface MonitorActions {
  readonly run: ActingMonitor['runAction'];
  readonly startBulk: ActingMonitor['startBulk'];
  readonly abortBulk: ActingMonitor['abortBulk'];
  readonly planUndo: ActingMonitor['planUndo'];
  readonly whenEnded: ActingMonitor['whenActionsEnd'];
  /** @param because the reason, as a sentence */
  stop(because: string): void;
}

/** Limits the actions that are remembered. */
export const maxActionRecords = 200;
const maxPartlyDone = 50;

function createMonitorActions(options: MonitorActionsOptions): MonitorActions {
  const { api, stoppedNodes, clock, writer, core, isReadOnly, author } = options;
  const { journal, call, callAtUrl } = core;
  const audit = options.audit === undefined ? undefined : withAuditDeadline(options.audit, clock);
  const runner = createRunner({
    api,
    clock,
    call,
    callAtUrl,
    audit,
    isReadOnly,
    seenStopped: () => stoppedNodes(writer.state()),
  });
  const abortController = new AbortController();
  const pending = new Set<Promise<unknown>>();
  const run = crypto.randomUUID().slice(0, 8);
  let records = 0;
  /** The facts that actions of this run changed, with secrets, by the keys of their records. */
  const changes = new Map<string, object>();
  let bulk: Bulk | undefined;
  let countingReconnects: AbortController | undefined;

  function track<T>(work: Promise<T>): Promise<T> {
    pending.add(work);
    void work.finally(() => {
      pending.delete(work);
    });
    return work;
  }

  function change(key: string, patch: Partial<ActionRecord>): void {
    writer.write({
      actions: writer.state().actions.map((record) => (record.key === key ? { ...record, ...patch } : record)),
    });
  }

  /** Says who and what an action was about. */
  const aboutAction = (key: string, action: Action, { outcome }: ActionResult): EventFacts => {
    const { name, target, secrets } = action;
    const changed = changes.get(key);
    const textOf = (field: string): string | undefined => {
      const value = target[field];
      return typeof value === 'string' ? value : undefined;
    };
    return {
      kind: 'action',
      clientId: textOf('clientId'),
      node: textOf('node'),
      topic: textOf('topic'),
      action: {
        name,
        outcome,
        record: key,
        by: author,
        ...(changed !== undefined && { changed: withoutSecrets(changed, secrets) }),
      },
    };
  };

  function note(key: string, action: Action, result: ActionResult): void {
    journal.note(
      isSuccess(result) && result.auditError === undefined ? 'info' : 'warning',
      describeResult(action, result),
      { about: aboutAction(key, action, result) },
    );
    const errors =
      action.each === undefined
        ? [[action.url, result.error] as const]
        : result.parts.map(({ node, error }) => [node, error] as const);
    for (const [url, error] of errors) {
      // Another address may have other users, so its 401 says nothing about this one.
      if (error?.kind === 'unauthorized' && (url === undefined || url === api.servingUrl)) core.rejectLogin(error);
    }
  }

  async function runAndNote(action: Action, untilClosed?: AbortSignal): Promise<ActionResult> {
    records += 1;
    const key = `${run}-${records}`;
    const record: ActionRecord = {
      key,
      name: action.name,
      title: action.title,
      target: action.target,
      startedAtMs: clock.nowMs(),
      phase: 'checking',
      result: undefined,
    };
    writer.write({ actions: [...writer.state().actions.slice(-(maxActionRecords - 1)), record] });
    writer.flush();
    let followIt: Follow | undefined;
    const result = await runner.run(action, {
      signal: abortController.signal,
      onPhase: (phase, phaseUrl) => {
        change(key, { phase, phaseUrl });
      },
      onFollow: (follow) => {
        followIt = follow;
      },
    });
    const isDone = result.wasSent && [result, ...result.parts].some(({ outcome }) => outcome === 'done');
    if (isDone && action.changed !== undefined) {
      changes.set(key, action.changed(result));
      forgetOldest(changes, maxActionRecords);
    }
    change(key, { phase: 'finished', result, isFollowed: followIt !== undefined });
    note(key, action, result);
    if (followIt !== undefined) void track(follow(key, action, result, followIt, untilClosed));
    keep(partlyDoneAction(action, result));
    const { updateCredentials } = action;
    // Requests in between were rejected with the old password.
    if (updateCredentials !== undefined && (isSuccess(result) || result.parts.some(isSuccess))) core.signInAgain();
    // Another address may share these users: the new password is tried there when the old one is rejected.
    if (
      updateCredentials !== undefined &&
      (result.outcome === 'unknown' || (action.url !== undefined && isSuccess(result)))
    )
      core.storeCandidateLogin(() => {
        updateCredentials(api);
      });
    core.applyEffects(action.effects(result));
    return result;
  }

  async function follow(
    key: string,
    action: Action,
    result: ActionResult,
    followIt: Follow,
    untilClosed: AbortSignal | undefined,
  ): Promise<void> {
    const followUp = await followIt((text) => {
      change(key, { followUp: text });
    }, untilClosed);
    change(key, { followUp, isFollowed: false });
    if (followUp === undefined) return;
    journal.note('info', followUpTexts.logged(action, followUp), { about: aboutAction(key, action, result) });
    core.applyEffects({ refresh: action.effects(result).refresh });
  }

  function begin(actions: readonly Action[], { title, perSecond }: BulkRequest): Bulk | undefined {
    if (bulk !== undefined || abortController.signal.aborted) return undefined;
    const bulkId = crypto.randomUUID();
    const chosen = { bulkId, title };
    if (!isReadOnly)
      recordBulk({
        ...chosen,
        kind: 'bulk-begin',
        atMs: clock.nowMs(),
        chosen: actions.length,
        perSecond: clampPerSecond(perSecond),
      });
    const touched = new Map<string, Watchable>();
    countingReconnects?.abort();
    bulk = startBulk(actions, {
      id: bulkId,
      title,
      clock,
      perSecond,
      onProgress: (progress) => {
        writer.write({ bulk: progress });
      },
      run: async (action, onSent) => {
        const result = await runner.run(action, {
          signal: abortController.signal,
          bulkId,
          onPhase: (phase) => {
            if (phase === 'sending') onSent();
          },
        });
        const { gone, refresh } = action.effects(result);
        for (const watched of refresh) touched.set(watchKey(watched), watched);
        core.applyEffects({ gone, refresh: [] });
        if (result.error?.kind === 'unauthorized') core.rejectLogin(result.error);
        return result;
      },
    });
    // So that quitting right away asks first.
    writer.flush();
    void track(
      bulk.finished.then((progress) => {
        bulk = undefined;
        if (!isReadOnly) recordBulk({ ...chosen, kind: 'bulk-end', atMs: clock.nowMs(), progress });
        noteBulk(progress);
        core.applyEffects({ refresh: [...touched.values()] });
        if (progress.disconnectedIds.length > 0) void track(followBulk(progress));
      }),
    );
    return bulk;
  }

  async function followBulk(progress: BulkProgress): Promise<void> {
    countingReconnects = new AbortController();
    const signal = AbortSignal.any([abortController.signal, countingReconnects.signal]);
    const reconnects = await countReconnects(progress.disconnectedIds, {
      clock,
      signal,
      perSecond: progress.perSecond,
      isReconnected: (clientId) =>
        isReconnected(
          (request) =>
            untilAborted(
              call(() => request(api, { signal }), signal),
              signal,
            ),
          clientId,
        ),
      onProgress: (counts) => {
        if (writer.state().bulk?.id === progress.id) writer.write({ bulk: { ...progress, reconnects: counts } });
      },
    });
    if (reconnects.unchecked < reconnects.total)
      journal.note('info', bulkTexts.reconnectsAfter(progress.title, reconnectsText(reconnects)), {
        about: { kind: 'bulk' },
      });
  }

  /** Records a bulk. If this fails, its actions fail to record too, and report it. */
  function recordBulk(entry: AuditEntry): void {
    if (audit !== undefined) void track(audit.write(entry).catch(() => {}));
  }

  function noteBulk(progress: BulkProgress): void {
    // The summary counts those that were not reached.
    for (const { skip, text } of progress.failures)
      if (skip !== 'notReached') journal.note('warning', text, { about: { kind: 'bulk' } });
    journal.note(progress.done === progress.total ? 'info' : 'warning', describeBulk(progress), {
      about: { kind: 'bulk' },
    });
    keep(partlyDoneBulk(progress));
  }

  function keep(partlyDone: PartlyDone | undefined): void {
    if (partlyDone !== undefined)
      writer.write({ partlyDone: [...writer.state().partlyDone.slice(-(maxPartlyDone - 1)), partlyDone] });
  }

  return {
    run: (action, untilClosed) => track(runAndNote(action, untilClosed)),
    async planUndo({ record, changed }, undo, signal) {
      const known = (record === undefined ? undefined : changes.get(record)) ?? changed;
      return known === undefined
        ? { refused: undoTexts.never }
        : runner.planUndo(undo, known, AbortSignal.any([signal, abortController.signal]));
    },
    startBulk: begin,
    abortBulk() {
      bulk?.abort();
    },
    async whenEnded() {
      while (pending.size > 0) await Promise.allSettled(pending);
      writer.flush();
    },
    stop(because) {
      bulk?.abort(because);
      abortController.abort();
    },
  };
}

export interface ActionRecord {
  readonly key: string;
  readonly name: string;
  readonly title: string;
  readonly target?: ShownValues | undefined;
  readonly startedAtMs: number;
  readonly phase: ActionPhase | 'finished';
  readonly phaseUrl?: string | undefined;
  readonly result: ActionResult | undefined;
  /** Says what the action has led to, as far as read. Raw sentences. */
  readonly followUp?: string | undefined;
  /** The follow-up of the action is still being read. */
  readonly isFollowed?: boolean | undefined;
}

export interface ActionState {
  readonly actions: readonly ActionRecord[];
  readonly bulk: BulkProgress | undefined;
  readonly partlyDone: readonly PartlyDone[];
}

export type ActingState = MonitorState & ActionState;

export const initialActingState = (intervalSeconds: number): ActingState => ({
  ...initialState(intervalSeconds),
  actions: [],
  bulk: undefined,
  partlyDone: [],
});

export interface WatchedMonitor extends Monitor {
  readonly store: ReadableStore<ActingState>;
}
