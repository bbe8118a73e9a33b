import type { DisconnectTarget } from '../domain/client.ts';
import type { NodeName } from '../domain/node.ts';
import { ApiError } from '../api/errors.ts';
import { type Clock, sleep } from '../monitor/clock.ts';
import type { Action, ActionResult, ShownValues, Read } from './action.ts';
import { type Described, describeResult } from './describe.ts';
import { followUpMs } from './follow-up.ts';
import { bulkTexts, outcomeTexts, skipTexts } from './texts.ts';

export const defaultPerSecond = 20;
const minPerSecond = 1;
const maxPerSecond = 200;
export const perSecondChoices = [minPerSecond, 2, 5, 10, 20, 50, 100, maxPerSecond] as const;
/** Limits a rate to 1 to 200 actions per second; 20 if `undefined`. */
export const clampPerSecond = (perSecond: number | undefined): number =>
  Math.min(
    maxPerSecond,
    Math.max(minPerSecond, perSecond !== undefined && Number.isFinite(perSecond) ? perSecond : defaultPerSecond),
  );
/** Limits the actions at a time: each takes several requests, and more would slow down the screens. */
const maxInFlight = 4;
/** After this many unusable answers in a row the broker is in trouble, and the bulk ends. */
const maxFailuresInARow = 3;

export type Skip = 'changed' | 'absent' | 'unreadable' | 'unsent' | 'notReached';

export interface BulkFailure {
  readonly place: number;
  readonly target: ShownValues;
  readonly outcome: 'not-done' | 'unknown' | 'skipped';
  /** `undefined` unless the action was skipped. */
  readonly skip: Skip | undefined;
  readonly text: string;
}

/**
 * The progress of a bulk. `done + notDone + unknown + skipped + running + waiting = total`; `sent` is part of
 * `running`.
 */
export interface BulkProgress {
  readonly id: string;
  readonly title: string;
  readonly phase: 'running' | 'ending' | 'finished';
  readonly total: number;
  readonly perSecond: number;
  readonly done: number;
  readonly notDone: number;
  readonly unknown: number;
  readonly skipped: number;
  readonly skips: Readonly<Record<Skip, number>>;
  readonly running: number;
  readonly sent: number;
  readonly waiting: number;
  readonly failures: readonly BulkFailure[];
  /** Clients whose disconnect was sent and verified. */
  readonly disconnectedIds: readonly string[];
  readonly endedBecause: string | undefined;
  readonly startedAtMs: number;
  readonly finishedAtMs: number | undefined;
  /** The reconnects of the clients, counted once all are disconnected. */
  readonly reconnects?: Reconnects | undefined;
}

/** Counts what became of disconnected clients: `reconnected + away + unreadable + unchecked = total`. */
export interface Reconnects {
  readonly total: number;
  readonly reconnected: number;
  readonly away: number;
  readonly unreadable: number;
  readonly unchecked: number;
  readonly awayIds: readonly string[];
  readonly isFinished: boolean;
}

