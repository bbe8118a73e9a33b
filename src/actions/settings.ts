import { readPlugin } from '../resources/plugins/actions.ts';
import { pluginSentences } from '../resources/plugins/texts.ts';
import { defineAction } from './define-action.ts';
import type { ApiError } from '../api/errors.ts';
import { isUnset, type PluginSetting, type Setting, type SettingMeaning } from '../domain/administration.ts';
import type { NodeName } from '../domain/node.ts';
import type { Effects } from '../monitor/state.ts';
import { type Read, type ShownValues, type VerificationResult } from './action.ts';
import { disclose } from '../domain/secret-keys.ts';
import { actionWords, invalidTexts, listNodes, settingTexts, skipTexts, verificationTexts } from './texts.ts';
import { readEachNode, recheckStopped, verifyEachNode } from './verification.ts';
import { watchOf } from '../monitor/query/part.ts';
import { pluginSettings, plugins } from '../resources/plugins/resource.ts';
import { nodeSettings, settings } from '../resources/settings/resource.ts';

export interface ShownSetting {
  readonly node: NodeName;
  readonly value: string | undefined;
}

export interface SettingChange {
  readonly app: string;
  readonly key: string;
  readonly value: string;
  readonly nodes: readonly ShownSetting[];
  readonly meaning?: SettingMeaning | undefined;
  /** One request that names no node and acts on all of `nodes`. Otherwise `nodes` has one. */
  readonly isForAll: boolean;
  readonly stopped?: readonly NodeName[] | undefined;
}

const shownAs = (key: string, dataType: string | undefined, value: string | undefined): string | undefined =>
  disclose(key, settingTypeOf(dataType, [value]).typed(value));

/** A hidden value looks the same before and after. */
const changeText = (
  counts: SettingMeaning['counts'],
  before: string | undefined,
  after: string | undefined,
): string | undefined => (before === after ? undefined : verificationTexts.settingWas(before, counts));

