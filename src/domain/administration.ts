import type { BrokerSeconds } from './node.ts';

/** A plugin of a node (§2.8). */
export interface Plugin {
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly active: boolean | undefined;
}

/** A configuration item of a node that can be changed at runtime (§2.12). */
export interface Setting {
  readonly key: string;
  readonly value: string | undefined;
  /** The broker's name of the type, such as `enum`, `integer`, `duration`, `bytesize`. */
  readonly dataType: string | undefined;
  /** The part of the broker that the setting belongs to; needed to change it. */
  readonly app: string;
}

/** A configuration item of a plugin (§2.13). */
export interface PluginSetting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  /** Real brokers say so of every key that is set (field notes, "Actions"). */
  readonly required: boolean;
}

/** Not set at all: to a plugin that differs from an empty text. */
export const isUnset = ({ value, required }: Pick<PluginSetting, 'value' | 'required'>): boolean => value === '' && !required;

/** An administrator of the management interface (§2.14). The API never returns the password. */
export interface AdminUser {
  readonly username: string;
  /** A role label such as `administrator`, without specified permissions. */
  readonly tags: string;
  /** The address of the interface that listed it, where there are several: brokers may keep users on each node. */
  readonly url?: string | undefined;
}

/** A listener of a node (§2.9). */
export interface Listener {
  /** The broker's name: `mqtt:tcp`, `mqtt:ws`, `mqtt:api`, `dashboard:http`, … */
  readonly protocol: string;
  /** As received: `8083` or `0.0.0.0:1883`. */
  readonly listen: string;
  /** `undefined` when the broker gives only a port. */
  readonly address: string | undefined;
  readonly port: number | undefined;
  readonly acceptors: number | undefined;
  readonly maxClients: number | undefined;
  readonly currentClients: number | undefined;
  /** Closed connections by reason. The shape is undocumented: anything but an object of numbers is in `shutdownCountRaw`, as JSON. */
  readonly shutdownCount: Readonly<Record<string, number>>;
  readonly shutdownCountRaw: string | undefined;
}

/** Something that the broker itself warns of. Its texts are the broker's. */
export interface Alarm {
  readonly id: string;
  /** `warning`, `error` and `critical` were seen. */
  readonly severity: string | undefined;
  readonly title: string | undefined;
  readonly summary: string | undefined;
  readonly occurredAt: BrokerSeconds | undefined;
  /** The client whose session has a queue past its mark; `undefined` for any other alarm. */
  readonly queueOf?: string | undefined;
}
