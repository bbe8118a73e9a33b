import type { NodeName } from '../../domain/node.ts';
import type { PluginSetting } from '../../domain/setting.ts';
import { isSecretSetting } from '../../store/actions/secret.ts';
import { differenceOfSettings, replacePluginSettings } from '../../store/actions/setting-actions.ts';
import { type SafeText, safe } from '../safe-text.ts';
import type { Theme } from '../theme.ts';
import type { Built, FormField } from './ask.ts';
import type { Asked } from './asked.ts';
import { changeText } from './shown-value.ts';

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

const fieldsOf = (theme: Theme, { key, value, required, description }: PluginSetting, index: number): readonly FormField[] => {
  const label = theme.escape(key);
  const about = safe`${label}${description === '' ? safe`` : safe`: ${theme.escape(description, 400)}`}${required ? safe` (required)` : safe``}`;
  if (!isSecretSetting(key, value)) {
    return [{ id: fieldOf(index), label, initial: value, help: about }];
  }
  const empty = value === '' ? safe`(empty)` : safe`(hidden)`;
  return [
    { id: fieldOf(index), label, kind: 'hidden', placeholder: empty, help: safe`Left empty it stays as it is. ${about}` },
    { id: againOf(index), label: safe`once more`, kind: 'hidden', placeholder: empty, help: safe`The same again, when it is to be changed. ${label}` },
  ];
};

/** What was typed where it is not what was there; a hidden field left empty changes nothing. */
const editsOf = (settings: readonly PluginSetting[], values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(settings.flatMap(({ key, value }, index): readonly (readonly [string, string])[] => {
    const typed = values[fieldOf(index)] ?? '';
    return isSecretSetting(key, value) ? (typed === '' ? [] : [[key, typed]]) : (typed === value ? [] : [[key, typed]]);
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
  const isWhole = safe`All ${settings.length} settings are sent, those that do not change as they are then.`;
  const build = (values: Readonly<Record<string, string>>): Built => {
    const unlike = settings.find((each, index) => isSecretSetting(each.key, each.value) && values[fieldOf(index)] !== values[againOf(index)]);
    if (unlike !== undefined) return { error: safe`The two differ: ${theme.escape(unlike.key)}`, field: againOf(settings.indexOf(unlike)) };
    const edits = editsOf(settings, values);
    const action = replacePluginSettings({ node, plugin, shown: settings, edits });
    if (action.invalid !== undefined) return { error: theme.escape(action.invalid) };
    const changes = differenceOfSettings(settings, edits);
    return {
      next: {
        kind: 'confirm',
        question: safe`Change ${changes.length === 1 ? safe`1 setting` : safe`${changes.length} settings`} of this plugin on ${theme.escape(node)}?`,
        target: plugin,
        details: [...changes.map((each) => safe`${theme.escape(each.key)}: ${changeText(theme, each.key, each.before, each.after)}`), isWhole],
        verb: safe`change`,
        action,
        warning: restarts,
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
