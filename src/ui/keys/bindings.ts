import type { Capabilities } from '../../api/management-api.ts';

/** Who hears a key. A layer hears what the layers above it did not take: `global` < a screen < `list` < dialogs, prompts and menus. */
export type Scope = 'global' | 'list' | 'scan' | 'routes' | 'tree' | 'subscriptions' | 'opened' | 'metrics' | 'plugins' | 'settings' | 'pluginSettings' | 'users' | 'row' | 'confirm' | 'confirmName' | 'form' | 'running' | 'outcome' | 'bulkPreview' | 'bulk' | 'prompt' | 'menu' | 'choices' | 'columns' | 'help' | 'tooSmall';

export type Group = 'Move' | 'Screens' | 'List' | 'Actions' | 'Screen' | 'Program' | 'Dialogs';

/** A key, or several that do the same, and what it does. */
export interface Binding {
  readonly id: string;
  /** Names as `keystrokesOf` makes them. */
  readonly keys: readonly string[];
  /** One or two words for the hint bar. */
  readonly label: string;
  /** A sentence for the help and the README. */
  readonly help: string;
  readonly group: Group;
  readonly scope: Scope;
  /** Acts on the broker; absent in read-only mode. */
  readonly isDangerous?: true;
  /** More words that the palette finds it by. */
  readonly words?: string;
  /** Harmless by itself but only useful for acting; also absent in read-only mode. */
  readonly isForActing?: true;
  /** Only moves: all strokes of a burst are handled at once. */
  readonly repeats?: true;
  /** What the broker must be able to do. */
  readonly needs?: keyof Capabilities;
}

/**
 * Every key except those that go to a screen, which are in the screens' definitions. Hints, help, palette and README are
 * made from this table. A new key is a line here and a handler in `useKeys` with the same scope. What acts on the broker is
 * `isDangerous`. Nothing destructive goes on Ctrl-D, Ctrl-K, Delete or Backspace, which mean something else in a shell.
 */
