import type { Qos } from '../../domain/client.ts';
import type { BrokerCluster } from '../cluster.ts';
import type { AclAction, AuthenticateResult, ClientIdentity, CloseReason, ConnectRequest } from '../engine/hooks.ts';
import type { Message } from '../engine/message.ts';
import type { Log } from '../log.ts';
import type { BrokerNode } from '../node.ts';

/** A plugin cannot start. The message is a sentence for the operator and holds no value of a setting, which may be a secret. */
export class PluginError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PluginError';
  }
}

/** One setting that a plugin has (§2.13). */
export interface PluginSettingDefinition {
  readonly key: string;
  readonly initial: string;
  readonly description: string;
  /** The plugin does not start while it is empty. */
  readonly required: boolean;
}

/** Values of a plugin's settings by key; one that was never set is empty. */
export class PluginValues {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  get(key: string): string {
    return this.#values.get(key) ?? '';
  }

  keys(): Iterable<string> {
    return this.#values.keys();
  }
}

/** What a plugin works with: one node, and the cluster that the node is part of. */
export interface PluginContext {
  readonly node: BrokerNode;
  readonly cluster: BrokerCluster;
  readonly log: Log;
}

/** A plugin at work on one node. It is told of the node's clients, sessions and messages alone. */
export interface RunningPlugin {
  /** While a plugin with this is active on a node, nobody gets in there whom none of them accepts. */
  authenticate?(request: ConnectRequest): AuthenticateResult | Promise<AuthenticateResult>;
  /** Asked before the access rules; `undefined` leaves it to them. */
  authorize?(client: ClientIdentity, action: AclAction, topic: string): boolean | undefined | Promise<boolean | undefined>;
  retain?(message: Message): boolean;
  connected?(client: ClientIdentity): void;
  disconnected?(client: ClientIdentity, reason: CloseReason): void;
  subscribed?(clientId: string, filter: string, qos: Qos): void;
  unsubscribed?(clientId: string, filter: string): void;
  published?(message: Message): void;
  /** Ends all that it does, at once. */
  stop(): void;
}

/** A plugin as it is listed (§2.8). */
export interface PluginDefinition {
  /** Without the product prefix: `retainer`. */
  readonly name: string;
  readonly description: string;
  readonly activeByDefault: boolean;
  readonly settings: readonly PluginSettingDefinition[];
  /** Further keys that may be set, such as the second of several users; each with its definition. */
  dynamicSetting?(key: string): PluginSettingDefinition | undefined;
  /** It decides about everybody, so that others would not be asked behind it. */
  readonly runsLast?: boolean | undefined;
  /** Why it cannot be stopped, a sentence. */
  readonly cannotStopReason?: string | undefined;
  /**
   * Starts it. With new settings the next one starts before the last one is stopped. Nothing is changed
   * or left behind when it throws. @throws PluginError when it cannot.
   */
  start(context: PluginContext, values: PluginValues): RunningPlugin;
}

/** @throws PluginError when a required setting is empty. */
export function requireSettings({ settings }: Pick<PluginDefinition, 'settings'>, values: PluginValues): void {
  const missing = settings.find(({ key, required }) => required && values.get(key) === '');
  if (missing !== undefined) throw new PluginError(`${missing.key} is not set.`);
}
