import { secondsSince } from '../../../domain/node.ts';
import { formatAge, formatEnd, formatText } from '../../../terminal/format.ts';
import { columnsOf } from '../../../tui/components/field-columns.ts';
import { banFields } from '../fields.ts';

export const banColumns = columnsOf(banFields, {
  who: { width: { min: 18, max: 48 }, isSticky: true },
  kind: { width: 17, priority: 1 },
  added: { width: 12, priority: 1, highlightsChanges: false },
  ends: {
    format: (ban, { data }) =>
      ban.until === undefined ? formatEnd(undefined) : formatAge(secondsSince(ban.until, data)),
    sortsFrom: 'smallest',
    width: 12,
    priority: 1,
    highlightsChanges: false,
  },
  reason: {
    format: ({ reason }, { text }) => formatText(reason || undefined, text),
    width: { min: 10, max: 60, grow: 2 },
    priority: 2,
  },
  by: { width: { min: 8, max: 20 }, priority: 4 },
  since: { priority: 3, width: 19 },
  until: { format: ({ until }) => formatEnd(until), sortsFrom: 'smallest', width: 19, priority: 5 },
});