export interface BulkOptions {
  readonly id: string;
  readonly title: string;
  readonly clock: Clock;
  /** Runs one action. Never rejects. */
  readonly run: (action: Action, onSent: () => void) => Promise<ActionResult>;
  readonly perSecond?: number | undefined;
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

export interface Bulk {
  /** Ends the bulk. @param because the reason, as a sentence, if not the operator */
  abort(because?: string): void;
  readonly finished: Promise<BulkProgress>;
}

export const noSkips: Readonly<Record<Skip, number>> = {
  changed: 0,
  absent: 0,
  unreadable: 0,
  unsent: 0,
  notReached: 0,
};

/** The order of reasons. Actions that were not reached are not skipped, but left. */
const skipOrder = ['changed', 'absent', 'unreadable', 'unsent'] as const satisfies readonly Skip[];

const skipCounts = ({ skips }: Pick<BulkProgress, 'skips'>): readonly (readonly [number, string])[] =>
  skipOrder.map((skip) => [skips[skip], bulkTexts.skips[skip]] as const).filter(([count]) => count > 0);

export const retryablePlaces = ({ failures }: Pick<BulkProgress, 'failures'>): ReadonlySet<number> =>
  new Set(
    failures
      .filter(({ skip }) => skip !== undefined && skip !== 'changed' && skip !== 'absent')
      .map(({ place }) => place),
  );

type Counts = Pick<BulkProgress, 'done' | 'notDone' | 'unknown' | 'skipped' | 'running' | 'sent' | 'waiting'>;
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

export function startBulk(actions: readonly Action[], options: BulkOptions): Bulk {
  const { clock } = options;
  const perSecond = clampPerSecond(options.perSecond);
  const gapMs = 1_000 / perSecond;
  const counts: Mutable<Counts> = {
    done: 0,
    notDone: 0,
    unknown: 0,
    skipped: 0,
    running: 0,
    sent: 0,
    waiting: actions.length,
  };
  let skips = noSkips;
  let failures: readonly BulkFailure[] = [];
  let disconnectedIds: readonly string[] = [];
  const startedAtMs = clock.nowMs();
  const abortController = new AbortController();
  let endedBecause: string | undefined;
  let failuresInARow = 0;

  function progress(phase: BulkProgress['phase']): BulkProgress {
    return {
      id: options.id,
      title: options.title,
      phase,
      total: actions.length,
      perSecond,
      ...counts,
      skips,
      failures,
      disconnectedIds,
      endedBecause,
      startedAtMs,
      finishedAtMs: phase === 'finished' ? clock.nowMs() : undefined,
    };
  }

  const show = (): void => {
    options.onProgress?.(progress(abortController.signal.aborted ? 'ending' : 'running'));
  };

  function end(why: string): void {
    endedBecause ??= why;
    abortController.abort();
  }

  function count(action: Action, place: number, result: ActionResult, wasSent: boolean): void {
    counts.running -= 1;
    if (wasSent) counts.sent -= 1;
    const slot = slotOf(result);
    const skipped = slot === 'skipped' ? skipOf(result) : undefined;
    counts[slot] += 1;
    const { clientId } = action.target;
    if (result.outcome === 'done' && result.wasSent && typeof clientId === 'string')
      disconnectedIds = [...disconnectedIds, clientId];
    if (skipped !== undefined) skips = { ...skips, [skipped]: skips[skipped] + 1 };
    if (slot !== 'done')
      failures = [
        ...failures,
        {
          place,
          target: action.target,
          outcome: slot === 'notDone' ? 'not-done' : slot,
          skip: skipped,
          text: describeResult(action, result),
        },
      ];
    failuresInARow = gotNoUsableAnswer(result) ? failuresInARow + 1 : 0;
    const why =
      reasonToEnd(result) ?? (failuresInARow >= maxFailuresInARow ? bulkTexts.failing(maxFailuresInARow) : undefined);
    if (why !== undefined && counts.waiting > 0) end(why);
  }

  async function work(): Promise<BulkProgress> {
    const inFlight = new Set<Promise<void>>();
    show();
    // The caller gets the handle before the first request goes out.
    await Promise.resolve();
    let nextMs = clock.monotonicMs();
    for (const [place, action] of actions.entries()) {
      while (inFlight.size >= maxInFlight && !abortController.signal.aborted) await Promise.race(inFlight);
      await sleep(clock, Math.max(0, nextMs - clock.monotonicMs()), abortController.signal);
      if (abortController.signal.aborted) break;
      nextMs = clock.monotonicMs() + gapMs;
      counts.waiting -= 1;
      counts.running += 1;
      show();
      let isSent = false;
      const one = options
        .run(action, () => {
          if (isSent) return;
          isSent = true;
          counts.sent += 1;
          show();
        })
        .then((result) => {
          count(action, place, result, isSent);
          inFlight.delete(one);
          show();
        });
      inFlight.add(one);
    }
    await Promise.all(inFlight);
    const reached = actions.length - counts.waiting;
    failures = [
      ...failures,
      ...actions.slice(reached).map((action, at): BulkFailure => ({
        place: reached + at,
        target: action.target,
        outcome: 'skipped',
        skip: 'notReached',
        text: bulkTexts.notReached(action.title),
      })),
    ];
    counts.skipped += counts.waiting;
    skips = { ...skips, notReached: skips.notReached + counts.waiting };
    counts.waiting = 0;
    const last = progress('finished');
    options.onProgress?.(last);
    return last;
  }

  return {
    abort(because) {
      if (endedBecause === undefined && (counts.waiting > 0 || (because !== undefined && counts.running > 0))) {
        end(because ?? bulkTexts.stopped);
        show();
      }
    },
    finished: work(),
  };
}

const maxChecked = 1_000;

export interface ReconnectOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly perSecond: number;
  /** @throws ApiError */
  readonly isReconnected: (clientId: string) => Promise<boolean>;
  readonly onProgress: (reconnects: Reconnects) => void;
}

