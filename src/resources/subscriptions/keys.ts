import type { Binding } from '../../tui/keys/bindings.ts';

/** The keys of Subscriptions. */
export const subscriptionKeys = [
  {
    id: 'openTopic',
    keys: ['t'],
    label: 'topic',
    help: 'Subscribers and routes of the topic filter',
    group: 'Screen',
    scope: 'subscriptions',
  },
  {
    id: 'openTopicRoutes',
    keys: ['R'],
    label: 'routes',
    help: 'Routes of the topic filter',
    group: 'Screen',
    scope: 'subscriptions',
  },
] as const satisfies readonly Binding[];
