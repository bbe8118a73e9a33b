import type { NodeName } from '../../domain/node.ts';
import type { PluginSetting, Setting } from '../../domain/setting.ts';
import { freeze } from './action.ts';
import type { Action, Effects, Read, ShownValues } from './action.ts';
import { changeOfStopped, findEach, listNodes, readEach } from './each-node.ts';
import { named } from './named.ts';
import { disclose } from './secret.ts';
import { mayReadAsBefore, settingTypeOf } from './setting-value.ts';

/** A hot setting on a node, as shown. */
export interface ShownSetting {
  readonly node: NodeName;
  readonly value: string | undefined;
}

export interface SettingChange {
  readonly app: string;
  readonly key: string;
  readonly value: string;
  /** The nodes that are meant, with what they had when shown. */
  readonly nodes: readonly ShownSetting[];
  /** One request that names no node and acts on all; `nodes` are then all that were shown. Otherwise `nodes` is one. */
  readonly isForAll: boolean;
  /** Nodes that do not run, where all are meant: they keep what they have. */
  readonly stopped?: readonly NodeName[] | undefined;
}

/** A value of a setting as it is typed, for a sentence or an audit. */
const shownAs = (key: string, dataType: string | undefined, value: string | undefined): string | undefined =>
  disclose(key, settingTypeOf(dataType, [value]).typed(value));

/**
 * Changes a hot setting (§4.7, Variant B). The broker says yes when one node took it, and also to values
 * that it then ignores (field notes, "Actions"), so every node is read back. It writes values its own way,
 * so they are compared by their type.
 */
export function changeSetting(change: SettingChange): Action {
  const { app, key, value, isForAll } = change;
  const stopped = Object.freeze([...(change.stopped ?? [])]);
  const shown = Object.freeze(change.nodes.map((each) => Object.freeze({ ...each })));
  const names = shown.map(({ node }) => node);
  const valueOn = async (read: Read, node: NodeName): Promise<Setting | undefined> =>
    (await read((api, options) => api.getSettings(node, options))).find((setting) => setting.key === key && setting.app === app);
  return Object.freeze<Action>({
    name: 'change-setting',
    needs: 'settings',
    target: freeze({ app, key, nodes: listNodes(names), all: isForAll }),
    title: `set ${key} to ${named(disclose(key, value) ?? '')} on ${isForAll ? `all nodes${stopped.length === 0 ? '' : ' that run'} (${listNodes(names)})` : listNodes(names)}`,
    invalid: names.length === 0 || (!isForAll && names.length > 1) ? 'It is changed on one node or on all.' : undefined,
    async recheck(read) {
      const back = await changeOfStopped(read, stopped);
      if (back !== undefined) return { changed: back };
      const readings = await readEach(names, (node) => valueOn(read, node));
      for (const reading of readings) {
        if ('error' in reading) return { changed: `${reading.node} cannot be read again (${reading.error.message}), and the request would act on it too.` };
        if (reading.value === undefined) return { changed: `Changed since listed: ${reading.node} has no setting ${key}.` };
        if (reading.value.value !== shown.find(({ node }) => node === reading.node)?.value) {
          return { changed: `Changed since listed: on ${reading.node} it is ${shownAs(key, reading.value.dataType, reading.value.value) ?? 'unknown'} now.` };
        }
      }
      const before = new Map(readings.flatMap((reading) => ('value' in reading && reading.value !== undefined ? [[reading.node, reading.value]] : [])));
      const isWanted = (setting: Setting | undefined): boolean => setting !== undefined && settingTypeOf(setting.dataType, [setting.value]).isSame(setting.value, value);
      if (!mayReadAsBefore(key) && names.every((node) => isWanted(before.get(node)))) return { changed: 'It has that value already.' };
      return {
        plan: {
          stopped,
          before: Object.fromEntries(shown.map((each) => [each.node, shownAs(key, before.get(each.node)?.dataType, each.value)])),
          after: Object.fromEntries(names.map((node) => [node, disclose(key, value)])),
          steps: [{ node: isForAll ? undefined : names[0], send: (api, options) => api.changeSetting(isForAll ? undefined : names[0], { app, key, value }, options) }],
          verify: (readAgain, answers) => findEach(names, async (node) => ({ node, now: await valueOn(readAgain, node) }), ({ node, now }) => {
            const is = named(shownAs(key, now?.dataType, now?.value) ?? 'unknown');
            if (!mayReadAsBefore(key) || now?.value !== before.get(node)?.value) return isWanted(now) ? { state: 'as-wanted' } : { state: 'not-as-wanted', text: `It is ${is}.` };
            if (answers.some(({ kind }) => kind !== 'accepted')) return { state: 'unreadable' };
            // As wanted, for there is nothing to wait for: another reading says the same.
            return { state: 'as-wanted', outcome: 'accepted', text: `It cannot be read back: this broker goes on saying ${is}.` };
          }),
        },
      };
    },
    effects: (): Effects => ({ refresh: [{ kind: 'settings' }, ...names.map((node) => ({ kind: 'nodeSettings', node }) as const)] }),
  });
}

