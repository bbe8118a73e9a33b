import type { Capabilities } from '../../api/management-api.ts';

/** Where a key works. A layer gets the keys that the layers above it do not handle: `global` < a screen < `list` < dialogs, prompts and menus. */
export type Scope = 'global' | 'list' | 'findings' | 'scan' | 'routes' | 'tree' | 'nodeColumns' | 'subscriptions' | 'opened' | 'closable' | 'metrics' | 'plugins' | 'settings' | 'pluginSettings' | 'users' | 'alarms' | 'bans' | 'apiKeys' | 'retained' | 'sessionMessages' | 'listeners' | 'row' | 'actions' | 'confirm' | 'confirmName' | 'form' | 'running' | 'notice' | 'outcome' | 'secret' | 'bulkPreview' | 'bulk' | 'prompt' | 'menu' | 'choices' | 'columns' | 'help' | 'helpSearch' | 'tooSmall';

export type Group = 'Move' | 'Screens' | 'List' | 'Actions' | 'Screen' | 'Program' | 'Dialogs';

export interface Binding {
  readonly id: string;
  /** Names as `keystrokesOf` makes them. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly help: string;
  readonly group: Group;
  readonly scope: Scope;
  readonly words?: string;
  /** Whole words for which the palette puts it first. */
  readonly aliases?: readonly string[];
  /** Harmless, but only useful for actions; also absent in read-only mode. */
  readonly isForActing?: true;
  /** Only moves: all strokes of a burst are handled at once. */
  readonly repeats?: true;
  readonly needs?: keyof Capabilities;
}

/**
 * Every key except those that go to a screen, which are in the screens' definitions. Hints, help, palette and README are
 * made from this table. A new key is a line here and a handler in `useKeys` with the same scope. Nothing
 * destructive goes on Ctrl-D, Ctrl-K, Delete or Backspace, which mean something else in a shell.
 */
