import {
  AbortedError,
  type ApiError,
  asApiError,
  BrokerError,
  NotSupportedError,
  ReadOnlyError,
  RefusedError,
  UnreachableError,
} from '../api/errors.ts';
import { isLacking } from '../api/capabilities.ts';
import type { ManagementApi } from '../api/management-api.ts';
import type { NodeName } from '../domain/node.ts';
import type { Clock } from '../monitor/clock.ts';
import { maybeOnStoppedNodeText } from '../monitor/texts.ts';
import type {
  Action,
  ActionPart,
  ActionResult,
  RequestAnswer,
  Plan,
  PlannedRequest,
  Read,
  ReadFollowUp,
  EndReason,
  Recheck,
  Undo,
  Undoing,
  VerificationResult,
} from './action.ts';
import type { AuditEntry, AuditLog, AuditSubject } from './audit.ts';
import { follow } from './follow-up.ts';
import { isSkipped, reasonsOf, textsOf } from './describe.ts';
import { outcomeTexts, skipTexts, verificationTexts } from './texts.ts';
import { kindOfFailure, overall, partsOf, untilAborted, verify, withoutSecrets } from './verification.ts';
import type { Call } from '../monitor/polling/request-scheduler.ts';

export interface RunnerOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  readonly call?: Call | undefined;
  /** Calls an action at a given address, whose 401 says nothing about the serving address. */
  readonly callAtUrl?: Call | undefined;
  /** Records actions; `undefined` if the operator switched the audit off. */
  readonly audit?: AuditLog | undefined;
  readonly isReadOnly?: boolean | undefined;
  readonly seenStopped?: (() => readonly NodeName[]) | undefined;
  readonly newId?: (() => string) | undefined;
}

/** Limits how long reading for a follow-up may delay an action. */
const maxPrepareMs = 1_000;

export type ActionPhase = 'checking' | 'recording' | 'sending' | 'verifying' | 'finding-out';

export interface RunOptions {
  /** Ends the action: before the request nothing is sent, after it the outcome is unknown. */
  readonly signal?: AbortSignal | undefined;
  readonly bulkId?: string | undefined;
  readonly onPhase?: ((phase: ActionPhase, url?: string) => void) | undefined;
  /** Called when the action is done and what it leads to can be read. */
  readonly onFollow?: ((followIt: Follow) => void) | undefined;
}

/** Reads what the action leads to, longer until `untilClosed`, and records it. Resolves with the last text; never rejects. */
export type Follow = (onReading: (text: string) => void, untilClosed?: AbortSignal) => Promise<string | undefined>;

export interface Runner {
  /** Records the intent before sending each request once. Never rejects. */
  run(action: Action, options?: RunOptions): Promise<ActionResult>;
  /** Returns the action that takes a done one back, or why there is none. Sends reading requests only. @throws ApiError */
  planUndo(undo: Undo, changed: unknown, signal: AbortSignal): Promise<Undoing>;
}

