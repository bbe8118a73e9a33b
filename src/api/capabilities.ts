import type { Capabilities } from './management-api.ts';

/** Brokers have these unless they say otherwise; the others they have to offer. */
const assumed: ReadonlySet<keyof Capabilities> = new Set(['users']);

/** `false` also while the capabilities are unknown. */
export const isLacking = (capability: keyof Capabilities, capabilities: Capabilities | undefined): boolean =>
  capabilities !== undefined &&
  (assumed.has(capability) ? capabilities[capability] === false : capabilities[capability] !== true);
