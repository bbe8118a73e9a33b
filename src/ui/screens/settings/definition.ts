import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, programHints } from '../definition.ts';

export const settings = defineScreen({
  id: 'settings',
  title: safe`Settings`,
  parent: 'more',
  note: safe`hot settings of every node`,
  key: ',',
  capability: 'settings',
  scopes: ['settings'],
  hints: ['editSetting', 'open', 'settingNode', 'filter', 'sortNext', 'sortReverse', 'copyId', ...programHints],
});
