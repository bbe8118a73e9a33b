import { columnsOf } from '../../../tui/components/field-columns.ts';
import { retainedFields } from '../fields.ts';

export const retainedColumns = columnsOf(retainedFields, {
  topic: { width: { min: 18, max: 100, grow: 2 }, isSticky: true },
  qos: { width: 4, priority: 2 },
  published: { width: 12, priority: 1, highlightsChanges: false },
  from: { width: { min: 10, max: 40 }, priority: 1 },
  user: { width: { min: 8, max: 24 }, priority: 3 },
});