/** Reads each client once, after it had 5 s to reconnect; max 1,000 clients. */
export async function countReconnects(
  clientIds: readonly string[],
  { clock, signal, perSecond, isReconnected, onProgress }: ReconnectOptions,
): Promise<Reconnects> {
  let counts: Reconnects = {
    total: clientIds.length,
    reconnected: 0,
    away: 0,
    unreadable: 0,
    unchecked: clientIds.length,
    awayIds: [],
    isFinished: false,
  };
  const show = (patch: Partial<Reconnects>): Reconnects => {
    counts = { ...counts, ...patch };
    onProgress(counts);
    return counts;
  };
  show({});
  await sleep(clock, followUpMs, signal);
  for (const clientId of clientIds.slice(0, maxChecked)) {
    if (signal.aborted) break;
    const slot = await checkOne(clientId, isReconnected, signal);
    if (slot !== undefined)
      show({
        [slot]: counts[slot] + 1,
        unchecked: counts.unchecked - 1,
        ...(slot === 'away' ? { awayIds: [...counts.awayIds, clientId] } : {}),
      });
    await sleep(clock, 1_000 / clampPerSecond(perSecond), signal);
  }
  return show({ isFinished: true });
}

/** Whether a disconnected client is connected again. @throws ApiError */
export async function isReconnected(read: Read, clientId: string): Promise<boolean> {
  return (await read((api, options) => api.getClient(clientId, options))).some(
    (client) => client.clientId === clientId,
  );
}

async function checkOne(
  clientId: string,
  isReconnected: ReconnectOptions['isReconnected'],
  signal: AbortSignal,
): Promise<'reconnected' | 'away' | 'unreadable' | undefined> {
  try {
    return (await isReconnected(clientId)) ? 'reconnected' : 'away';
  } catch (thrown) {
    if (signal.aborted) return undefined;
    if (thrown instanceof ApiError) return 'unreadable';
    throw thrown;
  }
}

function slotOf({ outcome, wasSent }: ActionResult): 'done' | 'notDone' | 'unknown' | 'skipped' {
  if (outcome === 'done' || outcome === 'accepted') return 'done';
  if (!wasSent) return 'skipped';
  return outcome === 'unknown' ? 'unknown' : 'notDone';
}

function skipOf({ reason }: ActionResult): Skip {
  switch (reason) {
    case 'changed':
    case 'absent':
    case 'unreadable':
      return reason;
    case 'aborted':
      return 'notReached';
    default:
      return 'unsent';
  }
}

const gotNoUsableAnswer = ({ outcome, reason }: ActionResult): boolean =>
  outcome === 'unknown' || reason === 'unreadable' || reason === 'not-sent';

