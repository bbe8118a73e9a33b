import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, programHints } from '../definition.ts';

export const users = defineScreen({
  id: 'users',
  title: safe`Users`,
  parent: 'more',
  note: safe`who may use the management interface`,
  key: '@',
  scopes: ['users'],
  hints: ['addUser', 'changeTags', 'changePassword', 'deleteUser', 'checkPassword', 'filter', ...programHints],
});
