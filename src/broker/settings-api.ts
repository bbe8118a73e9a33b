import { BrokerError, NotFoundError } from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import type { NodeName } from '../domain/node.ts';
import type { BrokerCluster } from './cluster.ts';
import { prepareHotSetting, readHotSettings, settingsApp } from './hot-settings.ts';
import type { BrokerNode } from './node.ts';

/** The part of the port that is about hot settings (§4.7). */
export type SettingsApi = Pick<ManagementApi, 'listSettings' | 'getSettings' | 'changeSetting'>;

/** A node to act on. @throws BrokerError 102 for one that does not exist, 101 for one that does not run. */
export function requireActing(cluster: BrokerCluster, name: NodeName): BrokerNode {
  const node = cluster.node(name);
  if (node === undefined) throw new BrokerError(102, `There is no node ${name}.`);
  if (!node.isRunning) throw new BrokerError(101, `The node ${name} does not run.`);
  return node;
}

/** Hot settings of the cluster, and which of them were changed since it was made. */
export interface HotSettingsOfCluster {
  readonly api: SettingsApi;
  /** Values that were changed, by key. */
  changedOn(node: NodeName): Readonly<Record<string, string>>;
  /** Changes settings of one node, running or not. Answers with what could not be, one sentence each. */
  restore(node: BrokerNode, values: Readonly<Record<string, string>>): readonly string[];
}

/** `changed` is called after each change of an operator. */
export function createHotSettings(cluster: BrokerCluster, changed: () => void): HotSettingsOfCluster {
  const changes = new Map<NodeName, Map<string, string>>();
  const note = (node: BrokerNode, key: string, value: string): void => {
    const known = changes.get(node.name);
    if (known === undefined) changes.set(node.name, new Map([[key, value]]));
    else known.set(key, value);
  };
  const running = (): readonly BrokerNode[] => cluster.nodes.filter((node) => node.isRunning);

  return {
    api: {
      async listSettings() {
        return new Map(running().map((node) => [node.name, readHotSettings(node)]));
      },
      async getSettings(name) {
        const node = cluster.node(name);
        if (node?.isRunning !== true) throw new NotFoundError();
        return readHotSettings(node);
      },
      async changeSetting(name, { app, key, value }) {
        const apply = prepareHotSetting(app, key, value);
        const nodes = name === undefined ? running() : [requireActing(cluster, name)];
        for (const node of nodes) {
          apply(node);
          note(node, key, value);
        }
        changed();
      },
    },
    changedOn: (node) => Object.fromEntries(changes.get(node) ?? []),
    restore: (node, values) => Object.entries(values).flatMap(([key, value]) => {
      try {
        prepareHotSetting(settingsApp, key, value)(node);
        note(node, key, value);
        return [];
      } catch (error) {
        if (!(error instanceof BrokerError)) throw error;
        return [`${node.name}: ${error.brokerMessage ?? error.message}`];
      }
    }),
  };
}
