import { disclose, isSecretSetting } from '../../actions/secret.ts';
import { changeSetting, mayReadAsBefore, settingTypeOf, whomItHoldsFor } from '../../actions/settings.ts';
import { isUnset, type PluginSetting } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import type { SettingRow } from '../../monitor/select/administration.ts';
import { unknownText } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { Asked, FormField } from './ask.ts';
import { stoppedLines } from './plugin-requests.ts';

export interface SettingWish {
  readonly row: SettingRow;
  /** Where, unless the operator chooses otherwise; `undefined` is all nodes. */
  readonly node: NodeName | undefined;
  /** Nodes that run and whose settings could not be read. */
  readonly unread: readonly NodeName[];
  /** Nodes that do not run. */
  readonly stopped: readonly NodeName[];
}

/** Stands for all nodes among the choices; no node's name has a space. */
const allNodes = 'all nodes';

/** Changes a hot setting on one node or on all (§4.7): a form, then the difference. */
export const askForSetting = (theme: Theme, { row, node, unread, stopped }: SettingWish): Asked => {
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
  const whom = whomItHoldsFor(app, key);
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
        ...(mayReadAsBefore(key) ? [safe`What is shown may not be what is in force: some brokers do not read this setting back.`] : []),
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
        if (!mayReadAsBefore(key) && meant.every((each) => type.isSame(each.value, wanted))) return { error: safe`It has that value already.`, field: 'value' };
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
            action: changeSetting({ app, key, value: wanted, nodes: meant, isForAll, stopped: isForAll ? stopped : [] }),
            mustType: isForAll ? key : undefined,
          },
        };
      },
    },
  };
};

/** A setting's value as a dialog or list shows it: hidden where the key says that it may be a password. */
export const shownValue = (theme: Theme, key: string, value: string | undefined, width?: number): SafeText => {
  const disclosed = disclose(key, value);
  return disclosed === undefined ? unknownText : theme.escape(disclosed, width);
};

/** Before and after; of two hidden values only that they differ. */
export const changeText = (theme: Theme, key: string, before: string | undefined, after: string): SafeText =>
  safe`${shownValue(theme, key, before)} → ${shownValue(theme, key, after)}`;

/** The value of a plugin's setting: what is not set, and what is set to an empty text, in words. */
export const shownPluginValue = (theme: Theme, { key, value, required }: Pick<PluginSetting, 'key' | 'value' | 'required'>, width?: number): SafeText => {
  if (isUnset({ value, required })) return safe`(unset)`;
  return value === '' ? safe`(empty)` : shownValue(theme, key, value, width);
};
