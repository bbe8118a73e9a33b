import { useEffect, useRef } from 'react';
import type { Monitor, MonitorOperations } from '../../monitor/state.ts';
import type { CheckId, Finding } from '../../triage/check.ts';
import type { Severity } from '../../triage/thresholds.ts';
import { triageOf } from '../../triage/triage.ts';
import { problemParts } from '../problem-texts.ts';
import { useTheme } from '../components/drawing.tsx';
import { useSpeaker } from '../speech/use-speech.ts';
import { logTexts } from '../screens/texts.ts';
import { plainText } from '../sentences.ts';

/** How many there are changes often, and the others say what matters. */
const isRest = ({ code }: Finding): boolean => code === 'more-sessions' || code === 'slow-sessions' || code === 'more-alarms';

const secondsSeen = ({ sinceMs, foundMs, seenMs = 0 }: Finding): number => Math.max(0, seenMs - (sinceMs ?? foundMs ?? seenMs)) / 1_000;

/** A new problem, for alerts. Its texts may contain broker text and are not escaped. */
export interface BegunProblem {
  readonly severity: Severity;
  readonly check: CheckId;
  readonly title: string;
  readonly evidence: string;
}

/** What alerts tell of a finding that began; `undefined` if it is acknowledged, or only counts others. */
export function begunProblem(finding: Finding): BegunProblem | undefined {
  if (isRest(finding) || finding.acknowledged !== undefined) return undefined;
  const { title, facts } = problemParts(finding);
  return { severity: finding.severity, check: finding.check, title: plainText(title), evidence: facts.map(plainText).join(', ') };
}

/** Logs when a problem begins, and when it is over, after every report. `onProblem` is called with those that begin. */
export const useProblemLog = (monitor: Monitor & Pick<MonitorOperations, 'note'>, onProblem?: (problem: BegunProblem) => void): void => {
  const theme = useTheme();
  const speaker = useSpeaker();
  /** With the titles that the log shows: a problem that ends may have changed, such as a client that has gone offline. */
  const open = useRef(new Map<string, string>());
  useEffect(() => {
    for (const { kind, finding } of triageOf(monitor).takeChanges()) {
      if (isRest(finding)) continue;
      const title = plainText(problemParts(finding).title);
      const logged = open.current.get(finding.key);
      if (kind === 'began') open.current.set(finding.key, title);
      else open.current.delete(finding.key);
      const began = logged === undefined ? logTexts.problemBegan : logTexts.problemCritical;
      const text = kind === 'began' ? began(title) : logTexts.problemEnded(logged ?? title, secondsSeen(finding));
      speaker?.announce(theme.escape(text));
      if (kind === 'began') {
        monitor.note(finding.severity === 'critical' ? 'error' : 'warning', text);
        const begun = begunProblem(finding);
        if (begun !== undefined) onProblem?.(begun);
      } else monitor.note('info', text);
    }
  });
};
