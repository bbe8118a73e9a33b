import type { BrokerSeconds } from './node.ts';

/** A plugin of a node (§2.8). */
export interface Plugin {
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly active: boolean | undefined;
}

/** A hot configuration item of a node (§2.12). Variant B. */
export interface Setting {
  readonly key: string;
  /** `undefined` when the broker says the string `"undefined"`. */
  readonly value: string | undefined;
  /** `enum`, `string`, `integer`; real brokers add `duration`, `flag`, `float`, `bytesize`, `percent`, `atom`. */
  readonly dataType: string | undefined;
  /** The configuration application, part of the path that changes the item. */
  readonly app: string;
}

/** A configuration item of a plugin (§2.13). Variant B. */
export interface PluginSetting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  /** Real brokers say so of every key that is set (field notes, "Actions"). */
  readonly required: boolean;
}

/** Not set at all, which to a plugin is something else than set to an empty text. */
export const isUnset = ({ value, required }: Pick<PluginSetting, 'value' | 'required'>): boolean => value === '' && !required;

/** An administrator of the management interface (§2.14). The password is never read back. */
export interface AdminUser {
  readonly username: string;
  /** A role label such as `administrator`. What it grants is not specified. */
  readonly tags: string;
  /** The address of the interface that listed it, where there are several: brokers may keep users on each node. */
  readonly url?: string | undefined;
}

/** A listener of a node (§2.9). */
export interface Listener {
  /** As the broker names it: `mqtt:tcp`, `mqtt:ws`, `mqtt:api`, `dashboard:http`, … */
  readonly protocol: string;
  /** As the broker writes it: `8083` or `0.0.0.0:1883`. */
  readonly listen: string;
  /** `undefined` when the broker gives a port alone. */
  readonly address: string | undefined;
  readonly port: number | undefined;
  readonly acceptors: number | undefined;
  readonly maxClients: number | undefined;
  readonly currentClients: number | undefined;
  /**
   * How connections of this listener ended, by reason. Its shape is documented nowhere: what is an
   * object of numbers is understood, everything else is kept as JSON text in `shutdownCountRaw`.
   */
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
}

const queueAlarm = 'queue_high_watermark.';

/** The session whose queue an alarm says is past its mark; `undefined` for any other alarm. */
export const queueAlarmClient = ({ id }: Alarm): string | undefined =>
  (id.startsWith(queueAlarm) && id.length > queueAlarm.length ? id.slice(queueAlarm.length) : undefined);