/** Changes a hot setting (§4.7). A success answer may be wrong (field notes, "Actions"), so every node is read. */
export const changeSetting = defineAction({
  id: 'change-setting',
  label: 'change a hot setting on a node or on all',
  danger: 'changes',
  capability: 'settings',
  where: 'Settings',
  key: 'editSetting',
  operations: ['changeSetting'],
  confirmation: 'form, before → after, y/N; for all nodes type the key',
  auditFields: ['app', 'key', 'nodes', 'all'],
  create(change: SettingChange) {
    const { app, key, value, isForAll } = change;
    const counts = change.meaning?.counts;
    const stopped = Object.freeze([...(change.stopped ?? [])]);
    const shown = Object.freeze(change.nodes.map((each) => Object.freeze({ ...each })));
    const names = shown.map(({ node }) => node);
    const valueOn = async (read: Read, node: NodeName): Promise<Setting | undefined> =>
      (await read((api, options) => api.getSettings(node, options))).find(
        (setting) => setting.key === key && setting.app === app,
      );
    return {
      target: { app, key, nodes: listNodes(names), all: isForAll },
      ...actionWords.changeSetting(
        key,
        disclose(key, value) ?? '',
        isForAll ? actionWords.allNodes(names, stopped.length > 0) : listNodes(names),
        counts,
      ),
      invalid: names.length === 0 || (!isForAll && names.length > 1) ? invalidTexts.oneNodeOrAll : undefined,
      async recheck(read) {
        const runningAgain = await recheckStopped(read, stopped);
        if (runningAgain !== undefined) return { changed: runningAgain };
        const readings = await readEachNode(names, (node) => valueOn(read, node));
        for (const reading of readings) {
          if ('error' in reading) return { changed: skipTexts.nodesUnread([reading.node], reading.error.message) };
          if (reading.value === undefined) return { changed: skipTexts.settingGone(reading.node) };
          if (reading.value.value !== shown.find(({ node }) => node === reading.node)?.value) {
            return {
              changed: skipTexts.settingChanged(
                reading.node,
                shownAs(key, reading.value.dataType, reading.value.value),
                counts,
              ),
            };
          }
        }
        const before = new Map(
          readings.flatMap((reading) =>
            'value' in reading && reading.value !== undefined ? [[reading.node, reading.value]] : [],
          ),
        );
        const isWanted = (setting: Setting | undefined): boolean =>
          setting !== undefined && settingTypeOf(setting.dataType, [setting.value]).isSame(setting.value, value);
        if (
          ![...before.values()].some((each) => each.mayReadBackUnchanged === true) &&
          names.every((node) => isWanted(before.get(node)))
        )
          return { changed: skipTexts.settingAlready };
        return {
          plan: {
            stopped,
            before: Object.fromEntries(
              shown.map((each) => [each.node, shownAs(key, before.get(each.node)?.dataType, each.value)]),
            ),
            after: Object.fromEntries(names.map((node) => [node, disclose(key, value)])),
            requests: [
              {
                node: isForAll ? undefined : names[0],
                send: (api, options) =>
                  api.changeSetting(isForAll ? undefined : names[0], { app, key, value }, options),
              },
            ],
            verify: (readAgain, answers) =>
              verifyEachNode(
                names,
                async (node) => ({ node, now: await valueOn(readAgain, node) }),
                ({ node, now }) => {
                  const shownNow = shownAs(key, now?.dataType, now?.value);
                  if (now?.mayReadBackUnchanged !== true || now.value !== before.get(node)?.value)
                    return isWanted(now)
                      ? {
                          state: 'as-wanted',
                          text: changeText(
                            counts,
                            shownAs(key, before.get(node)?.dataType, before.get(node)?.value),
                            shownNow,
                          ),
                        }
                      : { state: 'not-as-wanted', text: verificationTexts.settingValue(shownNow, counts) };
                  if (answers.some(({ kind }) => kind !== 'accepted')) return { state: 'unreadable' };
                  // Waiting longer would not help: it keeps reading as before.
                  return {
                    state: 'as-wanted',
                    outcome: 'accepted',
                    text: verificationTexts.settingNotReadBack(shownNow, counts),
                  };
                },
              ),
          },
        };
      },
      effects: (): Effects => ({
        refresh: [settings, ...names.map((node) => watchOf(nodeSettings, node))],
      }),
    };
  },
});

/** `undefined` unsets; other keys stay unchanged. */
export type SettingEdits = Readonly<Record<string, string | undefined>>;

/** `undefined`: not set. Raw values, which may be passwords. */
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

/** Changes a plugin's settings (§4.7). The request replaces the whole set; unset keys are left out. */
export const replacePluginSettings = defineAction({
  id: 'replace-plugin-settings',
  label: 'change the settings of a plugin on a node',
  danger: 'changes',
  capability: 'settings',
  where: 'Plugins, `Enter`',
  key: 'editPluginSettings',
  operations: ['replacePluginSettings'],
  confirmation: 'form with all settings, before → after, y/N; type the name if unlisted settings may be lost',
  auditFields: ['plugin', 'node'],
  create(change: PluginSettingsChange) {
    const { node, plugin } = change;
    const shown = Object.freeze(change.shown.map((each) => Object.freeze({ ...each })));
    const edits = Object.freeze({ ...change.edits });
    const differences = differenceOfSettings(shown, edits);
    const keys = differences.map(({ key }) => key);
    const hasTemplates = shown.some(({ isTemplate }) => isTemplate === true);
    const readAll = (read: Read): Promise<readonly PluginSetting[]> =>
      read((api, options) => api.getPluginSettings(node, plugin, options));
    return {
      target: { plugin, node },
      ...actionWords.replacePluginSettings(keys, plugin, node),
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
        if (unusable > 0) return { changed: skipTexts.unusableSettings(unusable) };
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
                  text: [found.text, ...(hasTemplates ? [verificationTexts.templatesUnread] : [])].join(' '),
                },
              ];
            },
          },
        };
      },
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
    .map((setting) => verificationTexts.setting(setting.key, shownValue(setting.key, valueOf(setting))))
    .join(' ');
  const changes = differences
    .map(({ key, before, after }) =>
      verificationTexts.pluginSettingChanged(key, shownValue(key, before), shownValue(key, after)),
    )
    .join(' ');
  const saved = isDown || refusal !== undefined ? verificationTexts.settingsSaved : changes;
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
  if (now === undefined) return verificationTexts.pluginUnknown;
  if (now) return pluginSentences.isNow(true);
  if (before === false) return verificationTexts.pluginStillInactive;
  return before === undefined ? pluginSentences.isNow(false) : verificationTexts.pluginDown;
}

