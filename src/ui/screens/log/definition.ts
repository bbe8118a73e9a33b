import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, programHints } from '../definition.ts';

export const log = defineScreen({
  id: 'log',
  title: safe`Log`,
  parent: 'more',
  note: safe`what was done and what failed in this run`,
  key: 'L',
  help: 'Log: what was done, and what failed',
  keywords: 'audit history actions',
  scopes: [],
  listKeys: [],
  hints: ['moveDown', 'moveUp', ...programHints],
});
