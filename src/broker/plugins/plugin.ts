import type { Qos } from '../../domain/client.ts';
import type { BrokerCluster } from '../cluster.ts';
import type { AclAction, AuthenticateResult, ClientIdentity, CloseReason, ConnectRequest } from '../engine/hooks.ts';
import type { Message } from '../engine/message.ts';
import type { Log } from '../log.ts';
import type { BrokerNode } from '../node.ts';

/** A plugin cannot start. `message` is a sentence for the operator without setting values, which may be secrets. */
export class PluginError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PluginError';
  }
}

export interface PluginSettingDefinition {
  readonly key: string;
  readonly initial: string;
  readonly description: string;
  readonly required: boolean;
}

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

export interface PluginContext {
  readonly node: BrokerNode;
  readonly cluster: BrokerCluster;
  readonly log: Log;
}

export interface RunningPlugin {
  /** While a plugin with this hook is active, clients that no such plugin accepts are refused. */
  authenticate?(request: ConnectRequest): AuthenticateResult | Promise<AuthenticateResult>;
  /** Whether the service that decides can be reached. Absent where the plugin decides by itself. */
  isConnected?(): boolean;
  /** Called before the access rules; `undefined` leaves the decision to them. */
  authorize?(
    client: ClientIdentity,
    action: AclAction,
    topic: string,
  ): boolean | undefined | Promise<boolean | undefined>;
  retain?(message: Message): boolean;
  connected?(client: ClientIdentity): void;
  disconnected?(client: ClientIdentity, reason: CloseReason): void;
  subscribed?(clientId: string, filter: string, qos: Qos): void;
  unsubscribed?(clientId: string, filter: string): void;
  published?(message: Message): void;
  stop(): void;
}

export interface PluginDefinition {
  readonly name: string;
  readonly description: string;
  readonly activeByDefault: boolean;
  readonly settings: readonly PluginSettingDefinition[];
  /** Defines keys such as those of a second user; `undefined` for unknown ones. */
  dynamicSetting?(key: string): PluginSettingDefinition | undefined;
  /** The plugin decides about every client: plugins after it would not be called. */
  readonly runsLast?: boolean | undefined;
  readonly cannotStopReason?: string | undefined;
  /**
   * Starts the plugin. A start with new settings is called before the old one is stopped, and must have no effect when
   * it throws. @throws PluginError
   */
  start(context: PluginContext, values: PluginValues): RunningPlugin;
}

/** @throws PluginError when a required setting is empty. */
export function requireSettings({ settings }: Pick<PluginDefinition, 'settings'>, values: PluginValues): void {
  const missing = settings.find(({ key, required }) => required && values.get(key) === '');
  if (missing !== undefined) throw new PluginError(`${missing.key} is not set.`);
}
