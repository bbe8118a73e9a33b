import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, groupingKeys, programHints } from '../definition.ts';

export const triage = defineScreen({
  id: 'triage',
  title: safe`Triage`,
  parent: 'more',
  note: safe`what is wrong, since when, and where to look`,
  key: 'T',
  label: 'triage',
  help: 'Triage: what is wrong, since when, and where to look',
  scopes: ['scan'],
  unusedKeys: groupingKeys,
  listKeys: ['open'],
  hints: ['open', 'moveDown', 'moveUp', 'abortScan', ...programHints],
});
