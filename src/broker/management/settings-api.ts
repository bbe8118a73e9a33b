import { BrokerError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import { prepareHotSetting, readHotSettings, settingsApp } from './hot-settings.ts';
import { keep } from '../data/keep.ts';
import type { BrokerNode } from '../node.ts';
import { requireActing, requireRunning, runningNodes } from './running-nodes.ts';

/** The part of the port that is about hot settings (§4.7). */
export type SettingsApi = Pick<ManagementApi, 'listSettings' | 'getSettings' | 'changeSetting'>;

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
  const note = (node: BrokerNode, key: string, value: string | undefined): void => {
    const known = changes.get(node.name) ?? new Map<string, string>();
    changes.set(node.name, known);
    if (value === undefined) known.delete(key);
    else known.set(key, value);
  };

  return {
    api: {
      async listSettings() {
        return new Map(runningNodes(cluster).map((node) => [node.name, readHotSettings(node)]));
      },
      async getSettings(name) {
        return readHotSettings(requireRunning(cluster, name));
      },
      async changeSetting(name, { app, key, value }) {
        const apply = prepareHotSetting(app, key, value);
        const nodes = name === undefined ? runningNodes(cluster) : [requireActing(cluster, name)];
        // Kept before it acts: queues that a smaller bound has cut could not be made whole again.
        await keep(cluster.recorder, () => {
          const before = nodes.map((node) => changes.get(node.name)?.get(key));
          for (const node of nodes) note(node, key, value);
          changed();
          return () => {
            for (const [index, node] of nodes.entries()) {
              if (changes.get(node.name)?.get(key) === value) note(node, key, before[index]);
            }
            changed();
          };
        });
        for (const node of nodes) apply(node);
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
