import type { MonitorState } from '../../store/state.ts';
import type { CommandId } from '../keymap.ts';
import { type SafeText, safe } from '../safe-text.ts';

/** What this broker's variant of the interface lacks, and so is in no menu; with the reason (§9). */
export const absentNotes = (capabilities: MonitorState['capabilities']): readonly (readonly [SafeText, SafeText])[] => {
  if (capabilities === undefined) {
    return [];
  }
  return [
    ...(capabilities.settings ? [] : [[safe`Settings`, safe`variant A of the interface has none, nor of plugins`] as const]),
    ...(capabilities.unsubscribe ? [] : [[safe`Unsubscribe`, safe`variant A cannot remove a client's subscription`] as const]),
    ...(capabilities.pluginPerNode ? [] : [[safe`One node`, safe`variant A starts and stops plugins on all nodes at once`] as const]),
  ];
};

/** Commands that lead to something that this broker does not have: the palette leaves them out. */
export const isAbsent = (command: CommandId, capabilities: MonitorState['capabilities']): boolean =>
  command === 'screenSettings' && capabilities?.settings === false;