/** One setting that an edit changes. Raw values, also of passwords: for the form that edits them. */
export interface SettingDifference {
  readonly key: string;
  readonly before: string;
  readonly after: string;
}

/** What edits change of a plugin's settings, in the order of the settings. */
export function differenceOfSettings(settings: readonly PluginSetting[], edits: Readonly<Record<string, string>>): readonly SettingDifference[] {
  return settings.flatMap(({ key, value }) => {
    const after = Object.hasOwn(edits, key) ? edits[key] : undefined;
    return after === undefined || after === value ? [] : [{ key, before: value, after }];
  });
}

export interface PluginSettingsChange {
  readonly node: NodeName;
  readonly plugin: string;
  /** All settings of the plugin, as shown. */
  readonly shown: readonly PluginSetting[];
  /** New values by key; keys that are not named keep theirs. */
  readonly edits: Readonly<Record<string, string>>;
}

/**
 * Changes a plugin's settings (§4.7, Variant B). The request replaces the whole set and empties what it
 * leaves out, so it always carries all keys: the edits over what is read at that moment. A plugin that
 * runs is restarted by it.
 */
export function replacePluginSettings(change: PluginSettingsChange): Action {
  const { node, plugin } = change;
  const shown = Object.freeze(change.shown.map((each) => Object.freeze({ ...each })));
  const edits = Object.freeze({ ...change.edits });
  const differences = differenceOfSettings(shown, edits);
  const keys = differences.map(({ key }) => key);
  const readAll = (read: Read): Promise<readonly PluginSetting[]> => read((api, options) => api.getPluginSettings(node, plugin, options));
  return Object.freeze<Action>({
    name: 'replace-plugin-settings',
    needs: 'settings',
    target: freeze({ plugin, node }),
    title: `change ${keys.join(', ')} of plugin ${plugin} on ${node}`,
    invalid: problemOfEdits(shown, edits, differences),
    async recheck(read) {
      const now = await readAll(read);
      const changed = changeOfSettings(now, shown, keys);
      if (changed !== undefined) return { changed };
      const whole = Object.fromEntries(now.map(({ key, value }) => [key, differences.find((each) => each.key === key)?.after ?? value]));
      return {
        plan: {
          before: values(differences, 'before'),
          after: values(differences, 'after'),
          steps: [{ node, send: (api, options) => api.replacePluginSettings(node, plugin, whole, options) }],
          async verify(readAgain) {
            const wrong = (await readAll(readAgain)).filter(({ key, value }) => Object.hasOwn(whole, key) && whole[key] !== value);
            if (wrong.length === 0) return [{ node, state: 'as-wanted' }];
            return [{ node, state: 'not-as-wanted', text: wrong.map(({ key, value }) => `${key} is ${disclose(key, value) ?? ''}.`).join(' ') }];
          },
        },
      };
    },
    effects: (): Effects => ({ refresh: [{ kind: 'pluginSettings', node, plugin }, { kind: 'nodePlugins', node }] }),
  });
}

function problemOfEdits(shown: readonly PluginSetting[], edits: Readonly<Record<string, string>>, differences: readonly SettingDifference[]): string | undefined {
  const foreign = Object.keys(edits).find((key) => shown.every((setting) => setting.key !== key));
  if (foreign !== undefined) return `The plugin has no setting ${foreign}.`;
  if (differences.length === 0) return 'Nothing would change.';
  const missing = differences.find(({ key, after }) => after === '' && shown.some((setting) => setting.key === key && setting.required));
  return missing === undefined ? undefined : `${missing.key} must not be empty.`;
}

function changeOfSettings(now: readonly PluginSetting[], shown: readonly PluginSetting[], edited: readonly string[]): string | undefined {
  const valueNow = new Map(now.map(({ key, value }) => [key, value]));
  const missing = shown.find(({ key }) => !valueNow.has(key));
  if (missing !== undefined) return `Changed since listed: there is no setting ${missing.key} any more.`;
  const changed = shown.find(({ key, value }) => edited.includes(key) && valueNow.get(key) !== value);
  return changed === undefined ? undefined : `Changed since listed: ${changed.key} is ${disclose(changed.key, valueNow.get(changed.key)) ?? ''} now.`;
}

const values = (differences: readonly SettingDifference[], side: 'before' | 'after'): ShownValues =>
  Object.fromEntries(differences.map((difference) => [difference.key, disclose(difference.key, difference[side])]));
