import type { FollowUp, PlannedRequest, Read, Undoing, VerificationResult } from '../../actions/action.ts';
import { askTexts, stoppedLines } from '../../actions/asking.ts';
import { type ActionParts, type Ask, defineAction } from '../../actions/define-action.ts';
import type { DialogOrRefusal } from '../../actions/requests.ts';
import { listNodes, skipTexts, undoTexts, verificationTexts, allNodesText } from '../../actions/texts.ts';
import { defineUndo } from '../../actions/undo.ts';
import {
  changedNodes,
  type NodeReading,
  readEachNode,
  recheckStopped,
  runningBesides,
  verifyEachNode,
} from '../../actions/verification.ts';
import type { Capabilities } from '../../api/management-api.ts';
import type { Plugin, PluginDuty } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import { watchOf } from '../../monitor/query/part.ts';
import type { Effects } from '../../monitor/state.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { plugins, pluginSettings } from './resource.ts';
import type { PluginRow } from './select.ts';
import { activityText, pluginSentences, pluginTexts, pluginWords } from './texts.ts';

export interface ShownPlugin {
  readonly node: NodeName;
  readonly active: boolean | undefined;
}

export interface PluginChange {
  readonly plugin: string;
  readonly nodes: readonly ShownPlugin[];
  readonly stopped?: readonly NodeName[] | undefined;
  readonly capabilities: Pick<Capabilities, 'pluginPerNode'>;
}

/** The rows and facts that the actions of the screen Plugins act on. */
export interface ShownPlugins {
  readonly row: PluginRow | undefined;
  /** The node; `undefined` for all nodes that list the plugin. */
  readonly node: NodeName | undefined;
  readonly unread: readonly NodeName[];
  readonly stopped: readonly NodeName[];
  /** `undefined` while they are not known. */
  readonly capabilities: PluginChange['capabilities'] | undefined;
}

const undoSetPlugin = defineUndo(
  (kept) => ({
    plugin: kept.text('plugin'),
    active: kept.flag('active'),
    /** The nodes that were changed; `others` counts the rest. */
    nodes: kept.texts('nodes'),
    others: kept.number('others'),
    namesNode: kept.flag('namesNode'),
  }),
  async ({ plugin, active, nodes, others, namesNode }, read): Promise<Undoing> => {
    // One request for all nodes would also act on those.
    if (!namesNode && others > 0) return { refused: undoTexts.notAll(nodes) };
    const more = namesNode ? [] : await runningBesides(read, nodes);
    if (more.length > 0) return { refused: undoTexts.moreNodes(more) };
    if ((await read(async (api) => api.capabilities?.pluginPerNode)) !== namesNode)
      return { refused: undoTexts.otherApi };
    return {
      action: (active ? stopPlugin : startPlugin).create({
        plugin,
        nodes: nodes.map((node) => ({ node, active })),
        capabilities: { pluginPerNode: namesNode },
      }),
    };
  },
);

const common = {
  danger: 'changes',
  where: 'Plugins',
  confirmation: 'y/N; for all nodes type the name',
  auditFields: ['plugin', 'nodes', 'namesNode'],
  undo: undoSetPlugin.plan,
} as const;

export const startPlugin = defineAction({
  ...common,
  id: 'start-plugin',
  label: 'start a plugin on a node or on all',
  key: {
    id: 'startPlugin',
    keys: ['S'],
    label: 'start',
    help: 'Start the plugin on the chosen node or all nodes; asks first',
    words: 'restart',
    scope: 'plugins',
  },
  ask: (theme, shown: ShownPlugins) => askToSet(theme, shown, true),
  operations: ['startPlugin'],
  create: (change: PluginChange) => setPlugin(change, true),
});

export const stopPlugin = defineAction({
  ...common,
  id: 'stop-plugin',
  label: 'stop a plugin on a node or on all',
  danger: 'destroys',
  key: {
    id: 'stopPlugin',
    keys: ['K'],
    label: 'stop',
    help: 'Stop the plugin on the chosen node or all nodes; asks first',
    scope: 'plugins',
  },
  ask: (theme, shown: ShownPlugins) => askToSet(theme, shown, false),
  operations: ['stopPlugin'],
  create: (change: PluginChange) => setPlugin(change, false),
});

/**
 * Starts or stops a plugin: one request per node that needs it, or one for all where the request names no node.
 * Verifies each node.
 */
