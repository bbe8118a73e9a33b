import { useEffect, useRef } from 'react';
import { triageOf } from '../../checks/triage.ts';
import { checkOf, problemParts } from '../../checks/words.ts';
import { join, plainText, type Sentence } from '../../domain/sentence.ts';
import { literal } from '../../domain/text.ts';
import type { LogEntry, Monitor, MonitorOperations } from '../../monitor/state.ts';
import { logTexts } from '../../resources/log/texts.ts';
import type { FindingChange } from '../../triage/finding-changes.ts';
import type { Finding } from '../../triage/problem.ts';
import type { Severity } from '../../triage/thresholds.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useSpeaker } from '../../tui/speech/use-speech.ts';
import { lastedText } from '../triage-texts.ts';

/** A new problem, for alerts. Its texts may contain broker text and are not escaped. */
export interface BegunProblem {
  readonly severity: Severity;
  readonly check: string;
  readonly title: string;
  readonly evidence: string;
}

/** Returns what alerts say of a change; `undefined` unless a problem that nobody knows of began or became critical. */
export function begunProblem({ kind, finding, isQuiet }: FindingChange): BegunProblem | undefined {
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

/** Limits entries of one kind at once; the log keeps 500. */
const maxLogged = 50;

/** Logs when a problem begins, becomes critical or a warning, is known to be of somebody, and ends, after every report. `onProblem` is called with those that begin or become critical. */
export const useProblemLog = (
  monitor: Monitor & Pick<MonitorOperations, 'note'>,
  onProblem?: (problem: BegunProblem) => void,
): void => {
  const theme = useTheme();
  const speaker = useSpeaker();
  /**
   * Open problems with the texts that the log shows: one that ends may have changed, such as a client that has gone
   * offline.
   */
  const open = useRef(new Map<string, LoggedText>());
  useEffect(() => {
    const counts: Record<FindingChange['kind'], number> = {
      began: 0,
      worsened: 0,
      eased: 0,
      ended: 0,
      acknowledged: 0,
    };
    const log = (level: LogEntry['level'], text: string, atMs?: number): void => {
      speaker?.announce(theme.escape(text));
      monitor.note(level, text, atMs);
    };
    const triage = triageOf(monitor);
    for (const change of triage.takeChanges()) {
      const { kind, finding, atMs } = change;
      const text = loggedText(finding);
      const logged = open.current.get(finding.key) ?? text;
      if (kind === 'ended') open.current.delete(finding.key);
      else open.current.set(finding.key, text);
      const begun = begunProblem(change);
      if (begun !== undefined) onProblem?.(begun);
      // As alarms, which are logged as they are set and cleared.
      if (checkOf(finding.check).isLogged === true && kind !== 'acknowledged') continue;
      // An event is over when it happens, and is shown for some minutes.
      if (finding.atMs !== undefined && kind === 'ended') continue;
      counts[kind] += 1;
      if (counts[kind] > maxLogged) continue;
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
      log(level, entry, atMs);
    }
    const found = triage.openFindings();
    let updates = 0;
    for (const [key, before] of open.current) {
      const finding = found.get(key);
      const now = finding === undefined || before.named === 'title' ? before : loggedText(finding);
      if (!namesMore(now, before) || updates === maxLogged) continue;
      updates += 1;
      open.current.set(key, now);
      log('info', logTexts.problemNamed(now.text));
    }
    for (const kind of ['began', 'worsened', 'eased', 'ended', 'acknowledged'] as const) {
      if (counts[kind] > maxLogged)
        log(
          kind === 'began' || kind === 'worsened' ? 'warning' : 'info',
          logTexts.moreProblems[kind](counts[kind] - maxLogged),
        );
    }
  });
};
