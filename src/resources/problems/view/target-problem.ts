import type { NextContext } from '../../../checks/words.ts';
import { slow } from '../../../checks/slow/check.ts';
import { isProblem } from '../../../triage/check.ts';
import type { Finding, Jump } from '../../../triage/problem.ts';
import { severitySpan } from './texts.ts';
import type { Session } from '../../../domain/client.ts';
import type { MonitorState } from '../../../monitor/state.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { mayLose } from '../../sessions/trouble.ts';
import { selectReport } from '../../../triage/view.ts';
import type { SpanRow } from '../../../tui/components/blocks.ts';
import { ageCell, findingCells, findingColumns, nextRows } from './problem-rows.ts';

const leadWidth = 11;
/** Returns the worst problem whose target is the object of a page. */
export const findProblem = (state: MonitorState, isAbout: (jump: Jump) => boolean): Finding | undefined =>
  selectReport(state).problems.find(({ jump }) => isAbout(jump));

/**
 * Updates a problem with the queue as the page shows it, which is newer than the reading that found the problem:
 * nothing if that is empty. Rates stay, unless it loses nothing any more.
 */
export const withPresent = (finding: Finding, session: Session | undefined): Finding | undefined => {
  if (
    session?.queueLength === undefined ||
    !(
      isProblem(finding, slow, 'slow-consumer') ||
      isProblem(finding, slow, 'queue-full') ||
      isProblem(finding, slow, 'offline-queue')
    )
  )
    return finding;
  const { queueLength, inflight } = session;
  if (queueLength === 0) return undefined;
  const { evidence } = finding;
  const { queueLimit: limit, queuePerSecond } = evidence;
  const isQueueFull = limit !== undefined && queueLength >= limit;
  const fullInSeconds =
    limit === undefined || isQueueFull || queuePerSecond <= 0
      ? undefined
      : Math.ceil((limit - queueLength) / queuePerSecond);
  return {
    ...finding,
    evidence: {
      ...evidence,
      queueLength,
      inflight: inflight ?? evidence.inflight,
      isQueueFull,
      fullInSeconds,
      isLosing: evidence.isLosing && mayLose(queueLength, limit),
    },
  };
};

/**
 * Draws the problem that a page is about, if it has one, with its evidence and at most `maxLines` with the next step.
 */
export const targetProblemRows = (
  theme: Theme,
  width: number,
  maxLines: number,
  finding: Finding | undefined,
  context: NextContext,
): readonly SpanRow[] => {
  if (finding === undefined) return [];
  const columns = findingColumns(theme, width - leadWidth, [finding]);
  const word = severitySpan(finding);
  return [
    [
      { text: safe`  ` },
      { ...word, text: fit(word.text, leadWidth - 2) },
      ...findingCells(theme, width, columns, finding, context),
      ...ageCell(columns, finding, context.nowMs),
    ],
    ...(maxLines === 0 ? [] : nextRows(theme, width, finding, maxLines, { ...context, isOpen: true })),
  ];
};
