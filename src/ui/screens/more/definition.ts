import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, programHints } from '../definition.ts';

export const more = defineScreen({
  id: 'more',
  title: safe`More`,
  tab: { label: safe`More…`, shortLabel: safe`More` },
  key: '0',
  help: 'More: what has no tab of its own',
  scopes: [],
  listKeys: ['open'],
  hints: ['open', 'moveDown', 'moveUp', ...programHints],
});
