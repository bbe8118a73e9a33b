import { BrokerError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { Setting } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import { logLevels } from '../engine/settings.ts';
import type { BrokerSettings } from '../engine/settings.ts';
import type { BrokerNode } from '../node.ts';
import { requireActing } from './shared.ts';
import { requireRunning } from './shared.ts';
import { runningNodes } from './shared.ts';
import { persistChange } from './shared.ts';

/** The configuration application that all hot settings belong to (§2.12). */
export const settingsApp = 'broker';

/** One hot setting: how it is shown, what it takes, and what it changes. */
interface HotSetting {
  readonly key: string;
  /** One of the words of §2.12. There is none for a number with a fraction: such a one is a `string`. */
  readonly dataType: 'enum' | 'string' | 'integer';
  /** What it takes, to end the sentence "… must be …". */
  readonly expected: string;
  read(settings: Readonly<BrokerSettings>): string;
  /** How to write the value; `undefined` when it is not one of those that it takes. */
  parse(value: string): ((settings: BrokerSettings) => void) | undefined;
}

type KeysOf<T> = { [K in keyof BrokerSettings]: BrokerSettings[K] extends T ? K : never }[keyof BrokerSettings];

function integer(key: string, name: KeysOf<number>, least: number, most: number): HotSetting {
  return {
    key,
    dataType: 'integer',
    expected: `an integer from ${least} to ${most}`,
    read: (settings) => String(settings[name]),
    parse: (value) => {
      const number = /^(?:0|[1-9]\d{0,14})$/u.test(value) ? Number(value) : Number.NaN;
      return number >= least && number <= most ? (settings) => { settings[name] = number; } : undefined;
    },
  };
}

function decimal(key: string, name: KeysOf<number>, least: number, most: number): HotSetting {
  return {
    key,
    dataType: 'string',
    expected: `a decimal number from ${least} to ${most}`,
    read: (settings) => String(settings[name]),
    parse: (value) => {
      const number = /^\d{1,9}(?:\.\d{1,9})?$/u.test(value) ? Number(value) : Number.NaN;
      return number >= least && number <= most ? (settings) => { settings[name] = number; } : undefined;
    },
  };
}

function choice<T extends string>(
  key: string,
  values: readonly T[],
  read: (settings: Readonly<BrokerSettings>) => T,
  write: (settings: BrokerSettings, value: T) => void,
): HotSetting {
  return {
    key,
    dataType: 'enum',
    expected: `one of ${values.join(', ')}`,
    read,
    parse: (value) => {
      const chosen = values.find((one) => one === value);
      return chosen === undefined ? undefined : (settings) => write(settings, chosen);
    },
  };
}

function flag(key: string, name: KeysOf<boolean> & ('allowAnonymous' | 'aclCache' | 'storeQos0')): HotSetting {
  return choice(key, ['true', 'false'], (settings) => (settings[name] ? 'true' : 'false'), (settings, value) => {
    settings[name] = value === 'true';
  });
}

/** Every setting that can be changed while the broker runs (§2.12), in the order of the keys. */
const hotSettings: readonly HotSetting[] = [
  choice('log.console.level', logLevels, ({ logLevel }) => logLevel, (settings, level) => { settings.logLevel = level; }),
  choice('mqtt.acl_nomatch', ['allow', 'deny'], ({ aclNoMatch }) => aclNoMatch, (settings, value) => { settings.aclNoMatch = value; }),
  flag('mqtt.allow_anonymous', 'allowAnonymous'),
  flag('mqtt.cache_acl', 'aclCache'),
  decimal('mqtt.keepalive_backoff', 'keepaliveBackoff', 0.5, 10),
  integer('mqtt.max_clientid_len', 'maxClientIdLength', 1, 65_535),
  // The least lets an ordinary CONNECT through; the most is what MQTT can say (2.2.3).
  integer('mqtt.max_packet_size', 'maxPacketSize', 128, 268_435_460),
  integer('mqtt.mqueue.max_length', 'maxQueueLength', 0, 1_000_000),
  flag('mqtt.mqueue.store_qos0', 'storeQos0'),
  integer('mqtt.session.max_awaiting_rel', 'maxAwaitingRel', 0, 65_535),
  integer('mqtt.session.max_inflight', 'maxInflight', 0, 65_535),
];

const byKey: ReadonlyMap<string, HotSetting> = new Map(hotSettings.map((setting) => [setting.key, setting]));

/** The hot settings of a node as they are now (§2.12). */
export function readHotSettings({ settings }: BrokerNode): readonly Setting[] {
  return hotSettings.map(({ key, dataType, read }) => ({ key, value: read(settings), dataType, app: settingsApp }));
}

/**
 * Checks a change; the answer makes it, on one node. It acts at once, on those who are connected too.
 * @throws BrokerError `failed` for a key or application that does not exist, `invalid` for a value that it does not take.
 */
export function prepareHotSetting(app: string, key: string, value: string): (node: BrokerNode) => void {
  const setting = app === settingsApp ? byKey.get(key) : undefined;
  if (setting === undefined) throw new BrokerError('failed', `There is no setting ${key} in ${app}.`);
  const write = setting.parse(value);
  if (write === undefined) throw new BrokerError(108, `${key} must be ${setting.expected}.`);
  return (node) => {
    write(node.settings);
    if (key === 'mqtt.cache_acl') node.clearAclCaches();
    node.settingsChanged();
  };
}
/** The part of the port that is about hot settings (§4.7). */
export type SettingsApi = Pick<ManagementApi, 'listSettings' | 'getSettings' | 'changeSetting'>;
/** Hot settings of the cluster, and which of them were changed since it was made. */
export interface ClusterSettings {
  readonly api: SettingsApi;
  /** Values that were changed, by key. */
  changedOn(node: NodeName): Readonly<Record<string, string>>;
  /** Changes settings of one node, running or not. Answers with what could not be, one sentence each. */
  restore(node: BrokerNode, values: Readonly<Record<string, string>>): readonly string[];
}
/** `changed` is called after each change of an operator. */
export function createHotSettings(cluster: BrokerCluster, changed: () => void): ClusterSettings {
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
        await persistChange(cluster.recorder, () => {
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
