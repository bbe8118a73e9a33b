import type { ApiError } from '../api/errors.ts';
import { isUnset, type PluginSetting, type Setting } from '../domain/administration.ts';
import type { NodeName } from '../domain/node.ts';
import { pluralize } from '../domain/text.ts';
import type { Effects } from '../monitor/state.ts';
import type { Read, ShownValues, VerificationResult } from './action.ts';
import { defineAction } from './definition.ts';
import { listNodes, quoteIfNeeded } from './describe.ts';
import { readEachNode, recheckStopped, verifyEachNode } from './node-readings.ts';
import { readPlugin } from './plugins.ts';
import { disclose } from './secret.ts';

export interface ShownSetting {
  readonly node: NodeName;
  readonly value: string | undefined;
}

export interface SettingChange {
  readonly app: string;
  readonly key: string;
  readonly value: string;
  /** The targeted nodes with the values shown. */
  readonly nodes: readonly ShownSetting[];
  /** One request that names no node and acts on all of `nodes`. Otherwise `nodes` has one. */
  readonly isForAll: boolean;
  /** Stopped nodes, when all are targeted: they keep their value. */
  readonly stopped?: readonly NodeName[] | undefined;
}

/** A value as it is typed, for a sentence or the audit. */
const shownAs = (key: string, dataType: string | undefined, value: string | undefined): string | undefined =>
  disclose(key, settingTypeOf(dataType, [value]).typed(value));

/**
 * Changes a hot setting (§4.7). The broker says yes even if only one node took it or the value is ignored
 * (field notes, "Actions"), so every node is read and compared by the value's type.
 */
export const changeSetting = defineAction({
  id: 'change-setting',
  label: 'change a hot setting on a node or on all',
  danger: 'changes',
  capability: 'settings',
  targetKind: 'setting',
  where: 'Settings',
  key: 'editSetting',
  operations: ['changeSetting'],
  confirmation: 'form, before → after, y/N; the key typed for all nodes',
  auditFields: ['app', 'key', 'nodes', 'all'],
  create(change: SettingChange) {
    const { app, key, value, isForAll } = change;
    const stopped = Object.freeze([...(change.stopped ?? [])]);
    const shown = Object.freeze(change.nodes.map((each) => Object.freeze({ ...each })));
    const names = shown.map(({ node }) => node);
    const valueOn = async (read: Read, node: NodeName): Promise<Setting | undefined> =>
      (await read((api, options) => api.getSettings(node, options))).find((setting) => setting.key === key && setting.app === app);
    return {
      target: { app, key, nodes: listNodes(names), all: isForAll },
      title: `set ${key} to ${quoteIfNeeded(disclose(key, value) ?? '')} on ${isForAll ? `all nodes${stopped.length === 0 ? '' : ' that run'} (${listNodes(names)})` : listNodes(names)}`,
      invalid: names.length === 0 || (!isForAll && names.length > 1) ? 'It is changed on one node or on all.' : undefined,
      async recheck(read) {
        const back = await recheckStopped(read, stopped);
        if (back !== undefined) return { changed: back };
        const readings = await readEachNode(names, (node) => valueOn(read, node));
        for (const reading of readings) {
          if ('error' in reading) return { changed: `${reading.node} cannot be read again (${reading.error.message}), and the request would act on it too.` };
          if (reading.value === undefined) return { changed: `Changed since listed: ${reading.node} has no setting ${key}.` };
          if (reading.value.value !== shown.find(({ node }) => node === reading.node)?.value) {
            return { changed: `Changed since listed: on ${reading.node} it is ${shownAs(key, reading.value.dataType, reading.value.value) ?? 'unknown'} now.` };
          }
        }
        const before = new Map(readings.flatMap((reading) => ('value' in reading && reading.value !== undefined ? [[reading.node, reading.value]] : [])));
        const isWanted = (setting: Setting | undefined): boolean => setting !== undefined && settingTypeOf(setting.dataType, [setting.value]).isSame(setting.value, value);
        if (!mayReadBackUnchanged(key) && names.every((node) => isWanted(before.get(node)))) return { changed: 'It has that value already.' };
        return {
          plan: {
            stopped,
            before: Object.fromEntries(shown.map((each) => [each.node, shownAs(key, before.get(each.node)?.dataType, each.value)])),
            after: Object.fromEntries(names.map((node) => [node, disclose(key, value)])),
            requests: [{ node: isForAll ? undefined : names[0], send: (api, options) => api.changeSetting(isForAll ? undefined : names[0], { app, key, value }, options) }],
            verify: (readAgain, answers) => verifyEachNode(names, async (node) => ({ node, now: await valueOn(readAgain, node) }), ({ node, now }) => {
              const is = quoteIfNeeded(shownAs(key, now?.dataType, now?.value) ?? 'unknown');
              if (!mayReadBackUnchanged(key) || now?.value !== before.get(node)?.value) return isWanted(now) ? { state: 'as-wanted' } : { state: 'not-as-wanted', text: `It is ${is}.` };
              if (answers.some(({ kind }) => kind !== 'accepted')) return { state: 'unreadable' };
              // Waiting longer would not help: it keeps reading as before.
              return { state: 'as-wanted', outcome: 'accepted', text: `It cannot be read back: this broker goes on saying ${is}.` };
            }),
          },
        };
      },
      effects: (): Effects => ({ refresh: [{ kind: 'settings' }, ...names.map((node) => ({ kind: 'nodeSettings', node }) as const)] }),
    };
  },
});

