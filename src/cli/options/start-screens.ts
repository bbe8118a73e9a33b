import type { MenuScreenId, TabId } from '../../screens/registry.ts';

/** Names of the screens that the program can start with. They are data, so that reading flags loads no screen. */
export const startScreens = [
  'overview',
  'nodes',
  'listeners',
  'clients',
  'sessions',
  'subscriptions',
  'routes',
  'plugins',
  'metrics',
  'more',
  'triage',
  'settings',
  'alarms',
  'top-talkers',
  'slow-subscriptions',
  'retained',
  'bans',
  'api-keys',
  'users',
  'log',
] as const;
export type StartScreen = (typeof startScreens)[number];

const ids = {
  'top-talkers': 'topTalkers',
  'slow-subscriptions': 'slowSubscriptions',
  'api-keys': 'apiKeys',
} as const satisfies { readonly [Name in StartScreen]?: MenuScreenId };

export const startScreenId = (name: StartScreen): TabId | MenuScreenId =>
  name === 'top-talkers' || name === 'slow-subscriptions' || name === 'api-keys' ? ids[name] : name;
