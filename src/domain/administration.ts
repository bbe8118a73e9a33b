import type { BrokerSeconds, NodeName } from './node.ts';

/** A service that stops with a plugin: login and permission checks, the management API, retained messages, or events to a web hook. */
export type PluginDuty = 'access' | 'management' | 'retaining' | 'web-hook';

export interface Plugin {
  readonly name: string;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly active: boolean | undefined;
  /** Absent where the dialect does not know it. */
  readonly duty?: PluginDuty | undefined;
}

/** The meaning of a setting, where the dialect knows more than the API says. */
export interface SettingMeaning {
  /** Says what the setting does, as a sentence. */
  readonly about: string;
  /** The unit of the value. Of messages 0 means no limit. */
  readonly counts?: 'message' | 'byte' | undefined;
  /** The values that the broker takes. */
  readonly choices?: readonly string[] | undefined;
  /** The max length of a session's queue: longer ones lose messages when it is lowered. */
  readonly limitsQueue?: true | undefined;
}

/** A setting of a node that can be changed at runtime. */
export interface Setting {
  readonly key: string;
  readonly value: string | undefined;
  readonly dataType: string | undefined;
  /** The part of the broker that has the setting; changing it requires this name. */
  readonly app: string;
  /** A change applies to these clients; `undefined` where unknown. */
  readonly appliesTo?: 'all' | 'new-sessions' | 'new-connections' | undefined;
  /** A change takes effect, but the old value, or none, may still be reported. */
  readonly mayReadBackUnchanged?: true | undefined;
  readonly meaning?: SettingMeaning | undefined;
}

export interface PluginSetting {
  readonly key: string;
  readonly value: string;
  readonly description: string;
  /** Real brokers report `true` for every key that is set. */
  readonly required: boolean;
  /** The key stands for numbered keys, which are not listed and may be lost when the settings are replaced. */
  readonly isTemplate?: true | undefined;
}

/** A key that is not set differs from one that is set to the empty text. */
export const isUnset = ({ value, required }: Pick<PluginSetting, 'value' | 'required'>): boolean =>
  value === '' && !required;

/** The attribute that a broker keeps of a user besides the name. */
export type UserAttribute = 'tags' | 'role' | 'description';

/** A user of the management API. The API never returns the password. */
export interface AdminUser {
  readonly username: string;
  /** A role such as `administrator`; its permissions are undocumented. */
  readonly tags: string;
  /** The broker's name for what `tags` holds; absent: tags. */
  readonly attribute?: UserAttribute | undefined;
  /** The address that listed the user, if there are several: brokers may keep users per node. */
  readonly url?: string | undefined;
}

export interface Listener {
  /** Names the listener in requests; absent where listeners cannot be stopped. */
  readonly id?: string | undefined;
  /** `partly`: it runs on some of its nodes; absent where the API does not say. */
  readonly running?: 'yes' | 'no' | 'partly' | undefined;
  /** Whether the listener should run; absent where the API does not say. */
  readonly isEnabled?: boolean | undefined;
  /** Connections are unlimited; `maxClients` is `undefined` then. */
  readonly isUnlimited?: true | undefined;
  readonly protocol: string;
  readonly listen: string;
  /** `undefined` if the broker reports a port only. */
  readonly address: string | undefined;
  readonly port: number | undefined;
  readonly acceptors: number | undefined;
  readonly maxClients: number | undefined;
  readonly currentClients: number | undefined;
  /** Closed connections by reason. Anything but an object of numbers is in `shutdownCountRaw`, as JSON. */
  readonly shutdownCount: Readonly<Record<string, number>>;
  readonly shutdownCountRaw: string | undefined;
}

export interface Alarm {
  readonly id: string;
  readonly severity: string | undefined;
  readonly title: string | undefined;
  readonly summary: string | undefined;
  readonly occurredAt: BrokerSeconds | undefined;
  /** `undefined` while the alarm is active, and where the API does not say. */
  readonly endedAt?: BrokerSeconds | undefined;
  /** `undefined` where alarms are listed per node. */
  readonly node?: NodeName | undefined;
  /** The client whose session queue exceeds its high watermark; `undefined` for other alarms. */
  readonly queueOf?: string | undefined;
  /** The client that another alarm is about; `undefined` where the API names none. */
  readonly clientId?: string | undefined;
  /** The node that `node` has lost touch with, while both may run. */
  readonly partedFrom?: NodeName | undefined;
  /** Identifies the cause. Alarms of everything that depends on it have the same `causeId`. */
  readonly causeId?: string | undefined;
}

/** Tells alarms with the same id on several nodes apart. */
export const alarmName = ({ id, node }: Pick<Alarm, 'id' | 'node'>): string =>
  node === undefined ? id : `${id} on ${node}`;

/** The kind of value that a ban matches: one value, or a pattern where the broker has them. */
export type BanKind = 'client-id' | 'username' | 'address' | 'client-id-pattern' | 'username-pattern' | 'network';

export interface BanTarget {
  readonly kind: BanKind;
  readonly value: string;
}

/** A rule by which the broker refuses clients. */
export interface Ban extends BanTarget {
  readonly by: string | undefined;
  readonly reason: string | undefined;
  readonly since: BrokerSeconds | undefined;
  /** `undefined`: the ban never ends. */
  readonly until: BrokerSeconds | undefined;
}

export interface NewBan extends BanTarget {
  readonly reason?: string | undefined;
  /** `undefined`: the ban never ends. */
  readonly until?: BrokerSeconds | undefined;
}

/** A login for programs. The API returns its secret once, when it is added. */
export interface ApiKey {
  readonly name: string;
  readonly key: string;
  readonly description: string | undefined;
  readonly isEnabled: boolean | undefined;
  readonly createdAt: BrokerSeconds | undefined;
  /** `undefined`: the key never expires. */
  readonly expiresAt: BrokerSeconds | undefined;
}

export interface NewApiKey {
  readonly name: string;
  readonly description?: string | undefined;
  readonly expiresAt?: BrokerSeconds | undefined;
}
