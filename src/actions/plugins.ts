import { type ActionParts, defineAction } from './define-action.ts';
import type { Capabilities } from '../api/management-api.ts';
import type { Plugin } from '../domain/administration.ts';
import type { NodeName } from '../domain/node.ts';
import type { Effects } from '../monitor/state.ts';
import { type FollowUp, type PlannedRequest, type Read, type VerificationResult } from './action.ts';
import { actionWords, followUpTexts, invalidTexts, listNodes, skipTexts, verificationTexts } from './texts.ts';
import { type NodeReading, readEachNode, recheckStopped, verifyEachNode } from './verification.ts';
import { watchOf } from '../monitor/query/part.ts';
import { pluginSettings, plugins } from '../resources/plugins/resource.ts';

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

const common = {
  danger: 'changes',
  where: 'Plugins',
  confirmation: 'y/N; for all nodes type the name',
  auditFields: ['plugin', 'nodes', 'namesNode'],
} as const;

export const startPlugin = defineAction({
  ...common,
  id: 'start-plugin',
  label: 'start a plugin on a node or on all',
  key: 'startPlugin',
  operations: ['startPlugin'],
  create: (change: PluginChange) => setPlugin(change, true),
});

export const stopPlugin = defineAction({
  ...common,
  id: 'stop-plugin',
  label: 'stop a plugin on a node or on all',
  danger: 'destroys',
  key: 'stopPlugin',
  operations: ['stopPlugin'],
  create: (change: PluginChange) => setPlugin(change, false),
});

/** Starts or stops a plugin (§4.6): one request per node that needs it, or one for all where the request names no node. Verifies each node. */
function setPlugin(change: PluginChange, active: boolean): ActionParts<(typeof common.auditFields)[number]> {
  const { plugin } = change;
  const stopped = Object.freeze([...(change.stopped ?? [])]);
  const shown = Object.freeze(change.nodes.map((each) => Object.freeze({ ...each })));
  const names = shown.map(({ node }) => node);
  const perNode = change.capabilities.pluginPerNode;
  const where = perNode || names.length === 1 ? listNodes(names) : actionWords.allNodes(names, stopped.length > 0);
  return {
    target: { plugin, nodes: listNodes(names), namesNode: perNode },
    ...actionWords.setPlugin(plugin, active, where),
    invalid: names.length === 0 ? invalidTexts.noNode : undefined,
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
      if (pending.length === 0) return { changed: skipTexts.pluginAlready(active) };
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
                text: verificationTexts.pluginAlready(active),
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
                      text:
                        now === undefined
                          ? verificationTexts.pluginMissing
                          : verificationTexts.plugin(now.active === true),
                    },
            ),
        },
      };
    },
    prepareFollowUp: async () =>
      perNode ? (read) => readOtherNodes(read, plugin, names, active) : () => Promise.resolve(undefined),
    effects: (): Effects => ({
      refresh: names.flatMap((node) => [watchOf(plugins, node), watchOf(pluginSettings, node, plugin)]),
    }),
  };
}

/** Each node costs a request. */
const maxOtherNodes = 16;

/** Where the plugin is in the other state still. `undefined`: there are no other running nodes, or too many. */
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
  return { text: followUpTexts.otherNodes(active, differing, unread), isFinal: true };
}

export async function readPlugin(read: Read, node: NodeName, plugin: string): Promise<Plugin | undefined> {
  const plugins = await read((api, options) => api.listPlugins(node, options));
  return plugins.find(({ name }) => name === plugin);
}

function recheckPlugin(reading: NodeReading<Plugin | undefined>, shown: readonly ShownPlugin[]): string | undefined {
  if ('error' in reading) return undefined;
  if (reading.value === undefined) return skipTexts.pluginGone(reading.node);
  const before = shown.find(({ node }) => node === reading.node)?.active;
  if (reading.value.active === before) return undefined;
  return skipTexts.pluginChanged(reading.node, reading.value.active === true);
}