function setPlugin(change: PluginChange, active: boolean): ActionParts<(typeof common.auditFields)[number]> {
  const { plugin } = change;
  const stopped = Object.freeze([...(change.stopped ?? [])]);
  const shown = Object.freeze(change.nodes.map((each) => Object.freeze({ ...each })));
  const names = shown.map(({ node }) => node);
  const perNode = change.capabilities.pluginPerNode;
  const where = perNode || names.length === 1 ? listNodes(names) : allNodesText(names, stopped.length > 0);
  return {
    target: { plugin, nodes: listNodes(names), namesNode: perNode },
    ...pluginWords.set(plugin, active, where),
    invalid: names.length === 0 ? pluginSentences.noNode : undefined,
    async recheck(read) {
      const runningAgain = await recheckStopped(read, stopped);
      if (runningAgain !== undefined) return { changed: runningAgain };
      const readings = await readEachNode(names, (node) => readPlugin(read, node, plugin));
      const changed = readings.map((reading) => recheckPlugin(reading, shown)).find((text) => text !== undefined);
      if (changed !== undefined) return { changed };
      const unread = readings.filter((reading) => 'error' in reading);
      if (!perNode && unread.length > 0) return { changed: skipTexts.nodesUnread(unread.map(({ node }) => node)) };
      const pending = readings
        .filter((reading) => 'value' in reading && reading.value?.active !== active)
        .map(({ node }) => node);
      if (pending.length === 0) return { changed: pluginSentences.already(active) };
      const send = (node: NodeName | undefined): PlannedRequest => ({
        node,
        send: (api, options) =>
          active ? api.startPlugin(node, plugin, options) : api.stopPlugin(node, plugin, options),
      });
      return {
        plan: {
          requests: perNode ? pending.map(send) : [send(undefined)],
          omitted: unread.map((reading): VerificationResult => ({
            node: reading.node,
            state: 'unreadable',
            text: verificationTexts.nodeUnread,
            error: 'error' in reading ? reading.error : undefined,
          })),
          stopped,
          already: !perNode
            ? undefined
            : {
                nodes: readings
                  .filter((reading) => 'value' in reading && reading.value?.active === active)
                  .map(({ node }) => node),
                text: pluginSentences.wasAlready(active),
              },
          before: Object.fromEntries(
            readings.map((reading) => [reading.node, 'value' in reading ? reading.value?.active : undefined]),
          ),
          after: Object.fromEntries((perNode ? pending : names).map((node) => [node, active])),
          verify: (readAgain) =>
            verifyEachNode(
              perNode ? pending : names,
              (node) => readPlugin(readAgain, node, plugin),
              (now) =>
                now?.active === active
                  ? { state: 'as-wanted' }
                  : {
                      state: 'not-as-wanted',
                      text: now === undefined ? pluginSentences.missing : pluginSentences.isNow(now.active === true),
                    },
            ),
        },
      };
    },
    changed: (result) => {
      const nodes = changedNodes(result).filter((node) => shown.find((each) => each.node === node)?.active !== active);
      return undoSetPlugin.changed({
        plugin,
        active,
        nodes,
        namesNode: perNode,
        others: names.length - nodes.length,
      });
    },
    prepareFollowUp: async () =>
      perNode ? (read) => readOtherNodes(read, plugin, names, active) : () => Promise.resolve(undefined),
    effects: (): Effects => ({
      refresh: names.flatMap((node) => [watchOf(plugins, node), watchOf(pluginSettings, node, plugin)]),
    }),
  };
}

/** Limits the nodes that are read: each costs a request. */
const maxOtherNodes = 16;

/**
 * Returns where the plugin is in the other state still; `undefined` if there are no other running nodes, or too many.
 */
async function readOtherNodes(
  read: Read,
  plugin: string,
  names: readonly NodeName[],
  active: boolean,
): Promise<FollowUp | undefined> {
  const stats = await read((api, options) => api.listNodeStats(options));
  const others = stats
    .filter(({ name, status }) => status === 'running' && !names.includes(name))
    .map(({ name }) => name);
  if (others.length === 0 || others.length > maxOtherNodes) return undefined;
  const readings = await readEachNode(others, (node) => readPlugin(read, node, plugin));
  const unread = readings.filter((reading) => 'error' in reading).map(({ node }) => node);
  const differing = readings
    .filter((reading) => 'value' in reading && reading.value !== undefined && reading.value.active === !active)
    .map(({ node }) => node);
  return { text: pluginSentences.otherNodes(active, differing, unread), isFinal: true };
}

