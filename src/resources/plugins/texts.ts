import { askTexts } from '../../actions/asking.ts';
import { listNodes, quoteIfNeeded, words } from '../../actions/texts.ts';
import { formatCount } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';

export const pluginWords = {
  set: (plugin: string, isActive: boolean, where: string) =>
    words(
      isActive ? 'start' : 'stop',
      isActive ? 'Started' : 'Stopped',
      `plugin ${quoteIfNeeded(plugin)}`,
      ` on ${where}`,
    ),
};

const activity = (isActive: boolean): string => (isActive ? 'active' : 'inactive');

/** Sentences about why a plugin is not started or stopped, and what became of it. */
export const pluginSentences = {
  gone: (node: string): string => `it is no longer listed on ${node}.`,
  changed: (node: string, isActive: boolean): string => `it is now ${activity(isActive)} on ${node}.`,
  already: (isActive: boolean): string => `it is already ${activity(isActive)}.`,
  noNode: 'Choose a node.',
  missing: 'The plugin is not listed.',
  isNow: (isActive: boolean): string => `The plugin is ${activity(isActive)}.`,
  wasAlready: (isActive: boolean): string => `It was already ${activity(isActive)}.`,
  otherNodes: (isActive: boolean, differing: readonly string[], unread: readonly string[]): string =>
    [
      ...(differing.length > 0
        ? [`Unchanged on ${listNodes(differing)} (${isActive ? 'inactive' : 'active'}).`]
        : unread.length > 0
          ? []
          : [`Now ${isActive ? 'active' : 'inactive'} on all running nodes.`]),
      ...(unread.length > 0 ? [`${listNodes(unread)} could not be read.`] : []),
    ].join(' '),
};

export const activityText = (active: boolean | undefined): SafeText =>
  active === undefined ? pluginTexts.unknown : active ? pluginTexts.active : pluginTexts.inactive;

export const pluginTexts = {
  verb: (isActive: boolean) => (isActive ? safe`start` : safe`stop`),
  question: (isActive: boolean, node: SafeText | undefined) =>
    safe`${isActive ? safe`Start` : safe`Stop`} this plugin ${askTexts.on(node)}?`,
  already: (node: SafeText, activity: SafeText) => safe`${node}: already ${activity}`,
  change: (node: SafeText, before: SafeText, after: SafeText) => safe`${node}: ${before} → ${after}`,
  does: (description: SafeText) => safe`Description: ${description}`,
  stopsNow: (isForAll: boolean) =>
    safe`Its features stop working immediately${isForAll ? safe`` : safe` on this node`}.`,
  stopsManagement: () => safe`It may serve the API that brokertop uses. If so, you cannot start it again from here.`,
  stopsChecks: (isForAll: boolean) =>
    safe`It checks logins or permissions. Without it, ${isForAll ? safe`the broker` : safe`this node`} may accept every client or reject every client.`,
  stopsRetaining: (isForAll: boolean) =>
    safe`Messages are no longer retained${isForAll ? safe`` : safe` on this node`}, and new subscribers${isForAll ? safe`` : safe` there`} get no retained messages.`,
  stopsWebHook: (isForAll: boolean) =>
    safe`Events${isForAll ? safe`` : safe` of this node`} are no longer sent to the web hook.`,
  allNodes: safe`This broker's API starts and stops plugins on all nodes.`,
  settingsTitle: (plugin: SafeText, node: SafeText) => safe`Settings of plugin ${plugin} on ${node}`,
  settingsQuestion: (count: number, node: SafeText) =>
    safe`Change ${count === 1 ? safe`1 setting` : safe`${count} settings`} of this plugin on ${node}?`,
  setting: (key: SafeText, before: SafeText, after: SafeText) => safe`${key}: ${before} → ${after}`,
  wholeSet: safe`All settings are sent, except unset ones.`,
  /** @param keys the first of them, such as `access.$id` */
  losesNumbered: (keys: readonly SafeText[], more: number) =>
    safe`The plugin may have numbered settings (${joinSafe(keys, safe`, `)}${more === 0 ? safe`` : safe` and ${formatCount(more)} more`}). This API does not list them, and this change may delete them.`,
  numbered: safe`(not listed by this API)`,
  restarts: safe`The plugin is active and will restart with the new settings.`,
  mayRestart: safe`If the plugin is active, it will restart with the new settings.`,
  requiredUnset: (keys: readonly SafeText[]) =>
    safe`Required: ${joinSafe(keys, safe`, `)}. The plugin may not start without ${keys.length === 1 ? safe`it` : safe`them`}.`,
  differ: (key: SafeText) => safe`The values do not match: ${key}`,
  setAndUnset: (key: SafeText) => safe`Both changed and unset: ${key}`,
  unsetLabel: safe`Unset`,
  unsetHelp: (key: SafeText) => safe`yes removes it from the settings. ${key}`,
  keepHelp: (about: SafeText) => safe`Leave empty to keep the value. ${about}`,
  repeatLabel: safe`Repeat`,
  repeatHelp: (key: SafeText) => safe`Repeat the new value. ${key}`,
  nowEmpty: (value: SafeText) => safe`Now ${value}.`,
  clearToUnset: safe`Clear the field to unset it.`,
  emptyHelp: (state: SafeText, about: SafeText) => safe`${state} "" sets an empty value. ${about}`,
  about: (key: SafeText, description: SafeText | undefined, isRequired: boolean) =>
    safe`${key}${description === undefined ? safe`` : safe`: ${description}`}${isRequired ? safe` (required)` : safe``}`,
  unset: safe`(unset)`,
  empty: safe`(empty)`,
  notListed: (node: SafeText | undefined) => safe`The plugin is not listed on ${node ?? safe`any node`}`,
  isAlready: (plugin: SafeText, activity: SafeText, node: SafeText | undefined) =>
    safe`${plugin} is already ${activity} ${askTexts.on(node)}`,
  active: safe`active`,
  inactive: safe`inactive`,
  unknown: safe`unknown`,
};

export const pluginsTexts = {
  empty: safe`No plugins on any node.`,
  nodes: safe`Nodes`,
  ifStopped: safe`If stopped`,
  settings: safe`Settings`,
  settingsOf: (node: SafeText) => safe`on ${node} (Enter)`,
  activeOn: (active: number, nodes: number) => safe`${active}/${nodes}`,
  allNodes: safe`always all nodes`,
  stopped: (node: SafeText) => safe`Settings not shown: ${node} is not running.`,
  notListed: (node: SafeText | undefined) =>
    node === undefined
      ? safe`Settings not shown: no node lists this plugin.`
      : safe`Settings not shown: ${node} does not list this plugin.`,
};

/** The text of the help for a broker that has no nodes for them. */
export const pluginLacks = {
  perNode: (api: SafeText) =>
    [safe`Plugins on one node`, safe`${api} starts and stops plugins on all nodes at once`] as const,
} as const;
