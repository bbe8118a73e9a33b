import type { NodeName } from '../domain/node.ts';
import { type Clock, sleep } from '../monitor/clock.ts';
import type { Action, ActionResult, ShownValues } from './action.ts';
import type { Subscriber } from './clients.ts';
import { describeResult } from './describe.ts';

/** How many actions of a bulk begin in a second, unless told otherwise. */
export const defaultPerSecond = 20;
const minPerSecond = 1;
const maxPerSecond = 200;
/** The perSecondChoices that can be chosen, actions in a second. */
export const perSecondChoices = [minPerSecond, 2, 5, 10, 20, 50, 100, maxPerSecond] as const;
/** A pace within 1 to 200 actions a second; 20 where none is given. */
export const clampPerSecond = (perSecond: number | undefined): number =>
  Math.min(maxPerSecond, Math.max(minPerSecond, perSecond !== undefined && Number.isFinite(perSecond) ? perSecond : defaultPerSecond));
/** Each takes a few requests and may wait for its effect to show; more at once would crowd out the screen's own requests. */
const maxInFlight = 4;
/** So many in a row that could not be told: the broker is in trouble, and acting on makes it worse. */
const maxFailuresInARow = 3;

/**
 * Why nothing was sent for one of a bulk:
 * - `changed`: it is not what was shown any more.
 * - `absent`: nobody is connected to the session.
 * - `unreadable`: it could not be read again.
 * - `unsent`: it was read again, and could not be sent or was refused here.
 * - `notReached`: the bulk was ended before its turn.
 */
export type Skip = 'changed' | 'absent' | 'unreadable' | 'unsent' | 'notReached';

/** One action of a bulk that is not done. */
export interface BulkFailure {
  /** Its place among those that were chosen, from 0. */
  readonly place: number;
  readonly target: ShownValues;
  readonly outcome: 'not-done' | 'unknown' | 'skipped';
  /** `undefined` unless skipped. */
  readonly skip: Skip | undefined;
  /** One line; raw. */
  readonly text: string;
}

/** `done + notDone + unknown + skipped + running + waiting = total`; at the end the last two are 0. `sent` is a part of `running`. */
export interface BulkProgress {
  readonly id: string;
  readonly title: string;
  readonly phase: 'running' | 'ending' | 'finished';
  readonly total: number;
  /** How many begin in a second at most. */
  readonly perSecond: number;
  readonly done: number;
  readonly notDone: number;
  readonly unknown: number;
  /** Nothing was sent for these. */
  readonly skipped: number;
  /** Of the skipped, why; they add up. */
  readonly skips: Readonly<Record<Skip, number>>;
  /** Begun, without an outcome so far. */
  readonly running: number;
  /** Of the running: their request is out, so that ending the bulk does not call it back. */
  readonly sent: number;
  readonly waiting: number;
  /** All that are not done, in the order in which that became known; those that were not reached come last. */
  readonly failures: readonly BulkFailure[];
  /** Why it ended before all were reached, as a sentence. */
  readonly endedBecause: string | undefined;
  readonly startedAtMs: number;
  readonly finishedAtMs: number | undefined;
}

export interface BulkOptions {
  readonly id: string;
  readonly title: string;
  readonly clock: Clock;
  /** Never rejects. `onSent` is called once its request is out. */
  readonly run: (action: Action, onSent: () => void) => Promise<ActionResult>;
  /** Begun in a second; clamped to 1 to 200. */
  readonly perSecond?: number | undefined;
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined;
}

/** A running bulk. */
export interface Bulk {
  /**
   * Begins no more; what is on its way is still seen through.
   * @param because who ends it, as a sentence, where that is not the operator: then it may cut short what is on its way, too
   */
  abort(because?: string): void;
  readonly finished: Promise<BulkProgress>;
}

/** Nothing skipped. */
export const noSkips: Readonly<Record<Skip, number>> = { changed: 0, absent: 0, unreadable: 0, unsent: 0, notReached: 0 };

const skipWords: readonly (readonly [Skip, string])[] = [
  ['changed', 'changed'], ['absent', 'not connected'], ['unreadable', 'could not be read'], ['unsent', 'could not be sent'], ['notReached', 'not reached'],
];

/** Why some were skipped: how many, and the words for it; what does not occur is left out. */
export const skipCounts = ({ skips }: Pick<BulkProgress, 'skips'>): readonly (readonly [number, string])[] =>
  skipWords.map(([skip, words]) => [skips[skip], words] as const).filter(([count]) => count > 0);

