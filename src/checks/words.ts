import type { MetricName } from '../domain/metrics.ts';
import { join, plainText, say, type Sentence } from '../domain/sentence.ts';
import { literal } from '../domain/text.ts';
import { checks } from './registry.ts';
import type { Check, CheckResult } from '../triage/check.ts';
import type { Abilities, Attempt, Finding, Problem, ProblemWords } from '../triage/problem.ts';
import { type Reason, type ReasonWords, sharedReasons } from '../triage/reasons.ts';

/** @throws TypeError if two have the same name, because one would silently have the words of the other */
function byName<T>(what: string, entries: readonly (readonly [string, T])[]): ReadonlyMap<string, T> {
  const all = new Map(entries);
  const twice = entries.find(([name, value]) => all.get(name) !== value);
  if (twice !== undefined) throw new TypeError(`two checks have the ${what} ${twice[0]}`);
  return all;
}

/** Finds the words of checks by id and code. @throws TypeError if two checks have the same one */
export const indexChecks = (
  all: readonly Check[],
): {
  readonly byId: ReadonlyMap<string, Check>;
  readonly problems: ReadonlyMap<string, ProblemWords<object>>;
  readonly reasons: ReadonlyMap<string, ReasonWords<Reason>>;
} => ({
  byId: byName(
    'id',
    all.map((check) => [check.id, check]),
  ),
  problems: byName(
    'problem code',
    all.flatMap((check) => Object.entries(check.problems)),
  ),
  reasons: byName<ReasonWords<Reason>>('reason code', [
    ...Object.entries<ReasonWords<never>>(sharedReasons),
    ...all.flatMap((check) => Object.entries(check.unchecked)),
  ]),
});

const { byId, problems, reasons } = indexChecks(checks);

/** The check with this id. @throws if there is none */
export function checkOf(id: string): Check {
  const check = byId.get(id);
  if (check === undefined) throw new Error(`unknown check: ${id}`);
  return check;
}

/** Whether a cluster without problems is called calm although these checks are not made yet. */
export const isCalmWithout = (pending: readonly { readonly check: string }[]): boolean =>
  pending.every(({ check }) => checkOf(check).isCalmWithout === true);

function wordsOf({ code }: Pick<Problem, 'code'>): ProblemWords<object> {
  const words = problems.get(code);
  if (words === undefined) throw new Error(`unknown problem: ${code}`);
  return words;
}

/** Says what is wrong, with all evidence. */
export function problemText(problem: Problem & Pick<Finding, 'parts'>): Sentence {
  const facts = problemFacts(problem);
  const separator = facts.some((fact) => plainText(fact).includes(', ')) ? '; ' : ', ';
  return [...problemParts(problem).title, ...(facts.length === 0 ? [] : [literal(': '), ...join(facts, separator)])];
}

/** Returns all evidence, also what only Triage and `--once` have room for. */
export function problemFacts(problem: Problem & Pick<Finding, 'parts'>): readonly Sentence[] {
  return [...problemParts(problem).facts, ...(wordsOf(problem).details?.(problem.evidence) ?? [])];
}

/**
 * Returns what is wrong and the most important numbers behind it, apart. `maxNames`: where there is room for more than
 * usual.
 */
export function problemParts(
  problem: Problem & Pick<Finding, 'parts'>,
  maxNames?: number,
): { readonly title: Sentence; readonly facts: readonly Sentence[] } {
  const { evidence, parts = [] } = problem;
  const words = wordsOf(problem);
  return {
    title: words.title(evidence),
    facts: [...(words.evidence?.(evidence, maxNames) ?? []), ...partFacts(problem, parts)],
  };
}

/** Says what a problem causes, which has no row of its own: each by its title, or all of a check by their number. */
function partFacts(problem: Problem, parts: readonly Finding[]): readonly Sentence[] {
  const byCheck = [...Map.groupBy(parts, ({ check }) => check)].map(
    ([id, findings]) => [checkOf(id), findings] as const,
  );
  return [
    ...byCheck.flatMap(([{ partsText }, findings]) =>
      partsText === undefined ? findings.map((finding) => problemParts(finding).title) : [],
    ),
    ...byCheck.flatMap(([{ partsText }, findings]) => partsText?.(findings, problem) ?? []),
  ];
}

