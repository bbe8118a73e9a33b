import { askTexts, stoppedLines } from '../../actions/asking.ts';
import type { Built, DialogOrRefusal, FormField } from '../../actions/requests.ts';
import {
  changeSetting,
  differenceOfSettings,
  replacePluginSettings,
  type SettingEdits,
  settingTypeOf,
} from '../../actions/settings.ts';
import { settingCountText, settingTexts } from '../../actions/texts.ts';
import { isUnset, type PluginSetting, type Setting } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import { disclose, isSecretSetting } from '../../domain/secret-keys.ts';
import type { SettingRow } from '../../resources/settings/select.ts';
import { meaningOf } from '../../resources/settings/fields.ts';
import { formatCount, unknownText } from '../../terminal/format.ts';
import { escapeText, joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { widestFitting } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { settingDialogTexts, unavailableTexts } from './texts.ts';
import { pluginTexts } from '../../resources/plugins/texts.ts';

export interface SettingRequestOptions {
  readonly row: SettingRow;
  readonly node: NodeName | undefined;
  readonly unread: readonly NodeName[];
  readonly stopped: readonly NodeName[];
}

/** No node name contains a space. */
const allNodes = 'all nodes';

/** What a setting can be set to: its words, or what its type takes; `undefined` where nothing is known. */
export const acceptedValues = (theme: Theme, row: SettingRow): SafeText | undefined => {
  const { choices, takes } = settingTypeOf(
    row.dataType,
    [...row.byNode.values()].map(({ value }) => value),
  );
  const words = meaningOf(row)?.choices ?? choices;
  if (words === undefined) return takes === undefined ? undefined : theme.escape(takes);
  return joinSafe(
    words.map((word) => theme.escape(word)),
    safe`, `,
  );
};

export const settingRequest = (
  theme: Theme,
  { row, node, unread, stopped }: SettingRequestOptions,
): DialogOrRefusal => {
  const { app, key } = row;
  const nodes = [...row.byNode].map(([name, { value }]) => ({ node: name, value }));
  if (node !== undefined && stopped.includes(node)) {
    return { refused: askTexts.stoppedNode(theme.escape(node, 40)) };
  }
  if (nodes.length === 0 || (node !== undefined && !row.byNode.has(node))) {
    return {
      refused:
        node === undefined ? unavailableTexts.settingNowhere : unavailableTexts.settingNotOn(theme.escape(node, 40)),
    };
  }
  const isSecret = nodes.some(({ value }) => isSecretSetting(key, value));
  const type = settingTypeOf(
    row.dataType,
    nodes.map(({ value }) => value),
  );
  const first = type.typed((node === undefined ? nodes[0] : nodes.find((each) => each.node === node))?.value);
  const settings = [...row.byNode.values()];
  const appliesTo = settings.find((each) => each.appliesTo !== undefined)?.appliesTo;
  const appliesToNotes = appliesTo === undefined ? [] : [escapeText(settingTexts.appliesTo[appliesTo])];
  const mayReadBackUnchanged = settings.some((each) => each.mayReadBackUnchanged === true);
  const meaning = meaningOf(row);
  const choices = meaning?.choices ?? type.choices;
  const help = type.takes === undefined ? undefined : theme.escape(type.takes);
  const value: readonly FormField[] = isSecret
    ? [
        { id: 'value', label: settingDialogTexts.newValueLabel, kind: 'hidden', help },
        { id: 'again', label: settingDialogTexts.repeatLabel, kind: 'hidden' },
      ]
    : [
        choices !== undefined && first !== undefined && choices.includes(first)
          ? { id: 'value', label: settingDialogTexts.valueLabel, kind: 'choice', choices, initial: first }
          : { id: 'value', label: settingDialogTexts.valueLabel, initial: first, help },
      ];
  return {
    request: {
      kind: 'form',
      title: settingDialogTexts.title(theme.escape(key)),
      fields: [
        ...value,
        {
          id: 'where',
          label: settingDialogTexts.nodeLabel,
          kind: 'choice',
          choices: [allNodes, ...nodes.map((each) => each.node)],
          initial: node ?? allNodes,
        },
      ],
      verb: settingDialogTexts.review,
      notes: [
        ...(meaning === undefined ? [] : [trusted(meaning.about)]),
        ...nodes.map((each) =>
          settingDialogTexts.now(theme.escape(each.node), settingText(theme, { key, meaning }, type.typed(each.value))),
        ),
        ...appliesToNotes,
        ...(mayReadBackUnchanged
          ? [
              settings.every(({ value: reported }) => reported === undefined)
                ? settingDialogTexts.notReported
                : settingDialogTexts.notReadBack,
            ]
          : []),
      ],
      build: (values) => {
        const wanted = values['value'] ?? '';
        const where = values['where'] ?? '';
        const isForAll = where === allNodes;
        const targets = isForAll ? nodes : nodes.filter((each) => each.node === where);
        if (targets.length === 0) return { error: settingDialogTexts.chooseNode, field: 'where' };
        if (wanted === '' && (isSecret || row.dataType !== 'string'))
          return { error: settingDialogTexts.empty, field: 'value' };
        if (isSecret && wanted !== values['again']) return { error: settingDialogTexts.differ, field: 'again' };
        const problem = type.problemOf(wanted);
        if (problem !== undefined) return { error: theme.escape(problem), field: 'value' };
        if (!mayReadBackUnchanged && targets.every((each) => type.isSame(each.value, wanted)))
          return { error: settingDialogTexts.same, field: 'value' };
        return {
          next: {
            kind: 'confirm',
            question: settingDialogTexts.question(isForAll ? undefined : theme.escape(where)),
            target: key,
            details: [
              ...targets.map((each) =>
                settingDialogTexts.onNode(
                  theme.escape(each.node),
                  settingDialogTexts.change(
                    settingText(theme, { key, meaning }, type.typed(each.value)),
                    settingText(theme, { key, meaning }, wanted),
                  ),
                ),
              ),
              ...(isForAll ? stoppedLines(theme, stopped) : []),
              ...(isForAll && unread.length > 0 ? [settingDialogTexts.unread(unread.length)] : []),
              ...appliesToNotes,
              mayReadBackUnchanged
                ? settingDialogTexts.unverified
                : settingDialogTexts.verified(isForAll ? undefined : theme.escape(where)),
            ],
            warning:
              meaning?.limitsQueue === true && targets.some((each) => queueLimitOf(wanted) < queueLimitOf(each.value))
                ? settingDialogTexts.lowerQueueLimit
                : undefined,
            verb: settingDialogTexts.verb,
            button:
              isForAll && unread.length === 0 ? askTexts.onNodes(settingDialogTexts.verb, targets.length) : undefined,
            action: changeSetting.create({
              app,
              key,
              value: wanted,
              meaning,
              nodes: targets,
              isForAll,
              stopped: isForAll ? stopped : [],
            }),
            mustType: isForAll ? key : undefined,
          },
        };
      },
    },
  };
};

/** A limit of 0 is none. */
const queueLimitOf = (value: string | undefined): number =>
  value === undefined || Number(value) === 0 ? Number.POSITIVE_INFINITY : Number(value);

export const shownValue = (theme: Theme, key: string, value: string | undefined, width?: number): SafeText => {
  const disclosed = disclose(key, value);
  return disclosed === undefined ? unknownText : theme.escape(disclosed, width);
};

/** The value of a setting; a count with its unit, or without where that does not fit. */
export const settingText = (
  theme: Theme,
  { key, meaning }: Pick<Setting, 'key' | 'meaning'>,
  value: string | undefined,
  width?: number,
): SafeText => {
  const count =
    value === undefined || isSecretSetting(key, value) ? undefined : settingCountText(meaning?.counts, value);
  if (count === undefined) return shownValue(theme, key, value, width);
  const text = escapeText(count);
  return width === undefined
    ? text
    : (widestFitting([text, formatCount(Number(value))], width) ?? shownValue(theme, key, value, width));
};

export const shownPluginValue = (
  theme: Theme,
  { key, value, required, isTemplate }: Pick<PluginSetting, 'key' | 'value' | 'required' | 'isTemplate'>,
  width?: number,
): SafeText => {
  if (isTemplate === true) return pluginTexts.numbered;
  if (isUnset({ value, required })) return pluginTexts.unset;
  return value === '' ? pluginTexts.empty : shownValue(theme, key, value, width);
};

export interface PluginSettingsRequestOptions {
  readonly node: NodeName;
  readonly plugin: string;
  readonly isActive: boolean | undefined;
  readonly settings: readonly PluginSetting[];
  readonly key: string;
}

// Field ids are not the keys, which come from the broker and could repeat.
const fieldOf = (index: number): string => `value ${index}`;
const repeatOf = (index: number): string => `again ${index}`;
const unsetOf = (index: number): string => `unset ${index}`;

/** What is typed for an empty text: an empty field unsets. */
const emptyText = '""';

/** Clearing a field that is already empty cannot unset it. */
const needsUnset = (setting: PluginSetting): boolean =>
  !isUnset(setting) && (setting.value === '' || isSecretSetting(setting.key, setting.value));

const fieldsOf = (theme: Theme, setting: PluginSetting, index: number): readonly FormField[] => {
  const { key, value, required, description } = setting;
  const label = theme.escape(key);
  const about = pluginTexts.about(label, description === '' ? undefined : theme.escape(description, 400), required);
  const placeholder = shownPluginValue(theme, setting);
  const unset: readonly FormField[] = needsUnset(setting)
    ? [
        {
          id: unsetOf(index),
          label: pluginTexts.unsetLabel,
          kind: 'choice',
          choices: ['no', 'yes'],
          help: pluginTexts.unsetHelp(label),
        },
      ]
    : [];
  if (!isSecretSetting(key, value)) {
    const unsetText = shownPluginValue(theme, { key, value: '', required: false });
    const isEmpty = value === '' ? pluginTexts.nowEmpty(placeholder) : pluginTexts.clearToUnset;
    return [
      {
        id: fieldOf(index),
        label,
        initial: value,
        placeholder: value === '' ? placeholder : unsetText,
        help: pluginTexts.emptyHelp(isEmpty, about),
      },
      ...unset,
    ];
  }
  return [
    { id: fieldOf(index), label, kind: 'hidden', placeholder, help: pluginTexts.keepHelp(about) },
    {
      id: repeatOf(index),
      label: pluginTexts.repeatLabel,
      kind: 'hidden',
      placeholder,
      help: pluginTexts.repeatHelp(label),
    },
    ...unset,
  ];
};

/** An empty hidden field changes nothing. */
const editsOf = (settings: readonly PluginSetting[], values: Readonly<Record<string, string>>): SettingEdits =>
  Object.fromEntries(
    settings.flatMap(({ key, value }, index): readonly (readonly [string, string | undefined])[] => {
      if (values[unsetOf(index)] === 'yes') return [[key, undefined]];
      const typed = values[fieldOf(index)] ?? '';
      if (isSecretSetting(key, value)) return typed === '' ? [] : [[key, typed]];
      if (typed === value) return [];
      return [[key, typed === '' ? undefined : typed === emptyText ? '' : typed]];
    }),
  );

/** More would fill the dialog. */
const maxTemplates = 2;

const restartText = (isActive: boolean | undefined): SafeText | undefined => {
  if (isActive === undefined) return pluginTexts.mayRestart;
  return isActive ? pluginTexts.restarts : undefined;
};

/** @param all with those that stand for others, which cannot be edited */
export const pluginSettingsRequest = (
  theme: Theme,
  { node, plugin, isActive, settings: all, key }: PluginSettingsRequestOptions,
): DialogOrRefusal => {
  const chosen = all.find((each) => each.key === key);
  if (chosen === undefined) return { refused: unavailableTexts.settingGone };
  if (chosen.isTemplate === true) return { refused: unavailableTexts.settingNumbered(theme.escape(key, 60)) };
  const settings = all.filter(({ isTemplate }) => isTemplate !== true);
  const templates = all.filter(({ isTemplate }) => isTemplate === true);
  const loses =
    templates.length === 0
      ? undefined
      : pluginTexts.losesNumbered(
          templates.slice(0, maxTemplates).map((each) => theme.escape(each.key, 60)),
          Math.max(0, templates.length - maxTemplates),
        );
  const fields = settings.map((setting, index) => fieldsOf(theme, setting, index));
  const restarts = restartText(isActive);
  const build = (values: Readonly<Record<string, string>>): Built => {
    const mismatch = settings.find(
      (each, index) => isSecretSetting(each.key, each.value) && values[fieldOf(index)] !== values[repeatOf(index)],
    );
    if (mismatch !== undefined)
      return { error: pluginTexts.differ(theme.escape(mismatch.key)), field: repeatOf(settings.indexOf(mismatch)) };
    const setAndUnset = settings.findIndex(
      (_, index) => values[unsetOf(index)] === 'yes' && values[fieldOf(index)] !== '',
    );
    if (setAndUnset !== -1)
      return {
        error: pluginTexts.setAndUnset(theme.escape(settings[setAndUnset]?.key ?? '')),
        field: unsetOf(setAndUnset),
      };
    const edits = editsOf(settings, values);
    const action = replacePluginSettings.create({ node, plugin, shown: all, edits });
    if (action.invalid !== undefined) return { error: theme.escape(action.invalid) };
    const changes = differenceOfSettings(settings, edits);
    const requiredUnset = changes.filter(
      (each) => each.after === undefined && settings.some(({ key: known, required }) => required && known === each.key),
    );
    const warnings = [
      ...(loses === undefined ? [] : [loses]),
      ...(restarts === undefined ? [] : [restarts]),
      ...(requiredUnset.length === 0
        ? []
        : [pluginTexts.requiredUnset(requiredUnset.map((each) => theme.escape(each.key, 60)))]),
    ];
    const valueText = (each: PluginSetting['key'], value: string | undefined): SafeText =>
      shownPluginValue(theme, { key: each, value: value ?? '', required: value !== undefined });
    return {
      next: {
        kind: 'confirm',
        question: pluginTexts.settingsQuestion(changes.length, theme.escape(node)),
        target: plugin,
        details: [
          ...changes.map((each) =>
            pluginTexts.setting(
              theme.escape(each.key),
              valueText(each.key, each.before),
              valueText(each.key, each.after),
            ),
          ),
          pluginTexts.wholeSet,
        ],
        verb: settingDialogTexts.verb,
        action,
        warning: warnings.length === 0 ? undefined : joinSafe(warnings, safe` `),
        mustType: loses === undefined ? undefined : plugin,
      },
    };
  };
  return {
    request: {
      kind: 'form',
      title: pluginTexts.settingsTitle(theme.escape(plugin), theme.escape(node)),
      fields: fields.flat(),
      focus: fields
        .slice(
          0,
          settings.findIndex((each) => each.key === key),
        )
        .flat().length,
      verb: settingDialogTexts.review,
      // Most important first: the rest may be cut.
      notes: [
        ...(loses === undefined ? [] : [loses]),
        ...(restarts === undefined ? [] : [restarts]),
        pluginTexts.wholeSet,
      ],
      build,
    },
  };
};