/** Creates the runner. Everything that is done to a broker goes through it. */
export function createRunner(options: RunnerOptions): Runner {
  const { api, clock, audit } = options;
  const call = options.call ?? ((request) => request());
  const newId = options.newId ?? (() => crypto.randomUUID());
  const started = new WeakSet<Action>();
  const running = new Set<string>();

  const callOf = ({ url }: Pick<Action, 'url'>): Call => (url === undefined ? call : (options.callAtUrl ?? call));

  /** @throws RefusedError */
  function portOf({ url }: Pick<Action, 'url'>): ManagementApi {
    if (url === undefined) return api;
    if (api.at === undefined) throw new RefusedError(skipTexts.noUrls);
    return api.at(url);
  }

  const readWith =
    (action: Pick<Action, 'url'>, signal: AbortSignal): Read =>
    (request) =>
      untilAborted(
        callOf(action)(async () => request(portOf(action), { signal }), signal),
        signal,
      );

  function refusal(action: Action, key: string): Pick<ActionResult, 'reason' | 'why' | 'error'> | undefined {
    if (options.isReadOnly === true)
      return { reason: 'read-only', why: skipTexts.readOnly, error: new ReadOnlyError(action.title) };
    if (action.capability !== undefined && isLacking(action.capability, api.capabilities)) {
      const error = new NotSupportedError(action.title);
      return { reason: 'unsupported', why: error.message, error };
    }
    if (action.invalid !== undefined) return { reason: 'invalid', why: action.invalid, error: undefined };
    if (started.has(action)) return { reason: 'repeated', why: skipTexts.alreadyRun, error: undefined };
    if (running.has(key)) return { reason: 'repeated', why: skipTexts.alreadyRunning, error: undefined };
    return undefined;
  }

  return {
    async planUndo(undo, changed, signal) {
      return options.isReadOnly === true
        ? { refused: skipTexts.readOnly }
        : undo(changed, readWith({ url: undefined }, signal));
    },
    async run(action, runOptions = {}) {
      if (action.each === undefined) return runOne(action, runOptions);
      const startedAtMs = clock.nowMs();
      const results: (readonly [string | undefined, ActionResult])[] = [];
      for (const one of action.each) {
        results.push([
          one.url,
          await runOne(one, {
            ...runOptions,
            onPhase: (phase) => {
              runOptions.onPhase?.(phase, one.url);
            },
          }),
        ]);
      }
      return { ...combine(results), id: newId(), startedAtMs, finishedAtMs: clock.nowMs() };
    },
  };

  async function runOne(action: Action, runOptions: RunOptions): Promise<ActionResult> {
    const key = JSON.stringify([action.name, action.url, action.target]);
    const run: Run = {
      action,
      id: newId(),
      startedAtMs: clock.nowMs(),
      signal: runOptions.signal ?? new AbortController().signal,
      bulkId: runOptions.bulkId,
      sentAtMs: undefined,
    };
    const refused = refusal(action, key);
    if (refused !== undefined) return resultOf(run, clock, refused);
    started.add(action);
    running.add(key);
    const onPhase = runOptions.onPhase ?? (() => {});
    try {
      onPhase('checking');
      const preparing = runOptions.onFollow === undefined ? undefined : prepareFollowUp(run);
      const result = await recheckAndSend(run, onPhase, preparing);
      if (result.outcome !== 'done' || run.sentAtMs === undefined) return result;
      const readFollowUp = await preparing;
      if (readFollowUp !== undefined) runOptions.onFollow?.(followWith(run, readFollowUp, run.sentAtMs));
      return result;
    } finally {
      running.delete(key);
    }
  }

  /** Prepares the follow-up while the target is read again: the request hardly waits for it. */
  async function prepareFollowUp({ action, signal }: Run): Promise<ReadFollowUp | undefined> {
    const deadline = new AbortController();
    const cancelDeadline = clock.setTimer(maxPrepareMs, () => {
      deadline.abort();
    });
    try {
      return await action.prepareFollowUp?.(readWith(action, AbortSignal.any([signal, deadline.signal])));
    } catch {
      return undefined;
    } finally {
      cancelDeadline();
    }
  }

  function followWith(run: Run, readFollowUp: ReadFollowUp, sentAtMs: number): Follow {
    return async (onReading, untilClosed) => {
      const text = await follow(readFollowUp, {
        clock,
        signal: run.signal,
        untilClosed,
        sentAtMs,
        readWith: (signal) => readWith(run.action, signal),
        onReading,
      });
      // The outcome is recorded already.
      if (text !== undefined) await record({ ...entryOf(run, undefined, clock), kind: 'follow-up', text });
      return text;
    };
  }

  async function recheckAndSend(
    run: Run,
    onPhase: (phase: ActionPhase) => void,
    preparing?: Promise<unknown>,
  ): Promise<ActionResult> {
    const { action, signal } = run;
    let recheck: Recheck;
    try {
      recheck = await action.recheck(readWith(action, signal), options.seenStopped ?? (() => []));
    } catch (thrown) {
      if (signal.aborted) return resultOf(run, clock, aborted);
      const error = asApiError(thrown);
      return recorded(
        run,
        resultOf(run, clock, {
          reason: 'unreadable',
          why: error instanceof RefusedError ? skipTexts.refused(error.why) : skipTexts.unreadable(error.message),
          error,
        }),
      );
    }
    if ('changed' in recheck)
      return recorded(run, resultOf(run, clock, { reason: 'changed', why: recheck.changed, error: undefined }));
    if ('absent' in recheck)
      return recorded(run, resultOf(run, clock, { reason: 'absent', why: recheck.absent, error: undefined }));
    if ('already' in recheck)
      return recorded(run, resultOf(run, clock, { outcome: 'done', reason: 'already', why: recheck.already }));
    const { plan } = recheck;
    await preparing;
    onPhase('recording');
    const intentError = await record({ ...entryOf(run, plan, clock), kind: 'intent' });
    if (intentError !== undefined)
      return resultOf(
        run,
        clock,
        { reason: 'not-recorded', why: skipTexts.notRecorded(intentError), error: undefined },
        plan,
      );
    return recorded(
      run,
      signal.aborted ? resultOf(run, clock, aborted, plan) : await execute(run, plan, onPhase),
      plan,
    );
  }

  async function recorded(run: Run, result: ActionResult, plan?: Plan): Promise<ActionResult> {
    const auditError = await record({ ...entryOf(run, plan, clock), kind: 'outcome', result });
    return auditError === undefined ? result : { ...result, auditError };
  }

  async function execute(run: Run, plan: Plan, onPhase: (phase: ActionPhase) => void): Promise<ActionResult> {
    const answers: RequestAnswer[] = [];
    for (const request of plan.requests)
      answers.push(
        await send(request, answers, run, () => {
          onPhase('sending');
        }),
      );
    let verificationResults: readonly VerificationResult[] = [];
    if (plan.verify !== undefined && answers.some((answer) => isWorthReading(answer, plan))) {
      onPhase(answers.some(({ kind }) => kind === 'unknown') ? 'finding-out' : 'verifying');
      verificationResults = await verify(plan.verify, answers, {
        clock,
        signal: run.signal,
        readWith: (signal) => readWith(run.action, signal),
      });
    }
    const meant = [...partsOf(plan, answers, verificationResults), ...(plan.omitted ?? []).map(partOfOmitted)];
    const parts = [...meant, ...partsOfAlready(plan), ...(plan.stopped ?? []).map(partOfStopped)];
    const wasSent = answers.some(({ kind }) => kind !== 'not-sent');
    const error =
      answers.find((answer) => answer.error !== undefined)?.error ??
      parts.find((part) => part.error !== undefined)?.error;
    return resultOf(
      run,
      clock,
      {
        outcome: overall(meant),
        isAccepted: wasSent && answers.every(({ kind }) => kind === 'accepted'),
        reason: reasonOf(wasSent, verificationResults, plan),
        wasSent,
        parts,
        error,
        why:
          [
            whyOf(run.action, parts),
            isOffline(error) && plan.verify === undefined
              ? maybeOnStoppedNodeText(options.seenStopped?.() ?? [])
              : undefined,
          ]
            .filter((part) => part !== undefined)
            .join(' ') || undefined,
      },
      plan,
    );
  }

  async function send(
    request: PlannedRequest,
    before: readonly RequestAnswer[],
    run: Run,
    onSent: () => void,
  ): Promise<RequestAnswer> {
    const { action, signal } = run;
    const { node } = request;
    const failed = request.needsEarlier === true ? before.find(({ kind }) => kind !== 'accepted') : undefined;
    if (failed !== undefined) return { node, kind: 'not-sent', error: failed.error };
    // A rejected login, a rate limit or an unreachable broker ends the series.
    const general = before.find(
      ({ error }) =>
        error !== undefined &&
        (error.kind === 'unauthorized' || error.kind === 'busy' || error instanceof UnreachableError),
    );
    if (general !== undefined) return { node, kind: 'not-sent', error: general.error };
    let isSent = false;
    try {
      await untilAborted(
        callOf(action)(async () => {
          const port = portOf(action);
          isSent = true;
          run.sentAtMs ??= clock.monotonicMs();
          onSent();
          return request.send(port, { signal });
        }, signal),
        signal,
      );
      return { node, kind: 'accepted', error: undefined };
    } catch (thrown) {
      const raw = signal.aborted ? new AbortedError() : asApiError(thrown);
      const error = withoutSecrets(raw, action.secrets ?? []);
      return { node, kind: isSent ? kindOfFailure(error) : 'not-sent', error };
    }
  }

  async function record(entry: AuditEntry): Promise<string | undefined> {
    try {
      await audit?.write(entry);
      return undefined;
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }
}

interface Run {
  readonly action: Action;
  readonly id: string;
  readonly startedAtMs: number;
  readonly signal: AbortSignal;
  readonly bulkId: string | undefined;
  /** The time when the first request was sent, on the monotonic clock. */
  sentAtMs: number | undefined;
}

const aborted: Pick<ActionResult, 'reason' | 'why' | 'error'> = {
  reason: 'aborted',
  why: skipTexts.aborted,
  error: undefined,
};

function resultOf(
  run: Run,
  clock: Clock,
  patch: Partial<ActionResult> & Pick<ActionResult, 'reason'>,
  plan?: Plan,
): ActionResult {
  return {
    id: run.id,
    startedAtMs: run.startedAtMs,
    finishedAtMs: clock.nowMs(),
    outcome: 'not-done',
    wasSent: false,
    isAccepted: false,
    parts: [],
    error: undefined,
    why: undefined,
    before: plan?.before,
    after: plan?.after,
    auditError: undefined,
    ...patch,
  };
}

function entryOf({ id, action, bulkId }: Run, plan: Plan | undefined, clock: Clock): AuditSubject {
  return {
    id,
    bulkId,
    atMs: clock.nowMs(),
    action: action.name,
    url: action.url,
    target: action.target,
    before: plan?.before,
    after: plan?.after,
  };
}

function combine(
  results: readonly (readonly [string | undefined, ActionResult])[],
): Omit<ActionResult, 'id' | 'startedAtMs' | 'finishedAtMs'> {
  const parts = results.map(([url, result]): ActionPart => {
    const wasAlready = result.reason === 'already';
    const why = reasonsOf(result).join(' ');
    const text =
      result.wasSent || wasAlready
        ? why
        : (isSkipped(result) ? outcomeTexts.skippedThere : outcomeTexts.notSentThere)(why);
    return { node: url, outcome: result.outcome, text: text || undefined, error: result.error, wasAlready };
  });
  const all = results.map(([, result]) => result);
  return {
    parts,
    outcome: overall(parts),
    reason: (all.find(({ wasSent }) => wasSent) ?? all[0])?.reason ?? 'not-sent',
    wasSent: all.some(({ wasSent }) => wasSent),
    isAccepted: all.every(({ isAccepted, reason }) => isAccepted || reason === 'already'),
    error: undefined,
    why: undefined,
    before: undefined,
    after: undefined,
    auditError: undefined,
  };
}

const isOffline = (error: ApiError | undefined): boolean => error?.kind === 'not-connected';

const isWorthReading = ({ kind, error }: RequestAnswer, plan: Plan): boolean =>
  kind === 'accepted' ||
  kind === 'unknown' ||
  (kind === 'refused' && error instanceof BrokerError && plan.verifyDespiteRefusal?.(error) === true);

function partOfOmitted({ node, text, error }: VerificationResult): ActionPart {
  return { node, outcome: 'not-done', text, error };
}

const partsOfAlready = ({ already }: Plan): readonly ActionPart[] =>
  (already?.nodes ?? []).map((node) => ({
    node,
    outcome: 'done',
    text: already?.text,
    error: undefined,
    wasAlready: true,
  }));

const partOfStopped = (node: NodeName): ActionPart => ({
  node,
  outcome: 'not-done',
  text: verificationTexts.stoppedNode,
  error: undefined,
});

function reasonOf(wasSent: boolean, verificationResults: readonly VerificationResult[], plan: Plan): EndReason {
  if (!wasSent) return 'not-sent';
  if (plan.verify === undefined || verificationResults.length === 0) return 'answer';
  return verificationResults.some(({ state }) => state !== 'unreadable') ? 'reading' : 'no-reading';
}

function whyOf(action: Action, parts: readonly ActionPart[]): string | undefined {
  const texts = textsOf(parts.map((part) => (part.wasAlready === true ? { ...part, text: undefined } : part)));
  if (overall(parts) === 'accepted')
    return [...texts, ...(action.unverifiable === undefined ? [] : [action.unverifiable])].join(' ') || undefined;
  return texts.join(' ') || undefined;
}
