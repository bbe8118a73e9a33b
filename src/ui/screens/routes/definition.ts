import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, groupingKeys, programHints, sortHints } from '../definition.ts';

export const routes = defineScreen({
  id: 'routes',
  title: safe`Routes`,
  tab: { shortLabel: safe`Rout` },
  key: '7',
  scopes: ['routes', 'tree', 'scan'],
  unusedKeys: groupingKeys,
  hints: ['filter', 'open', ...sortHints, 'toggleTree', 'abortScan', ...programHints],
});
