import { type PluginChange, startPlugin, stopPlugin } from '../../actions/plugins.ts';
import { disclose, isSecretSetting } from '../../actions/secret.ts';
import { changeSetting, differenceOfSettings, mayReadBackUnchanged, replacePluginSettings, settingAppliesTo, type SettingEdits, settingTypeOf } from '../../actions/settings.ts';
import { isUnset, type PluginSetting } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import type { PluginRow, SettingRow } from '../../monitor/select/administration.ts';
import { unknownText } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { activityText } from '../screens/plugins/columns.ts';
import type { Built, DialogOrRefusal, FormField } from './ask.ts';

export interface PluginRequestOptions {
  readonly row: PluginRow;
  readonly active: boolean;
  /** `undefined`: all nodes that list it. */
  readonly node: NodeName | undefined;
  /** Running nodes whose plugins could not be read. */
  readonly unread: readonly NodeName[];
  readonly stopped: readonly NodeName[];
  readonly capabilities: PluginChange['capabilities'];
}

/** Starts or stops a plugin on a node or on all (§4.6); always on all where the request names no node. */
export const askForPlugin = (theme: Theme, { row, active, node, unread, stopped, capabilities }: PluginRequestOptions): DialogOrRefusal => {
  const { name } = row;
  const isForAll = node === undefined || !capabilities.pluginPerNode;
  const shown = [...row.byNode].filter(([each]) => isForAll || each === node).map(([each, plugin]) => ({ node: each, active: plugin.active }));
  const where = isForAll ? safe`any node` : theme.escape(node, 40);
  if (node !== undefined && !isForAll && stopped.includes(node)) {
    return { refused: safe`not asked: ${where} is stopped` };
  }
  if (shown.length === 0) {
    return { refused: safe`not asked: the plugin is not listed on ${where}` };
  }
  if (shown.every((each) => each.active === active)) {
    return { refused: safe`nothing to do: it is ${activityText(active)} there already` };
  }
  const verb = active ? safe`start` : safe`stop`;
  return {
    request: {
      kind: 'confirm',
      question: isForAll ? safe`${active ? safe`Start` : safe`Stop`} this plugin on all nodes?` : safe`${active ? safe`Start` : safe`Stop`} this plugin on ${theme.escape(node)}?`,
      target: name,
      details: [
        ...shown.map((each) => (each.active === active
          ? safe`${theme.escape(each.node)}: ${activityText(active)} already`
          : safe`${theme.escape(each.node)}: ${activityText(each.active)} → ${activityText(active)}`)),
        ...(isForAll ? stoppedLines(theme, stopped) : []),
        ...(capabilities.pluginPerNode ? [] : [safe`The request of this broker names no node: it acts on all of them.`]),
        ...(isForAll && unread.length > 0 ? [safe`Not read, so not known: ${unread.length} more.`] : []),
      ],
      verb,
      action: (active ? startPlugin : stopPlugin).create({ plugin: name, nodes: shown, stopped: isForAll ? stopped : [], capabilities }),
      mustType: isForAll ? name : undefined,
    },
  };
};

/** One line per stopped node, which stays unchanged. */
export const stoppedLines = (theme: Theme, stopped: readonly NodeName[]): readonly SafeText[] =>
  stopped.map((each) => safe`${theme.escape(each)}: not changed: stopped`);

export interface SettingRequestOptions {
  readonly row: SettingRow;
  /** The preselected node; `undefined`: all. */
  readonly node: NodeName | undefined;
  /** Running nodes whose settings could not be read. */
  readonly unread: readonly NodeName[];
  readonly stopped: readonly NodeName[];
}

/** The choice of all nodes; no node name contains a space. */
const allNodes = 'all nodes';