function problemOfEdits(
  shown: readonly PluginSetting[],
  edits: SettingEdits,
  differences: readonly SettingDifference[],
): string | undefined {
  const unknown = Object.keys(edits).find((key) => shown.every((setting) => setting.key !== key));
  if (unknown !== undefined) return invalidTexts.noSuchSetting(unknown);
  if (differences.length === 0) return invalidTexts.noChange;
  const template = differences.find(({ key }) =>
    shown.some((setting) => setting.key === key && setting.isTemplate === true),
  );
  if (template !== undefined) return invalidTexts.templateSetting(template.key);
  const missing = differences.find(
    ({ key, after }) => after === '' && shown.some((setting) => setting.key === key && setting.required),
  );
  return missing === undefined ? undefined : invalidTexts.requiredSetting(missing.key);
}

function recheckSettings(
  now: readonly PluginSetting[],
  shown: readonly PluginSetting[],
  edited: readonly string[],
): string | undefined {
  const settingNow = new Map(now.map((setting) => [setting.key, setting]));
  for (const setting of shown) {
    const found = settingNow.get(setting.key);
    if (found === undefined) return skipTexts.pluginSettingGone(setting.key);
    if (edited.includes(setting.key) && valueOf(found) !== valueOf(setting))
      return skipTexts.pluginSettingChanged(setting.key, shownValue(setting.key, valueOf(found)));
  }
  return undefined;
}

const shownValue = (key: string, value: string | undefined): string =>
  value === undefined ? settingTexts.unset : (disclose(key, value) ?? '');

const values = (differences: readonly SettingDifference[], side: 'before' | 'after'): ShownValues =>
  Object.fromEntries(differences.map((difference) => [difference.key, shownValue(difference.key, difference[side])]));

interface ValueType {
  readonly takes: string;
  readonly pattern: RegExp;
  readonly choices?: readonly string[];
  readonly amountOf?: (value: string) => number | undefined;
  readonly typedOf?: (value: string) => string;
}

type Units = readonly (readonly [unit: string, size: number])[];

const durations: Units = [
  ['w', 604_800_000],
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];
const sizes: Units = [
  ['GB', 1_073_741_824],
  ['MB', 1_048_576],
  ['KB', 1_024],
  ['', 1],
];

const wholePattern = /^(?:0|[1-9]\d*)$/u;
const decimalPattern = /^-?\d+(?:\.\d+)?$/u;

function amountIn(units: Units, value: string): number | undefined {
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)([a-z]*)/giu)];
  // Not one pattern for the whole value: it would take exponential time on a long row of digits.
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== value) return undefined;
  const amounts = parts.map(([, amount, unit = '']) => {
    const size = unit === '' ? 1 : units.find(([name]) => name.toLowerCase() === unit.toLowerCase())?.[1];
    return size === undefined ? undefined : Number(amount) * size;
  });
  return amounts.reduce((sum, amount) => (sum === undefined || amount === undefined ? undefined : sum + amount), 0);
}

function typedIn(units: Units, value: string, zero: string): string {
  if (!wholePattern.test(value) || !Number.isSafeInteger(Number(value))) return value;
  if (value === '0') return zero;
  const [unit, size] = units.find((each) => Number(value) % each[1] === 0) ?? ['', 1];
  return `${Number(value) / size}${unit}`;
}

/** The broker rounds to four decimals. */
const inTenThousandths = (value: string): number | undefined =>
  decimalPattern.test(value) ? Math.round(Number(value) * 10_000) : undefined;

