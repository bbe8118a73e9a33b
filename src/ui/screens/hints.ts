import type { CommandId } from '../keymap.ts';
import type { TabId } from '../navigation.ts';

const list: readonly CommandId[] = ['filter', 'open', 'sortNext', 'sortReverse', 'copyId'];
const always: readonly CommandId[] = ['freeze', 'palette', 'quit', 'help'];

const hints: Readonly<Record<TabId | 'help' | 'palette', readonly CommandId[]>> = {
  overview: ['nextScreen', 'refresh', 'intervalUp', 'intervalDown', ...always],
  nodes: [...list, ...always],
  listeners: [...list, ...always],
  clients: [...list, 'abortScan', ...always],
  metrics: ['nextView', 'moveDown', 'moveUp', ...always],
  help: ['helpUp', 'helpDown', 'helpPageDown', 'helpClose'],
  palette: ['menuUp', 'menuDown', 'menuAccept', 'menuCancel'],
};

/** What the hint bar shows, most useful first; the last one is always shown. */
export const hintsOf = (screen: TabId | 'help' | 'palette'): readonly CommandId[] => hints[screen];
