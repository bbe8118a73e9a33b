import { formatElapsed } from '../../../terminal/format.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { columnsOf } from '../../../tui/components/field-columns.ts';
import { slowSubscriptionFields } from '../fields.ts';

export const slowSubscriptionColumns = columnsOf(slowSubscriptionFields, {
  client: { width: { min: 14, max: 48, grow: 1 }, isSticky: true },
  latency: {
    format: ({ latencyMs }) => formatElapsed(latencyMs),
    largest: safe`slowest`,
    width: 10,
    priority: 1,
  },
  topic: { width: { min: 14, max: 80, grow: 2 }, priority: 1 },
  node: { role: 'dim', width: { min: 8, max: 24 }, priority: 2 },
  updated: { width: 12, priority: 3, highlightsChanges: false },
});