export async function readPlugin(read: Read, node: NodeName, plugin: string): Promise<Plugin | undefined> {
  const plugins = await read((api, options) => api.listPlugins(node, options));
  return plugins.find(({ name }) => name === plugin);
}

function recheckPlugin(reading: NodeReading<Plugin | undefined>, shown: readonly ShownPlugin[]): string | undefined {
  if ('error' in reading) return undefined;
  if (reading.value === undefined) return pluginSentences.gone(reading.node);
  const before = shown.find(({ node }) => node === reading.node)?.active;
  if (reading.value.active === before) return undefined;
  return pluginSentences.changed(reading.node, reading.value.active === true);
}

export interface PluginRequestOptions {
  readonly row: PluginRow;
  readonly active: boolean;
  /** The node; `undefined` for all nodes that list the plugin. */
  readonly node: NodeName | undefined;
  readonly unread: readonly NodeName[];
  readonly stopped: readonly NodeName[];
  readonly capabilities: PluginChange['capabilities'];
}

const stopWarnings: Readonly<Record<PluginDuty, (isForAll: boolean) => SafeText>> = {
  access: pluginTexts.stopsChecks,
  management: pluginTexts.stopsManagement,
  retaining: pluginTexts.stopsRetaining,
  'web-hook': pluginTexts.stopsWebHook,
};

/** Says what stopping a plugin does that its name does not say at once. @param isForAll on all nodes */
export function stopWarning({ byNode }: PluginRow, isForAll: boolean): SafeText {
  const duty = [...byNode.values()].find((plugin) => plugin.duty !== undefined)?.duty;
  return duty === undefined ? pluginTexts.stopsNow(isForAll) : stopWarnings[duty](isForAll);
}

/** Asks to start or stop a plugin; on all nodes where the request names no node. */
export const pluginRequest = (
  theme: Theme,
  { row, active, node, unread, stopped, capabilities }: PluginRequestOptions,
): DialogOrRefusal => {
  const { name, description } = row;
  const isForAll = node === undefined || !capabilities.pluginPerNode;
  const shown = [...row.byNode]
    .filter(([each]) => isForAll || each === node)
    .map(([each, plugin]) => ({ node: each, active: plugin.active }));
  if (node !== undefined && !isForAll && stopped.includes(node)) {
    return { refused: askTexts.stoppedNode(theme.escape(node, 40)) };
  }
  if (shown.length === 0) {
    return { refused: pluginTexts.notListed(isForAll ? undefined : theme.escape(node, 40)) };
  }
  if (shown.every((each) => each.active === active)) {
    return {
      refused: pluginTexts.isAlready(
        theme.escape(name, 60),
        activityText(active),
        isForAll ? undefined : theme.escape(node, 40),
      ),
    };
  }
  return {
    request: {
      kind: 'confirm',
      question: pluginTexts.question(active, isForAll ? undefined : theme.escape(node)),
      target: name,
      details: [
        ...shown.map((each) =>
          each.active === active
            ? pluginTexts.already(theme.escape(each.node), activityText(active))
            : pluginTexts.change(theme.escape(each.node), activityText(each.active), activityText(active)),
        ),
        ...(isForAll ? stoppedLines(theme, stopped) : []),
        ...(capabilities.pluginPerNode ? [] : [pluginTexts.allNodes]),
        ...(isForAll && unread.length > 0 ? [askTexts.unread(unread.length)] : []),
        ...(description === undefined || description === '' ? [] : [pluginTexts.does(theme.escape(description, 200))]),
      ],
      warning: active ? undefined : stopWarning(row, isForAll),
      verb: pluginTexts.verb(active),
      // Nodes that are not read may change, too.
      button:
        isForAll && unread.length === 0
          ? askTexts.onNodes(pluginTexts.verb(active), shown.filter((each) => each.active !== active).length)
          : undefined,
      action: (active ? startPlugin : stopPlugin).create({
        plugin: name,
        nodes: shown,
        stopped: isForAll ? stopped : [],
        capabilities,
      }),
      mustType: isForAll ? name : undefined,
    },
  };
};

const askToSet = (theme: Theme, { row, capabilities, ...shown }: ShownPlugins, active: boolean): Ask | undefined =>
  row === undefined || capabilities === undefined
    ? undefined
    : () => pluginRequest(theme, { ...shown, row, active, capabilities });

export const pluginActions = [startPlugin, stopPlugin] as const;
