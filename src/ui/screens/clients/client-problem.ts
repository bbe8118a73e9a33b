import { composeLine, type Line } from '../../../terminal/line.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import type { Finding } from '../../../triage/check.ts';
import { severityRoles, triageTexts } from '../../check-texts.ts';
import type { NextContext } from '../../problem-texts.ts';
import { ageCell, findingCells, findingColumns, nextRows } from '../overview/problems.ts';

const leadWidth = 11;
/** On a low terminal the subscriptions need the room. */
const minHeight = 24;

/** The problem of a client, if it has one, with its evidence and the next step. */
export const clientProblemLines = (theme: Theme, width: number, height: number, finding: Finding | undefined, context: NextContext): readonly Line[] => {
  if (finding === undefined) return [];
  const columns = findingColumns(theme, width - leadWidth, [finding]);
  const word = finding.acknowledged === undefined
    ? { text: triageTexts.severityWords[finding.severity], role: severityRoles[finding.severity] }
    : { text: triageTexts.acknowledged, role: 'dim' as const };
  return [
    composeLine(theme, width, [{ text: safe`  ` }, { ...word, text: fit(word.text, leadWidth - 2) }, ...findingCells(theme, width, columns, finding), ...ageCell(columns, finding, context.nowMs)]),
    ...nextRows(theme, width, finding, height < minHeight ? 1 : 2, { ...context, isOpen: true }).map((row) => composeLine(theme, width, row)),
  ];
};
