import { safe } from '../terminal/safe-text.ts';
import { type ActionCommandId, actionDefinitions } from '../resources/actions.ts';
import type { ResourceKey } from '../resources/keys.ts';
import type { LibraryBinding } from '../tui/keys/bindings.ts';
import type { ScreenDefinition } from '../tui/keys/catalog.ts';

type KeyOfScreens = LibraryBinding | ResourceKey;
type BindingId = KeyOfScreens['id'];

/** A screen as it is written here. The keys of its actions come with their definitions. */
interface ScreenEntry extends Omit<ScreenDefinition, 'scopes' | 'unusedKeys' | 'listKeys' | 'hints' | 'isPartial'> {
  /**
   * Key scopes that the screen handles, in addition to its own id, `list` and `global`. `actions`: a menu of its
   * actions.
   */
  readonly scopes?: readonly KeyOfScreens['scope'][];
  /** Keys of these scopes that do nothing here. */
  readonly unusedKeys?: readonly (BindingId | ActionCommandId)[];
  /** List keys that a screen that is not a table handles in addition to movement. */
  readonly listKeys?: readonly BindingId[];
  /**
   * Hints for the hint bar, most useful first; `programHints` follow. `actions` stands for the keys of its actions, and
   * their menu.
   */
  readonly hints: readonly (BindingId | ActionCommandId | `screen${string}` | 'actions')[];
}

/** Hints of every screen. */
export const programHints = ['freeze', 'palette', 'close', 'quit', 'help'] as const satisfies readonly BindingId[];

/** Keys of columns, for lists whose rows have none. */
const columnKeys = ['scrollLeft', 'scrollRight'] as const satisfies readonly BindingId[];

/** Hints of a sorted list. */
export const sortHints = [
  'sortNext',
  'exportList',
  'sortReverse',
  'copyId',
  'chooseColumns',
  'toggleWide',
] as const satisfies readonly BindingId[];

const nodeLinkHints = [
  'openClients',
  'openSessions',
  'openSubscriptions',
  'openRoutes',
  'openListeners',
  'openPlugins',
  'openMetrics',
] as const satisfies readonly BindingId[];

/** Keys of `opened` that go from a node only. */
const nodeKeys = [
  'openClients',
  'openRoutes',
  'openPlugins',
  'openMetrics',
  'openListeners',
] as const satisfies readonly BindingId[];

const selectionKeys = ['mark', 'markAll', 'unmarkAll'] as const satisfies readonly BindingId[];

/**
 * Every screen: tabs in their order, then those listed under More, then those that are opened from a row. Plain data,
 * because keys, navigation and lists are typed by it and tools read it without React; `current-screen.tsx` has the views.
 */