const listAndScreenBindings = [
  { id: 'moveUp', keys: ['Up', 'k'], label: 'up', help: 'Move up', group: 'Move', scope: 'list', repeats: true },
  { id: 'moveDown', keys: ['Down', 'j'], label: 'down', help: 'Move down', group: 'Move', scope: 'list', repeats: true },
  { id: 'pageUp', keys: ['PageUp', 'Ctrl-B'], label: 'page up', help: 'Move up a page', group: 'Move', scope: 'list', repeats: true },
  { id: 'pageDown', keys: ['PageDown', 'Ctrl-F'], label: 'page down', help: 'Move down a page', group: 'Move', scope: 'list', repeats: true },
  { id: 'moveFirst', keys: ['g', 'Home'], label: 'top', help: 'Go to the first row', group: 'Move', scope: 'list', repeats: true },
  { id: 'moveLast', keys: ['G', 'End'], label: 'end', help: 'Go to the last row', group: 'Move', scope: 'list', repeats: true },
  { id: 'scrollLeft', keys: ['Left', 'Shift-Left'], label: 'columns', help: 'Scroll to the columns at the left', group: 'Move', scope: 'list', repeats: true },
  { id: 'scrollRight', keys: ['Right', 'Shift-Right'], label: 'columns', help: 'Scroll to the columns at the right', group: 'Move', scope: 'list', repeats: true },

  { id: 'open', keys: ['Enter'], label: 'open', help: 'Open the row', group: 'List', scope: 'list' },
  { id: 'filter', keys: ['/'], label: 'filter', help: 'Filter the list', group: 'List', scope: 'list' },
  { id: 'clearFilter', keys: ['Esc'], label: 'clear filter', help: 'Clear the filter', group: 'List', scope: 'list' },
  { id: 'sortNext', keys: ['>', 's'], label: 'sort', help: 'Sort by the next column', group: 'List', scope: 'list', repeats: true },
  { id: 'sortPrevious', keys: ['<'], label: 'sort', help: 'Sort by the previous column', group: 'List', scope: 'list', repeats: true },
  { id: 'sortReverse', keys: ['r'], label: 'reverse', help: 'Reverse the order', group: 'List', scope: 'list' },
  { id: 'copyId', keys: ['y'], label: 'copy id', help: 'Copy the id to the clipboard (OSC 52)', group: 'List', scope: 'list' },
  { id: 'chooseColumns', keys: ['C'], label: 'columns', help: 'Choose, move and widen columns, and sort by one', group: 'List', scope: 'list' },
  { id: 'toggleWide', keys: ['W', 'Ctrl-W'], label: 'wide', help: 'Wide: all columns at their full width, and back', group: 'List', scope: 'list' },

  { id: 'mark', keys: ['Space'], label: 'mark', help: 'Mark the row, or take its mark away, and go to the next', group: 'Actions', scope: 'row', isForActing: true },
  { id: 'markAll', keys: ['*'], label: 'mark all', help: 'Mark all rows that the filter shows', group: 'Actions', scope: 'row', isForActing: true },
  { id: 'unmarkAll', keys: ['U'], label: 'unmark', help: 'Take all marks away', group: 'Actions', scope: 'row', isForActing: true },
  { id: 'disconnect', keys: ['K'], label: 'disconnect', help: 'Disconnect the client, or all marked ones; always asks', group: 'Actions', scope: 'row', isDangerous: true },
  { id: 'rowActions', keys: ['a'], label: 'actions', words: 'disconnect subscribe unsubscribe remove subscription clear ACL cache menu', help: 'All that can be done to the row', group: 'Actions', scope: 'row', isDangerous: true },
  { id: 'subscribe', keys: ['S'], label: 'subscribe', help: 'Subscribe on behalf of the client; always asks', group: 'Actions', scope: 'row', isDangerous: true },
  { id: 'publish', keys: ['P'], label: 'publish', help: 'Publish a message; always asks', group: 'Actions', scope: 'global', isDangerous: true },
  { id: 'showBulk', keys: ['B'], label: 'bulk', help: 'The marked ones being disconnected, or what came of the last ones', group: 'Actions', scope: 'global', isForActing: true },

  { id: 'abortScan', keys: ['x'], label: 'stop scan', help: 'Stop reading the list; the rows stay', group: 'Screen', scope: 'scan' },
  { id: 'groupBy', keys: ['o'], label: 'group by', help: 'Clients and subscriptions: groups with their counts; pressed again, by something else', group: 'Screen', scope: 'scan' },
  { id: 'groupByBack', keys: ['O'], label: 'group by', help: 'Clients and subscriptions: groups by what came before', group: 'Screen', scope: 'scan' },
  { id: 'toggleTree', keys: ['t'], label: 'tree', help: 'Routes: a tree by topic level, or a plain list', group: 'Screen', scope: 'routes' },
  { id: 'fold', keys: ['Left'], label: 'fold', help: 'Tree: fold the level, or go to the one above', group: 'Screen', scope: 'tree' },
  { id: 'unfold', keys: ['Right'], label: 'unfold', help: 'Tree: unfold the level, or go to the first one below', group: 'Screen', scope: 'tree' },
  { id: 'openTopic', keys: ['t'], label: 'topic', help: 'Subscriptions: all subscribers of the topic filter, and where it is routed to', group: 'Screen', scope: 'subscriptions' },
  { id: 'openTopicRoutes', keys: ['R'], label: 'routes', help: 'Subscriptions: the nodes that the topic filter is routed to, in Routes', group: 'Screen', scope: 'subscriptions' },
  { id: 'openClients', keys: ['c'], label: 'clients', help: 'Nodes, or a node: its clients', group: 'Screen', scope: 'opened' },
  { id: 'openSessions', keys: ['i'], label: 'sessions', help: 'Nodes, a node or client: its sessions', group: 'Screen', scope: 'opened' },
  { id: 'openSubscriptions', keys: ['u'], label: 'subscriptions', help: 'Nodes, a node or client: its subscriptions', group: 'Screen', scope: 'opened' },
  { id: 'openRoutes', keys: ['R'], label: 'routes', help: 'Nodes, or a node: the topic filters that are routed to it', group: 'Screen', scope: 'opened' },
  { id: 'openPlugins', keys: ['n'], label: 'plugins', help: 'Nodes, or a node: its plugins', group: 'Screen', scope: 'opened' },
  { id: 'openMetrics', keys: ['m'], label: 'metrics', help: 'Nodes, or a node: its metrics', group: 'Screen', scope: 'opened' },
  { id: 'openListeners', keys: ['l'], label: 'listeners', help: 'Nodes, or a node: its listeners', group: 'Screen', scope: 'opened' },
  { id: 'nextView', keys: ['v'], label: 'node', help: 'Next node, or all nodes summed', group: 'Screen', scope: 'metrics' },
  { id: 'previousView', keys: ['V'], label: 'node', help: 'Previous node', group: 'Screen', scope: 'metrics' },

  { id: 'pluginNode', keys: ['v'], label: 'node', help: 'Plugins: the next node to act on, or all', group: 'Screen', scope: 'plugins', needs: 'pluginPerNode' },
  { id: 'pluginNodeBack', keys: ['V'], label: 'node', help: 'Plugins: the previous node to act on, or all', group: 'Screen', scope: 'plugins', needs: 'pluginPerNode' },
  { id: 'startPlugin', keys: ['S'], label: 'start', help: 'Plugins: start the plugin; always asks', group: 'Actions', scope: 'plugins', isDangerous: true },
  { id: 'stopPlugin', keys: ['K'], label: 'stop', help: 'Plugins: stop the plugin; always asks', group: 'Actions', scope: 'plugins', isDangerous: true },
  { id: 'settingNode', keys: ['v'], label: 'node', help: 'Settings: the next node to change, or all', group: 'Screen', scope: 'settings', needs: 'settings' },
  { id: 'settingNodeBack', keys: ['V'], label: 'node', help: 'Settings: the previous node to change, or all', group: 'Screen', scope: 'settings', needs: 'settings' },
  { id: 'editSetting', keys: ['e'], label: 'edit', help: 'Settings: change the value on one node or all; always asks', group: 'Actions', scope: 'settings', isDangerous: true, needs: 'settings' },
  { id: 'otherNode', keys: ['v'], label: 'node', help: 'Plugin settings: those on the next node', group: 'Screen', scope: 'pluginSettings' },
  { id: 'otherNodeBack', keys: ['V'], label: 'node', help: 'Plugin settings: those on the previous node', group: 'Screen', scope: 'pluginSettings' },
  { id: 'editPluginSettings', keys: ['e'], label: 'edit', help: 'Plugin settings: change values in one form; always asks', group: 'Actions', scope: 'pluginSettings', isDangerous: true, needs: 'settings' },
  { id: 'addUser', keys: ['n'], label: 'add', help: 'Users: add one; always asks', group: 'Actions', scope: 'users', isDangerous: true },
  { id: 'changeTags', keys: ['e'], label: 'tags', help: 'Users: change the tags; always asks', group: 'Actions', scope: 'users', isDangerous: true },
  { id: 'changePassword', keys: ['w'], label: 'password', help: 'Users: change the password; always asks', group: 'Actions', scope: 'users', isDangerous: true },
  { id: 'deleteUser', keys: ['D'], label: 'delete', help: 'Users: delete the user; asks for the name', group: 'Actions', scope: 'users', isDangerous: true },
  { id: 'checkPassword', keys: ['c'], label: 'check', help: 'Users: check a name and password', group: 'Actions', scope: 'users', isForActing: true },
] as const satisfies readonly Binding[];

