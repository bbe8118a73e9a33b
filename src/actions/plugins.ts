import type { Capabilities } from '../api/management-api.ts';
import type { Plugin } from '../domain/administration.ts';
import type { NodeName } from '../domain/node.ts';
import type { Effects } from '../monitor/state.ts';
import type { PlannedRequest, Read, VerificationResult } from './action.ts';
import { type ActionParts, defineAction } from './definition.ts';
import { listNodes, quoteIfNeeded } from './describe.ts';
import { type NodeReading, readEachNode, recheckStopped, verifyEachNode } from './node-readings.ts';

/** A plugin on a node, as shown. */
export interface ShownPlugin {
  readonly node: NodeName;
  readonly active: boolean | undefined;
}

export interface PluginChange {
  readonly plugin: string;
  /** The targeted nodes as shown; all of them where the request names no node. */
  readonly nodes: readonly ShownPlugin[];
  /** Stopped nodes, when all nodes are targeted: they stay unchanged. */
  readonly stopped?: readonly NodeName[] | undefined;
  readonly capabilities: Pick<Capabilities, 'pluginPerNode'>;
}

/** Not `stopped`, which is said of nodes. */
const wordOf = (active: boolean): string => (active ? 'active' : 'inactive');

const common = {
  danger: 'changes',
  targetKind: 'plugin',
  where: 'Plugins',
  confirmation: 'y/N; its name typed for all nodes',
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
  const where = perNode || names.length === 1 ? listNodes(names) : `all nodes${stopped.length === 0 ? '' : ' that run'} (${listNodes(names)})`;
  return {
    target: { plugin, nodes: listNodes(names), namesNode: perNode },
    title: `${active ? 'start' : 'stop'} plugin ${quoteIfNeeded(plugin)} on ${where}`,
    invalid: names.length === 0 ? 'No node was named.' : undefined,
    async recheck(read) {
      const back = await recheckStopped(read, stopped);
      if (back !== undefined) return { changed: back };
      const readings = await readEachNode(names, (node) => readPlugin(read, node, plugin));
      const changed = readings.map((reading) => recheckPlugin(reading, shown, plugin)).find((text) => text !== undefined);
      if (changed !== undefined) return { changed };
      const unread = readings.filter((reading) => 'error' in reading);
      if (!perNode && unread.length > 0) return { changed: `The request would act on all nodes, and ${listNodes(unread.map(({ node }) => node))} cannot be read again.` };
      const due = readings.filter((reading) => 'value' in reading && reading.value?.active !== active).map(({ node }) => node);
      if (due.length === 0) return { changed: `It is ${wordOf(active)} there already.` };
      const send = (node: NodeName | undefined): PlannedRequest => ({
        node,
        send: (api, options) => (active ? api.startPlugin(node, plugin, options) : api.stopPlugin(node, plugin, options)),
      });
      return {
        plan: {
          requests: perNode ? due.map(send) : [send(undefined)],
          omitted: unread.map((reading): VerificationResult => ({ node: reading.node, state: 'unreadable', text: 'It could not be read again, so nothing was sent to it.', error: 'error' in reading ? reading.error : undefined })),
          stopped,
          already: !perNode ? undefined : {
            nodes: readings.filter((reading) => 'value' in reading && reading.value?.active === active).map(({ node }) => node),
            text: `It was ${wordOf(active)} already.`,
          },
          before: Object.fromEntries(readings.map((reading) => [reading.node, 'value' in reading ? reading.value?.active : undefined])),
          after: Object.fromEntries((perNode ? due : names).map((node) => [node, active])),
          verify: (readAgain) => verifyEachNode(perNode ? due : names, (node) => readPlugin(readAgain, node, plugin), (now) =>
            (now?.active === active ? { state: 'as-wanted' } : { state: 'not-as-wanted', text: now === undefined ? 'The plugin is not listed.' : `The plugin is ${wordOf(now.active === true)}.` })),
        },
      };
    },
    effects: (): Effects => ({
      refresh: names.flatMap((node) => [{ kind: 'nodePlugins', node } as const, { kind: 'pluginSettings', node, plugin } as const]),
    }),
  };
}

/** Reads a plugin; `undefined` if the node does not list it. */
export async function readPlugin(read: Read, node: NodeName, plugin: string): Promise<Plugin | undefined> {
  const plugins = await read((api, options) => api.listPlugins(node, options));
  return plugins.find(({ name }) => name === plugin);
}

function recheckPlugin(reading: NodeReading<Plugin | undefined>, shown: readonly ShownPlugin[], plugin: string): string | undefined {
  if ('error' in reading) return undefined;
  if (reading.value === undefined) return `Changed since listed: ${reading.node} has no plugin ${plugin}.`;
  const before = shown.find(({ node }) => node === reading.node)?.active;
  if (reading.value.active === before) return undefined;
  return `Changed since listed: on ${reading.node} the plugin is ${wordOf(reading.value.active === true)} now.`;
}
