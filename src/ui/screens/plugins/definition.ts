import { safe } from '../../../terminal/safe-text.ts';
import { defineScreen, programHints, sortHints } from '../definition.ts';

export const plugins = defineScreen({
  id: 'plugins',
  title: safe`Plugins`,
  tab: { shortLabel: safe`Plug` },
  key: '8',
  scopes: ['plugins'],
  hints: ['startPlugin', 'stopPlugin', 'pluginNode', 'filter', 'open', ...sortHints, ...programHints],
});

export const pluginSettings = defineScreen({
  id: 'plugin-settings',
  title: safe`Settings of a plugin`,
  parent: 'plugins',
  location: safe`the settings of a plugin`,
  capability: 'settings',
  scopes: ['pluginSettings'],
  hints: ['editPluginSettings', 'open', 'otherNode', 'filter', 'sortNext', 'copyId', ...programHints],
});
