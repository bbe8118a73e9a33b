import { defineFields } from '../../table/field.ts';
import { problemText } from '../../checks/words.ts';
import type { Finding } from '../../triage/problem.ts';
import { triageTexts } from '../../resources/problems/view/texts.ts';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { plainText } from '../../domain/sentence.ts';
import { sentenceText } from '../../terminal/sentence-text.ts';

export const problemFields = defineFields<Finding>()({
  severity: { label: 'SEVERITY', type: 'text', get: ({ severity }) => severity },
  check: { label: 'CHECK', type: 'text', get: ({ check }) => check },
  code: { label: 'CODE', type: 'text', get: ({ code }) => code },
  text: { label: 'PROBLEM', type: 'text', get: (finding) => plainText(problemText(finding)) },
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
