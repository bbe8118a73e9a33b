import type { Binding } from '../../tui/keys/bindings.ts';

/** The keys of Metrics. */
export const metricsKeys = [
  { id: 'nextView', keys: ['v'], label: 'node', help: 'Next node or the cluster', group: 'Screen', scope: 'metrics' },
  {
    id: 'previousView',
    keys: ['V'],
    label: 'node',
    help: 'Previous node or the cluster',
    group: 'Screen',
    scope: 'metrics',
  },
  {
    id: 'longerWindow',
    keys: ['}'],
    label: 'window',
    help: 'Longer time window: 3 min, 15 min, 1 h, 24 h',
    group: 'Screen',
    scope: 'metrics',
    repeats: true,
  },
  {
    id: 'shorterWindow',
    keys: ['{'],
    label: 'window',
    help: 'Shorter time window: 24 h, 1 h, 15 min, 3 min',
    group: 'Screen',
    scope: 'metrics',
    repeats: true,
  },
] as const satisfies readonly Binding[];
