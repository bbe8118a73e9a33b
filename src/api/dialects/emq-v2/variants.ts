import type { Capabilities } from '../../management-api.ts';

/** The two variants of the interface (§9). */
export type Variant = 'a' | 'b';

/** What of the wire differs between the variants, beyond what `Capabilities` says to the outside. */
export interface VariantRules {
  readonly capabilities: Capabilities;
  /** Body fields of `PUT change_pwd/{username}` (§4.8). */
  readonly passwordFields: { readonly oldPassword: string; readonly newPassword: string };
  /** Which of the two sets of session fields the server writes (§2.5). */
  readonly sessionFields: 'a' | 'b';
  /** How the server writes cluster-wide statistics (§4.1). */
  readonly statsShape: 'object-by-node' | 'array-of-single-key-objects';
  /** Plugins that this variant has and the other lacks (§2.8), without the product prefix. */
  readonly extraPlugins: readonly string[];
}

/** Section 9 of the specification, as a table. Nothing else in the program asks which variant it is. */
export const variants: Readonly<Record<Variant, VariantRules>> = {
  a: {
    capabilities: {
      unsubscribe: false,
      settings: false,
      nodeSubscriptionsOfClient: false,
      pluginPerNode: false,
      sessionTotals: false,
      metricsByNode: true,
    },
    passwordFields: { oldPassword: 'oldpassword', newPassword: 'password' },
    sessionFields: 'a',
    statsShape: 'object-by-node',
    extraPlugins: ['lwm2m'],
  },
  b: {
    capabilities: {
      unsubscribe: true,
      settings: true,
      nodeSubscriptionsOfClient: true,
      pluginPerNode: true,
      sessionTotals: true,
      metricsByNode: false,
    },
    passwordFields: { oldPassword: 'old_pwd', newPassword: 'new_pwd' },
    sessionFields: 'b',
    statsShape: 'array-of-single-key-objects',
    extraPlugins: [],
  },
};
