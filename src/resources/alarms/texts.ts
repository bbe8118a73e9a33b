import { words } from '../../actions/texts.ts';
import { pluralize } from '../../domain/text.ts';
import { formatCount } from '../../terminal/format.ts';
import { safe } from '../../terminal/safe-text.ts';

export const alarmWords = {
  clearHistory: () => words('clear', 'Cleared', 'the alarm history', ' on all nodes'),
};

/** Says why the history is not cleared, and what became of it. */
export const alarmSentences = {
  noneEnded: 'It is empty.',
  remain: (count: number): string => `${pluralize(count, 'earlier alarm')} ${count === 1 ? 'is' : 'are'} still listed.`,
};

export const alarmTexts = {
  clear: {
    question: safe`Clear the alarm history on all nodes?`,
    target: 'alarm history',
    verb: safe`clear`,
    count: (count: number) => safe`Ended alarms: ${formatCount(count)}. They cannot be restored. Active alarms stay.`,
  },
};

export const alarmsTexts = {
  notOffered: safe`alarms`,
  active: safe`Active alarms`,
  ended: safe`Alarm history`,
  showEnded: safe`v history`,
  showActive: safe`v active`,
  noneActive: safe`No active alarms.`,
  noneEnded: safe`No ended alarms.`,
  node: safe`node`,
  severity: safe`severity`,
  since: safe`since`,
  endedAt: safe`ended`,
  duration: safe`duration`,
};
