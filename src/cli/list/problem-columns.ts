import { defineFields } from '../../table/field.ts';
import { problemText } from '../../checks/words.ts';
import { shownWallMs } from '../../monitor/shown-time.ts';
import { beginMs, type Finding, subjectOf } from '../../triage/problem.ts';
import { triageTexts } from '../../resources/problems/view/texts.ts';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { plainText } from '../../domain/sentence.ts';
import { sentenceText } from '../../terminal/sentence-text.ts';

/** Returns when a problem began, by the time of day; at the latest, if nobody saw its beginning. */
export function sinceWallMs(finding: Finding): number | undefined {
  const atMs = beginMs(finding);
  return atMs === undefined ? undefined : Math.round(shownWallMs(atMs));
}

export const problemFields = defineFields<Finding>()({
  severity: { label: 'SEVERITY', type: 'text', get: ({ severity }) => severity },
  check: { label: 'CHECK', type: 'text', get: ({ check }) => check },
  code: { label: 'CODE', type: 'text', get: ({ code }) => code },
  text: { label: 'PROBLEM', type: 'text', get: (finding) => plainText(problemText(finding)) },
  node: { label: 'NODE', type: 'text', get: (finding) => subjectOf(finding).node },
  client: { label: 'CLIENT ID', type: 'name', get: (finding) => subjectOf(finding).clientId },
  topic: { label: 'TOPIC', type: 'name', get: (finding) => subjectOf(finding).topic },
  since: { label: 'SINCE', type: 'moment', get: (finding) => sinceWallMs(finding) },
});

/** The text that Triage shows of a finding, which is no table there. */
export const problemColumns = columnsOf(problemFields, {
  severity: { format: ({ severity }) => triageTexts.severity[severity], width: 10 },
  check: { width: { min: 8 } },
  code: { width: { min: 8 } },
  text: {
    format: (finding, { theme }) => sentenceText(theme, problemText(finding)),
    width: { min: 20, max: 1_000 },
  },
});
