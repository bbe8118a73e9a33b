import { memoise } from '../domain/memoise.ts';
import { reading, withReading } from '../monitor/query/part.ts';
import type { MonitorState } from '../monitor/state.ts';
import type { UnknownReport } from '../triage/reasons.ts';
import { type TriageReport, triageView } from '../triage/view.ts';
import { checks } from './registry.ts';
import { checkOf, passedText, problemFacts, problemText, uncheckedText } from './words.ts';

/** Whether this version has words for all that a report says. Another version may have other checks. */
const canBeTold = memoise(({ results, problems, findings }: TriageReport): boolean => {
  try {
    for (const result of results) {
      checkOf(result.check);
      passedText(result);
      result.unchecked.forEach(uncheckedText);
      result.findings.forEach(problemText);
    }
    for (const finding of [...problems, ...findings]) {
      problemText(finding);
      problemFacts(finding);
    }
    return true;
  } catch {
    return false;
  }
});

/** Returns the report of a moment whose problems are not known. */
const unknownReport = (state: MonitorState, code: UnknownReport['code']): TriageReport => ({
  results: checks.map(({ id, jump }) => ({
    check: id,
    findings: [],
    unchecked: [{ code }],
    jump: typeof jump === 'function' ? jump(state) : jump,
    toldElsewhere: 0,
  })),
  problems: [],
  findings: [],
  isAllClear: false,
});

/** Returns a recorded state in which nothing is checked if what the checks said is missing or cannot be told. */
export function withRecordedReport<State extends MonitorState>(state: State): State {
  const view = reading(state, triageView);
  const isRecorded = view.report.results.length > 0;
  if (isRecorded && canBeTold(view.report)) return state;
  const report = unknownReport(state, isRecorded ? 'report-unreadable' : 'report-missing');
  return { ...state, ...withReading(state, triageView, { ...triageView.empty, report }) };
}
