import type { NodeName } from '../domain/node.ts';
import { type Clock, sleep } from '../monitor/clock.ts';
import type { Action, ActionResult, ShownValues } from './action.ts';
import type { Subscriber } from './clients.ts';
import { describeResult } from './describe.ts';

/** Actions started per second unless chosen otherwise. */
export const defaultPerSecond = 20;
const minPerSecond = 1;
const maxPerSecond = 200;
/** The rates to choose from, actions per second. */
export const perSecondChoices = [minPerSecond, 2, 5, 10, 20, 50, 100, maxPerSecond] as const;
/** Limits a rate to 1 to 200 actions per second; 20 if `undefined`. */
export const clampPerSecond = (perSecond: number | undefined): number =>
  Math.min(maxPerSecond, Math.max(minPerSecond, perSecond !== undefined && Number.isFinite(perSecond) ? perSecond : defaultPerSecond));
/** Each action takes several requests; more at once would slow down the screens. */
const maxInFlight = 4;
/** After this many unusable answers in a row the broker is in trouble, and the bulk ends. */
const maxFailuresInARow = 3;

/** Why nothing was sent: the target has changed, nobody is connected, it could not be read, it could not be sent, or the bulk ended before. */
export type Skip = 'changed' | 'absent' | 'unreadable' | 'unsent' | 'notReached';

/** One action of a bulk that is not done. */
export interface BulkFailure {
  /** Index among the chosen targets. */
  readonly place: number;
  readonly target: ShownValues;
  readonly outcome: 'not-done' | 'unknown' | 'skipped';
  /** `undefined` unless skipped. */
  readonly skip: Skip | undefined;
  /** One line; raw. */
  readonly text: string;
}

/** `done + notDone + unknown + skipped + running + waiting = total`; `sent` is part of `running`. At the end both `running` and `waiting` are 0. */
export interface BulkProgress {
  readonly id: string;
  readonly title: string;
  readonly phase: 'running' | 'ending' | 'finished';
  readonly total: number;
  /** Actions started per second, max. */
  readonly perSecond: number;
  readonly done: number;
  readonly notDone: number;
  readonly unknown: number;
  /** Nothing was sent for these. */
  readonly skipped: number;
  /** The skipped ones by reason. */
  readonly skips: Readonly<Record<Skip, number>>;
  /** Started, no outcome yet. */
  readonly running: number;
  /** Of the running: already sent, so they finish even if the bulk is stopped. */
  readonly sent: number;
  readonly waiting: number;
  /** Everything that is not done, in the order it became known; what was not reached comes last. */
  readonly failures: readonly BulkFailure[];
  /** Why it ended early, as a sentence. */
  readonly endedBecause: string | undefined;
  readonly startedAtMs: number;
  readonly finishedAtMs: number | undefined;
}

export interface BulkOptions {
  readonly id: string;
  readonly title: string;
  readonly clock: Clock;
  /** Never rejects. Calls `onSent` once the request is out. */
  readonly run: (action: Action, onSent: () => void) => Promise<ActionResult>;
  /** Limited to 1 to 200. */
  readonly perSecond?: number | undefined;
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

/** A running bulk. */
export interface Bulk {
  /**
   * Starts no more actions; those already started finish.
   * @param because the reason, as a sentence, if not the operator; those may be cut short
   */
  abort(because?: string): void;
  readonly finished: Promise<BulkProgress>;
}

export const noSkips: Readonly<Record<Skip, number>> = { changed: 0, absent: 0, unreadable: 0, unsent: 0, notReached: 0 };

const skipWords: readonly (readonly [Skip, string])[] = [
  ['changed', 'changed'], ['absent', 'not connected'], ['unreadable', 'could not be read'], ['unsent', 'could not be sent'], ['notReached', 'not reached'],
];

/** Counts and words of the skip reasons that occur. */
export const skipCounts = ({ skips }: Pick<BulkProgress, 'skips'>): readonly (readonly [number, string])[] =>
  skipWords.map(([skip, words]) => [skips[skip], words] as const).filter(([count]) => count > 0);

/** Indexes of the targets worth another try: nothing was sent, and they are unchanged as far as known. */
export const retryablePlaces = ({ failures }: Pick<BulkProgress, 'failures'>): ReadonlySet<number> =>
  new Set(failures.filter(({ skip }) => skip !== undefined && skip !== 'changed' && skip !== 'absent').map(({ place }) => place));

type Counts = Pick<BulkProgress, 'done' | 'notDone' | 'unknown' | 'skipped' | 'running' | 'sent' | 'waiting'>;
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Runs many actions at a limited rate, a few at once; each ends in exactly one of the four counts. */
export function startBulk(actions: readonly Action[], options: BulkOptions): Bulk {
  const { clock } = options;
  const perSecond = clampPerSecond(options.perSecond);
  const gapMs = 1_000 / perSecond;
  const counts: Mutable<Counts> = { done: 0, notDone: 0, unknown: 0, skipped: 0, running: 0, sent: 0, waiting: actions.length };
  let skips = noSkips;
  let failures: readonly BulkFailure[] = [];
  const startedAtMs = clock.nowMs();
  const abortController = new AbortController();
  let endedBecause: string | undefined;
  let failuresInARow = 0;

  function progress(phase: BulkProgress['phase']): BulkProgress {
    return {
      id: options.id, title: options.title, phase, total: actions.length, perSecond, ...counts, skips, failures, endedBecause,
      startedAtMs, finishedAtMs: phase === 'finished' ? clock.nowMs() : undefined,
    };
  }

  const show = (): void => { options.onProgress?.(progress(abortController.signal.aborted ? 'ending' : 'running')); };

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
    if (skipped !== undefined) skips = { ...skips, [skipped]: skips[skipped] + 1 };
    if (slot !== 'done') failures = [...failures, { place, target: action.target, outcome: slot === 'notDone' ? 'not-done' : slot, skip: skipped, text: describeResult(action, result) }];
    failuresInARow = gotNoUsableAnswer(result) ? failuresInARow + 1 : 0;
    const why = reasonToEnd(result) ?? (failuresInARow >= maxFailuresInARow ? `${maxFailuresInARow} in a row got no usable answer.` : undefined);
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
      const one = options.run(action, () => {
        if (isSent) return;
        isSent = true;
        counts.sent += 1;
        show();
      }).then((result) => {
        count(action, place, result, isSent);
        inFlight.delete(one);
        show();
      });
      inFlight.add(one);
    }
    await Promise.all(inFlight);
    const reached = actions.length - counts.waiting;
    failures = [...failures, ...actions.slice(reached).map((action, at): BulkFailure =>
      ({ place: reached + at, target: action.target, outcome: 'skipped', skip: 'notReached', text: `Not reached: ${action.title}.` }))];
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
        end(because ?? 'It was ended by hand.');
        show();
      }
    },
    finished: work(),
  };
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
    case 'unreadable': return reason;
    case 'aborted': return 'notReached';
    default: return 'unsent';
  }
}

