import type { Binding } from '../../tui/keys/bindings.ts';

/** The keys of the settings of a plugin. */
export const pluginSettingKeys = [
  {
    id: 'otherNode',
    keys: ['v'],
    label: 'node',
    help: 'Settings on the next node',
    group: 'Screen',
    scope: 'plugin-settings',
  },
  {
    id: 'otherNodeBack',
    keys: ['V'],
    label: 'node',
    help: 'Settings on the previous node',
    group: 'Screen',
    scope: 'plugin-settings',
  },
] as const satisfies readonly Binding[];
