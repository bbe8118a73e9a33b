import type { Capabilities } from '../../api/management-api.ts';
import { type SafeText, safe } from '../safe-text.ts';

/** What this broker's variant of the interface lacks, and so is in no menu; with the reason (§9). */
export const absentNotes = (capabilities: Capabilities | undefined): readonly (readonly [SafeText, SafeText])[] => {
  if (capabilities === undefined) {
    return [];
  }
  return [
    ...(capabilities.settings ? [] : [[safe`Settings`, safe`variant A of the interface can neither read nor change settings, nor those of plugins`] as const]),
    ...(capabilities.unsubscribe ? [] : [[safe`Unsubscribe`, safe`variant A cannot remove a client's subscription`] as const]),
    ...(capabilities.pluginPerNode ? [] : [[safe`One node`, safe`variant A starts and stops a plugin on all nodes at once`] as const]),
  ];
};
