import type { Binding } from '../../tui/keys/bindings.ts';

/** The keys of Alarms. */
export const alarmKeys = [
  {
    id: 'toggleHistory',
    keys: ['v'],
    label: 'history',
    help: 'Active alarms or the history',
    group: 'Screen',
    scope: 'alarms',
    needs: 'alarmHistory',
  },
] as const satisfies readonly Binding[];
