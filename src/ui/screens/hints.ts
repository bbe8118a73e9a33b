import type { CommandId } from '../keymap.ts';
import type { Place } from '../navigation.ts';

const list: readonly CommandId[] = ['filter', 'open', 'sortNext', 'sortReverse', 'copyId'];
const always: readonly CommandId[] = ['freeze', 'palette', 'quit', 'help'];

type Hinted = Place['screen'] | 'help' | 'palette';

const opened: readonly CommandId[] = ['back', 'moveDown', 'moveUp', 'copyId', ...always];

const hints: Readonly<Record<Hinted, readonly CommandId[]>> = {
  overview: ['nextScreen', 'refresh', 'intervalUp', 'intervalDown', ...always],
  nodes: [...list, ...always],
  node: opened.filter((id) => id !== 'copyId'),
  listeners: [...list, ...always],
  clients: [...list, 'abortScan', ...always],
  client: opened,
  metrics: ['nextView', 'moveDown', 'moveUp', ...always],
  help: ['helpUp', 'helpDown', 'helpPageDown', 'helpClose'],
  palette: ['menuUp', 'menuDown', 'menuAccept', 'menuCancel'],
};

/** What the hint bar shows, most useful first; the last one is always shown. */
export const hintsOf = (screen: Hinted): readonly CommandId[] => hints[screen];
