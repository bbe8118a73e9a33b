import type { ActionWords } from '../../actions/action.ts';
import { pluralize } from '../../domain/text.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';

export const pluginSettingWords = {
  replace: (keys: readonly string[], plugin: string, node: string): ActionWords => {
    const what = `${keys.join(', ')} of plugin ${plugin} on ${node}`;
    return { title: `change ${what}`, past: `Changed ${what}`, subject: `plugin ${plugin} on ${node}` };
  },
};

/** Sentences about why settings of a plugin are not changed, and what became of them. */
export const pluginSettingSentences = {
  unusable: (count: number): string =>
    `${pluralize(count, 'setting')} could not be decoded, and the request would clear ${count === 1 ? 'it' : 'them'}.`,
  gone: (key: string): string => `${key} is no longer listed.`,
  isNow: (key: string, value: string): string => `${key} is now ${value}.`,
  noSuchSetting: (key: string): string => `The plugin has no setting ${key}.`,
  template: (key: string): string => `${key} stands for numbered settings, which this API cannot change.`,
  required: (key: string): string => `${key} must not be empty.`,
  pluginUnknown: 'The state of the plugin is unknown.',
  pluginStillInactive: 'The plugin is inactive, as before.',
  pluginDown: 'The plugin did not restart and is inactive. Start it in Plugins. If that fails, restart its node.',
  saved: 'The settings are saved.',
  templatesUnread: 'Its numbered settings cannot be read: check them on the node.',
  setting: (key: string, value: string): string => `${key} is ${value}.`,
  changed: (key: string, before: string, after: string): string => `${key}: ${before} → ${after}.`,
};

export const pluginSettingTexts = {
  gone: safe`The setting no longer exists`,
  numbered: (key: SafeText) => safe`${key} stands for numbered settings, which this API cannot change`,
};

export const pluginSettingsTexts = {
  value: safe`Value`,
  description: safe`Description`,
  title: (plugin: SafeText, node: SafeText) => safe`Settings of ${plugin} on ${node}`,
  settingTitle: (plugin: SafeText, node: SafeText) => safe`Setting of ${plugin} on ${node}`,
  empty: safe`This plugin has no settings.`,
  notOffered: safe`plugin settings`,
  notFound: safe`plugin settings`,
  noOtherNode: safe`No other running node has this plugin.`,
};
