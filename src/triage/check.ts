import type { BulkProgress } from '../actions/bulk.ts';
import type { Sentence } from '../domain/sentence.ts';
import type { MonitorState } from '../monitor/state.ts';
import type { NotChecked } from '../resources/freshness.ts';
import type { VitalName } from '../resources/vital.ts';
import type { TriageHistory } from './memory.ts';
import type { Need, NeedsContext } from './needs.ts';
import type { Finding, Found, Jump, Problem, ProblemWords } from './problem.ts';
import type { Reason, ReasonWords, SharedReason } from './reasons.ts';

/** The monitor's state, with the last bulk action of this session. */
export type TriageState = MonitorState & {
  readonly bulk?: Pick<BulkProgress, 'disconnectedIds' | 'finishedAtMs'> | undefined;
};

export const noneFound: ReadonlySet<string> = new Set();

export interface CheckInput {
  readonly state: TriageState;
  readonly history: TriageHistory;
  readonly nowMs: number;
  readonly unjudged: readonly NotChecked[];
  /** Keys of the last report's findings. */
  readonly found: ReadonlySet<string>;
  /** The findings of the checks above. */
  readonly earlier: readonly Finding[];
}

/** The list that a check reads, if it is read only while watched. */
export interface CheckReading {
  readonly noun: string;
  readonly atMs: number | undefined;
  readonly isWatched: boolean;
  /** The last reading, if it is newer and has only `nodes` of all `total` nodes. */
  readonly partial?: { readonly atMs: number; readonly nodes: number; readonly total: number } | undefined;
}

/** Seconds until a check can be made, `soon`, or `undefined` while that depends on the length of a list. */
export interface Wait {
  readonly wait: number | 'soon' | undefined;
}

export interface WaitContext<Passed> {
  readonly state: MonitorState;
  readonly nowMs: number;
  readonly passed: Passed | undefined;
  readonly reading: CheckReading | undefined;
  readonly areRead: (names: readonly VitalName[]) => boolean;
}

/** The result of a check for one state. */
export interface Judgement<P extends Problem, Passed extends object, R extends Reason> {
  /** All findings; how many rows they take is decided later. */
  readonly findings: readonly Found<P>[];
  /** The reasons why the check is incomplete: then an absence of findings proves nothing. */
  readonly unchecked: readonly R[];
  /** The figures that show that nothing is wrong. */
  readonly passed?: Passed | undefined;
  readonly reading?: CheckReading | undefined;
  /** Whether the reading would show an earlier finding if it went on. Without it: if nothing is unchecked. */
  refutes?(finding: Found<P>): boolean;
  /** When a finding was last read, where that is not the same for all. */
  readMsOf?(finding: Found<P>): number | undefined;
  /** This broker's API cannot feed the check. */
  readonly isNotOffered?: true | undefined;
}

/** A check: what it needs, how it judges, and how it is told. */
export interface CheckDefinition<Id extends string, P extends Problem, Passed extends object, R extends Reason> {
  /** The name in JSON, in the configuration and in `--crit`. */
  readonly id: Id;
  /** Stands before the line of the check in Triage. */
  readonly title: string;
  /** The name in lists of checks. */
  readonly noun: string;
  /** Describes what the check finds, in the README. */
  readonly finds: string;
  /** Returns what has to be read, and how often. */
  needs(context: NeedsContext<P>): readonly Need[];
  /** The resources whose last reading dates its problems, unless its judgement has a `reading`. */
  readonly datedBy?: readonly VitalName[];
  judge(input: CheckInput): Judgement<P, Passed, R>;
  /** Enter on the line of the check leads there. */
  readonly jump: Jump | ((state: MonitorState) => Jump);
  /** Why nothing is wrong. `toldElsewhere`: how many of its findings are parts of other problems; always 0 without `partsText`. */
  passed(facts: Passed, toldElsewhere: number): Sentence;
  /** The words for each reason why the check is incomplete, by code. */
  readonly unchecked: {
    readonly [Code in Exclude<R['code'], SharedReason['code']>]: ReasonWords<Extract<R, { code: Code }>>;
  };
  /** Every problem that it finds, by code. */
  readonly problems: { readonly [Code in P['code']]: ProblemWords<Extract<P, { code: Code }>['evidence']> };
  /** The rows that show many problems: some have one each, the others one together. @param shown the keys of the rows before @param suffix of the keys of rows that stand for several */
  rows?(problems: readonly Finding<P>[], shown: ReadonlySet<string>, suffix: string): readonly Row<P>[];
  /** How long it waits for what it lacks, if that is certain to come. Without an answer the shared reasons have one. */
  waitFor?(reason: R, context: WaitContext<Passed>): Wait | undefined;
  /** Whether what it needs is to be read often, and a minute longer. */
  isUrgent?(findings: readonly Finding<P>[], history: TriageHistory): boolean;
  /** How its findings are counted as parts of another problem, if that does not say it; without it each is told by its title. */
  readonly partsText?: (parts: readonly Finding[], problem: Problem) => readonly Sentence[];
  /** A problem that comes back so soon has not ended. */
  readonly settleMs?: number;
  /** It takes a minute after the start: a cluster is called calm without it. */
  readonly isCalmWithout?: true;
  /** The journal has entries of its own for its problems. */
  readonly isLogged?: true;
}

/** A row: a problem, or several together. */
export type Row<P extends Problem = Problem> = Found<P> & Pick<Finding, 'members' | 'acknowledged'>;

export type Check = CheckDefinition<string, Problem, object, Reason>;

/** Types a check by its judgement: each of its codes must have words. */
export const defineCheck = <const Id extends string, P extends Problem, Passed extends object, R extends Reason>(
  check: CheckDefinition<Id, P, Passed, R>,
): CheckDefinition<Id, P, Passed, R> => check;

/** Whether a finding is this problem of this check. */
export const isProblem = <P extends Problem, Code extends P['code']>(
  finding: Finding,
  { id }: { readonly id: string; judge(input: CheckInput): Judgement<P, object, Reason> },
  code: Code,
): finding is Finding<Extract<P, { readonly code: Code }>> => finding.check === id && finding.code === code;

/** The result of a check in the report. */
export interface CheckResult {
  readonly check: string;
  readonly findings: readonly Finding[];
  readonly unchecked: readonly Reason[];
  readonly passed?: object | undefined;
  readonly reading?: CheckReading | undefined;
  readonly refutes?: ((finding: Finding) => boolean) | undefined;
  readonly readMsOf?: ((finding: Finding) => number | undefined) | undefined;
  readonly isNotOffered?: true | undefined;
  readonly jump: Jump;
  /** A problem that comes back so soon has not ended. */
  readonly settleMs?: number | undefined;
  /** The journal has entries of its own for its problems. */
  readonly isLogged?: true | undefined;
  /** The number of its findings that other problems count as parts; 0 if these name each of them. */
  readonly toldElsewhere: number;
}

export type Verdict = 'found' | 'ok' | 'unchecked';

/** Returns `ok` only if everything could be checked. */
export const verdictOf = ({ findings, unchecked }: Pick<CheckResult, 'findings' | 'unchecked'>): Verdict =>
  findings.length > 0 ? 'found' : unchecked.length > 0 ? 'unchecked' : 'ok';

const oldAfterMs = 90_000;

/** When the list of a check was last read, if it is no longer watched or that is long ago. */
export function pastReadingMs({ reading }: Pick<CheckResult, 'reading'>, nowMs: number): number | undefined {
  const { atMs, isWatched } = reading ?? {};
  return atMs !== undefined && (isWatched !== true || nowMs - atMs > oldAfterMs) ? atMs : undefined;
}
