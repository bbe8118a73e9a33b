import { AbortedError, type ApiError, BrokerError, ReadOnlyError, RefusedError, UnsupportedError } from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import type { NodeName } from '../domain/node.ts';
import type { Clock } from '../monitor/clock.ts';
import { toApiError } from '../monitor/polling/backoff.ts';
import type { Call } from '../monitor/polling/client-detail.ts';
import { maybeOnStoppedNodeText } from '../monitor/select/stopped-nodes.ts';
import type { Action, ActionPart, ActionResult, Answer, Plan, PlannedRequest, Read, Reason, Recheck, VerificationResult } from './action.ts';
import type { AuditEntry, AuditLog, AuditSubject } from './audit.ts';
import { reasonsOf, textsOf } from './describe.ts';
import { judge, kindOfFailure, overall, untilAborted, verify, withoutSecrets } from './verification.ts';

export interface RunnerOptions {
  readonly api: ManagementApi;
  readonly clock: Clock;
  /** Makes one request within the monitor's limits. */
  readonly call?: Call | undefined;
  /** The same for an action at a given address, whose 401 says nothing about the serving address. */
  readonly callAtUrl?: Call | undefined;
  /** `undefined`: the operator switched the audit off. */
  readonly audit?: AuditLog | undefined;
  readonly isReadOnly?: boolean | undefined;
  /** Nodes seen stopped. */
  readonly seenStopped?: (() => readonly NodeName[]) | undefined;
  /** Returns a unique id. */
  readonly newId?: (() => string) | undefined;
}

/** `sending`: the request is out. `finding-out`: verifying after an answer other than yes. */
export type ActionPhase = 'checking' | 'recording' | 'sending' | 'verifying' | 'finding-out';

export interface RunOptions {
  /** Ends the action: before the request nothing is sent, after it the outcome is unknown. */
  readonly signal?: AbortSignal | undefined;
  readonly bulkId?: string | undefined;
  /** `url`: the current one of several addresses. */
  readonly onPhase?: ((phase: ActionPhase, url?: string) => void) | undefined;
}

export interface Runner {
  /** Reads the target again, records the intent, sends each request once, verifies, and records the outcome. Never rejects. */
  run(action: Action, options?: RunOptions): Promise<ActionResult>;
}

