import type { Read, ShownValues, Undoing, VerificationResult } from '../../actions/action.ts';
import { askTexts } from '../../actions/asking.ts';
import { defineAction } from '../../actions/define-action.ts';
import type { Built, DialogOrRefusal, FormField } from '../../actions/requests.ts';
import { invalidTexts, undoTexts } from '../../actions/texts.ts';
import { defineUndo, keepValue, valueOfKept } from '../../actions/undo.ts';
import type { ApiError } from '../../api/errors.ts';
import { isUnset, type PluginSetting } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import { disclose, isSecretSetting } from '../../domain/secret-keys.ts';
import { watchOf } from '../../monitor/query/part.ts';
import type { Effects } from '../../monitor/state.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { readPlugin } from '../plugins/actions.ts';
import { plugins, pluginSettings } from '../plugins/resource.ts';
import { pluginSentences, pluginTexts } from '../plugins/texts.ts';
import { shownValue } from '../settings/actions.ts';
import { settingDialogTexts, settingTexts } from '../settings/texts.ts';
import { pluginSettingSentences, pluginSettingTexts, pluginSettingWords } from './texts.ts';

/** The row that the action on the settings of a plugin acts on. */
export interface ShownPluginSettings extends Omit<PluginSettingsRequestOptions, 'key'> {
  readonly row: PluginSetting | undefined;
}

/** Values by key; `undefined` unsets a key, and other keys stay unchanged. */
export type SettingEdits = Readonly<Record<string, string | undefined>>;

