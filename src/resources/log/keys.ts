import type { Binding } from '../../tui/keys/bindings.ts';

/** The keys of the timeline. */
export const logKeys = [
  {
    id: 'undo',
    keys: ['u'],
    label: 'undo',
    help: 'Undo the action of the event; asks first',
    group: 'Actions',
    scope: 'log',
    isForActing: true,
    isOfNow: true,
  },
] as const satisfies readonly Binding[];
