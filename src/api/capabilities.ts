import type { Capabilities } from './management-api.ts';

/** Capabilities that a broker has unless its API says otherwise. It has the others only if the API says so. */
const assumed: ReadonlySet<keyof Capabilities> = new Set(['users']);

/** Whether a broker lacks a capability; `false` also while its capabilities are unknown. */
export const isLacking = (capability: keyof Capabilities, capabilities: Capabilities | undefined): boolean =>
  capabilities !== undefined &&
  (assumed.has(capability) ? capabilities[capability] === false : capabilities[capability] !== true);
