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