export const screens = [
  {
    id: 'overview',
    title: safe`Overview`,
    tab: {},
    key: '1',
    aliases: ['home', 'dashboard', 'summary'],
    scopes: ['graph', 'findings', 'row', 'opened'],
    unusedKeys: [...nodeKeys, ...columnKeys, ...selectionKeys, 'subscribe'],
    listKeys: ['open'],
    hints: [
      'screenTriage',
      'open',
      'disconnect',
      'rowActions',
      'acknowledge',
      'moveDown',
      'moveUp',
      'nextScreen',
      'refresh',
      'intervalDown',
      'intervalUp',
    ],
  },
  {
    id: 'nodes',
    title: safe`Nodes`,
    tab: {},
    key: '2',
    aliases: ['brokers', 'cluster', 'memory', 'cpu', 'load', 'uptime', 'versions'],
    scopes: ['opened'],
    unusedKeys: ['openMessages'],
    hints: ['filter', 'open', 'openClients', 'exportList', ...nodeLinkHints, ...sortHints],
  },
  {
    id: 'listeners',
    title: safe`Listeners`,
    tab: { shortLabel: safe`Listen` },
    key: '3',
    aliases: ['ports'],
    scopes: ['actions'],
    hints: ['actions', 'filter', ...sortHints],
  },
  {
    id: 'clients',
    title: safe`Clients`,
    tab: {},
    key: '4',
    aliases: ['connections', 'devices'],
    scopes: ['row', 'scan', 'opened'],
    unusedKeys: nodeKeys,
    hints: [
      'filter',
      'disconnect',
      'rowActions',
      'groupBy',
      'exportList',
      'mark',
      'open',
      'openSessions',
      'openSubscriptions',
      'openMessages',
      ...sortHints,
      'abortScan',
    ],
  },
  {
    id: 'sessions',
    title: safe`Sessions`,
    tab: { shortLabel: safe`Sess` },
    key: '5',
    aliases: ['inflight', 'offline'],
    scopes: ['row', 'scan', 'opened'],
    unusedKeys: [...nodeKeys, 'openSessions'],
    hints: [
      'filter',
      'disconnect',
      'rowActions',
      'groupBy',
      'exportList',
      'mark',
      'open',
      'openSubscriptions',
      'openMessages',
      ...sortHints,
      'abortScan',
    ],
  },
  {
    id: 'subscriptions',
    title: safe`Subscriptions`,
    tab: { shortLabel: safe`Subs` },
    key: '6',
    aliases: ['subs'],
    scopes: ['row', 'scan', 'opened'],
    unusedKeys: [...nodeKeys, ...selectionKeys],
    hints: [
      'filter',
      'open',
      'openTopic',
      'openTopicRoutes',
      'exportList',
      'disconnect',
      'subscribe',
      'rowActions',
      'groupBy',
      'openSessions',
      'openSubscriptions',
      ...sortHints,
      'abortScan',
    ],
  },
  {
    id: 'routes',
    title: safe`Routes`,
    tab: {},
    key: '7',
    aliases: ['topics'],
    helpNotes: [[safe`6 o`, safe`Subscribers per topic filter: group the subscriptions by it`]],
    scopes: ['tree', 'scan'],
    unusedKeys: ['groupBy'],
    hints: ['filter', 'open', ...sortHints, 'toggleTree', 'leaveTree', 'abortScan'],
  },
  {
    id: 'plugins',
    title: safe`Plugins`,
    tab: {},
    key: '8',
    aliases: ['retainer', 'extensions'],
    scopes: ['nodeColumns', 'actions'],
    hints: ['actions', 'chooseNodeLeft', 'chooseNodeRight', 'filter', 'open', ...sortHints],
  },
  {
    id: 'metrics',
    title: safe`Metrics`,
    tab: {},
    key: '9',
    keywords: 'retained',
    aliases: ['counters', 'rates', 'messages', 'traffic', 'throughput', 'stats', 'unrouted', 'graphs'],
    scopes: ['graph'],
    listKeys: ['open', 'filter', 'clearFilter'],
    hints: ['open', 'shorterWindow', 'longerWindow', 'cursorEarlier', 'cursorLater', 'nextView', 'filter'],
  },
  {
    id: 'more',
    title: safe`More`,
    tab: { label: safe`More…`, shortLabel: safe`More` },
    key: '0',
    help: 'More screens',
    unusedKeys: columnKeys,
    listKeys: ['open'],
    hints: ['open', 'moveDown', 'moveUp'],
  },
  {
    id: 'triage',
    title: safe`Triage`,
    parent: 'more',
    note: safe`all checks with their evidence`,
    key: 'T',
    label: 'triage',
    help: 'Triage: all checks with their evidence',
    aliases: ['problems', 'checks', 'warnings', 'alerts', 'issues', 'reconnects', 'slow'],
    scopes: ['scan', 'findings', 'row', 'opened'],
    unusedKeys: [...nodeKeys, 'groupBy', ...columnKeys, ...selectionKeys, 'subscribe'],
    listKeys: ['open'],
    hints: ['open', 'disconnect', 'rowActions', 'acknowledge', 'moveDown', 'moveUp', 'abortScan'],
  },
  {
    id: 'settings',
    title: safe`Settings`,
    parent: 'more',
    note: safe`runtime settings of every node`,
    key: ',',
    aliases: ['config', 'differ'],
    capability: 'settings',
    scopes: ['nodeColumns', 'actions'],
    hints: [
      'actions',
      'open',
      'chooseNodeLeft',
      'chooseNodeRight',
      'filter',
      'sortNext',
      'exportList',
      'sortReverse',
      'copyId',
    ],
  },
  {
    id: 'alarms',
    title: safe`Alarms`,
    parent: 'more',
    note: safe`active alarms, and the history if the API has one`,
    key: '!',
    scopes: ['actions'],
    hints: ['toggleHistory', 'actions', 'filter', ...sortHints],
  },
  {
    id: 'topTalkers',
    title: safe`Top talkers`,
    parent: 'more',
    note: safe`which clients send or receive most`,
    key: 'F',
    aliases: ['talkers', 'bandwidth'],
    capability: 'clientTraffic',
    scopes: ['row', 'scan', 'opened'],
    unusedKeys: [...nodeKeys, ...selectionKeys, 'groupBy'],
    hints: [
      'filter',
      'open',
      'disconnect',
      'rowActions',
      'openSessions',
      'openSubscriptions',
      ...sortHints,
      'abortScan',
    ],
  },
  {
    id: 'slowSubscriptions',
    title: safe`Slow subscriptions`,
    parent: 'more',
    note: safe`subscriptions whose messages arrive late`,
    key: 'Z',
    label: 'slow subs',
    help: 'Slow subscriptions: whose messages arrive late',
    aliases: ['latency', 'late'],
    capability: 'slowSubscriptions',
    scopes: ['row', 'opened'],
    unusedKeys: [...nodeKeys, ...selectionKeys],
    hints: ['filter', 'open', 'disconnect', 'rowActions', 'openSessions', 'openSubscriptions', ...sortHints],
  },
  {
    id: 'integrations',
    title: safe`Integrations`,
    parent: 'more',
    note: safe`connectors, actions, sources and rules`,
    key: 'I',
    help: 'Integrations: where the broker sends data, and what is lost',
    aliases: ['rules', 'sinks', 'bridges', 'sources', 'webhooks', 'data integration'],
    capability: 'integrations',
    scopes: ['actions'],
    hints: ['actions', 'filter', ...sortHints],
  },
  {
    id: 'accessBackends',
    title: safe`Access backends`,
    parent: 'more',
    note: safe`who refuses: authentication and authorization`,
    key: 'O',
    help: 'Access backends: authentication and authorization, and whom they refuse',
    label: 'access',
    aliases: ['authentication', 'authorization', 'authn', 'authz', 'auth'],
    capability: 'accessBackends',
    hints: ['filter', ...sortHints],
  },
  {
    id: 'traces',
    title: safe`Traces`,
    parent: 'more',
    note: safe`logs of single clients, topics and addresses`,
    key: 'N',
    help: 'Traces: what the broker does for a client, topic or address',
    capability: 'traces',
    scopes: ['actions'],
    hints: ['open', 'actions', 'filter', ...sortHints],
  },
  {
    id: 'retained',
    title: safe`Retained messages`,
    parent: 'more',
    note: safe`read and delete retained messages`,
    key: 'E',
    label: 'retained',
    help: 'Retained messages: read and delete them',
    aliases: ['retain'],
    capability: 'retainedMessages',
    scopes: ['actions'],
    hints: ['filter', 'open', 'actions', ...sortHints],
  },
  {
    id: 'bans',
    title: safe`Bans`,
    parent: 'more',
    note: safe`blocked clients`,
    key: 'X',
    aliases: ['banned', 'blacklist', 'blocklist'],
    capability: 'bans',
    scopes: ['actions'],
    hints: ['actions', 'filter', ...sortHints],
  },
  {
    id: 'apiKeys',
    title: safe`API keys`,
    parent: 'more',
    note: safe`credentials for applications`,
    key: '#',
    aliases: ['apikeys', 'tokens'],
    capability: 'apiKeys',
    scopes: ['actions'],
    hints: ['actions', 'filter', ...sortHints],
  },
  {
    id: 'users',
    title: safe`Users`,
    parent: 'more',
    note: safe`users of the management API`,
    key: '@',
    aliases: ['logins'],
    capability: 'users',
    scopes: ['actions'],
    hints: ['actions', 'filter', 'exportList'],
  },
  {
    id: 'compare',
    title: safe`Compare`,
    parent: 'more',
    note: safe`what differs between two moments`,
    key: '=',
    label: 'compare',
    help: 'Compare: the moment shown with now, or with the one marked before',
    aliases: ['diff', 'differences', 'changes'],
    scopes: ['scan'],
    unusedKeys: ['abortScan'],
    hints: ['open', 'groupBy', 'filter', ...sortHints],
  },
  {
    id: 'log',
    title: safe`Timeline`,
    parent: 'more',
    note: safe`what happened, in earlier runs too`,
    key: 'L',
    aliases: ['log', 'audit', 'errors', 'history', 'events'],
    help: 'Timeline: what happened, and what was done',
    keywords: 'actions',
    hints: ['open', 'undo', 'filter', ...sortHints],
  },
  {
    id: 'node',
    title: safe`Node`,
    parent: 'nodes',
    scopes: ['opened'],
    unusedKeys: ['openMessages'],
    listKeys: [],
    hints: [...nodeLinkHints, 'moveDown', 'moveUp'],
  },
  {
    id: 'client',
    title: safe`Client`,
    parent: 'clients',
    scopes: ['row', 'opened'],
    unusedKeys: [...nodeKeys, ...selectionKeys],
    listKeys: ['copyId'],
    hints: [
      'disconnect',
      'rowActions',
      'openSessions',
      'openSubscriptions',
      'openMessages',
      'moveDown',
      'moveUp',
      'copyId',
    ],
  },
  {
    id: 'session-messages',
    title: safe`Messages of a session`,
    parent: 'clients',
    location: safe`Client, M`,
    capability: 'sessionMessages',
    hints: ['toggleInflight', 'filter', 'open', 'sortNext', 'exportList', 'sortReverse', 'copyId'],
  },
  {
    id: 'trace',
    title: safe`Trace`,
    parent: 'clients',
    location: safe`Traces, Enter`,
    capability: 'traces',
    hints: ['filter', 'open', 'sortNext', 'exportList', 'sortReverse', 'copyId'],
  },
  {
    id: 'plugin-settings',
    title: safe`Plugin settings`,
    parent: 'plugins',
    location: safe`Plugins, Enter`,
    capability: 'settings',
    hints: ['actions', 'open', 'otherNode', 'filter', 'sortNext', 'copyId'],
  },
] as const satisfies readonly ScreenEntry[];