/** Everything that is done to a broker goes through this runner. */
export function createRunner(options: RunnerOptions): Runner {
  const { api, clock, audit } = options;
  const call = options.call ?? ((request) => request());
  const newId = options.newId ?? (() => crypto.randomUUID());
  const started = new WeakSet<Action>();
  const running = new Set<string>();

  const callOf = ({ url }: Action): Call => (url === undefined ? call : (options.callAtUrl ?? call));

  /** @throws RefusedError */
  function portOf({ url }: Action): ManagementApi {
    if (url === undefined) return api;
    if (api.at === undefined) throw new RefusedError('this broker has no addresses to choose from');
    return api.at(url);
  }

  const readWith = (action: Action, signal: AbortSignal): Read => (request) =>
    untilAborted(callOf(action)(async () => request(portOf(action), { signal }), signal), signal);

  /** Why an action is refused before anything is read. */
  function refusal(action: Action, key: string): Pick<ActionResult, 'reason' | 'why' | 'error'> | undefined {
    if (options.isReadOnly === true) return { reason: 'read-only', why: 'This program was started to look only.', error: new ReadOnlyError(action.title) };
    if (action.capability !== undefined && api.capabilities?.[action.capability] === false) {
      const error = new UnsupportedError(action.title);
      return { reason: 'unsupported', why: error.message, error };
    }
    if (action.invalid !== undefined) return { reason: 'invalid', why: action.invalid, error: undefined };
    if (started.has(action)) return { reason: 'repeated', why: 'It was confirmed once already, and runs once.', error: undefined };
    if (running.has(key)) return { reason: 'repeated', why: 'The same is being done already.', error: undefined };
    return undefined;
  }

  return {
    async run(action, runOptions = {}) {
      if (action.each === undefined) return runOne(action, runOptions);
      const startedAtMs = clock.nowMs();
      const results: (readonly [string | undefined, ActionResult])[] = [];
      for (const one of action.each) {
        results.push([one.url, await runOne(one, { ...runOptions, onPhase: (phase) => { runOptions.onPhase?.(phase, one.url); } })]);
      }
      return { ...combine(results), id: newId(), startedAtMs, finishedAtMs: clock.nowMs() };
    },
  };

  async function runOne(action: Action, runOptions: RunOptions): Promise<ActionResult> {
    const key = JSON.stringify([action.name, action.url, action.target]);
    const run = { action, id: newId(), startedAtMs: clock.nowMs(), signal: runOptions.signal ?? new AbortController().signal, bulkId: runOptions.bulkId };
    const refused = refusal(action, key);
    if (refused !== undefined) return resultOf(run, clock, refused);
    started.add(action);
    running.add(key);
    try {
      return await perform(run, runOptions.onPhase ?? (() => {}));
    } finally {
      running.delete(key);
    }
  }

  async function perform(run: Run, onPhase: (phase: ActionPhase) => void): Promise<ActionResult> {
    const { action, signal } = run;
    onPhase('checking');
    let recheck: Recheck;
    try {
      recheck = await action.recheck(readWith(action, signal), options.seenStopped ?? (() => []));
    } catch (thrown) {
      if (signal.aborted) return resultOf(run, clock, aborted);
      const error = toApiError(thrown);
      return recorded(run, resultOf(run, clock, { reason: 'unreadable', why: `It could not be read again. ${error.message}`, error }));
    }
    if ('changed' in recheck) return recorded(run, resultOf(run, clock, { reason: 'changed', why: recheck.changed, error: undefined }));
    if ('absent' in recheck) return recorded(run, resultOf(run, clock, { reason: 'absent', why: recheck.absent, error: undefined }));
    if ('already' in recheck) return recorded(run, resultOf(run, clock, { outcome: 'done', reason: 'already', why: recheck.already }));
    const { plan } = recheck;
    onPhase('recording');
    const intentError = await record({ ...entryOf(run, plan, clock), kind: 'intent' });
    if (intentError !== undefined) return resultOf(run, clock, { reason: 'not-recorded', why: `It could not be recorded, so nothing was sent: ${intentError}`, error: undefined }, plan);
    return recorded(run, signal.aborted ? resultOf(run, clock, aborted, plan) : await execute(run, plan, onPhase), plan);
  }

  async function recorded(run: Run, result: ActionResult, plan?: Plan): Promise<ActionResult> {
    const auditError = await record({ ...entryOf(run, plan, clock), kind: 'outcome', result });
    return auditError === undefined ? result : { ...result, auditError };
  }

  async function execute(run: Run, plan: Plan, onPhase: (phase: ActionPhase) => void): Promise<ActionResult> {
    const answers: Answer[] = [];
    for (const request of plan.requests) answers.push(await send(request, answers, run, () => { onPhase('sending'); }));
    let verificationResults: readonly VerificationResult[] = [];
    if (plan.verify !== undefined && answers.some((answer) => isWorthReading(answer, plan))) {
      onPhase(answers.some(({ kind }) => kind === 'unknown') ? 'finding-out' : 'verifying');
      verificationResults = await verify(plan.verify, answers, { clock, signal: run.signal, readWith: (signal) => readWith(run.action, signal) });
    }
    const meant = [...judge(plan, answers, verificationResults), ...(plan.omitted ?? []).map(partOfOmitted)];
    const parts = [...meant, ...partsOfAlready(plan), ...(plan.stopped ?? []).map(partOfStopped)];
    const wasSent = answers.some(({ kind }) => kind !== 'not-sent');
    const error = answers.find((answer) => answer.error !== undefined)?.error ?? parts.find((part) => part.error !== undefined)?.error;
    return resultOf(run, clock, {
      outcome: overall(meant),
      isAccepted: wasSent && answers.every(({ kind }) => kind === 'accepted'),
      reason: reasonOf(wasSent, verificationResults, plan),
      wasSent, parts, error,
      why: [whyOf(run.action, parts), isOffline(error) && plan.verify === undefined ? maybeOnStoppedNodeText(options.seenStopped?.() ?? []) : undefined].filter((part) => part !== undefined).join(' ') || undefined,
    }, plan);
  }

  async function send(request: PlannedRequest, before: readonly Answer[], { action, signal }: Run, onSent: () => void): Promise<Answer> {
    const { node } = request;
    // A rejected login, a rate limit or an unreachable broker ends the series.
    const general = before.find(({ error }) => error !== undefined && (error.kind === 'unauthorized' || error.kind === 'rate-limited' || error.kind === 'unreachable'));
    if (general !== undefined) return { node, kind: 'not-sent', error: general.error };
    let isSent = false;
    try {
      await untilAborted(callOf(action)(async () => {
        const port = portOf(action);
        isSent = true;
        onSent();
        return request.send(port, { signal });
      }, signal), signal);
      return { node, kind: 'accepted', error: undefined };
    } catch (thrown) {
      const raw = signal.aborted ? new AbortedError() : toApiError(thrown);
      const error = withoutSecrets(raw, action.secrets ?? []);
      return { node, kind: isSent ? kindOfFailure(error) : 'not-sent', error };
    }
  }

  /** Returns why it could not be recorded. */
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
}