/** Returns how bad a problem is, to compare two moments of it; `undefined` if its numbers do not tell. */
export const magnitudeOf = ({ code, evidence }: Problem): number | undefined => wordsOf({ code }).magnitude?.(evidence);

/** Says what is wrong, where its title is too long. */
export function problemBrief({ code, evidence }: Problem): Sentence {
  const words = wordsOf({ code });
  return words.brief?.(evidence) ?? words.title(evidence);
}

/** Says what the operator can do about a problem, with keys in backticks. */
export const nextStep = (
  { code, evidence, seenMs }: Problem & Pick<Finding, 'seenMs'>,
  can: Abilities = { canAct: true, canUnsubscribe: true },
  attempt?: Attempt,
): string =>
  wordsOf({ code }).next(
    evidence,
    can,
    attempt === undefined || seenMs === undefined ? attempt : { ...attempt, isPending: true },
  );

const acknowledging = [': `z` acknowledges it.', '.'] as const;

/** The next step for a problem that is acknowledged. */
export const nextStepAfter = (step: string): string => step.replace(...acknowledging);

/** The next step on the page that Enter leads to. */
export const nextStepThere = (step: string): string => step.replace(/^`Enter`[^.]*\. /u, '').replace(...acknowledging);

/** The action that the next step advises, if that is one of the menu. */
export const advisedAction = (
  { code, evidence }: Problem,
  can: Pick<Abilities, 'endsSession'> = {},
): Attempt['way'] | undefined => wordsOf({ code }).advisedAction?.(evidence, can);

/** Says how a problem follows from what was done from here. */
export const ownCause = ({ code, evidence }: Problem, attempt: Attempt | undefined): string | undefined =>
  attempt === undefined ? undefined : wordsOf({ code }).ownCause?.(evidence, attempt);

/** The counter whose rate shows a problem, if there is one. */
export const counterOf = ({ code, jump }: Pick<Finding, 'code' | 'jump'>): MetricName | undefined =>
  wordsOf({ code }).counter ?? (jump.screen === 'metrics' ? (jump.row as MetricName | undefined) : undefined);

function reasonWordsOf({ code }: Reason): ReasonWords<Reason> {
  const words = reasons.get(code);
  if (words === undefined) throw new Error(`unknown reason: ${code}`);
  return words;
}

/** Says why a check was not made, as a part of a sentence. */
export const uncheckedText = <R extends Reason>(reason: R): Sentence => reasonWordsOf(reason).text(reason);

/** Says why a check was not made, next to its title. */
export const uncheckedNextToTitle = (unchecked: readonly Reason[]): Sentence =>
  join(
    unchecked.map((reason) => {
      const words = reasonWordsOf(reason);
      return words.brief?.(reason) ?? words.text(reason);
    }),
    '; ',
  );

/** Whether nothing is missing: the check is only less exact. */
export const isNote = (reason: Reason): boolean => reasonWordsOf(reason).isNote === true;

/** Whether no further reading would change the reason. */
export const isOutOfReach = (reason: Reason): boolean => reasonWordsOf(reason).isOutOfReach === true;

/** Says why nothing is wrong. */
export const passedText = ({
  check,
  passed,
  toldElsewhere,
}: Pick<CheckResult, 'check' | 'passed' | 'toldElsewhere'>): Sentence =>
  passed === undefined ? say`` : checkOf(check).passed(passed, toldElsewhere);

/** The facts that the next step for a problem depends on. */
export interface NextContext extends Abilities {
  /** Whether the page that Enter leads to is open. */
  readonly isOpen?: boolean | undefined;
  readonly isAcknowledged?: boolean | undefined;
  readonly nowMs: number;
  /** Short names of nodes. */
  readonly nodes?: ReadonlyMap<string, string> | undefined;
  /** Returns the last attempt, if it was recent and with the problem's client or most of its clients. */
  readonly attempt?: ((finding: Finding) => Attempt | undefined) | undefined;
}