/** New values by key; `undefined` unsets. Other keys stay unchanged. */
export type SettingEdits = Readonly<Record<string, string | undefined>>;

/** A changed setting; `undefined`: not set. Raw values, which may be passwords. */
export interface SettingDifference {
  readonly key: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const valueOf = (setting: PluginSetting): string | undefined => (isUnset(setting) ? undefined : setting.value);

/** The settings that the edits change. */
export function differenceOfSettings(settings: readonly PluginSetting[], edits: SettingEdits): readonly SettingDifference[] {
  return settings.flatMap((setting) => {
    const { key } = setting;
    const before = valueOf(setting);
    return !Object.hasOwn(edits, key) || edits[key] === before ? [] : [{ key, before, after: edits[key] }];
  });
}

export interface PluginSettingsChange {
  readonly node: NodeName;
  readonly plugin: string;
  /** All settings of the plugin, as shown. */
  readonly shown: readonly PluginSetting[];
  readonly edits: SettingEdits;
}

/**
 * Changes a plugin's settings (§4.7). The request replaces the whole set, so it has every key that is set.
 * Unset keys are left out: a plugin may not start with an empty text instead. A running plugin restarts, which is
 * verified.
 */
export const replacePluginSettings = defineAction({
  id: 'replace-plugin-settings',
  label: 'change the settings of a plugin on a node',
  danger: 'changes',
  capability: 'settings',
  targetKind: 'plugin',
  where: 'Plugins, `Enter`',
  key: 'editPluginSettings',
  operations: ['replacePluginSettings'],
  confirmation: 'form over the whole set, before → after, y/N',
  auditFields: ['plugin', 'node'],
  create(change: PluginSettingsChange) {
    const { node, plugin } = change;
    const shown = Object.freeze(change.shown.map((each) => Object.freeze({ ...each })));
    const edits = Object.freeze({ ...change.edits });
    const differences = differenceOfSettings(shown, edits);
    const keys = differences.map(({ key }) => key);
    const readAll = (read: Read): Promise<readonly PluginSetting[]> => read((api, options) => api.getPluginSettings(node, plugin, options));
    return {
      target: { plugin, node },
      title: `change ${keys.join(', ')} of plugin ${plugin} on ${node}`,
      invalid: problemOfEdits(shown, edits, differences),
      async recheck(read) {
        let unusable = 0;
        const now = await read((api, options) => api.getPluginSettings(node, plugin, { ...options, onUnusable: ({ count }) => { unusable += count; } }));
        // The request would empty them.
        if (unusable > 0) return { changed: `${pluralize(unusable, 'setting')} of the plugin could not be understood, and would be emptied.` };
        const changed = recheckSettings(now, shown, keys);
        if (changed !== undefined) return { changed };
        const wasActive = (await readPlugin(read, node, plugin))?.active;
        const wanted = new Map(now.map((setting) => {
          const difference = differences.find(({ key }) => key === setting.key);
          return [setting.key, difference === undefined ? valueOf(setting) : difference.after];
        }));
        const whole = Object.fromEntries([...wanted].flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
        return {
          plan: {
            before: values(differences, 'before'),
            after: values(differences, 'after'),
            requests: [{ node, send: (api, options) => api.replacePluginSettings(node, plugin, whole, options) }],
            // Some brokers stop the plugin and then refuse.
            verifyDespiteRefusal: () => true,
            async verify(readAgain, answers) {
              const wrong = (await readAll(readAgain)).filter(({ key, value }) => wanted.has(key) && (wanted.get(key) ?? '') !== value);
              const active = (await readPlugin(readAgain, node, plugin))?.active;
              const refusal = answers.find(({ kind }) => kind === 'refused')?.error;
              return [{ node, ...verificationOf(wrong, { before: wasActive, now: active }, refusal) }];
            },
          },
        };
      },
      effects: (): Effects => ({ refresh: [{ kind: 'pluginSettings', node, plugin }, { kind: 'nodePlugins', node }] }),
    };
  },
});

/** `wrong`: settings that are not as wanted. */
function verificationOf(wrong: readonly PluginSetting[], active: { readonly before: boolean | undefined; readonly now: boolean | undefined }, refusal: ApiError | undefined): Omit<VerificationResult, 'node'> {
  const isDown = active.before === true && active.now !== true;
  const settings = wrong.map((setting) => `${setting.key} is ${shownValue(setting.key, valueOf(setting))}.`).join(' ');
  const sentences = [settings === '' && (isDown || refusal !== undefined) ? 'The settings are saved.' : settings, activityOf(active)];
  const text = sentences.filter((part) => part !== '').join(' ');
  if (isDown) return { state: active.now === undefined ? 'unreadable' : 'not-as-wanted', text };
  // Refused and unchanged: waiting would not help.
  if (refusal !== undefined) return { state: 'as-wanted', outcome: 'not-done', text };
  return { state: wrong.length === 0 ? 'as-wanted' : 'not-as-wanted', text };
}

function activityOf({ before, now }: { readonly before: boolean | undefined; readonly now: boolean | undefined }): string {
  if (now === undefined) return 'Whether the plugin is active is not known.';
  if (now) return 'The plugin is active.';
  if (before === false) return 'The plugin is inactive, as before.';
  return before === undefined ? 'The plugin is inactive.' : 'The plugin did not come back: it is inactive. Start it in Plugins; if it does not start, its node has to be restarted.';
}

function problemOfEdits(shown: readonly PluginSetting[], edits: SettingEdits, differences: readonly SettingDifference[]): string | undefined {
  const foreign = Object.keys(edits).find((key) => shown.every((setting) => setting.key !== key));
  if (foreign !== undefined) return `The plugin has no setting ${foreign}.`;
  if (differences.length === 0) return 'Nothing would change.';
  const missing = differences.find(({ key, after }) => after === '' && shown.some((setting) => setting.key === key && setting.required));
  return missing === undefined ? undefined : `${missing.key} must not be empty.`;
}

function recheckSettings(now: readonly PluginSetting[], shown: readonly PluginSetting[], edited: readonly string[]): string | undefined {
  const settingNow = new Map(now.map((setting) => [setting.key, setting]));
  for (const setting of shown) {
    const found = settingNow.get(setting.key);
    if (found === undefined) return `Changed since listed: there is no setting ${setting.key} any more.`;
    if (edited.includes(setting.key) && valueOf(found) !== valueOf(setting)) return `Changed since listed: ${setting.key} is ${shownValue(setting.key, valueOf(found))} now.`;
  }
  return undefined;
}

/** A value for a sentence or the audit. */
const shownValue = (key: string, value: string | undefined): string => (value === undefined ? '(unset)' : (disclose(key, value) ?? ''));

const values = (differences: readonly SettingDifference[], side: 'before' | 'after'): ShownValues =>
  Object.fromEntries(differences.map((difference) => [difference.key, shownValue(difference.key, difference[side])]));

/** How values of a type are typed, and how the broker writes them (field notes, "Actions"). */
interface ValueType {
  /** Completes "It takes …". */
  readonly takes: string;
  readonly pattern: RegExp;
  /** All allowed values, if there are few. */
  readonly choices?: readonly string[];
  /** The same number for every spelling of a value; `undefined` if it is not of this type. */
  readonly amountOf?: (value: string) => number | undefined;
  /** Converts a value that was read to how it is typed. */
  readonly typedOf?: (value: string) => string;
}

type Units = readonly (readonly [unit: string, size: number])[];

/** Largest first. */
const durations: Units = [['w', 604_800_000], ['d', 86_400_000], ['h', 3_600_000], ['m', 60_000], ['s', 1_000], ['ms', 1]];
const sizes: Units = [['GB', 1_073_741_824], ['MB', 1_048_576], ['KB', 1_024], ['', 1]];

const wholePattern = /^(?:0|[1-9]\d*)$/u;
const decimalPattern = /^-?\d+(?:\.\d+)?$/u;

/** The sum of `1h30m`; a number without a unit counts in the smallest, as the broker writes it. */
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

/** In the largest unit that leaves no fraction. */
function typedIn(units: Units, value: string, zero: string): string {
  if (!wholePattern.test(value) || !Number.isSafeInteger(Number(value))) return value;
  if (value === '0') return zero;
  const [unit, size] = units.find((each) => Number(value) % each[1] === 0) ?? ['', 1];
  return `${Number(value) / size}${unit}`;
}

/** The broker rounds to four decimals. */
const inTenThousandths = (value: string): number | undefined => (decimalPattern.test(value) ? Math.round(Number(value) * 10_000) : undefined);

const flagWords: ReadonlyMap<string, boolean> = new Map([['on', true], ['true', true], ['off', false], ['false', false]]);

/** By the broker's word (§2.12), including words of real brokers. */
const types: Readonly<Record<string, ValueType>> = {
  integer: { takes: 'a whole number', pattern: wholePattern },
  duration: {
    takes: 'a duration with its unit (ms, s, m, h, d or w), such as 30s',
    pattern: /^(?:\d+(?:\.\d+)?(?:ms|[smhdw]))+$/u,
    amountOf: (value) => amountIn(durations, value),
    typedOf: (value) => typedIn(durations, value, '0s'),
  },
  bytesize: {
    takes: 'a size in bytes, or with KB, MB or GB, such as 64KB',
    pattern: /^\d+(?:[KMG]B|[kmg]b)?$/u,
    amountOf: (value) => amountIn(sizes, value),
    typedOf: (value) => typedIn(sizes, value, '0'),
  },
  percent: {
    takes: 'a percentage, such as 60%',
    pattern: /^(?:100(?:\.0+)?|\d{1,2}(?:\.\d+)?)%$/u,
    amountOf: (value) => {
      const amount = inTenThousandths(value.replace(/%$/u, ''));
      return amount === undefined || !value.endsWith('%') ? amount : Math.round(amount / 100);
    },
    typedOf: (value) => (/^[01](?:\.\d+)?$/u.test(value) ? `${Number((Number(value) * 100).toFixed(6))}%` : value),
  },
  float: {
    takes: 'a number, such as 0.75',
    pattern: decimalPattern,
    amountOf: inTenThousandths,
    typedOf: (value) => value.replace(/(\.\d+?)0+$/u, '$1'),
  },
  flag: {
    takes: 'on or off',
    pattern: /^(?:on|off)$/u,
    choices: ['on', 'off'],
    amountOf: (value) => (flagWords.has(value) ? Number(flagWords.get(value)) : undefined),
    typedOf: (value) => (flagWords.has(value) ? (flagWords.get(value) === true ? 'on' : 'off') : value),
  },
  enum: { takes: 'one of a few words; the broker does not say which, and may refuse others', pattern: /^/u },
  atom: { takes: 'a word', pattern: /^/u },
  string: { takes: 'a text', pattern: /^/u },
};

export interface SettingType {
  /** Completes "It takes …"; `undefined` where nothing is known. Raw. */
  readonly takes: string | undefined;
  /** All allowed values, if there are few. */
  readonly choices: readonly string[] | undefined;
  /** Why the broker cannot take a value, as a sentence. */
  problemOf(value: string): string | undefined;
  /** Converts a value that was read to how it is typed. */
  typed<T extends string | undefined>(value: T): T | string;
  /** Whether two values are equal, however they are written. */
  isSame(a: string | undefined, b: string | undefined): boolean;
}

const booleans = ['true', 'false'];

/**
 * The type of a setting.
 * @param dataType the broker's word, or several: `integer, duration`
 * @param present the value on each node
 */
export function settingTypeOf(dataType: string | undefined, present: readonly (string | undefined)[]): SettingType {
  const words = dataType?.split(',').map((word) => word.trim()) ?? [];
  const known = words.flatMap((word) => (Object.hasOwn(types, word) ? types[word] ?? [] : []));
  const [first] = known;
  const isBoolean = first?.choices === undefined && present.length > 0 && present.every((value) => value !== undefined && booleans.includes(value));
  const choices = isBoolean ? booleans : known.length === 1 ? first?.choices : undefined;
  const takes = isBoolean ? 'true or false' : (known.map((type) => type.takes).join(', or ') || dataType);
  // The specification has no word for fractions: they are texts.
  const isDecimal = present.some((value) => value !== undefined && value.includes('.') && decimalPattern.test(value));
  const amounts = [...known.flatMap(({ amountOf }) => amountOf ?? []), ...(isDecimal ? [inTenThousandths] : [])];
  return {
    takes,
    choices,
    problemOf: (value) => (known.length < words.length || known.length === 0 || known.some(({ pattern }) => pattern.test(value)) ? undefined : `It takes ${takes}.`),
    typed: (value) => (value === undefined || known.length !== 1 ? value : (first?.typedOf?.(value) ?? value)),
    isSame: (a, b) => a === b || (a !== undefined && b !== undefined && amounts.some((amountOf) => {
      const amount = amountOf(a);
      return amount !== undefined && amount === amountOf(b);
    })),
  };
}

/** Settings that take effect but keep reading as before (field notes, "Actions"). */
const keysNotReadBack: ReadonlySet<string> = new Set(['log.console.level']);

export const mayReadBackUnchanged = (key: string): boolean => keysNotReadBack.has(key);

const newSessionKeys = /^mqtt\.(?:session|mqueue)\./u;
const newConnectionKeys = /^mqtt\.(?:client\.|conn\.|keepalive_backoff$|max_(?:clientid_len|packet_size)$)/u;

/** Which clients a changed setting applies to, as a sentence; `undefined` where unknown. The app `broker` is the embedded broker. */
export function settingAppliesTo(app: string, key: string): string | undefined {
  if (app === 'broker') return 'It holds at once, also for connected clients.';
  if (newSessionKeys.test(key)) return 'It holds for sessions that begin from now on; the others keep the old value.';
  if (newConnectionKeys.test(key)) return 'It holds for clients that connect from now on; connected ones may keep the old value.';
  return undefined;
}
