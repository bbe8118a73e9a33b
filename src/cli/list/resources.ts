export const listResources = [
  'clients',
  'sessions',
  'subscriptions',
  'routes',
  'nodes',
  'listeners',
  'plugins',
  'users',
  'alarms',
  'ended-alarms',
  'bans',
  'api-keys',
  'retained',
  'slow-subscriptions',
  'problems',
] as const;
export type ListResource = (typeof listResources)[number];

export const listFormats = ['table', 'csv', 'json', 'ndjson'] as const;
export type ListFormat = (typeof listFormats)[number];
