import { checkOf, problemParts } from '../checks/words.ts';
import { join, plainText, type Sentence } from '../domain/sentence.ts';
import { durationText, literal } from '../domain/text.ts';
import type { LogEntry } from '../monitor/state.ts';
import { logTexts } from '../resources/log/texts.ts';
import type { FindingChange } from '../triage/finding-changes.ts';
import { beginMs, type Finding } from '../triage/problem.ts';
import type { BegunProblem, ProblemNews } from '../triage/triaged-monitor.ts';

/** Returns what alerts say of a change; `undefined` unless a problem that nobody knows of began or became critical. */
function begunProblem({ kind, finding, isQuiet }: FindingChange): BegunProblem | undefined {
  if ((kind !== 'began' && kind !== 'worsened') || isQuiet || finding.acknowledged !== undefined) return undefined;
  const { title, facts } = problemParts(finding);
  return {
    severity: finding.severity,
    check: finding.check,
    title: plainText(title),
    evidence: facts.map(plainText).join(', '),
  };
}

interface LoggedText {
  readonly text: string;
  /** Whether the evidence names who has the problem, or the title, which is more. */
  readonly named: 'nowhere' | 'evidence' | 'title';
}

const isNaming = (sentence: Sentence): boolean => sentence.some(({ isUntrusted }) => isUntrusted === true);

/** Returns the title, and the evidence that names who has the problem, unless the title does. */
function loggedText(finding: Finding): LoggedText {
  const { title, facts } = problemParts(finding);
  if (isNaming(title)) return { text: plainText(title), named: 'title' };
  const naming = facts.filter(isNaming);
  return naming.length === 0
    ? { text: plainText(title), named: 'nowhere' }
    : { text: plainText([...title, literal(': '), ...join(naming, ', ')]), named: 'evidence' };
}

const namesMore = (now: LoggedText, before: LoggedText): boolean =>
  now.named !== before.named && (now.named === 'title' || before.named === 'nowhere');

/** Writes `2m 05s`, or `>2m 05s` if the start was not seen; `undefined` if it is not known since when. */
const lastedText = (finding: Finding, endMs: number): string | undefined => {
  const fromMs = beginMs(finding);
  return fromMs === undefined
    ? undefined
    : `${finding.sinceMs === undefined ? '>' : ''}${durationText(Math.max(0, endMs - fromMs) / 1_000)}`;
};

/** Limits entries of one kind at once; the log keeps 500. */
const maxLogged = 50;

/** What happened to problems, for the log and for whoever follows them. */
export interface LoggedProblems {
  readonly entries: readonly Omit<LogEntry, 'repeated' | 'isSetup'>[];
  readonly news: readonly ProblemNews[];
}

/** Tells when a problem begins, becomes critical or a warning, is known to be of somebody, and ends. */
export type ProblemLog = (
  changes: readonly FindingChange[],
  found: ReadonlyMap<string, Finding>,
  nowMs: number,
) => LoggedProblems;

export function createProblemLog(): ProblemLog {
  /**
   * Open problems with the texts that the log shows: one that ends may have changed, such as a client that has gone
   * offline.
   */
  const open = new Map<string, LoggedText>();
  return (changes, found, nowMs) => {
    const counts: Record<FindingChange['kind'], number> = {
      began: 0,
      worsened: 0,
      eased: 0,
      ended: 0,
      acknowledged: 0,
    };
    const entries: LoggedProblems['entries'][number][] = [];
    const news: ProblemNews[] = [];
    const log = (level: LogEntry['level'], text: string, atMs: number, begun?: BegunProblem): void => {
      entries.push({ atMs, level, text });
      news.push({ text, begun });
    };
    for (const change of changes) {
      const { kind, finding, atMs } = change;
      const text = loggedText(finding);
      const logged = open.get(finding.key) ?? text;
      if (kind === 'ended') open.delete(finding.key);
      else open.set(finding.key, text);
      const begun = begunProblem(change);
      // As alarms, which are logged as they are set and cleared. An event is over when it happens, and is shown for some minutes.
      const isSilent =
        (checkOf(finding.check).isLogged === true && kind !== 'acknowledged') ||
        (finding.atMs !== undefined && kind === 'ended');
      if (!isSilent) counts[kind] += 1;
      if (isSilent || counts[kind] > maxLogged) {
        if (begun !== undefined) news.push({ text: undefined, begun });
        continue;
      }
      const level =
        kind === 'eased' || kind === 'ended' || kind === 'acknowledged'
          ? 'info'
          : finding.severity === 'critical'
            ? 'error'
            : 'warning';
      const entry = {
        began: logTexts.problemBegan(text.text),
        worsened: logTexts.problemCritical(text.text),
        acknowledged: logTexts.problemAcknowledged(text.text, finding.acknowledged?.note),
        eased: logTexts.problemEased(text.text),
        ended: logTexts.problemEnded(logged.text, atMs === undefined ? undefined : lastedText(finding, atMs)),
      }[kind];
      log(level, entry, atMs ?? nowMs, begun);
    }
    let updates = 0;
    for (const [key, before] of open) {
      const finding = found.get(key);
      const now = finding === undefined || before.named === 'title' ? before : loggedText(finding);
      if (!namesMore(now, before) || updates === maxLogged) continue;
      updates += 1;
      open.set(key, now);
      log('info', logTexts.problemNamed(now.text), nowMs);
    }
    for (const kind of ['began', 'worsened', 'eased', 'ended', 'acknowledged'] as const)
      if (counts[kind] > maxLogged)
        log(
          kind === 'began' || kind === 'worsened' ? 'warning' : 'info',
          logTexts.moreProblems[kind](counts[kind] - maxLogged),
          nowMs,
        );
    return { entries, news };
  };
}
