import { safe, trusted } from '../../terminal/safe-text.ts';
import type { Finding } from '../../triage/check.ts';
import type { Column } from '../../ui/components/column.ts';
import { triageTexts } from '../../ui/check-texts.ts';
import { problemText } from '../../ui/problem-texts.ts';
import { plainText } from '../../domain/sentence.ts';
import { sentenceText } from '../../terminal/sentence-text.ts';

/** Columns of what Triage shows of a problem, which is no table there. */
export const problemColumns: readonly Column<Finding>[] = [
  {
    id: 'severity',
    header: safe`SEVERITY`,
    value: ({ severity }) => severity,
    format: ({ severity }) => triageTexts.severity[severity],
    width: 10,
  },
  {
    id: 'check',
    header: safe`CHECK`,
    value: ({ check }) => check,
    format: ({ check }) => trusted(check),
    width: { min: 8 },
  },
  { id: 'code', header: safe`CODE`, value: ({ code }) => code, format: ({ code }) => trusted(code), width: { min: 8 } },
  {
    id: 'text',
    header: safe`PROBLEM`,
    value: (finding) => plainText(problemText(finding)),
    format: (finding, { theme }) => sentenceText(theme, problemText(finding)),
    width: { min: 20, max: 1_000 },
  },
];
