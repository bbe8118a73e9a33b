import type { CommandId } from '../keymap.ts';
import type { Place } from '../navigation.ts';

const list: readonly CommandId[] = ['filter', 'open', 'sortNext', 'sortReverse', 'copyId', 'chooseColumns', 'toggleWide'];
const always: readonly CommandId[] = ['freeze', 'palette', 'quit', 'help'];

type Hinted = Place['screen'] | 'help' | 'palette' | 'prompt' | 'columns' | 'dialog';

const opened: readonly CommandId[] = ['back', 'moveDown', 'moveUp', 'copyId', ...always];

const hints: Readonly<Record<Hinted, readonly CommandId[]>> = {
  overview: ['screenTriage', 'nextScreen', 'refresh', 'intervalUp', 'intervalDown', ...always],
  triage: ['open', 'moveDown', 'moveUp', 'back', 'abortScan', ...always],
  nodes: [...list, ...always],
  node: ['back', 'openClients', 'openSessions', 'openSubscriptions', 'openListeners', 'openPlugins', 'openMetrics', 'moveDown', 'moveUp', ...always],
  listeners: [...list.filter((id) => id !== 'open'), ...always],
  clients: ['filter', 'open', 'disconnect', 'rowActions', 'mark', 'groupBy', 'sortNext', ...list.slice(3), 'abortScan', ...always],
  sessions: ['filter', 'open', 'disconnect', 'rowActions', 'mark', ...list.slice(2), 'abortScan', ...always],
  subscriptions: ['filter', 'open', 'openTopic', 'subscribe', 'rowActions', 'groupBy', ...list.slice(2), 'abortScan', ...always],
  routes: [...list, 'toggleTree', 'abortScan', ...always],
  client: ['back', 'disconnect', 'rowActions', 'openSessions', 'openSubscriptions', ...opened.slice(1)],
  metrics: ['nextView', 'moveDown', 'moveUp', ...always],
  plugins: ['startPlugin', 'stopPlugin', 'pluginNode', ...list, ...always],
  'plugin-settings': ['editPluginSettings', 'otherNode', 'back', 'filter', 'sortNext', 'copyId', ...always],
  settings: ['editSetting', 'settingNode', 'filter', 'sortNext', 'sortReverse', 'copyId', ...always],
  users: ['addUser', 'changeTags', 'changePassword', 'deleteUser', 'checkPassword', 'filter', ...always],
  more: ['open', 'moveDown', 'moveUp', 'back', ...always],
  log: ['back', 'moveDown', 'moveUp', ...always],
  // Dialogs say their keys themselves; this is what works beside them.
  dialog: ['suspend', 'repaint'],
  help: ['helpUp', 'helpDown', 'helpPageDown', 'helpClose'],
  prompt: ['promptAccept', 'promptEraseWord', 'promptClear', 'promptCancel'],
  columns: ['columnToggle', 'columnEarlier', 'columnLater', 'columnWider', 'columnNarrower', 'columnsReset', 'columnDown', 'columnsClose'],
  palette: ['menuUp', 'menuDown', 'menuAccept', 'menuCancel'],
};

/** What the hint bar shows, most useful first; the last one is always shown. */
export const hintsOf = (screen: Hinted): readonly CommandId[] => hints[screen];