const gotNoUsableAnswer = ({ outcome, reason }: ActionResult): boolean => outcome === 'unknown' || reason === 'unreadable' || reason === 'not-sent';

function reasonToEnd({ error, reason, auditError }: ActionResult): string | undefined {
  if (error?.kind === 'unauthorized' || error?.kind === 'rate-limited') return error.message;
  if (reason === 'not-recorded' || auditError !== undefined) return 'What is done cannot be recorded.';
  return reason === 'read-only' ? 'This program was started to look only.' : undefined;
}

/** What a bulk affects, shown before it starts. */
export interface BulkPreview {
  readonly total: number;
  /** Largest first. `undefined` where the list has no node. */
  readonly byNode: readonly (readonly [NodeName | undefined, number])[];
  /** `undefined` as long as the users are not known. */
  readonly byUser: readonly (readonly [string | undefined, number])[] | undefined;
}

/** A target of a bulk, as listed. */
export type DisconnectTarget = Exclude<Subscriber, { readonly kind: 'id' }>;

/** Counts the targets by node and user. @param users `undefined` if the list does not have them */
export function previewBulk(targets: readonly DisconnectTarget[], users: readonly (string | undefined)[] | undefined): BulkPreview {
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

/** A bulk or an action that is not done in all its parts. */
export interface PartlyDone {
  /** The outcome in sentences; raw. */
  readonly text: string;
  /** One line per failed part, max 1,000; raw. */
  readonly failures: readonly string[];
  /** Number of failures that are not listed. */
  readonly moreFailures: number;
}

/** The audit has all of them. */
const maxListed = 1_000;

const partlyDone = (text: string, failures: readonly string[]): PartlyDone =>
  ({ text, failures: failures.slice(0, maxListed), moreFailures: Math.max(0, failures.length - maxListed) });

/** The outcome of a bulk in sentences; raw. */
export function describeBulk(progress: BulkProgress): string {
  const { title, total, done, notDone, unknown, skipped, endedBecause } = progress;
  const why = endedBecause === undefined ? '' : ` ${endedBecause}`;
  const skips = skipCounts(progress).map(([count, words]) => `${count} ${words}`);
  return `${title}: ${done} done, ${notDone} not done, ${unknown} unknown, ${skipped} skipped${skips.length === 0 ? '' : ` (${skips.join(', ')})`}, ${total} in all.${why}`;
}

/** `undefined` when everything is done. What was not reached is counted, not listed. */
export function partlyDoneBulk(progress: BulkProgress): PartlyDone | undefined {
  if (progress.done === progress.total) return undefined;
  return partlyDone(describeBulk(progress), progress.failures.filter(({ skip }) => skip !== 'notReached').map(({ text }) => text));
}

/** What to report of an action at the program's end: unknown, ended before it was sent, or failed on some nodes. `undefined` otherwise. */
export function partlyDoneAction(action: Pick<Action, 'title'>, result: ActionResult): PartlyDone | undefined {
  const nodes = result.parts.filter(({ node }) => node !== undefined);
  const failed = nodes.filter(({ outcome }) => outcome !== 'done' && outcome !== 'accepted');
  const isOpen = result.outcome === 'unknown' || result.reason === 'aborted';
  if (nodes.length < 2 || failed.length === 0) return isOpen ? partlyDone(describeResult(action, result), []) : undefined;
  return partlyDone(describeResult(action, result), failed.map(({ node, outcome, text, error }) => [`${node}: ${outcome === 'unknown' ? 'unknown' : 'not done'}`, text ?? error?.message].filter((part) => part !== undefined).join('. ')));
}