const listAndScreenBindings = [
  { id: 'moveUp', keys: ['Up', 'k'], label: 'up', help: 'Up one row', group: 'Move', scope: 'list', repeats: true },
  { id: 'moveDown', keys: ['Down', 'j'], label: 'down', help: 'Down one row', group: 'Move', scope: 'list', repeats: true },
  { id: 'pageUp', keys: ['PageUp', 'Ctrl-B'], label: 'page up', help: 'Up one page', group: 'Move', scope: 'list', repeats: true },
  { id: 'pageDown', keys: ['PageDown', 'Ctrl-F'], label: 'page down', help: 'Down one page', group: 'Move', scope: 'list', repeats: true },
  { id: 'moveFirst', keys: ['g', 'Home'], label: 'top', help: 'Go to the first row', group: 'Move', scope: 'list', repeats: true },
  { id: 'moveLast', keys: ['G', 'End'], label: 'end', help: 'Go to the last row', group: 'Move', scope: 'list', repeats: true },
  { id: 'scrollLeft', keys: ['Left', 'Shift-Left'], label: 'columns', help: 'Scroll columns left', group: 'Move', scope: 'list', repeats: true },
  { id: 'scrollRight', keys: ['Right', 'Shift-Right'], label: 'columns', help: 'Scroll columns right', group: 'Move', scope: 'list', repeats: true },

  { id: 'open', keys: ['Enter'], label: 'open', help: 'Open the row', group: 'List', scope: 'list' },
  { id: 'filter', keys: ['/'], label: 'filter', aliases: ['search', 'find', 'grep'], help: 'Filter the list', group: 'List', scope: 'list' },
  { id: 'clearFilter', keys: ['Esc'], label: 'clear filter', help: 'Clear the filter', group: 'List', scope: 'list' },
  { id: 'sortNext', keys: ['>', 's'], label: 'sort', help: 'Sort by the next column', group: 'List', scope: 'list', repeats: true },
  { id: 'sortPrevious', keys: ['<'], label: 'sort', help: 'Sort by the previous column', group: 'List', scope: 'list', repeats: true },
  { id: 'sortReverse', keys: ['r'], label: 'reverse', help: 'Reverse the sort order', group: 'List', scope: 'list' },
  { id: 'copyId', keys: ['y'], label: 'copy', help: 'Copy the name or ID of the row to the clipboard (OSC 52)', group: 'List', scope: 'list' },
  { id: 'acknowledge', keys: ['z'], label: 'ack', aliases: ['ack', 'silence', 'mute', 'snooze'], help: 'Acknowledge the problem, or undo it', group: 'Screen', scope: 'findings' },
  { id: 'exportList', keys: ['Ctrl-S'], label: 'save', aliases: ['export', 'save', 'csv', 'json'], help: 'Save the list as CSV, JSON or NDJSON', group: 'List', scope: 'list' },
  { id: 'chooseColumns', keys: ['C'], label: 'columns', help: 'Choose columns: show, move, resize, sort', group: 'List', scope: 'list' },
  { id: 'toggleWide', keys: ['W', 'Ctrl-W'], label: 'wide', help: 'Toggle wide view: all columns at full width', group: 'List', scope: 'list' },

  { id: 'mark', keys: ['Space'], label: 'mark', help: 'Mark or unmark the row, then move down', group: 'Actions', scope: 'row', isForActing: true },
  { id: 'markAll', keys: ['*'], label: 'mark all', help: 'Mark all rows that match the filter', group: 'Actions', scope: 'row', isForActing: true },
  { id: 'unmarkAll', keys: ['U'], label: 'unmark', help: 'Unmark all rows', group: 'Actions', scope: 'row', isForActing: true },
  { id: 'disconnect', keys: ['K'], label: 'disconnect', aliases: ['kick', 'kill'], help: 'Disconnect the client, or all marked clients; asks first', group: 'Actions', scope: 'row' },
  { id: 'rowActions', keys: ['a'], label: 'actions', words: 'disconnect subscribe remove subscription ban menu', help: 'All actions on the row', group: 'Actions', scope: 'row' },
  { id: 'subscribe', keys: ['S'], label: 'subscribe', help: 'Subscribe on behalf of the client; asks first', group: 'Actions', scope: 'row' },
  { id: 'publish', keys: ['P'], label: 'publish', aliases: ['send'], help: 'Publish a message; asks first', group: 'Actions', scope: 'global' },
  { id: 'showBulk', keys: ['B'], label: 'bulk', help: 'Progress or result of the bulk disconnect', group: 'Actions', scope: 'global', isForActing: true },

  { id: 'abortScan', keys: ['x'], label: 'stop scan', help: 'Stop the scan; rows already read stay', group: 'Screen', scope: 'scan' },
  { id: 'groupBy', keys: ['o'], label: 'group by', help: 'Group and count the rows', words: 'user username network address node', group: 'Screen', scope: 'scan' },
  { id: 'toggleTree', keys: ['t'], label: 'tree', help: 'Show the routes as a topic tree, or as a list', group: 'Screen', scope: 'routes' },
  { id: 'fold', keys: ['Left'], label: 'fold', help: 'Fold the level, or go to its parent', group: 'Screen', scope: 'tree' },
  { id: 'unfold', keys: ['Right'], label: 'unfold', help: 'Unfold the level, or go to its first child', group: 'Screen', scope: 'tree' },
  { id: 'leaveTree', keys: ['t'], label: 'list', help: 'Show the routes as a topic tree, or as a list', group: 'Screen', scope: 'tree' },
  { id: 'openTopic', keys: ['t'], label: 'topic', help: 'Subscribers and routes of the topic filter', group: 'Screen', scope: 'subscriptions' },
  { id: 'openTopicRoutes', keys: ['R'], label: 'routes', help: 'Routes of the topic filter', group: 'Screen', scope: 'subscriptions' },
  { id: 'openClients', keys: ['c'], label: 'clients', help: 'Clients of the node', group: 'Screen', scope: 'opened' },
  { id: 'openSessions', keys: ['i'], label: 'sessions', help: 'Sessions of the node or client', group: 'Screen', scope: 'opened' },
  { id: 'openSubscriptions', keys: ['u'], label: 'subscriptions', help: 'Subscriptions of the node or client', group: 'Screen', scope: 'opened' },
  { id: 'openRoutes', keys: ['R'], label: 'routes', help: 'Routes to the node', group: 'Screen', scope: 'opened' },
  { id: 'openPlugins', keys: ['n'], label: 'plugins', help: 'Plugins of the node', group: 'Screen', scope: 'opened' },
  { id: 'openMetrics', keys: ['m'], label: 'metrics', help: 'Metrics of the node', group: 'Screen', scope: 'opened' },
  { id: 'openMessages', keys: ['M'], label: 'messages', aliases: ['queued'], help: 'Queued and inflight messages of the client', group: 'Screen', scope: 'opened', needs: 'sessionMessages' },
  { id: 'openListeners', keys: ['l'], label: 'listeners', help: 'Listeners of the node', group: 'Screen', scope: 'opened' },
  { id: 'nextView', keys: ['v'], label: 'node', help: 'Next node or the cluster', group: 'Screen', scope: 'metrics' },
  { id: 'previousView', keys: ['V'], label: 'node', help: 'Previous node or the cluster', group: 'Screen', scope: 'metrics' },
  { id: 'longerWindow', keys: ['}'], label: 'window', help: 'Longer time window: 3 min, 15 min, 1 h, 24 h', group: 'Screen', scope: 'metrics', repeats: true },
  { id: 'shorterWindow', keys: ['{'], label: 'window', help: 'Shorter time window: 24 h, 1 h, 15 min, 3 min', group: 'Screen', scope: 'metrics', repeats: true },

  { id: 'chooseNodeLeft', keys: ['Left', 'V'], label: 'node', help: 'Choose the node to the left, or all nodes', group: 'Screen', scope: 'nodeColumns' },
  { id: 'chooseNodeRight', keys: ['Right', 'v'], label: 'node', help: 'Choose the node to the right, or scroll after the last', group: 'Screen', scope: 'nodeColumns' },
  { id: 'startPlugin', keys: ['S'], label: 'start', help: 'Start the plugin on the chosen node or all nodes; asks first', words: 'restart', group: 'Actions', scope: 'plugins' },
  { id: 'stopPlugin', keys: ['K'], label: 'stop', help: 'Stop the plugin on the chosen node or all nodes; asks first', group: 'Actions', scope: 'plugins' },
  { id: 'editSetting', keys: ['e'], label: 'change', aliases: ['edit'], help: 'Change the setting on the chosen node or all nodes; asks first', group: 'Actions', scope: 'settings', needs: 'settings' },
  { id: 'otherNode', keys: ['v'], label: 'node', help: 'Settings on the next node', group: 'Screen', scope: 'pluginSettings' },
  { id: 'otherNodeBack', keys: ['V'], label: 'node', help: 'Settings on the previous node', group: 'Screen', scope: 'pluginSettings' },
  { id: 'editPluginSettings', keys: ['e'], label: 'change', help: 'Change the settings of the plugin; asks first', group: 'Actions', scope: 'pluginSettings', needs: 'settings' },
  { id: 'toggleHistory', keys: ['v'], label: 'history', help: 'Active alarms or the history', group: 'Screen', scope: 'alarms', needs: 'alarmHistory' },
  { id: 'clearHistory', keys: ['D'], label: 'clear', aliases: ['clear alarms'], help: 'Clear the alarm history on all nodes; asks you to type "alarm history"', group: 'Actions', scope: 'alarms', needs: 'alarmHistory' },
  { id: 'addBan', keys: ['n'], label: 'add', aliases: ['ban', 'block'], help: 'Add a ban; asks first', group: 'Actions', scope: 'bans', needs: 'bans' },
  { id: 'liftBan', keys: ['D'], label: 'lift', aliases: ['unban'], help: 'Lift the ban; asks first', group: 'Actions', scope: 'bans', needs: 'bans' },
  { id: 'deleteRetained', keys: ['D'], label: 'delete', help: 'Delete the retained message; asks first', group: 'Actions', scope: 'retained', needs: 'retainedMessages' },
  { id: 'toggleInflight', keys: ['v'], label: 'inflight', help: 'Queued or inflight messages', group: 'Screen', scope: 'sessionMessages', needs: 'sessionMessages' },
  { id: 'startListener', keys: ['S'], label: 'start', help: 'Start the listener on all nodes; asks first', group: 'Actions', scope: 'listeners', needs: 'listenerControl' },
  { id: 'stopListener', keys: ['K'], label: 'stop', help: 'Stop the listener on all nodes; asks you to type its ID', group: 'Actions', scope: 'listeners', needs: 'listenerControl' },
  { id: 'addApiKey', keys: ['n'], label: 'add', help: 'Add an API key; asks first', group: 'Actions', scope: 'apiKeys', needs: 'apiKeys' },
  { id: 'enableApiKey', keys: ['S'], label: 'enable', help: 'Enable the API key; asks first', group: 'Actions', scope: 'apiKeys', needs: 'apiKeys' },
  { id: 'disableApiKey', keys: ['K'], label: 'disable', help: 'Disable the API key; asks first', group: 'Actions', scope: 'apiKeys', needs: 'apiKeys' },
  { id: 'deleteApiKey', keys: ['D'], label: 'delete', help: 'Delete the API key; asks you to type the name', group: 'Actions', scope: 'apiKeys', needs: 'apiKeys' },
  { id: 'addUser', keys: ['n'], label: 'add', help: 'Add a user; asks first', group: 'Actions', scope: 'users', needs: 'users' },
  { id: 'changeTags', keys: ['e'], label: 'change', help: 'Change the tags, role or description of the user; asks first', group: 'Actions', scope: 'users', needs: 'users' },
  { id: 'changePassword', keys: ['w'], label: 'password', help: 'Change the password of the user; asks first', group: 'Actions', scope: 'users', needs: 'users' },
  { id: 'deleteUser', keys: ['D'], label: 'delete', help: 'Delete the user; asks you to type the name', group: 'Actions', scope: 'users', needs: 'users' },
  { id: 'checkPassword', keys: ['c'], label: 'check', help: 'Check a username and password', group: 'Actions', scope: 'users', needs: 'users', isForActing: true },
  { id: 'screenMenu', keys: ['a'], label: 'actions', words: 'menu', help: 'All actions on the screen', group: 'Screen', scope: 'actions', isForActing: true },
] as const satisfies readonly Binding[];

