import type { PluginDefinition } from './plugin.ts';

/**
 * The management interface and its admin users. It runs as long as the broker does: whoever stopped it
 * could not start it again, having no interface left to do that with.
 */
export const dashboard: PluginDefinition = {
  name: 'dashboard',
  description: 'Management interface and its admin users',
  isActiveAtStart: true,
  settings: [],
  refusesToStop: 'It is the management interface itself: without it nothing could be started again.',
  start: () => ({ stop: () => undefined }),
};