function reasonToEnd({ error, reason, auditError }: ActionResult): string | undefined {
  if (error?.kind === 'unauthorized' || error?.kind === 'busy') return error.message;
  if (reason === 'not-recorded' || auditError !== undefined) return bulkTexts.notRecorded;
  return reason === 'read-only' ? skipTexts.readOnly : undefined;
}

export interface BulkPreview {
  readonly total: number;
  /** Counts by node, largest first. `undefined` where the list has no node. */
  readonly byNode: readonly (readonly [NodeName | undefined, number])[];
  /** Counts by user; `undefined` as long as the users are not known. */
  readonly byUser: readonly (readonly [string | undefined, number])[] | undefined;
}

export function previewBulk(
  targets: readonly DisconnectTarget[],
  users: readonly (string | undefined)[] | undefined,
): BulkPreview {
  return {
    total: targets.length,
    byNode: countEach(targets.map((target) => (target.kind === 'client' ? target.client : target.session).node)),
    byUser: users === undefined ? undefined : countEach(users),
  };
}

function countEach<T>(values: readonly T[]): readonly (readonly [T, number])[] {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a);
}

export interface PartlyDone {
  readonly text: string;
  readonly failures: readonly string[];
  readonly moreFailures: number;
}

const maxListed = 1_000;

const partlyDone = (text: string, failures: readonly string[]): PartlyDone => ({
  text,
  failures: failures.slice(0, maxListed),
  moreFailures: Math.max(0, failures.length - maxListed),
});

export function bulkCounts(progress: BulkProgress, format: (count: number) => string = String): string {
  const { total, done, notDone, unknown, skipped } = progress;
  const skips = skipCounts(progress).map(([count, words]) => [format(count), words] as const);
  const left = progress.skips.notReached;
  return bulkTexts.counts(
    format(done),
    format(notDone),
    format(unknown),
    bulkTexts.skipped(format(skipped - left), skips),
    format(left),
    format(total),
  );
}

const maxNamed = 3;

export const reconnectsText = (
  { total, reconnected, away, awayIds, unreadable, unchecked, isFinished }: Reconnects,
  format: (count: number) => string = String,
): string => {
  const named =
    away === 0
      ? ''
      : ` (${awayIds.slice(0, maxNamed).join(', ')}${away > maxNamed ? `, ${format(away - maxNamed)} more` : ''})`;
  return bulkTexts.reconnects(
    format(reconnected),
    format(total),
    (
      [
        [away, 'away'],
        [unreadable, 'unreadable'],
        [unchecked, isFinished ? 'unchecked' : 'pending'],
      ] as const
    )
      .filter(([count]) => count > 0)
      .map(([count, slot]) => `${format(count)} ${bulkTexts.reconnectSlots[slot]}${slot === 'away' ? named : ''}`),
  );
};

export const describeBulk = (progress: BulkProgress): string =>
  `${bulkTexts.result(progress.title, bulkCounts(progress))}.${progress.endedBecause === undefined ? '' : ` ${progress.endedBecause}`}`;

/** Returns `undefined` when everything is done. */
export function partlyDoneBulk(progress: BulkProgress): PartlyDone | undefined {
  if (progress.done === progress.total) return undefined;
  return partlyDone(
    describeBulk(progress),
    progress.failures.filter(({ skip }) => skip !== 'notReached').map(({ text }) => text),
  );
}

export function partlyDoneAction(action: Described, result: ActionResult): PartlyDone | undefined {
  const nodes = result.parts.filter(({ node }) => node !== undefined);
  const failed = nodes.filter(({ outcome }) => outcome !== 'done' && outcome !== 'accepted');
  const isOpen = result.outcome === 'unknown' || result.reason === 'aborted';
  if (nodes.length < 2 || failed.length === 0)
    return isOpen ? partlyDone(describeResult(action, result), []) : undefined;
  return partlyDone(
    describeResult(action, result),
    failed.map(({ node, outcome, text, error }) => outcomeTexts.node(node ?? '', outcome, text ?? error?.message)),
  );
}