export type Screen = (typeof screens)[number];
export type ScreenId = Screen['id'];

export type TabId = Extract<Screen, { readonly tab: object }>['id'];

export type MenuScreenId = Extract<Screen, { readonly parent: 'more' }>['id'];

type ScreenWithKey = Extract<Screen, { readonly key: string }>['id'];

/** The command of the key that goes to a screen: `screenOverview`. */
export type ScreenCommandId = `screen${Capitalize<ScreenWithKey>}`;

export const screenCommandOf = (id: ScreenWithKey): ScreenCommandId =>
  `screen${id.charAt(0).toUpperCase()}${id.slice(1)}` as ScreenCommandId;

const screenOf = (id: ScreenId): Screen => {
  const found = screens.find((screen) => screen.id === id);
  if (found === undefined) {
    throw new Error(`there is no screen ${id}`);
  }
  return found;
};

const actionCommandsOf = (id: ScreenId): readonly ActionCommandId[] =>
  actionDefinitions.flatMap(({ key }) => (typeof key !== 'string' && key.scope === id ? [key.id] : []));

const complete = (screen: Screen): ScreenDefinition => {
  const { scopes = [] }: ScreenEntry = screen;
  const actions = [...actionCommandsOf(screen.id), ...(scopes.includes('actions') ? (['screenMenu'] as const) : [])];
  return {
    ...screen,
    scopes: [screen.id, ...scopes],
    isPartial: scopes.includes('findings') ? true : undefined,
    hints: screen.hints.flatMap((hint) => (hint === 'actions' ? actions : [hint])),
  };
};

