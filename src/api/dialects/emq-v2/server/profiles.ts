import type { ServedMeaning } from '../../../dialect.ts';
import type { EndpointName } from '../paths.ts';
import type { Variant } from '../variants.ts';

/** The settings of a plugin with keys that stand for numbered ones, such as `access.$id` for `access.1`. */
export interface TemplateSettings {
  readonly listed: Readonly<Record<string, { readonly value: string; readonly required: boolean }>>;
  /** Numbered settings, which are not listed, and are lost when the set is replaced without them. */
  readonly instances: Readonly<Record<string, string>>;
}

/** The differences of a release from the specification. */
export interface V2Profile {
  readonly meaning: ServedMeaning;
  readonly variants: readonly Variant[];
  /** Metrics, statistics and listeners are a list with one object by node. */
  readonly hasListsOfOne: boolean;
  /** Counters of sessions on other nodes are unknown, and alarms are those of the node that answers. */
  readonly knowsOwnNodeOnly: boolean;
  /** Settings can be read only where there is one node. */
  readonly hasSettingsOfOneNodeOnly: boolean;
  /** Settings that change, but never read back as changed. */
  readonly unreadableSettings: readonly string[];
  /** The connection ends where the specification leaves the answer about an unknown node open. */
  readonly closesForUnknownNode: boolean;
  readonly subscribesToWildcards: boolean;
  readonly templates: Readonly<Record<string, TemplateSettings>>;
  /** A frozen node delays answers that wait for it so many seconds. */
  readonly frozenSeconds: number;
}

const specified: V2Profile = {
  meaning: {},
  variants: ['a', 'b'],
  hasListsOfOne: false,
  knowsOwnNodeOnly: false,
  hasSettingsOfOneNodeOnly: false,
  unreadableSettings: [],
  closesForUnknownNode: false,
  subscribesToWildcards: true,
  templates: {},
  frozenSeconds: 60,
};

const profiles: Readonly<Record<string, V2Profile>> = {
  'emq-2.3': {
    ...specified,
    meaning: {
      figures: { everySeconds: 20, offlineWhenIdle: true },
      queueAlarms: 'high-watermark',
      isServedByEachNode: true,
    },
    variants: ['b'],
    hasListsOfOne: true,
    knowsOwnNodeOnly: true,
    hasSettingsOfOneNodeOnly: true,
    unreadableSettings: ['mqtt.client.enable_stats', 'mqtt.client.idle_timeout'],
    closesForUnknownNode: true,
    subscribesToWildcards: false,
    templates: {
      broker_dashboard: {
        listed: {
          'dashboard.listener.http.access.$id': { value: '', required: false },
          'dashboard.listener.http.acceptors': { value: '4', required: true },
        },
        instances: { 'dashboard.listener.http.access.1': 'allow all' },
      },
      broker_modules: {
        listed: {
          'module.subscription.$id.topic': { value: '', required: false },
          'module.subscription.$id.qos': { value: '', required: false },
        },
        instances: { 'module.subscription.1.topic': 'inbox/%c', 'module.subscription.1.qos': '1' },
      },
    },
  },
};

/** @throws TypeError for an unknown one */
export function profileOf(name: string | undefined): V2Profile {
  const found = name === undefined ? specified : profiles[name];
  if (found === undefined) throw new TypeError(`emq-v2 has no profile ${String(name)}`);
  return found;
}

/** Endpoints that ask all nodes, and so wait for a frozen one. */
const ofAllNodes: ReadonlySet<EndpointName> = new Set<EndpointName>([
  'listNodes',
  'listNodeStats',
  'listListeners',
  'listMetrics',
  'listStats',
  'getClient',
  'getSession',
  'getSubscriptions',
  'disconnectClient',
  'clearAclCache',
  'listSettings',
  'changeSetting',
  'setPlugin',
]);

export const waitsFor = (
  frozen: string,
  endpoint: EndpointName | 'listAlarms' | 'getUser',
  node: string | undefined,
): boolean =>
  (endpoint !== 'listAlarms' && endpoint !== 'getUser' && ofAllNodes.has(endpoint)) ||
  (node === frozen && endpoint !== 'listAlarms');