const programBindings = [
  { id: 'nextScreen', keys: ['Tab'], label: 'next screen', help: 'Next screen', group: 'Screens', scope: 'global' },
  { id: 'previousScreen', keys: ['Shift-Tab'], label: 'previous screen', help: 'Previous screen', group: 'Screens', scope: 'global' },
  { id: 'historyBack', keys: ['['], label: 'back', help: 'Back to the screen looked at before', group: 'Screens', scope: 'global' },
  { id: 'historyForward', keys: [']'], label: 'forward', help: 'Forward again', group: 'Screens', scope: 'global' },
  { id: 'back', keys: ['Esc'], label: 'back', help: 'Clear the filter, or close what was opened; with nothing open, stop reading a list that takes long', group: 'Screens', scope: 'global' },

  { id: 'palette', keys: [':'], label: 'commands', help: 'Command palette: any screen or action by name', group: 'Program', scope: 'global' },
  { id: 'freeze', keys: ['p'], label: 'freeze', help: 'Freeze the screen: nothing is fetched', group: 'Program', scope: 'global' },
  { id: 'intervalUp', keys: ['+'], label: 'slower', help: 'Fetch less often', group: 'Program', scope: 'global' },
  { id: 'intervalDown', keys: ['-'], label: 'faster', help: 'Fetch more often', group: 'Program', scope: 'global' },
  { id: 'refresh', keys: ['Ctrl-R'], label: 'fetch now', help: 'Fetch now', group: 'Program', scope: 'global' },
  { id: 'signIn', keys: ['A'], label: 'sign in', help: 'After a rejected password: give it again, or have it read again', group: 'Program', scope: 'global' },
  { id: 'repaint', keys: ['Ctrl-L'], label: 'repaint', help: 'Paint the screen again', group: 'Program', scope: 'global' },
  { id: 'suspend', keys: ['Ctrl-Z'], label: 'suspend', help: 'Back to the shell; fg brings the monitor back', group: 'Program', scope: 'global' },
  { id: 'help', keys: ['?'], label: 'help', help: 'Help', group: 'Program', scope: 'global' },
  { id: 'quit', keys: ['q', 'Ctrl-C'], label: 'quit', help: 'Quit', group: 'Program', scope: 'global' },

  { id: 'confirmYes', keys: ['y'], label: 'do it', help: 'Yes', group: 'Dialogs', scope: 'confirm', isForActing: true },
  { id: 'confirmNo', keys: ['n', 'Enter', 'Esc', 'N', 'q'], label: 'cancel', help: 'No (the default)', group: 'Dialogs', scope: 'confirm', isForActing: true },
  { id: 'confirmUp', keys: ['Up', 'k'], label: 'up', help: 'Scroll what a question says up', group: 'Dialogs', scope: 'confirm', isForActing: true, repeats: true },
  { id: 'confirmDown', keys: ['Down', 'j'], label: 'down', help: 'Scroll what a question says down', group: 'Dialogs', scope: 'confirm', isForActing: true, repeats: true },
  { id: 'confirmPageUp', keys: ['PageUp', 'Ctrl-B'], label: 'page up', help: 'Scroll what a question says up a page', group: 'Dialogs', scope: 'confirm', isForActing: true, repeats: true },
  { id: 'confirmPageDown', keys: ['PageDown', 'Ctrl-F'], label: 'page down', help: 'Scroll what a question says down a page', group: 'Dialogs', scope: 'confirm', isForActing: true, repeats: true },
  { id: 'nameUp', keys: ['Up'], label: 'up', help: 'Scroll what a question says up', group: 'Dialogs', scope: 'confirmName', isForActing: true, repeats: true },
  { id: 'nameDown', keys: ['Down'], label: 'down', help: 'Scroll what a question says down', group: 'Dialogs', scope: 'confirmName', isForActing: true, repeats: true },
  { id: 'namePageUp', keys: ['PageUp'], label: 'page up', help: 'Scroll what a question says up a page', group: 'Dialogs', scope: 'confirmName', isForActing: true, repeats: true },
  { id: 'namePageDown', keys: ['PageDown'], label: 'page down', help: 'Scroll what a question says down a page', group: 'Dialogs', scope: 'confirmName', isForActing: true, repeats: true },
  { id: 'nameAccept', keys: ['Enter'], label: 'do it', help: 'Do it, once the name asked for stands there', group: 'Dialogs', scope: 'confirmName', isForActing: true },
  { id: 'nameCancel', keys: ['Esc'], label: 'cancel', help: 'Cancel', group: 'Dialogs', scope: 'confirmName', isForActing: true },
  { id: 'formNext', keys: ['Tab'], label: 'next field', help: 'Next field', group: 'Dialogs', scope: 'form', isForActing: true, repeats: true },
  { id: 'formPrevious', keys: ['Shift-Tab'], label: 'previous field', help: 'Previous field', group: 'Dialogs', scope: 'form', isForActing: true, repeats: true },
  { id: 'formDown', keys: ['Down'], label: 'down', help: 'Next line of the field, or next field', group: 'Dialogs', scope: 'form', isForActing: true, repeats: true },
  { id: 'formUp', keys: ['Up'], label: 'up', help: 'Previous line of the field, or previous field', group: 'Dialogs', scope: 'form', isForActing: true, repeats: true },
  { id: 'formNewLine', keys: ['Ctrl-J', 'Alt-Enter'], label: 'new line', help: 'Begin a new line, in a field that takes several', group: 'Dialogs', scope: 'form', isForActing: true, repeats: true },
  { id: 'formAccept', keys: ['Enter'], label: 'go on', help: 'Next field; on the last one go on', group: 'Dialogs', scope: 'form', isForActing: true },
  { id: 'formGoOn', keys: ['Ctrl-S'], label: 'go on', help: 'Go on with the form as it is, from any field', group: 'Dialogs', scope: 'form', isForActing: true },
  { id: 'formCancel', keys: ['Esc'], label: 'cancel', help: 'Cancel the form', group: 'Dialogs', scope: 'form', isForActing: true },
  { id: 'outcomeClose', keys: ['Esc', 'Enter', 'q'], label: 'close', help: 'Close what came of an action; it stands in the log', group: 'Dialogs', scope: 'outcome', isForActing: true },
  { id: 'runningClose', keys: ['Esc'], label: 'leave', help: 'Leave an action that runs; it goes on and its outcome goes to the log', group: 'Dialogs', scope: 'running', isForActing: true },
  { id: 'runningQuit', keys: ['q'], label: 'quit', help: 'Quit while an action runs: asks first', group: 'Dialogs', scope: 'running', isForActing: true },
  { id: 'paceUp', keys: ['+', '='], label: 'faster', help: 'Disconnect more of the marked ones in a second', group: 'Dialogs', scope: 'bulkPreview', isForActing: true, repeats: true },
  { id: 'paceDown', keys: ['-'], label: 'slower', help: 'Disconnect fewer of the marked ones in a second', group: 'Dialogs', scope: 'bulkPreview', isForActing: true, repeats: true },
  { id: 'bulkAbort', keys: ['x'], label: 'abort', help: 'Begin no more of the marked ones', group: 'Dialogs', scope: 'bulk', isForActing: true },
  { id: 'bulkLeave', keys: ['Esc', 'b'], label: 'leave', help: 'Leave the marked ones being disconnected; it goes on', group: 'Dialogs', scope: 'bulk', isForActing: true },
  { id: 'bulkQuit', keys: ['q'], label: 'quit', help: 'Quit while marked ones are disconnected: asks first', group: 'Dialogs', scope: 'bulk', isForActing: true },

  { id: 'promptAccept', keys: ['Enter'], label: 'take', help: 'Take what was typed', group: 'Dialogs', scope: 'prompt' },
  { id: 'promptCancel', keys: ['Esc'], label: 'cancel', help: 'Leave the line as it was before', group: 'Dialogs', scope: 'prompt' },
  { id: 'promptLeft', keys: ['Left', 'Ctrl-B'], label: 'left', help: 'A character to the left', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptRight', keys: ['Right', 'Ctrl-F'], label: 'right', help: 'A character to the right', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptStart', keys: ['Home', 'Ctrl-A'], label: 'start', help: 'To the start of the line', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptEnd', keys: ['End', 'Ctrl-E'], label: 'end', help: 'To the end of the line', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptErase', keys: ['Backspace', 'Ctrl-H'], label: 'erase', help: 'Erase the character before the cursor', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptEraseNext', keys: ['Delete'], label: 'erase', help: 'Erase the character under the cursor', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptEraseWord', keys: ['Ctrl-W'], label: 'erase word', help: 'Erase the word before the cursor', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptClear', keys: ['Ctrl-U'], label: 'clear', help: 'Erase the line', group: 'Dialogs', scope: 'prompt', repeats: true },

  { id: 'menuUp', keys: ['Up', 'Ctrl-P'], label: 'up', help: 'Choice above', group: 'Dialogs', scope: 'menu', repeats: true },
  { id: 'menuDown', keys: ['Down', 'Ctrl-N'], label: 'down', help: 'Choice below', group: 'Dialogs', scope: 'menu', repeats: true },
  { id: 'menuAccept', keys: ['Enter'], label: 'choose', help: 'Choose', group: 'Dialogs', scope: 'menu' },
  { id: 'menuCancel', keys: ['Esc'], label: 'close', help: 'Close', group: 'Dialogs', scope: 'menu' },

  { id: 'choiceUp', keys: ['k'], label: 'up', help: 'Menu of actions: choice above', group: 'Dialogs', scope: 'choices', isForActing: true, repeats: true },
  { id: 'choiceDown', keys: ['j'], label: 'down', help: 'Menu of actions: choice below', group: 'Dialogs', scope: 'choices', isForActing: true, repeats: true },

  { id: 'columnUp', keys: ['Up', 'k'], label: 'up', help: 'Columns: the column above', group: 'Dialogs', scope: 'columns', repeats: true },
  { id: 'columnDown', keys: ['Down', 'j'], label: 'down', help: 'Columns: the column below', group: 'Dialogs', scope: 'columns', repeats: true },
  { id: 'columnToggle', keys: ['Space'], label: 'show or hide', help: 'Columns: show or hide it', group: 'Dialogs', scope: 'columns' },
  { id: 'columnSort', keys: ['s'], label: 'sort', help: 'Columns: sort by it; again, the other way round', group: 'Dialogs', scope: 'columns' },
  { id: 'columnEarlier', keys: ['<', 'K', 'Shift-Up'], label: 'left', help: 'Columns: move it to the left', group: 'Dialogs', scope: 'columns' },
  { id: 'columnLater', keys: ['>', 'J', 'Shift-Down'], label: 'right', help: 'Columns: move it to the right', group: 'Dialogs', scope: 'columns' },
  { id: 'columnWider', keys: ['+', '=', 'Right'], label: 'wider', help: 'Columns: make it wider', group: 'Dialogs', scope: 'columns' },
  { id: 'columnNarrower', keys: ['-', 'Left'], label: 'narrower', help: 'Columns: make it narrower', group: 'Dialogs', scope: 'columns' },
  { id: 'columnsReset', keys: ['r'], label: 'reset', help: 'Columns: all as they were at first', group: 'Dialogs', scope: 'columns' },
  { id: 'columnsClose', keys: ['Esc', 'Enter', 'C', 'q'], label: 'close', help: 'Columns: close', group: 'Dialogs', scope: 'columns' },

  { id: 'quitTooSmall', keys: ['q'], label: 'quit', help: 'Quit (on a terminal that is too small)', group: 'Dialogs', scope: 'tooSmall' },
  { id: 'helpClose', keys: ['Esc', '?', 'q', 'Enter'], label: 'close', help: 'Close the help, or what is shown in full', group: 'Dialogs', scope: 'help' },
  { id: 'helpUp', keys: ['Up', 'k'], label: 'up', help: 'Scroll up', group: 'Dialogs', scope: 'help', repeats: true },
  { id: 'helpDown', keys: ['Down', 'j'], label: 'down', help: 'Scroll down', group: 'Dialogs', scope: 'help', repeats: true },
  { id: 'helpPageUp', keys: ['PageUp', 'Ctrl-B'], label: 'page up', help: 'Scroll up a page', group: 'Dialogs', scope: 'help', repeats: true },
  { id: 'helpPageDown', keys: ['PageDown', 'Ctrl-F', 'Space'], label: 'page down', help: 'Scroll down a page', group: 'Dialogs', scope: 'help', repeats: true },
] as const satisfies readonly Binding[];

/** The table in two parts: the keys that go to screens stand between them in the help. */
export const bindingTable = { beforeScreens: listAndScreenBindings, afterScreens: programBindings } as const;

type TableBinding = (typeof listAndScreenBindings)[number] | (typeof programBindings)[number];

/** What a key of the table does. */
export type BindingId = TableBinding['id'];

/** The ids of one scope. */
export type BindingIdOf<S extends Scope> = Extract<TableBinding, { readonly scope: S }>['id'];
