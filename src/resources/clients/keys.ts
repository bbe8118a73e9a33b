import type { Binding } from '../../tui/keys/bindings.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { LayerTraits } from '../../tui/keys/catalog.ts';

/** The keys that mark rows. */
export const selectionKeys = [
  {
    id: 'mark',
    keys: ['Space'],
    label: 'mark',
    help: 'Mark or unmark the row, then move down',
    group: 'Actions',
    scope: 'row',
    isForActing: true,
  },
  {
    id: 'markAll',
    keys: ['*'],
    label: 'mark all',
    help: 'Mark all rows that match the filter',
    group: 'Actions',
    scope: 'row',
    isForActing: true,
  },
  {
    id: 'unmarkAll',
    keys: ['U'],
    label: 'unmark',
    help: 'Unmark all rows',
    group: 'Actions',
    scope: 'row',
    isForActing: true,
  },
] as const satisfies readonly Binding[];

/** The menu of a row comes after the keys of what it holds. */
export const rowMenuKeys = [
  {
    id: 'rowActions',
    keys: ['a'],
    label: 'menu',
    words: 'disconnect subscribe remove subscription ban menu',
    help: 'All actions on the row',
    group: 'Actions',
    scope: 'row',
  },
] as const satisfies readonly Binding[];

/** The keys of a bulk disconnect, from anywhere. */
export const bulkKeys = [
  {
    id: 'showBulk',
    keys: ['B'],
    label: 'bulk',
    help: 'Progress or result of the bulk disconnect',
    group: 'Actions',
    scope: 'global',
    isForActing: true,
    isOfNow: true,
  },
] as const satisfies readonly Binding[];

/** The keys of the dialogs of a bulk disconnect. */
export const bulkDialogKeys = [
  {
    id: 'paceUp',
    keys: ['+', '='],
    label: 'faster',
    help: 'Disconnect more clients per second',
    group: 'Dialogs',
    scope: 'bulkPreview',
    isForActing: true,
    repeats: true,
  },
  {
    id: 'paceDown',
    keys: ['-'],
    label: 'slower',
    help: 'Disconnect fewer clients per second',
    group: 'Dialogs',
    scope: 'bulkPreview',
    isForActing: true,
    repeats: true,
  },
  {
    id: 'bulkAbort',
    keys: ['x'],
    label: 'stop',
    help: 'Stop; requests already sent will finish',
    group: 'Dialogs',
    scope: 'bulk',
    isForActing: true,
  },
  {
    id: 'bulkLeave',
    keys: ['Esc', 'b', 'q'],
    label: 'close',
    help: 'Close; the bulk disconnect continues',
    group: 'Dialogs',
    scope: 'bulk',
    isForActing: true,
  },
  {
    id: 'bulkQuit',
    keys: ['Ctrl-C'],
    label: 'quit',
    help: 'Quit; asks first',
    group: 'Dialogs',
    scope: 'bulk',
    isForActing: true,
  },
] as const satisfies readonly Binding[];

export const bulkLayers = {
  bulkPreview: { above: 'prompts', title: safe`Bulk disconnect, preview` },
  bulk: { above: 'forms', leave: 'bulkLeave', title: safe`Bulk disconnect` },
} as const satisfies Record<string, LayerTraits>;
