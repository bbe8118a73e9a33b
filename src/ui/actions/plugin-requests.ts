import type { NodeName } from '../../domain/node.ts';
import type { PluginSetting } from '../../domain/setting.ts';
import { type PluginChange, servesManagement, setPlugin } from '../../store/actions/plugin-actions.ts';
import { isSecretKey } from '../../store/actions/secret.ts';
import { differenceOfSettings, replacePluginSettings } from '../../store/actions/setting-actions.ts';
import type { PluginRow } from '../../store/select-plugins.ts';
import { type SafeText, safe } from '../safe-text.ts';
import type { Theme } from '../theme.ts';
import type { AskRequest, FormField } from './ask.ts';
import { changeText, shownValue } from './shown-value.ts';

/** What to ask, or why there is nothing to ask. */
export type Asked = { readonly request: AskRequest } | { readonly refused: SafeText };

export interface PluginWish {
  readonly row: PluginRow;
  /** Started or stopped. */
  readonly active: boolean;
  /** Where; `undefined` is all nodes that list it. */
  readonly node: NodeName | undefined;
  /** Nodes that run and whose plugins could not be read. */
  readonly unread: readonly NodeName[];
  readonly capabilities: PluginChange['capabilities'];
}

/** Starts or stops a plugin (§4.6): on one node, or on all; where the request names no node, always on all. */
export const askForPlugin = (theme: Theme, { row, active, node, unread, capabilities }: PluginWish): Asked => {
  const { name } = row;
  const isForAll = node === undefined || !capabilities.pluginPerNode;
  const shown = [...row.byNode].filter(([each]) => isForAll || each === node).map(([each, plugin]) => ({ node: each, active: plugin.active }));
  const where = isForAll ? safe`any node` : theme.escape(node, 40);
  if (shown.length === 0) {
    return { refused: safe`not asked: the plugin is not listed on ${where}` };
  }
  if (shown.every((each) => each.active === active)) {
    return { refused: safe`nothing to do: it is ${active ? safe`active` : safe`inactive`} there already` };
  }
  const isDelicate = !active && servesManagement(name);
  const verb = active ? safe`start` : safe`stop`;
  return {
    request: {
      kind: 'confirm',
      question: isForAll ? safe`${active ? safe`Start` : safe`Stop`} this plugin on all nodes?` : safe`${active ? safe`Start` : safe`Stop`} this plugin on ${theme.escape(node)}?`,
      target: name,
      details: [
        ...shown.map((each) => safe`${theme.escape(each.node)}: ${wordOf(each.active)} → ${wordOf(active)}`),
        ...(capabilities.pluginPerNode ? [] : [safe`The request of this broker names no node: it acts on all of them.`]),
        ...(isForAll && unread.length > 0 ? [safe`Not read, so not known: ${unread.length} more.`] : []),
      ],
      verb,
      action: setPlugin({ plugin: name, active, nodes: shown, capabilities }),
      mustType: isDelicate ? name : undefined,
      warning: isDelicate ? safe`It serves the management interface: without it nothing can be started again from here.` : undefined,
    },
  };
};

const wordOf = (active: boolean | undefined): SafeText => (active === undefined ? safe`not told` : active ? safe`active` : safe`inactive`);

export interface PluginSettingWish {
  readonly node: NodeName;
  readonly plugin: string;
  readonly isActive: boolean | undefined;
  readonly settings: readonly PluginSetting[];
  readonly key: string;
}

/** Changes one value of a plugin's settings (§4.7). All others are sent with it as they are. */
export const askForPluginSetting = (theme: Theme, { node, plugin, isActive, settings, key }: PluginSettingWish): Asked => {
  const setting = settings.find((each) => each.key === key);
  if (setting === undefined) {
    return { refused: safe`not asked: there is no such setting any more` };
  }
  const isSecret = isSecretKey(key);
  const fields: readonly FormField[] = isSecret
    ? [{ id: 'value', label: safe`New value`, kind: 'hidden' }, { id: 'again', label: safe`Once more`, kind: 'hidden' }]
    : [{ id: 'value', label: safe`Value`, initial: setting.value, help: setting.required ? safe`Required: it must not be empty.` : undefined }];
  const restarts = isActive === true ? safe`The plugin is active: it restarts with the new settings.` : isActive === undefined ? safe`Should the plugin be active, it restarts with the new settings.` : undefined;
  return {
    request: {
      kind: 'form',
      title: safe`Setting of plugin ${theme.escape(plugin)}`,
      fields,
      verb: safe`show the difference`,
      notes: [
        safe`${theme.escape(key)} on ${theme.escape(node)}, now ${shownValue(theme, key, setting.value)}`,
        // First what counts most: where there is little room the rest is left out.
        ...(restarts === undefined ? [] : [restarts]),
        safe`All ${settings.length} settings are sent, the others as they are then.`,
        ...(setting.description === '' ? [] : [theme.escape(setting.description, 400)]),
      ],
      build: (values) => {
        const value = values['value'] ?? '';
        if (isSecret && value === '') return { error: safe`The new value is empty.` };
        if (isSecret && value !== values['again']) return { error: safe`The two differ.` };
        const edits = { [key]: value };
        const action = replacePluginSettings({ node, plugin, shown: settings, edits });
        if (action.invalid !== undefined) return { error: theme.escape(action.invalid) };
        return {
          next: {
            kind: 'confirm',
            question: safe`Change the settings of plugin ${theme.escape(plugin)} on ${theme.escape(node)}?`,
            target: key,
            details: [
              ...differenceOfSettings(settings, edits).map((each) => safe`${theme.escape(each.key)}: ${changeText(theme, each.key, each.before, each.after)}`),
              safe`All ${settings.length} settings are sent, the others as they are then.`,
            ],
            verb: safe`change`,
            action,
            warning: restarts,
          },
        };
      },
    },
  };
};