const aborted: Pick<ActionResult, 'reason' | 'why' | 'error'> = { reason: 'aborted', why: 'It was ended before anything was sent.', error: undefined };

function resultOf(run: Run, clock: Clock, patch: Partial<ActionResult> & Pick<ActionResult, 'reason'>, plan?: Plan): ActionResult {
  return {
    id: run.id, startedAtMs: run.startedAtMs, finishedAtMs: clock.nowMs(),
    outcome: 'not-done', wasSent: false, isAccepted: false, parts: [], error: undefined, why: undefined,
    before: plan?.before, after: plan?.after, auditError: undefined,
    ...patch,
  };
}

function entryOf({ id, action, bulkId }: Run, plan: Plan | undefined, clock: Clock): AuditSubject {
  return { id, bulkId, atMs: clock.nowMs(), action: action.name, url: action.url, target: action.target, before: plan?.before, after: plan?.after };
}

/** Combines the results of all addresses. */
function combine(results: readonly (readonly [string | undefined, ActionResult])[]): Omit<ActionResult, 'id' | 'startedAtMs' | 'finishedAtMs'> {
  const parts = results.map(([url, result]): ActionPart => {
    const wasAlready = result.reason === 'already';
    const reasons = result.wasSent || wasAlready ? reasonsOf(result) : ['Nothing was sent.', ...reasonsOf(result)];
    return { node: url, outcome: result.outcome, text: reasons.join(' ') || undefined, error: result.error, wasAlready };
  });
  const all = results.map(([, result]) => result);
  return {
    parts,
    outcome: overall(parts),
    reason: (all.find(({ wasSent }) => wasSent) ?? all[0])?.reason ?? 'not-sent',
    wasSent: all.some(({ wasSent }) => wasSent),
    isAccepted: all.every(({ isAccepted, reason }) => isAccepted || reason === 'already'),
    // Each part has its own.
    error: undefined, why: undefined, before: undefined, after: undefined, auditError: undefined,
  };
}

/** Nobody is connected, as far as the broker knows (§7). */
const isOffline = (error: ApiError | undefined): boolean => error?.kind === 'not-connected';

const isWorthReading = ({ kind, error }: Answer, plan: Plan): boolean =>
  kind === 'accepted' || kind === 'unknown' || (kind === 'refused' && error instanceof BrokerError && plan.verifyDespiteRefusal?.(error) === true);

function partOfOmitted({ node, text, error }: VerificationResult): ActionPart {
  return { node, outcome: 'not-done', text, error };
}

const partsOfAlready = ({ already }: Plan): readonly ActionPart[] =>
  (already?.nodes ?? []).map((node) => ({ node, outcome: 'done', text: already?.text, error: undefined, wasAlready: true }));

const partOfStopped = (node: NodeName): ActionPart => ({ node, outcome: 'not-done', text: 'It is stopped: not changed.', error: undefined });

function reasonOf(wasSent: boolean, verificationResults: readonly VerificationResult[], plan: Plan): Reason {
  if (!wasSent) return 'not-sent';
  if (plan.verify === undefined || verificationResults.length === 0) return 'answer';
  return verificationResults.some(({ state }) => state !== 'unreadable') ? 'reading' : 'no-reading';
}

function whyOf(action: Action, parts: readonly ActionPart[]): string | undefined {
  // They are in the count already.
  const texts = textsOf(parts.map((part) => (part.wasAlready === true ? { ...part, text: undefined } : part)));
  if (overall(parts) === 'accepted') return [...texts, ...(action.unverifiable === undefined ? [] : [action.unverifiable])].join(' ') || undefined;
  return texts.join(' ') || undefined;
}