/** What is worth another try, by its place among those that were chosen: nothing was sent for it, and as far as is known it is what was shown. */
export const retryablePlaces = ({ failures }: Pick<BulkProgress, 'failures'>): ReadonlySet<number> =>
  new Set(failures.filter(({ skip }) => skip !== undefined && skip !== 'changed' && skip !== 'absent').map(({ place }) => place));

type Counts = Pick<BulkProgress, 'done' | 'notDone' | 'unknown' | 'skipped' | 'running' | 'sent' | 'waiting'>;
type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Runs many actions, paced, a few at once. Every one of them ends up in one of four counts. */
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
    // Let the caller have the handle before the first request goes out.
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

/** Nothing could be told of it, before or after. */
const gotNoUsableAnswer = ({ outcome, reason }: ActionResult): boolean => outcome === 'unknown' || reason === 'unreadable' || reason === 'not-sent';

function reasonToEnd({ error, reason, auditError }: ActionResult): string | undefined {
  if (error?.kind === 'unauthorized' || error?.kind === 'rate-limited') return error.message;
  if (reason === 'not-recorded' || auditError !== undefined) return 'What is done cannot be recorded.';
  return reason === 'read-only' ? 'This program was started to look only.' : undefined;
}

/** What a bulk will hit, for the operator to look at before. */
export interface BulkPreview {
  readonly total: number;
  /** Most first. `undefined` where the list did not say. */
  readonly byNode: readonly (readonly [NodeName | undefined, number])[];
  /** `undefined` as a whole while it is not known. */
  readonly byUser: readonly (readonly [string | undefined, number])[] | undefined;
}

/** One of those that are to be disconnected, as it was listed. */
export type BulkTarget = Exclude<Subscriber, { readonly kind: 'id' }>;

/** `users`: the user names, in any order; where the list does not tell them, `undefined` as a whole. */
export function previewBulk(targets: readonly BulkTarget[], users: readonly (string | undefined)[] | undefined): BulkPreview {
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

/** Something that did not come about in all its parts, or of which that is not known. */
export interface PartlyDone {
  /** What came of it, in sentences; raw. */
  readonly text: string;
  /** Each part that is not done, a line each, at most `maxListed`; raw. */
  readonly failures: readonly string[];
  /** Failures that are not listed. */
  readonly moreFailures: number;
}

/** More lines than this nobody reads at the end of a program; the audit has them all. */
const maxListed = 1_000;

const partlyDone = (text: string, failures: readonly string[]): PartlyDone =>
  ({ text, failures: failures.slice(0, maxListed), moreFailures: Math.max(0, failures.length - maxListed) });

/** What came of a bulk, in sentences; raw. */
export function describeBulk(progress: BulkProgress): string {
  const { title, total, done, notDone, unknown, skipped, endedBecause } = progress;
  const why = endedBecause === undefined ? '' : ` ${endedBecause}`;
  const skips = skipCounts(progress).map(([count, words]) => `${count} ${words}`);
  return `${title}: ${done} done, ${notDone} not done, ${unknown} unknown, ${skipped} skipped${skips.length === 0 ? '' : ` (${skips.join(', ')})`}, ${total} in all.${why}`;
}

/** `undefined` when all of it is done. What was not reached is counted, not listed. */
export function partlyDoneBulk(progress: BulkProgress): PartlyDone | undefined {
  if (progress.done === progress.total) return undefined;
  return partlyDone(describeBulk(progress), progress.failures.filter(({ skip }) => skip !== 'notReached').map(({ text }) => text));
}

/**
 * What is unknown, what was ended before it was sent, and what not all nodes took. `undefined` for the rest:
 * what concerns no more than one node is done or not.
 */
export function partlyDoneAction(action: Pick<Action, 'title'>, result: ActionResult): PartlyDone | undefined {
  const nodes = result.parts.filter(({ node }) => node !== undefined);
  const failed = nodes.filter(({ outcome }) => outcome !== 'done' && outcome !== 'accepted');
  const isOpen = result.outcome === 'unknown' || result.reason === 'aborted';
  if (nodes.length < 2 || failed.length === 0) return isOpen ? partlyDone(describeResult(action, result), []) : undefined;
  return partlyDone(describeResult(action, result), failed.map(({ node, outcome, text, error }) => [`${node}: ${outcome === 'unknown' ? 'unknown' : 'not done'}`, text ?? error?.message].filter((part) => part !== undefined).join('. ')));
}