const programBindings = [
  { id: 'nextScreen', keys: ['Tab'], label: 'next screen', help: 'Next screen', group: 'Screens', scope: 'global' },
  { id: 'previousScreen', keys: ['Shift-Tab'], label: 'previous screen', help: 'Previous screen', group: 'Screens', scope: 'global' },
  { id: 'historyBack', keys: ['['], label: 'back', help: 'Back to the previous screen', group: 'Screens', scope: 'global' },
  { id: 'historyForward', keys: [']'], label: 'forward', help: 'Forward to the next screen', group: 'Screens', scope: 'global' },
  { id: 'close', keys: ['q', 'Esc'], label: 'back', help: 'Go back: close the opened screen, list or graph', group: 'Screens', scope: 'closable' },
  { id: 'back', keys: ['Esc'], label: 'stop scan', help: 'Stop a long scan', group: 'Screens', scope: 'global' },

  { id: 'palette', keys: [':'], label: 'find', help: 'Command palette: find any screen, action or theme', group: 'Program', scope: 'global' },
  { id: 'freeze', keys: ['p'], label: 'pause', aliases: ['freeze', 'resume'], help: 'Pause or resume polling', group: 'Program', scope: 'global' },
  { id: 'intervalDown', keys: ['+'], label: 'faster', aliases: ['interval'], help: 'Poll more often', group: 'Program', scope: 'global' },
  { id: 'intervalUp', keys: ['-'], label: 'slower', help: 'Poll less often', group: 'Program', scope: 'global' },
  { id: 'refresh', keys: ['Ctrl-R'], label: 'refresh', aliases: ['reload'], help: 'Refresh now', group: 'Program', scope: 'global' },
  { id: 'signIn', keys: ['A'], label: 'sign in', aliases: ['login'], help: 'Sign in again after a rejected login', group: 'Program', scope: 'global' },
  { id: 'repaint', keys: ['Ctrl-L'], label: 'repaint', aliases: ['redraw'], help: 'Repaint the screen', group: 'Program', scope: 'global' },
  { id: 'suspend', keys: ['Ctrl-Z'], label: 'suspend', help: 'Suspend (fg resumes)', group: 'Program', scope: 'global' },
  { id: 'help', keys: ['?'], label: 'help', aliases: ['keys', 'shortcuts'], help: 'Help', group: 'Program', scope: 'global' },
  { id: 'quit', keys: ['q', 'Ctrl-C'], label: 'quit', aliases: ['q', 'exit'], help: 'Quit (q if nothing is open, Ctrl-C anywhere)', group: 'Program', scope: 'global' },

  { id: 'confirmYes', keys: ['y'], label: 'yes', help: 'Confirm', group: 'Dialogs', scope: 'confirm', isForActing: true },
  { id: 'confirmNo', keys: ['n', 'Enter', 'Esc', 'N', 'q'], label: 'cancel', help: 'Cancel (the default)', group: 'Dialogs', scope: 'confirm', isForActing: true },
  { id: 'confirmUp', keys: ['Up', 'k'], label: 'up', help: 'Scroll up', group: 'Dialogs', scope: 'confirm', isForActing: true, repeats: true },
  { id: 'confirmDown', keys: ['Down', 'j'], label: 'down', help: 'Scroll down', group: 'Dialogs', scope: 'confirm', isForActing: true, repeats: true },
  { id: 'confirmPageUp', keys: ['PageUp', 'Ctrl-B'], label: 'page up', help: 'Scroll up a page', group: 'Dialogs', scope: 'confirm', isForActing: true, repeats: true },
  { id: 'confirmPageDown', keys: ['PageDown', 'Ctrl-F'], label: 'page down', help: 'Scroll down a page', group: 'Dialogs', scope: 'confirm', isForActing: true, repeats: true },
  { id: 'nameUp', keys: ['Up'], label: 'up', help: 'Scroll up', group: 'Dialogs', scope: 'confirmName', isForActing: true, repeats: true },
  { id: 'nameDown', keys: ['Down'], label: 'down', help: 'Scroll down', group: 'Dialogs', scope: 'confirmName', isForActing: true, repeats: true },
  { id: 'namePageUp', keys: ['PageUp'], label: 'page up', help: 'Scroll up a page', group: 'Dialogs', scope: 'confirmName', isForActing: true, repeats: true },
  { id: 'namePageDown', keys: ['PageDown'], label: 'page down', help: 'Scroll down a page', group: 'Dialogs', scope: 'confirmName', isForActing: true, repeats: true },
  { id: 'nameAccept', keys: ['Enter'], label: 'confirm', help: 'Confirm the typed name', group: 'Dialogs', scope: 'confirmName', isForActing: true },
  { id: 'nameCancel', keys: ['Esc'], label: 'cancel', help: 'Cancel', group: 'Dialogs', scope: 'confirmName', isForActing: true },
  { id: 'formNext', keys: ['Tab'], label: 'next field', help: 'Next field', group: 'Dialogs', scope: 'form', repeats: true },
  { id: 'formPrevious', keys: ['Shift-Tab'], label: 'previous field', help: 'Previous field', group: 'Dialogs', scope: 'form', repeats: true },
  { id: 'formDown', keys: ['Down'], label: 'down', help: 'Next line of the field, or next field', group: 'Dialogs', scope: 'form', repeats: true },
  { id: 'formUp', keys: ['Up'], label: 'up', help: 'Previous line of the field, or previous field', group: 'Dialogs', scope: 'form', repeats: true },
  { id: 'formNewLine', keys: ['Ctrl-J', 'Alt-Enter'], label: 'new line', help: 'New line (in fields with several lines)', group: 'Dialogs', scope: 'form', repeats: true },
  { id: 'formAccept', keys: ['Enter'], label: 'next', help: 'Next field, or continue after the last', group: 'Dialogs', scope: 'form' },
  { id: 'formGoOn', keys: ['Ctrl-S'], label: 'continue', help: 'Continue from any field', group: 'Dialogs', scope: 'form' },
  { id: 'formCancel', keys: ['Esc'], label: 'cancel', help: 'Cancel the form', group: 'Dialogs', scope: 'form' },
  { id: 'noticeClose', keys: ['Esc', 'Enter', 'q'], label: 'close', help: 'Close the result (it stays in the log)', group: 'Dialogs', scope: 'notice', isForActing: true },
  { id: 'outcomeOffer', keys: ['K'], label: 'disconnect', help: 'Disconnect the clients that a ban concerns; asks first', group: 'Dialogs', scope: 'outcome', isForActing: true, needs: 'bans' },
  { id: 'outcomeClose', keys: ['Esc', 'Enter', 'q'], label: 'close', help: 'Close (the result stays in the log)', group: 'Dialogs', scope: 'outcome', isForActing: true },
  { id: 'secretClose', keys: ['y'], label: 'close', help: 'Close: the secret is not shown again', group: 'Dialogs', scope: 'secret', isForActing: true },
  { id: 'secretQuit', keys: ['Ctrl-C'], label: 'quit', help: 'Quit; asks first', group: 'Dialogs', scope: 'secret', isForActing: true },
  { id: 'runningClose', keys: ['Esc', 'q'], label: 'close', help: 'Close; the action continues, and its result goes to the log', group: 'Dialogs', scope: 'running', isForActing: true },
  { id: 'runningQuit', keys: ['Ctrl-C'], label: 'quit', help: 'Quit; asks first', group: 'Dialogs', scope: 'running', isForActing: true },
  { id: 'paceUp', keys: ['+', '='], label: 'faster', help: 'Disconnect more clients per second', group: 'Dialogs', scope: 'bulkPreview', isForActing: true, repeats: true },
  { id: 'paceDown', keys: ['-'], label: 'slower', help: 'Disconnect fewer clients per second', group: 'Dialogs', scope: 'bulkPreview', isForActing: true, repeats: true },
  { id: 'bulkAbort', keys: ['x'], label: 'stop', help: 'Stop; requests already sent will finish', group: 'Dialogs', scope: 'bulk', isForActing: true },
  { id: 'bulkLeave', keys: ['Esc', 'b', 'q'], label: 'close', help: 'Close; the bulk disconnect continues', group: 'Dialogs', scope: 'bulk', isForActing: true },
  { id: 'bulkQuit', keys: ['Ctrl-C'], label: 'quit', help: 'Quit; asks first', group: 'Dialogs', scope: 'bulk', isForActing: true },

  { id: 'promptAccept', keys: ['Enter'], label: 'accept', help: 'Accept the text', group: 'Dialogs', scope: 'prompt' },
  { id: 'promptCancel', keys: ['Esc'], label: 'cancel', help: 'Cancel', group: 'Dialogs', scope: 'prompt' },
  { id: 'promptLeft', keys: ['Left', 'Ctrl-B'], label: 'left', help: 'Cursor left', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptRight', keys: ['Right', 'Ctrl-F'], label: 'right', help: 'Cursor right', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptStart', keys: ['Home', 'Ctrl-A'], label: 'start', help: 'Cursor to the start of the line', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptEnd', keys: ['End', 'Ctrl-E'], label: 'end', help: 'Cursor to the end of the line', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptErase', keys: ['Backspace', 'Ctrl-H'], label: 'delete', help: 'Delete the character before the cursor', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptEraseNext', keys: ['Delete'], label: 'delete', help: 'Delete the character at the cursor', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptEraseWord', keys: ['Ctrl-W'], label: 'delete word', help: 'Delete the word before the cursor', group: 'Dialogs', scope: 'prompt', repeats: true },
  { id: 'promptClear', keys: ['Ctrl-U'], label: 'clear', help: 'Delete the line', group: 'Dialogs', scope: 'prompt', repeats: true },

  { id: 'menuUp', keys: ['Up', 'Ctrl-P'], label: 'up', help: 'Previous choice', group: 'Dialogs', scope: 'menu', repeats: true },
  { id: 'menuDown', keys: ['Down', 'Ctrl-N'], label: 'down', help: 'Next choice', group: 'Dialogs', scope: 'menu', repeats: true },
  { id: 'menuPageUp', keys: ['PageUp'], label: 'page up', help: 'Up one page', group: 'Dialogs', scope: 'menu', repeats: true },
  { id: 'menuPageDown', keys: ['PageDown'], label: 'page down', help: 'Down one page', group: 'Dialogs', scope: 'menu', repeats: true },
  { id: 'menuFirst', keys: ['Home'], label: 'top', help: 'First choice', group: 'Dialogs', scope: 'menu', repeats: true },
  { id: 'menuLast', keys: ['End'], label: 'end', help: 'Last choice', group: 'Dialogs', scope: 'menu', repeats: true },
  { id: 'menuAccept', keys: ['Enter'], label: 'choose', help: 'Choose', group: 'Dialogs', scope: 'menu' },
  { id: 'menuCancel', keys: ['Esc'], label: 'close', help: 'Close', group: 'Dialogs', scope: 'menu' },

  { id: 'choiceUp', keys: ['k'], label: 'up', help: 'Previous choice', group: 'Dialogs', scope: 'choices', repeats: true },
  { id: 'choiceDown', keys: ['j'], label: 'down', help: 'Next choice', group: 'Dialogs', scope: 'choices', repeats: true },
  { id: 'choiceClose', keys: ['q'], label: 'close', help: 'Close', group: 'Dialogs', scope: 'choices' },

  { id: 'columnUp', keys: ['Up', 'k'], label: 'up', help: 'Previous column', group: 'Dialogs', scope: 'columns', repeats: true },
  { id: 'columnDown', keys: ['Down', 'j'], label: 'down', help: 'Next column', group: 'Dialogs', scope: 'columns', repeats: true },
  { id: 'columnToggle', keys: ['Space'], label: 'show or hide', help: 'Show or hide the column', group: 'Dialogs', scope: 'columns' },
  { id: 'columnSort', keys: ['s'], label: 'sort', help: 'Sort by the column; press again to reverse', group: 'Dialogs', scope: 'columns' },
  { id: 'columnEarlier', keys: ['<', 'K', 'Shift-Up'], label: 'left', help: 'Move the column left', group: 'Dialogs', scope: 'columns' },
  { id: 'columnLater', keys: ['>', 'J', 'Shift-Down'], label: 'right', help: 'Move the column right', group: 'Dialogs', scope: 'columns' },
  { id: 'columnWider', keys: ['+', '=', 'Right'], label: 'wider', help: 'Widen the column', group: 'Dialogs', scope: 'columns' },
  { id: 'columnNarrower', keys: ['-', 'Left'], label: 'narrower', help: 'Narrow the column', group: 'Dialogs', scope: 'columns' },
  { id: 'columnsReset', keys: ['r'], label: 'reset', help: 'Reset all columns', group: 'Dialogs', scope: 'columns' },
  { id: 'columnsClose', keys: ['Esc', 'Enter', 'C', 'q'], label: 'close', help: 'Close', group: 'Dialogs', scope: 'columns' },

  { id: 'quitTooSmall', keys: ['q'], label: 'quit', help: 'Quit', group: 'Dialogs', scope: 'tooSmall' },
  { id: 'helpSearch', keys: ['/'], label: 'search', help: 'Search the help: shows only matching lines', group: 'Dialogs', scope: 'help' },
  { id: 'helpClear', keys: ['Esc'], label: 'clear search', help: 'Clear the search', group: 'Dialogs', scope: 'helpSearch' },
  { id: 'textChange', keys: ['e'], label: 'change', help: 'Change what is shown', group: 'Dialogs', scope: 'help', isForActing: true },
  { id: 'helpClose', keys: ['Esc', '?', 'q', 'Enter'], label: 'close', help: 'Close', group: 'Dialogs', scope: 'help' },
  { id: 'helpUp', keys: ['Up', 'k'], label: 'up', help: 'Scroll up', group: 'Dialogs', scope: 'help', repeats: true },
  { id: 'helpDown', keys: ['Down', 'j'], label: 'down', help: 'Scroll down', group: 'Dialogs', scope: 'help', repeats: true },
  { id: 'helpPageUp', keys: ['PageUp', 'Ctrl-B'], label: 'page up', help: 'Scroll up a page', group: 'Dialogs', scope: 'help', repeats: true },
  { id: 'helpPageDown', keys: ['PageDown', 'Ctrl-F', 'Space'], label: 'page down', help: 'Scroll down a page', group: 'Dialogs', scope: 'help', repeats: true },
] as const satisfies readonly Binding[];

export const bindingTable = { beforeScreens: listAndScreenBindings, afterScreens: programBindings } as const;

type TableBinding = (typeof listAndScreenBindings)[number] | (typeof programBindings)[number];

export type BindingId = TableBinding['id'];

export type BindingIdOf<S extends Scope> = Extract<TableBinding, { readonly scope: S }>['id'];
