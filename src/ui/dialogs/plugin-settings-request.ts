import { isSecretSetting } from '../../actions/secret.ts';
import { differenceOfSettings, replacePluginSettings, type SettingEdits } from '../../actions/settings.ts';
import { isUnset, type PluginSetting } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { Asked, Built, FormField } from './ask.ts';
import { shownPluginValue } from './setting-requests.ts';

export interface PluginSettingsWish {
  readonly node: NodeName;
  readonly plugin: string;
  readonly isActive: boolean | undefined;
  /** All settings of the plugin, as shown. */
  readonly settings: readonly PluginSetting[];
  /** The setting whose field the form begins on. */
  readonly key: string;
}

// Not the keys themselves: they are the broker's, and every field needs a name that no other has.
const fieldOf = (index: number): string => `value ${index}`;
const againOf = (index: number): string => `again ${index}`;
const unsetOf = (index: number): string => `unset ${index}`;

/** How an empty text is typed: an empty field is a setting that is not set. */
const emptyText = '""';

/** Its field is empty although it is set, so that it cannot be unset by clearing that. */
const needsUnset = (setting: PluginSetting): boolean => !isUnset(setting) && (setting.value === '' || isSecretSetting(setting.key, setting.value));

const fieldsOf = (theme: Theme, setting: PluginSetting, index: number): readonly FormField[] => {
  const { key, value, required, description } = setting;
  const label = theme.escape(key);
  const about = safe`${label}${description === '' ? safe`` : safe`: ${theme.escape(description, 400)}`}${required ? safe` (required)` : safe``}`;
  const placeholder = shownPluginValue(theme, setting);
  const unset: readonly FormField[] = needsUnset(setting)
    ? [{ id: unsetOf(index), label: safe`unset it`, kind: 'choice', choices: ['no', 'yes'], help: safe`yes leaves it out of the settings. ${label}` }]
    : [];
  if (!isSecretSetting(key, value)) {
    const unsetText = shownPluginValue(theme, { key, value: '', required: false });
    const isEmpty = value === '' ? safe`Now ${placeholder}.` : safe`Clear it to unset it.`;
    return [{ id: fieldOf(index), label, initial: value, placeholder: value === '' ? placeholder : unsetText, help: safe`${isEmpty} "" is an empty text. ${about}` }, ...unset];
  }
  return [
    { id: fieldOf(index), label, kind: 'hidden', placeholder, help: safe`Left empty it stays as it is. ${about}` },
    { id: againOf(index), label: safe`once more`, kind: 'hidden', placeholder, help: safe`The same again, when it is to be changed. ${label}` },
    ...unset,
  ];
};

/** What was typed where it is not what was there; a hidden field left empty changes nothing. */
const editsOf = (settings: readonly PluginSetting[], values: Readonly<Record<string, string>>): SettingEdits =>
  Object.fromEntries(settings.flatMap(({ key, value }, index): readonly (readonly [string, string | undefined])[] => {
    if (values[unsetOf(index)] === 'yes') return [[key, undefined]];
    const typed = values[fieldOf(index)] ?? '';
    if (isSecretSetting(key, value)) return typed === '' ? [] : [[key, typed]];
    if (typed === value) return [];
    return [[key, typed === '' ? undefined : typed === emptyText ? '' : typed]];
  }));

const restartText = (isActive: boolean | undefined): SafeText | undefined => {
  if (isActive === undefined) return safe`Should the plugin be active, it restarts with the new settings.`;
  return isActive ? safe`The plugin is active: it restarts with the new settings.` : undefined;
};

/** Changes a plugin's settings (§4.7): a form over the whole set, which is what is sent; then the difference. */
export const askForPluginSettings = (theme: Theme, { node, plugin, isActive, settings, key }: PluginSettingsWish): Asked => {
  if (settings.every((each) => each.key !== key)) {
    return { refused: safe`not asked: there is no such setting any more` };
  }
  const fields = settings.map((setting, index) => fieldsOf(theme, setting, index));
  const restarts = restartText(isActive);
  const isWhole = safe`Every key that is set is sent; unset keys are left out.`;
  const build = (values: Readonly<Record<string, string>>): Built => {
    const unlike = settings.find((each, index) => isSecretSetting(each.key, each.value) && values[fieldOf(index)] !== values[againOf(index)]);
    if (unlike !== undefined) return { error: safe`The two differ: ${theme.escape(unlike.key)}`, field: againOf(settings.indexOf(unlike)) };
    const both = settings.findIndex((_, index) => values[unsetOf(index)] === 'yes' && values[fieldOf(index)] !== '');
    if (both !== -1) return { error: safe`It is given a value and unset: ${theme.escape(settings[both]?.key ?? '')}`, field: unsetOf(both) };
    const edits = editsOf(settings, values);
    const action = replacePluginSettings({ node, plugin, shown: settings, edits });
    if (action.invalid !== undefined) return { error: theme.escape(action.invalid) };
    const changes = differenceOfSettings(settings, edits);
    const lacking = changes.filter((each) => each.after === undefined && settings.some(({ key: known, required }) => required && known === each.key));
    const valueText = (each: PluginSetting['key'], value: string | undefined): SafeText => shownPluginValue(theme, { key: each, value: value ?? '', required: value !== undefined });
    return {
      next: {
        kind: 'confirm',
        question: safe`Change ${changes.length === 1 ? safe`1 setting` : safe`${changes.length} settings`} of this plugin on ${theme.escape(node)}?`,
        target: plugin,
        details: [...changes.map((each) => safe`${theme.escape(each.key)}: ${valueText(each.key, each.before)} → ${valueText(each.key, each.after)}`), isWhole],
        verb: safe`change`,
        action,
        warning: lacking.length === 0 ? restarts : safe`${restarts === undefined ? safe`` : safe`${restarts} `}The broker calls ${joinSafe(lacking.map((each) => theme.escape(each.key, 60)), safe`, `)} required: the plugin may not start without it.`,
      },
    };
  };
  return {
    request: {
      kind: 'form',
      title: safe`Settings of plugin ${theme.escape(plugin)} on ${theme.escape(node)}`,
      fields: fields.flat(),
      focus: fields.slice(0, settings.findIndex((each) => each.key === key)).flat().length,
      verb: safe`show the difference`,
      // First what counts most: where there is little room the rest is left out.
      notes: [...(restarts === undefined ? [] : [restarts]), isWhole],
      build,
    },
  };
};
