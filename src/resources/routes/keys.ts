import type { Binding } from '../../tui/keys/bindings.ts';
import type { LayerTraits } from '../../tui/keys/catalog.ts';

/** The keys of Routes. */
export const routeKeys = [
  {
    id: 'toggleTree',
    keys: ['t'],
    label: 'tree',
    help: 'Show the routes as a topic tree, or as a list',
    group: 'Screen',
    scope: 'routes',
  },
  {
    id: 'fold',
    keys: ['Left'],
    label: 'fold',
    help: 'Fold the level, or go to its parent',
    group: 'Screen',
    scope: 'tree',
  },
  {
    id: 'unfold',
    keys: ['Right'],
    label: 'unfold',
    help: 'Unfold the level, or go to its first child',
    group: 'Screen',
    scope: 'tree',
  },
  {
    id: 'leaveTree',
    keys: ['t'],
    label: 'list',
    help: 'Show the routes as a topic tree, or as a list',
    group: 'Screen',
    scope: 'tree',
  },
] as const satisfies readonly Binding[];

export const treeLayers = { tree: { above: 'lists' } } as const satisfies Record<string, LayerTraits>;
