import type { ActionState } from '../../actions/acting-monitor.ts';
import type { Outcome } from '../../actions/action.ts';
import { outcomeTexts } from '../../actions/texts.ts';
import { shownWallMs } from '../../monitor/shown-time.ts';
import { formatClock } from '../../terminal/format.ts';
import { wrapWords } from '../../terminal/line.ts';
import { escapeText, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { endsRow, type SpanRow } from '../components/blocks.ts';
import type { DetailSection } from './detail.tsx';
import { listTexts } from './texts.ts';

const outcomeRoles: Readonly<Record<Outcome, Role>> = {
  done: 'ok',
  accepted: 'normal',
  'not-done': 'error',
  unknown: 'warning',
};
const maxShown = 6;
const maxLines = 3;

type Target = NonNullable<ActionState['actions'][number]['target']>;

/** Draws the section of a panel with what this run changed, newest first; none without a change. */
export const changesHere = (
  theme: Theme,
  width: number,
  { actions = [] }: Partial<ActionState>,
  isOf: (target: Target) => boolean,
): readonly DetailSection[] => {
  const changes = actions
    .filter(({ target }) => target !== undefined && isOf(target))
    .slice(-maxShown)
    .toReversed();
  if (changes.length === 0) return [];
  const rows = changes.flatMap(({ startedAtMs, title, result }): readonly SpanRow[] => {
    const word: SafeText = result === undefined ? listTexts.running : escapeText(outcomeTexts.words[result.outcome]);
    const text = wrapWords(theme.escape(title, maxLines * width), width).slice(0, maxLines);
    return [
      endsRow(
        width,
        [{ text: formatClock(shownWallMs(startedAtMs)), role: 'dim' }],
        [{ text: word, role: result === undefined ? 'dim' : outcomeRoles[result.outcome] }],
      ),
      ...text.map((line) => [{ text: line }]),
    ];
  });
  return [{ title: listTexts.changedHere, note: safe`${listTexts.newestFirst}`, rows }];
};
