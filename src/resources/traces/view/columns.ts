import { columnsOf } from '../../../tui/components/field-columns.ts';
import { traceFields, traceLineFields } from '../fields.ts';

export const traceColumns = columnsOf(traceFields, {
  name: { width: { min: 14, max: 40 }, isSticky: true },
  status: { width: 8, priority: 1 },
  kind: { width: 10, priority: 2 },
  value: { width: { min: 12, max: 60, grow: 2 } },
  size: { width: 9, priority: 1 },
  started: { width: 12, priority: 1, highlightsChanges: false },
  ends: { width: 19, priority: 2 },
});

/** The time of day, with the digits that a log has. */
const clockOf = (time: string): string =>
  time
    .replace(/^.*T/u, '')
    .replace(/(?:Z|[+-]\d\d:\d\d)$/u, '')
    .slice(0, 12);

export const traceLineColumns = columnsOf(traceLineFields, {
  place: { width: 6, priority: 4, sortsFrom: 'largest' },
  time: { format: ({ time }, { text }) => text(clockOf(time)), width: 12, isSticky: true },
  node: { width: { min: 8, max: 14 }, priority: 3 },
  level: { width: 8, priority: 2 },
  line: { width: { min: 20, max: 2_000, grow: 4 } },
});
