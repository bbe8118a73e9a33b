import { columnsOf } from '../../../tui/components/field-columns.ts';
import { alarmFields } from '../fields.ts';

export const alarmColumns = columnsOf(alarmFields, {
  alarm: { width: { min: 18, max: 48 }, isSticky: true },
  node: { width: { min: 8, max: 24 }, priority: 1 },
  since: { width: 19, priority: 3 },
  ended: { width: 19, priority: 1 },
  duration: { sortsFrom: 'smallest', width: 10, priority: 1, highlightsChanges: false },
  message: { width: { min: 16, max: 120, grow: 2 }, priority: 2 },
});