const flagWords: ReadonlyMap<string, boolean> = new Map([
  ['on', true],
  ['true', true],
  ['off', false],
  ['false', false],
]);

const types: Readonly<Record<string, ValueType>> = {
  integer: { takes: settingTexts.integer, pattern: wholePattern },
  duration: {
    takes: settingTexts.duration,
    pattern: /^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/u,
    amountOf: (value) => amountIn(durations, value),
    typedOf: (value) => typedIn(durations, value, '0s'),
  },
  bytesize: {
    takes: settingTexts.bytesize,
    pattern: /^\d+(?:[KMG]B|[kmg]b)?$/u,
    amountOf: (value) => amountIn(sizes, value),
    typedOf: (value) => typedIn(sizes, value, '0'),
  },
  percent: {
    takes: settingTexts.percent,
    pattern: /^(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)%$/u,
    amountOf: (value) => {
      const amount = inTenThousandths(value.replace(/%$/u, ''));
      return amount === undefined || !value.endsWith('%') ? amount : Math.round(amount / 100);
    },
    typedOf: (value) => (/^[01](?:\.\d+)?$/u.test(value) ? `${Number((Number(value) * 100).toFixed(6))}%` : value),
  },
  float: {
    takes: settingTexts.float,
    pattern: decimalPattern,
    amountOf: inTenThousandths,
    typedOf: (value) => value.replace(/(\.\d+?)0+$/u, '$1'),
  },
  flag: {
    takes: settingTexts.flag,
    pattern: /^(?:on|off)$/u,
    choices: ['on', 'off'],
    amountOf: (value) => (flagWords.has(value) ? Number(flagWords.get(value)) : undefined),
    typedOf: (value) => (flagWords.has(value) ? (flagWords.get(value) === true ? 'on' : 'off') : value),
  },
  enum: { takes: settingTexts.enum, pattern: /^/u },
  atom: { takes: settingTexts.atom, pattern: /^/u },
  string: { takes: settingTexts.string, pattern: /^/u },
};

export interface SettingType {
  /** Such as `a whole number`; `undefined` where nothing is known. Raw. */
  readonly takes: string | undefined;
  readonly choices: readonly string[] | undefined;
  problemOf(value: string): string | undefined;
  typed<T extends string | undefined>(value: T): T | string;
  isSame(a: string | undefined, b: string | undefined): boolean;
}

const booleans = ['true', 'false'];

/** @param dataType the broker's word, or several: `integer, duration` */
export function settingTypeOf(dataType: string | undefined, present: readonly (string | undefined)[]): SettingType {
  const words = dataType?.split(',').map((word) => word.trim()) ?? [];
  const known = words.flatMap((word) => (Object.hasOwn(types, word) ? (types[word] ?? []) : []));
  const [first] = known;
  const isBoolean =
    first?.choices === undefined &&
    present.length > 0 &&
    present.every((value) => value !== undefined && booleans.includes(value));
  const choices = isBoolean ? booleans : known.length === 1 ? first?.choices : undefined;
  // The specification has no word for fractions: they are texts.
  const isDecimal = present.some((value) => value !== undefined && value.includes('.') && decimalPattern.test(value));
  // Any text may be a text: there is nothing to say.
  const takes = isBoolean
    ? settingTexts.boolean
    : dataType === 'string'
      ? undefined
      : known.map((type) => type.takes).join(settingTexts.or) || dataType;
  const amounts = [...known.flatMap(({ amountOf }) => amountOf ?? []), ...(isDecimal ? [inTenThousandths] : [])];
  return {
    takes,
    choices,
    problemOf: (value) =>
      known.length < words.length || known.length === 0 || known.some(({ pattern }) => pattern.test(value))
        ? undefined
        : invalidTexts.wrongType(takes),
    typed: (value) => (value === undefined || known.length !== 1 ? value : (first?.typedOf?.(value) ?? value)),
    isSame: (a, b) =>
      a === b ||
      (a !== undefined &&
        b !== undefined &&
        amounts.some((amountOf) => {
          const amount = amountOf(a);
          return amount !== undefined && amount === amountOf(b);
        })),
  };
}
