import type { BrokerNode } from '../node.ts';
import { PluginError, type PluginDefinition, type PluginSettingDefinition, type PluginValues, type RunningPlugin } from './plugin.ts';

const countKey = 'retainer.max_message_num';
const sizeKey = 'retainer.max_payload_size';
const retainerSettings: readonly PluginSettingDefinition[] = [
  { key: countKey, initial: '1000000', description: 'Most retained messages of the cluster; 0 is no bound', required: true },
  { key: sizeKey, initial: '64KB', description: 'Largest payload that is retained; 0 is no bound', required: true },
];

const factors: Readonly<Record<string, number>> = { '': 1, KB: 1024, MB: 1024 ** 2 };

/** A number with or without a unit. @throws PluginError */
function readBound(values: PluginValues, key: string, units: readonly string[]): number {
  const [, digits, unit = ''] = /^(\d{1,12})([A-Z]*)$/u.exec(values.get(key)) ?? [];
  const factor = units.includes(unit) ? factors[unit] : undefined;
  if (digits === undefined || factor === undefined) throw new PluginError(`${key} must be a number${units.length > 1 ? ', of bytes or with KB or MB' : ''}.`);
  return Number(digits) * factor || Infinity;
}

/** The one that a node goes by: it begins before the one whose settings it replaces is stopped. */
const current = new WeakMap<BrokerNode, RunningPlugin>();

/** Stores retained messages and sends them to new subscribers. Without it the node does neither; what others stored stays. */
export const retainer: PluginDefinition = {
  name: 'retainer',
  description: 'Retained messages',
  isActiveAtStart: true,
  settings: retainerSettings,
  start: ({ node, cluster }, values) => {
    const maxCount = readBound(values, countKey, ['']);
    const maxBytes = readBound(values, sizeKey, ['', 'KB', 'MB']);
    node.settings.retainAvailable = true;
    const self: RunningPlugin = {
      retain: ({ topic, payload }) => {
        // An empty payload takes one away.
        if (payload.length === 0) return true;
        if (payload.length > maxBytes) return false;
        return cluster.countShared('retained') < maxCount || cluster.retained(topic).length > 0;
      },
      stop: () => {
        if (current.get(node) === self) node.settings.retainAvailable = false;
      },
    };
    current.set(node, self);
    return self;
  },
};
