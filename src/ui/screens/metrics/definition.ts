import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, programHints } from '../definition.ts';

export const metrics = defineScreen({
  id: 'metrics',
  title: safe`Metrics`,
  tab: { shortLabel: safe`Metr` },
  key: '9',
  scopes: ['metrics'],
  listKeys: [],
  hints: ['nextView', 'moveDown', 'moveUp', ...programHints],
});
