import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, programHints, selectionKeys, sortHints } from '../definition.ts';

export const subscriptions = defineScreen({
  id: 'subscriptions',
  title: safe`Subscriptions`,
  tab: { shortLabel: safe`Subs` },
  key: '6',
  scopes: ['subscriptions', 'row', 'scan'],
  unusedKeys: selectionKeys,
  hints: ['filter', 'open', 'openTopic', 'openTopicRoutes', 'disconnect', 'subscribe', 'rowActions', 'groupBy', ...sortHints, 'abortScan', ...programHints],
});
