import { type PluginChange, setPlugin } from '../../actions/plugins.ts';
import type { NodeName } from '../../domain/node.ts';
import type { PluginRow } from '../../monitor/select/administration.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { activityText } from '../screens/plugins/columns.ts';
import type { Asked } from './ask.ts';

export interface PluginWish {
  readonly row: PluginRow;
  /** Started or stopped. */
  readonly active: boolean;
  /** Where; `undefined` is all nodes that list it. */
  readonly node: NodeName | undefined;
  /** Nodes that run and whose plugins could not be read. */
  readonly unread: readonly NodeName[];
  /** Nodes that do not run. */
  readonly stopped: readonly NodeName[];
  readonly capabilities: PluginChange['capabilities'];
}

/** Starts or stops a plugin (§4.6): on one node, or on all; where the request names no node, always on all. */
export const askForPlugin = (theme: Theme, { row, active, node, unread, stopped, capabilities }: PluginWish): Asked => {
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
      action: setPlugin({ plugin: name, active, nodes: shown, stopped: isForAll ? stopped : [], capabilities }),
      mustType: isForAll ? name : undefined,
    },
  };
};

/** Nodes that are left as they are, because they do not run. */
export const stoppedLines = (theme: Theme, stopped: readonly NodeName[]): readonly SafeText[] =>
  stopped.map((each) => safe`${theme.escape(each)}: not changed: stopped`);