/** Changes a hot setting on a node or on all (§4.7): a form, then the difference. */
export const askForSetting = (theme: Theme, { row, node, unread, stopped }: SettingRequestOptions): DialogOrRefusal => {
  const { app, key } = row;
  const nodes = [...row.byNode].map(([name, { value }]) => ({ node: name, value }));
  if (node !== undefined && stopped.includes(node)) {
    return { refused: safe`not asked: ${theme.escape(node, 40)} is stopped` };
  }
  if (nodes.length === 0 || (node !== undefined && !row.byNode.has(node))) {
    return { refused: node === undefined ? safe`not asked: no node has this setting` : safe`not asked: ${theme.escape(node, 40)} is not known to have this setting` };
  }
  const isSecret = nodes.some(({ value }) => isSecretSetting(key, value));
  const type = settingTypeOf(row.dataType, nodes.map(({ value }) => value));
  const first = type.typed((node === undefined ? nodes[0] : nodes.find((each) => each.node === node))?.value);
  const whom = settingAppliesTo(app, key);
  const holding = whom === undefined ? [] : [theme.escape(whom)];
  const value: readonly FormField[] = isSecret
    ? [{ id: 'value', label: safe`New value`, kind: 'hidden' }, { id: 'again', label: safe`Once more`, kind: 'hidden' }]
    : [type.choices !== undefined && first !== undefined && type.choices.includes(first)
      ? { id: 'value', label: safe`Value`, kind: 'choice', choices: type.choices, initial: first }
      : { id: 'value', label: safe`Value`, initial: first }];
  return {
    request: {
      kind: 'form',
      title: safe`Setting ${theme.escape(key)}`,
      fields: [...value, { id: 'where', label: safe`On`, kind: 'choice', choices: [allNodes, ...nodes.map((each) => each.node)], initial: node ?? allNodes }],
      verb: safe`show the difference`,
      notes: [
        ...nodes.map((each) => safe`${theme.escape(each.node)}: now ${shownValue(theme, key, type.typed(each.value))}`),
        ...(type.takes === undefined ? [] : [safe`It takes ${theme.escape(type.takes)}.`]),
        ...holding,
        ...(mayReadBackUnchanged(key) ? [safe`What is shown may not be what is in force: some brokers do not read this setting back.`] : []),
      ],
      build: (values) => {
        const wanted = values['value'] ?? '';
        const where = values['where'] ?? '';
        const isForAll = where === allNodes;
        const meant = isForAll ? nodes : nodes.filter((each) => each.node === where);
        if (meant.length === 0) return { error: safe`Choose a node.`, field: 'where' };
        if (wanted === '' && (isSecret || row.dataType !== 'string')) return { error: safe`The value is empty.`, field: 'value' };
        if (isSecret && wanted !== values['again']) return { error: safe`The two differ.`, field: 'again' };
        const problem = type.problemOf(wanted);
        if (problem !== undefined) return { error: theme.escape(problem), field: 'value' };
        if (!mayReadBackUnchanged(key) && meant.every((each) => type.isSame(each.value, wanted))) return { error: safe`It has that value already.`, field: 'value' };
        return {
          next: {
            kind: 'confirm',
            question: isForAll ? safe`Change this setting on all nodes?` : safe`Change this setting on ${theme.escape(where)}?`,
            target: key,
            details: [
              ...meant.map((each) => safe`${theme.escape(each.node)}: ${changeText(theme, key, type.typed(each.value), wanted)}`),
              ...(isForAll ? stoppedLines(theme, stopped) : []),
              ...(isForAll && unread.length > 0 ? [safe`Not read, and it acts on them too: ${unread.length} more.`] : []),
              ...holding,
              safe`Every node is read afterwards.`,
            ],
            verb: safe`change`,
            action: changeSetting.create({ app, key, value: wanted, nodes: meant, isForAll, stopped: isForAll ? stopped : [] }),
            mustType: isForAll ? key : undefined,
          },
        };
      },
    },
  };
};

/** A setting's value, hidden if it may be a password. */
export const shownValue = (theme: Theme, key: string, value: string | undefined, width?: number): SafeText => {
  const disclosed = disclose(key, value);
  return disclosed === undefined ? unknownText : theme.escape(disclosed, width);
};

export const changeText = (theme: Theme, key: string, before: string | undefined, after: string): SafeText =>
  safe`${shownValue(theme, key, before)} → ${shownValue(theme, key, after)}`;

/** The value of a plugin setting; unset and empty values in words. */
export const shownPluginValue = (theme: Theme, { key, value, required }: Pick<PluginSetting, 'key' | 'value' | 'required'>, width?: number): SafeText => {
  if (isUnset({ value, required })) return safe`(unset)`;
  return value === '' ? safe`(empty)` : shownValue(theme, key, value, width);
};

export interface PluginSettingsRequestOptions {
  readonly node: NodeName;
  readonly plugin: string;
  readonly isActive: boolean | undefined;
  readonly settings: readonly PluginSetting[];
  /** The setting that is focused first. */
  readonly key: string;
}

// Field ids are not the keys, which come from the broker and could repeat.
const fieldOf = (index: number): string => `value ${index}`;
const repeatOf = (index: number): string => `again ${index}`;
const unsetOf = (index: number): string => `unset ${index}`;

/** What is typed for an empty text: an empty field unsets. */
const emptyText = '""';

/** Whether it is set although its field is empty, so clearing the field cannot unset it. */
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
    { id: repeatOf(index), label: safe`once more`, kind: 'hidden', placeholder, help: safe`The same again, when it is to be changed. ${label}` },
    ...unset,
  ];
};

/** The changed fields; an empty hidden field changes nothing. */
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

/** Changes a plugin's settings (§4.7): a form with the whole set, then the difference. */
export const askForPluginSettings = (theme: Theme, { node, plugin, isActive, settings, key }: PluginSettingsRequestOptions): DialogOrRefusal => {
  if (settings.every((each) => each.key !== key)) {
    return { refused: safe`not asked: there is no such setting any more` };
  }
  const fields = settings.map((setting, index) => fieldsOf(theme, setting, index));
  const restarts = restartText(isActive);
  const isWhole = safe`Every key that is set is sent; unset keys are left out.`;
  const build = (values: Readonly<Record<string, string>>): Built => {
    const unlike = settings.find((each, index) => isSecretSetting(each.key, each.value) && values[fieldOf(index)] !== values[repeatOf(index)]);
    if (unlike !== undefined) return { error: safe`The two differ: ${theme.escape(unlike.key)}`, field: repeatOf(settings.indexOf(unlike)) };
    const both = settings.findIndex((_, index) => values[unsetOf(index)] === 'yes' && values[fieldOf(index)] !== '');
    if (both !== -1) return { error: safe`It is given a value and unset: ${theme.escape(settings[both]?.key ?? '')}`, field: unsetOf(both) };
    const edits = editsOf(settings, values);
    const action = replacePluginSettings.create({ node, plugin, shown: settings, edits });
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
      // The most important first: the rest is dropped where there is little room.
      notes: [...(restarts === undefined ? [] : [restarts]), isWhole],
      build,
    },
  };
};
