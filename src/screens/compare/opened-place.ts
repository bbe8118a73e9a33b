import type { ChangeRow } from '../../compare/rows.ts';
import type { Place } from '../navigation.ts';
import type { ScreenId } from '../registry.ts';

/** Where `Enter` on a difference leads: a page, or a list with the cursor on a row. */
export interface OpenedPlace {
  readonly place: Place;
  readonly rowId?: string | undefined;
}

const listScreens = {
  nodes: 'nodes',
  listeners: 'listeners',
  clients: 'clients',
  sessions: 'sessions',
  subscriptions: 'subscriptions',
  routes: 'routes',
  plugins: 'plugins',
  settings: 'settings',
  bans: 'bans',
  users: 'users',
  'api-keys': 'apiKeys',
  alarms: 'alarms',
  retained: 'retained',
  rates: 'metrics',
} as const satisfies Readonly<Record<string, ScreenId>>;

const isListed = (list: string): list is keyof typeof listScreens => Object.hasOwn(listScreens, list);

/** Returns what a difference is about. */
export function openedPlaceOf({ list, kind, clientId, node, rowId, name }: ChangeRow): OpenedPlace {
  if (kind === 'unknown') return { place: { screen: isListed(list) ? listScreens[list] : 'overview' } };
  if (list === 'clients' && clientId !== undefined) return { place: { screen: 'client', clientId } };
  if (list === 'subscriptions' && clientId !== undefined)
    return { place: { screen: 'subscriptions', scope: { kind: 'client', clientId } }, rowId };
  if (list === 'nodes' && node !== undefined) return { place: { screen: 'node', node } };
  if (list === 'totals') return { place: { screen: isListed(name) ? listScreens[name] : 'overview' } };
  return { place: { screen: isListed(list) ? listScreens[list] : 'overview' }, rowId };
}
