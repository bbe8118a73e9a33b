import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, groupingKeys, programHints, sortHints } from '../definition.ts';

export const sessions = defineScreen({
  id: 'sessions',
  title: safe`Sessions`,
  tab: { shortLabel: safe`Sess` },
  key: '5',
  scopes: ['row', 'scan'],
  unusedKeys: groupingKeys,
  hints: ['filter', 'open', 'disconnect', 'rowActions', 'mark', ...sortHints, 'abortScan', ...programHints],
});