/** A changed setting; `undefined` is not set. Raw values, which may be passwords. */
export interface SettingDifference {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const valueOf = (setting: PluginSetting): string | undefined => (isUnset(setting) ? undefined : setting.value);

export function differenceOfSettings(
  settings: readonly PluginSetting[],
  edits: SettingEdits,
): readonly SettingDifference[] {
  return settings.flatMap((setting) => {
    const { key } = setting;
    const before = valueOf(setting);
    return !Object.hasOwn(edits, key) || edits[key] === before ? [] : [{ key, before, after: edits[key] }];
  });
}

export interface PluginSettingsChange {
  readonly node: NodeName;
  readonly plugin: string;
  readonly shown: readonly PluginSetting[];
  readonly edits: SettingEdits;
}

const readSettings = (read: Read, node: NodeName, plugin: string): Promise<readonly PluginSetting[]> =>
  read((api, options) => api.getPluginSettings(node, plugin, options));

const undoSettings = defineUndo(
  (kept) => ({
    node: kept.text('node'),
    plugin: kept.text('plugin'),
    settings: kept.list('settings', (setting) => ({
      key: setting.text('key'),
      before: setting.value('before'),
      after: setting.value('after'),
    })),
  }),
  async ({ node, plugin, settings }, read): Promise<Undoing> => {
    const now = await readSettings(read, node, plugin);
    const settingNow = new Map(now.map((setting) => [setting.key, setting]));
    const differences: SettingDifference[] = [];
    for (const { key, ...kept } of settings) {
      const [before, after] = [valueOfKept(kept.before), valueOfKept(kept.after)];
      if (before === 'secret' || after === 'secret') return { refused: undoTexts.secretNotKept(key) };
      const setting = settingNow.get(key);
      if (setting === undefined) return { refused: undoTexts.changedSince(pluginSettingSentences.gone(key)) };
      const value = valueOf(setting);
      if (value !== after.value)
        return { refused: undoTexts.changedSince(pluginSettingSentences.isNow(key, disclosedText(key, value))) };
      differences.push({ key, before: before.value, after: after.value });
    }
    const edits = Object.fromEntries(differences.map(({ key, before }) => [key, before]));
    return {
      action: replacePluginSettings.create({ node, plugin, shown: now, edits }),
      notes: differences.map(({ key, before, after }) =>
        pluginSettingSentences.changed(key, disclosedText(key, after), disclosedText(key, before)),
      ),
    };
  },
);

/** Changes a plugin's settings. The request replaces the whole set; unset keys are left out. */
export const replacePluginSettings = defineAction({
  id: 'replace-plugin-settings',
  label: 'change the settings of a plugin on a node',
  danger: 'changes',
  capability: 'settings',
  where: 'Plugins, `Enter`',
  key: {
    id: 'editPluginSettings',
    keys: ['e'],
    label: 'change',
    help: 'Change the settings of the plugin; asks first',
    scope: 'plugin-settings',
  },
  ask: (theme, { row, ...shown }: ShownPluginSettings) =>
    row && (() => pluginSettingsRequest(theme, { ...shown, key: row.key })),
  operations: ['replacePluginSettings'],
  confirmation: 'form with all settings, before → after, y/N; type the name if unlisted settings may be lost',
  auditFields: ['plugin', 'node'],
  undo: undoSettings.plan,
  create(change: PluginSettingsChange) {
    const { node, plugin } = change;
    const shown = Object.freeze(change.shown.map((each) => Object.freeze({ ...each })));
    const edits = Object.freeze({ ...change.edits });
    const differences = differenceOfSettings(shown, edits);
    const keys = differences.map(({ key }) => key);
    const hasTemplates = shown.some(({ isTemplate }) => isTemplate === true);
    const readAll = (read: Read): Promise<readonly PluginSetting[]> => readSettings(read, node, plugin);
    return {
      target: { plugin, node },
      ...pluginSettingWords.replace(keys, plugin, node),
      invalid: problemOfEdits(shown, edits, differences),
      async recheck(read) {
        let unusable = 0;
        const now = await read((api, options) =>
          api.getPluginSettings(node, plugin, {
            ...options,
            onUnusable: ({ count }) => {
              unusable += count;
            },
          }),
        );
        // The request would empty them.
        if (unusable > 0) return { changed: pluginSettingSentences.unusable(unusable) };
        const changed = recheckSettings(now, shown, keys);
        if (changed !== undefined) return { changed };
        const wasActive = (await readPlugin(read, node, plugin))?.active;
        const wanted = new Map(
          now.map((setting) => {
            const difference = differences.find(({ key }) => key === setting.key);
            return [setting.key, difference === undefined ? valueOf(setting) : difference.after];
          }),
        );
        const whole = Object.fromEntries(
          [...wanted].flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
        );
        return {
          plan: {
            before: values(differences, 'before'),
            after: values(differences, 'after'),
            requests: [{ node, send: (api, options) => api.replacePluginSettings(node, plugin, whole, options) }],
            // Some brokers stop the plugin and then refuse.
            verifyDespiteRefusal: () => true,
            async verify(readAgain, answers) {
              const wrong = (await readAll(readAgain)).filter(
                ({ key, value }) => wanted.has(key) && (wanted.get(key) ?? '') !== value,
              );
              const active = (await readPlugin(readAgain, node, plugin))?.active;
              const refusal = answers.find(({ kind }) => kind === 'refused')?.error;
              const found = verificationOf(wrong, differences, { before: wasActive, now: active }, refusal);
              return [
                {
                  node,
                  ...found,
                  text: [found.text, ...(hasTemplates ? [pluginSettingSentences.templatesUnread] : [])].join(' '),
                },
              ];
            },
          },
        };
      },
      changed: () =>
        undoSettings.changed({
          node,
          plugin,
          settings: differences.map((each) => ({
            key: each.key,
            before: keepValue(each.key, each.before),
            after: keepValue(each.key, each.after),
          })),
        }),
      effects: (): Effects => ({
        refresh: [watchOf(pluginSettings, node, plugin), watchOf(plugins, node)],
      }),
    };
  },
});

function verificationOf(
  wrong: readonly PluginSetting[],
  differences: readonly SettingDifference[],
  active: { readonly before: boolean | undefined; readonly now: boolean | undefined },
  refusal: ApiError | undefined,
): Omit<VerificationResult, 'node'> {
  const isDown = active.before === true && active.now !== true;
  const settings = wrong
    .map((setting) => pluginSettingSentences.setting(setting.key, disclosedText(setting.key, valueOf(setting))))
    .join(' ');
  const changes = differences
    .map(({ key, before, after }) =>
      pluginSettingSentences.changed(key, disclosedText(key, before), disclosedText(key, after)),
    )
    .join(' ');
  const saved = isDown || refusal !== undefined ? pluginSettingSentences.saved : changes;
  const sentences = [settings === '' ? saved : settings, activityOf(active)];
  const text = sentences.filter((part) => part !== '').join(' ');
  if (isDown) return { state: active.now === undefined ? 'unreadable' : 'not-as-wanted', text };
  // Refused and unchanged: waiting would not help.
  if (refusal !== undefined) return { state: 'as-wanted', outcome: 'not-done', text };
  return { state: wrong.length === 0 ? 'as-wanted' : 'not-as-wanted', text };
}

function activityOf({
  before,
  now,
}: {
  readonly before: boolean | undefined;
  readonly now: boolean | undefined;
}): string {
  if (now === undefined) return pluginSettingSentences.pluginUnknown;
  if (now) return pluginSentences.isNow(true);
  if (before === false) return pluginSettingSentences.pluginStillInactive;
  return before === undefined ? pluginSentences.isNow(false) : pluginSettingSentences.pluginDown;
}

function problemOfEdits(
  shown: readonly PluginSetting[],
  edits: SettingEdits,
  differences: readonly SettingDifference[],
): string | undefined {
  const unknown = Object.keys(edits).find((key) => shown.every((setting) => setting.key !== key));
  if (unknown !== undefined) return pluginSettingSentences.noSuchSetting(unknown);
  if (differences.length === 0) return invalidTexts.noChange;
  const template = differences.find(({ key }) =>
    shown.some((setting) => setting.key === key && setting.isTemplate === true),
  );
  if (template !== undefined) return pluginSettingSentences.template(template.key);
  const missing = differences.find(
    ({ key, after }) => after === '' && shown.some((setting) => setting.key === key && setting.required),
  );
  return missing === undefined ? undefined : pluginSettingSentences.required(missing.key);
}

function recheckSettings(
  now: readonly PluginSetting[],
  shown: readonly PluginSetting[],
  edited: readonly string[],
): string | undefined {
  const settingNow = new Map(now.map((setting) => [setting.key, setting]));
  for (const setting of shown) {
    const found = settingNow.get(setting.key);
    if (found === undefined) return pluginSettingSentences.gone(setting.key);
    if (edited.includes(setting.key) && valueOf(found) !== valueOf(setting))
      return pluginSettingSentences.isNow(setting.key, disclosedText(setting.key, valueOf(found)));
  }
  return undefined;
}

const disclosedText = (key: string, value: string | undefined): string =>
  value === undefined ? settingTexts.unset : (disclose(key, value) ?? '');

const values = (differences: readonly SettingDifference[], side: 'before' | 'after'): ShownValues =>
  Object.fromEntries(
    differences.map((difference) => [difference.key, disclosedText(difference.key, difference[side])]),
  );

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

/** The text that is typed for an empty value: an empty field unsets. */
const emptyText = '""';

/** Whether a setting needs a way to unset it: clearing a field that is already empty cannot do that. */
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

/** Returns the edits of a form, in which an empty hidden field changes nothing. */
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

/** Limits the names of templates: more would fill the dialog. */
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
  if (chosen === undefined) return { refused: pluginSettingTexts.gone };
  if (chosen.isTemplate === true) return { refused: pluginSettingTexts.numbered(theme.escape(key, 60)) };
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
      verb: askTexts.review,
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

export const pluginSettingActions = [replacePluginSettings] as const;
