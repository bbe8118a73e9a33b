import { useEffect, useRef } from 'react';
import type { LogEntry, Monitor, MonitorOperations } from '../../monitor/state.ts';
import type { CheckId, Finding } from '../../triage/check.ts';
import type { FindingChange } from '../../triage/finding-changes.ts';
import type { Severity } from '../../triage/thresholds.ts';
import { triageOf } from '../../triage/triage.ts';
import { problemParts } from '../problem-texts.ts';
import { useTheme } from '../components/drawing.tsx';
import { useSpeaker } from '../speech/use-speech.ts';
import { logTexts } from '../screens/texts.ts';
import { plainText } from '../sentences.ts';

const beginningOf = ({ sinceMs, foundMs }: Finding): number | undefined => sinceMs ?? foundMs;

const secondsSeen = (finding: Finding): number => Math.max(0, (finding.seenMs ?? 0) - (beginningOf(finding) ?? finding.seenMs ?? 0)) / 1_000;

/** A new problem, for alerts. Its texts may contain broker text and are not escaped. */
export interface BegunProblem {
  readonly severity: Severity;
  readonly check: CheckId;
  readonly title: string;
  readonly evidence: string;
}

/** What alerts tell of a change; `undefined` unless a problem that nobody knows of began or became critical. */
export function begunProblem({ kind, finding, isQuiet }: FindingChange): BegunProblem | undefined {
  if ((kind !== 'began' && kind !== 'worsened') || isQuiet || finding.acknowledged !== undefined) return undefined;
  const { title, facts } = problemParts(finding);
  return { severity: finding.severity, check: finding.check, title: plainText(title), evidence: facts.map(plainText).join(', ') };
}

/** Of one kind at once; the log keeps 500 entries. */
const maxLogged = 50;

/** Logs when a problem begins, becomes critical or a warning, and ends, after every report. `onProblem` is called with those that begin or become critical. */
export const useProblemLog = (monitor: Monitor & Pick<MonitorOperations, 'note'>, onProblem?: (problem: BegunProblem) => void): void => {
  const theme = useTheme();
  const speaker = useSpeaker();
  /** With the titles that the log shows: a problem that ends may have changed, such as a client that has gone offline. */
  const open = useRef(new Map<string, string>());
  useEffect(() => {
    const counts: Record<FindingChange['kind'], number> = { began: 0, worsened: 0, eased: 0, ended: 0, acknowledged: 0 };
    const log = (level: LogEntry['level'], text: string, atMs?: number): void => {
      speaker?.announce(theme.escape(text));
      monitor.note(level, text, atMs);
    };
    for (const change of triageOf(monitor).takeChanges()) {
      const { kind, finding } = change;
      const title = plainText(problemParts(finding).title);
      const logged = open.current.get(finding.key) ?? title;
      if (kind === 'ended') open.current.delete(finding.key);
      else open.current.set(finding.key, title);
      const begun = begunProblem(change);
      if (begun !== undefined) onProblem?.(begun);
      // Alarms are logged as they are set and cleared.
      if (finding.check === 'alarms' && kind !== 'acknowledged') continue;
      counts[kind] += 1;
      if (counts[kind] > maxLogged) continue;
      const level = kind === 'eased' || kind === 'ended' || kind === 'acknowledged' ? 'info' : finding.severity === 'critical' ? 'error' : 'warning';
      switch (kind) {
        case 'began': log(level, logTexts.problemBegan(title), beginningOf(finding)); break;
        case 'worsened': log(level, logTexts.problemCritical(title)); break;
        case 'acknowledged': log(level, logTexts.problemAcknowledged(title, finding.acknowledged?.note)); break;
        case 'eased': log(level, logTexts.problemEased(title)); break;
        case 'ended': log(level, logTexts.problemEnded(logged, secondsSeen(finding)));
      }
    }
    for (const kind of ['began', 'worsened', 'eased', 'ended', 'acknowledged'] as const) {
      if (counts[kind] > maxLogged) log(kind === 'began' || kind === 'worsened' ? 'warning' : 'info', logTexts.moreProblems[kind](counts[kind] - maxLogged));
    }
  });
};
