import { trusted } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { type NextContext, nextStep, problemParts } from '../../../checks/words.ts';
import type { Finding } from '../../../triage/problem.ts';
import { howLong, problemSpeechTexts, triageTexts } from './texts.ts';
import { capitalizedLabel } from '../../../tui/components/dialog-box.tsx';
import { sentenceText } from '../../../terminal/sentence-text.ts';

const widestName = 200;

/** Says a problem in three lines: what it is, its evidence, the next step. */
export function findingSpeech(theme: Theme, finding: Finding, context: NextContext): readonly string[] {
  const { title, facts } = problemParts(finding);
  const name = sentenceText(theme, title, widestName);
  const evidence = [
    ...facts.map((fact) => sentenceText(theme, fact, widestName)),
    howLong(finding, context.nowMs),
  ].filter((text) => text !== '');
  if (finding.acknowledged !== undefined) return [problemSpeechTexts.acknowledged(name), evidence.join(', ')];
  return [
    problemSpeechTexts.problem(capitalizedLabel(triageTexts.severity[finding.severity]), name),
    evidence.join(', '),
    problemSpeechTexts.next(trusted(nextStep(finding, context, context.attempt?.(finding)).replaceAll('`', ''))),
  ];
}