const definitions: ReadonlyMap<string, ScreenDefinition> = new Map(
  screens.map((screen) => [screen.id, complete(screen)]),
);

/** The definition with all its optional parts, and what its actions add to it. */
export const definitionOf = (id: ScreenId): ScreenDefinition => {
  const found = definitions.get(id);
  if (found === undefined) throw new Error(`there is no screen ${id}`);
  return found;
};

export const screenTitle = (id: ScreenId): ScreenDefinition['title'] => definitionOf(id).title;

/** Returns the tab that a screen has or belongs to. */
export const tabOf = (id: ScreenId): TabId => {
  const screen = screenOf(id);
  return 'parent' in screen ? screen.parent : screen.id;
};

export const tabs: readonly TabId[] = screens.flatMap((screen) => ('tab' in screen ? [screen.id] : []));

/** The smallest width at which an open screen of More has its name in the tabs. */
export const minNamedWidth = 100;

/** Screens that begin with their own title. */
const titled: ReadonlySet<ScreenId> = new Set<ScreenId>(['triage', 'alarms', 'compare', 'log']);

/** Whether neither the tabs nor the screen itself say which screen it is. */
export const isUnnamed = (id: ScreenId, width: number): boolean =>
  width < minNamedWidth && definitionOf(id).parent === 'more' && !titled.has(id);

export const menuScreens = screens.filter((screen) => 'parent' in screen && screen.parent === 'more');
