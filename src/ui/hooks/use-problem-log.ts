import { useEffect } from 'react';
import type { Monitor, MonitorOperations } from '../../monitor/state.ts';
import type { Finding } from '../../triage/check.ts';
import { triageOf } from '../../triage/triage.ts';
import { problemParts } from '../problem-texts.ts';
import { logTexts } from '../screens/texts.ts';
import { plainText } from '../sentences.ts';

const secondsSeen = ({ sinceMs, foundMs, seenMs = 0 }: Finding): number => Math.max(0, seenMs - (sinceMs ?? foundMs ?? seenMs)) / 1_000;

/** Logs when a problem begins, and when it is over, after every report. */
export const useProblemLog = (monitor: Monitor & Pick<MonitorOperations, 'note'>): void => {
  useEffect(() => {
    for (const { kind, finding } of triageOf(monitor).takeChanges()) {
      const title = plainText(problemParts(finding).title);
      if (kind === 'began') monitor.note(finding.severity === 'critical' ? 'error' : 'warning', logTexts.problemBegan(title));
      else monitor.note('info', logTexts.problemEnded(title, secondsSeen(finding)));
    }
  });
};
