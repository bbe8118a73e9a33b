import type { Binding } from '../../tui/keys/bindings.ts';
import type { LayerTraits } from '../../tui/keys/catalog.ts';

/** The keys of lists that are read page by page. */
export const scanKeys = [
  {
    id: 'abortScan',
    keys: ['x'],
    label: 'stop scan',
    help: 'Stop the scan; rows already read stay',
    group: 'Screen',
    scope: 'scan',
    isOfNow: true,
  },
  {
    id: 'groupBy',
    keys: ['o'],
    label: 'group',
    help: 'Group and count the rows',
    words: 'user username network address node',
    group: 'Screen',
    scope: 'scan',
  },
] as const satisfies readonly Binding[];

/** The keys that lead from a node or client to what belongs to it. */
export const openedKeys = [
  { id: 'openClients', keys: ['c'], label: 'clients', help: 'Clients of the node', group: 'Screen', scope: 'opened' },
  {
    id: 'openSessions',
    keys: ['i'],
    label: 'sessions',
    help: 'Sessions of the node or client',
    group: 'Screen',
    scope: 'opened',
  },
  {
    id: 'openSubscriptions',
    keys: ['u'],
    label: 'subscriptions',
    help: 'Subscriptions of the node or client',
    group: 'Screen',
    scope: 'opened',
  },
  { id: 'openRoutes', keys: ['R'], label: 'routes', help: 'Routes to the node', group: 'Screen', scope: 'opened' },
  { id: 'openPlugins', keys: ['n'], label: 'plugins', help: 'Plugins of the node', group: 'Screen', scope: 'opened' },
  { id: 'openMetrics', keys: ['m'], label: 'metrics', help: 'Metrics of the node', group: 'Screen', scope: 'opened' },
  {
    id: 'openMessages',
    keys: ['M'],
    label: 'messages',
    aliases: ['queued'],
    help: 'Queued and inflight messages of the client',
    group: 'Screen',
    scope: 'opened',
    needs: 'sessionMessages',
  },
  {
    id: 'openListeners',
    keys: ['l'],
    label: 'listeners',
    help: 'Listeners of the node',
    group: 'Screen',
    scope: 'opened',
  },
] as const satisfies readonly Binding[];

/** The keys of tables with a column for each node. */
export const nodeColumnKeys = [
  {
    id: 'chooseNodeLeft',
    keys: ['Left', 'V'],
    label: 'node',
    help: 'Choose the node to the left, or all nodes',
    group: 'Screen',
    scope: 'nodeColumns',
  },
  {
    id: 'chooseNodeRight',
    keys: ['Right', 'v'],
    label: 'node',
    help: 'Choose the node to the right, or scroll after the last',
    group: 'Screen',
    scope: 'nodeColumns',
  },
] as const satisfies readonly Binding[];

export const nodeColumnLayers = { nodeColumns: { above: 'lists' } } as const satisfies Record<string, LayerTraits>;

/** The keys of the cursor of a graph. In the past the arrows alone step through time. */
export const graphKeys = [
  {
    id: 'cursorEarlier',
    keys: ['Left', 'Shift-Left'],
    label: 'cursor',
    help: 'Move the cursor of the graph back in time: the clock time and the values there',
    group: 'Screen',
    scope: 'graph',
    repeats: true,
  },
  {
    id: 'cursorLater',
    keys: ['Right', 'Shift-Right'],
    label: 'cursor',
    help: 'Move the cursor of the graph on in time, up to now',
    group: 'Screen',
    scope: 'graph',
    repeats: true,
  },
] as const satisfies readonly Binding[];

export const graphLayers = { graph: { above: 'lists' } } as const satisfies Record<string, LayerTraits>;
