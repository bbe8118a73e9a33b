import { BrokerError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { Setting } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import { withThousands } from '../../domain/text.ts';
import type { BrokerCluster } from '../cluster.ts';
import { type BrokerSettings, logLevels } from '../engine/settings.ts';
import type { BrokerNode } from '../node.ts';
import { persistChange, requireActing, requireRunning, runningNodes } from './changes.ts';

const settingsApp = 'broker';

interface HotSetting {
  readonly key: string;
  /** The API has no type for decimals: they are `string`. */
  readonly dataType: 'enum' | 'string' | 'integer';
  /** Completes the sentence "… must be …". */
  readonly expected: string;
  read(settings: Readonly<BrokerSettings>): string;
  /** Returns a function that writes the value; `undefined` when it is invalid. */
  parse(value: string): ((settings: BrokerSettings) => void) | undefined;
}

type KeysOf<T> = { [K in keyof BrokerSettings]: BrokerSettings[K] extends T ? K : never }[keyof BrokerSettings];

function integer(key: string, name: KeysOf<number>, min: number, max: number): HotSetting {
  return {
    key,
    dataType: 'integer',
    expected: `an integer from ${withThousands(min)} to ${withThousands(max)}`,
    read: (settings) => String(settings[name]),
    parse: (value) => {
      const number = /^(?:0|[1-9]\d{0,14})$/u.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max
        ? (settings) => {
            settings[name] = number;
          }
        : undefined;
    },
  };
}

function decimal(key: string, name: KeysOf<number>, min: number, max: number): HotSetting {
  return {
    key,
    dataType: 'string',
    expected: `a decimal number from ${min} to ${max}`,
    read: (settings) => String(settings[name]),
    parse: (value) => {
      const number = /^\d{1,9}(?:\.\d{1,9})?$/u.test(value) ? Number(value) : Number.NaN;
      return number >= min && number <= max
        ? (settings) => {
            settings[name] = number;
          }
        : undefined;
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
      const chosen = values.find((candidate) => candidate === value);
      return chosen === undefined ? undefined : (settings) => write(settings, chosen);
    },
  };
}

function flag(key: string, name: KeysOf<boolean> & ('allowAnonymous' | 'aclCache' | 'storeQos0')): HotSetting {
  return choice(
    key,
    ['true', 'false'],
    (settings) => (settings[name] ? 'true' : 'false'),
    (settings, value) => {
      settings[name] = value === 'true';
    },
  );
}

const hotSettings: readonly HotSetting[] = [
  choice(
    'log.console.level',
    logLevels,
    ({ logLevel }) => logLevel,
    (settings, level) => {
      settings.logLevel = level;
    },
  ),
  choice(
    'mqtt.acl_nomatch',
    ['allow', 'deny'],
    ({ aclNoMatch }) => aclNoMatch,
    (settings, value) => {
      settings.aclNoMatch = value;
    },
  ),
  flag('mqtt.allow_anonymous', 'allowAnonymous'),
  flag('mqtt.cache_acl', 'aclCache'),
  decimal('mqtt.keepalive_backoff', 'keepaliveBackoff', 0.5, 10),
  integer('mqtt.max_clientid_len', 'maxClientIdLength', 1, 65_535),
  // The minimum allows an ordinary CONNECT; the maximum is that of MQTT (2.2.3).
  integer('mqtt.max_packet_size', 'maxPacketSize', 128, 268_435_460),
  integer('mqtt.mqueue.max_length', 'maxQueueLength', 0, 1_000_000),
  flag('mqtt.mqueue.store_qos0', 'storeQos0'),
  integer('mqtt.session.max_awaiting_rel', 'maxAwaitingRel', 0, 65_535),
  integer('mqtt.session.max_inflight', 'maxInflight', 0, 65_535),
];

const byKey: ReadonlyMap<string, HotSetting> = new Map(hotSettings.map((setting) => [setting.key, setting]));

export function readHotSettings({ settings }: BrokerNode): readonly Setting[] {
  return hotSettings.map(({ key, dataType, read }) => ({ key, value: read(settings), dataType, app: settingsApp }));
}

/** @throws BrokerError `failed` for an unknown key or application, `invalid` for an invalid value. */
function prepareHotSetting(app: string, key: string, value: string): (node: BrokerNode) => void {
  const setting = app === settingsApp ? byKey.get(key) : undefined;
  if (setting === undefined) throw new BrokerError('failed', `${app} has no setting ${key}.`);
  const write = setting.parse(value);
  if (write === undefined) throw new BrokerError('invalid', `${key} must be ${setting.expected}.`);
  return (node) => {
    write(node.settings);
    if (key === 'mqtt.cache_acl') node.clearAclCaches();
    node.settingsChanged();
  };
}

export type SettingsApi = Pick<ManagementApi, 'listSettings' | 'getSettings' | 'changeSetting'>;
interface ClusterSettings {
  readonly api: SettingsApi;
  changedOn(node: NodeName): Readonly<Record<string, string>>;
  restore(node: BrokerNode, values: Readonly<Record<string, string>>): readonly string[];
}

export function createHotSettings(cluster: BrokerCluster, changed: () => void): ClusterSettings {
  const changes = new Map<NodeName, Map<string, string>>();
  const remember = (node: BrokerNode, key: string, value: string | undefined): void => {
    const values = changes.get(node.name) ?? new Map<string, string>();
    changes.set(node.name, values);
    if (value === undefined) values.delete(key);
    else values.set(key, value);
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
        // Stored before it is applied: messages dropped by a lower limit could not be restored.
        await persistChange(cluster.recorder, () => {
          const before = nodes.map((node) => changes.get(node.name)?.get(key));
          for (const node of nodes) remember(node, key, value);
          changed();
          return () => {
            for (const [index, node] of nodes.entries()) {
              if (changes.get(node.name)?.get(key) === value) remember(node, key, before[index]);
            }
            changed();
          };
        });
        for (const node of nodes) apply(node);
      },
    },
    changedOn: (node) => Object.fromEntries(changes.get(node) ?? []),
    restore: (node, values) =>
      Object.entries(values).flatMap(([key, value]) => {
        try {
          prepareHotSetting(settingsApp, key, value)(node);
          remember(node, key, value);
          return [];
        } catch (error) {
          if (!(error instanceof BrokerError)) throw error;
          return [`${node.name}: ${error.brokerMessage ?? error.message}`];
        }
      }),
  };
}
