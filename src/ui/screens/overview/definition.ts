import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, programHints } from '../definition.ts';

export const overview = defineScreen({
  id: 'overview',
  title: safe`Overview`,
  tab: { shortLabel: safe`Over` },
  key: '1',
  scopes: [],
  listKeys: ['open'],
  hints: ['screenTriage', 'open', 'moveDown', 'moveUp', 'nextScreen', 'refresh', 'intervalUp', 'intervalDown', ...programHints],
});
