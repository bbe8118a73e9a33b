import type { MonitorState } from '../../monitor/state.ts';
import type { CommandId } from '../keys/keymap.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';

export interface AbsentNotes {
  readonly title: SafeText;
  /** What, and why. */
  readonly notes: readonly (readonly [SafeText, SafeText])[];
}

/** What is in no menu here, under a title: what this broker's variant of the interface lacks (§9), and what read-only mode takes away; with the reasons. */
export const absentNotes = ({ capabilities, isReadOnly }: Pick<MonitorState, 'capabilities' | 'isReadOnly'>): readonly AbsentNotes[] => {
  const lacking = lackingNotes(capabilities);
  return [
    ...(lacking.length === 0 ? [] : [{ title: safe`Not on this broker`, notes: lacking }]),
    ...(isReadOnly ? [{ title: safe`Not in read-only mode`, notes: [[safe`Actions`, safe`started with --read-only, this program changes nothing`] as const] }] : []),
  ];
};

const lackingNotes = (capabilities: MonitorState['capabilities']): AbsentNotes['notes'] => {
  if (capabilities === undefined) {
    return [];
  }
  return [
    ...(capabilities.settings ? [] : [[safe`Settings`, safe`variant A of the interface has none, nor of plugins`] as const]),
    ...(capabilities.unsubscribe ? [] : [[safe`Unsubscribe`, safe`variant A cannot remove a client's subscription`] as const]),
    ...(capabilities.pluginPerNode ? [] : [[safe`One node`, safe`variant A starts and stops plugins on all nodes at once`] as const]),
  ];
};

/** What a command needs of the broker's variant. */
const needs: Readonly<Partial<Record<CommandId, keyof NonNullable<MonitorState['capabilities']>>>> = {
  screenSettings: 'settings', editSetting: 'settings', settingNode: 'settings', settingNodeBack: 'settings', editPluginSettings: 'settings',
  pluginNode: 'pluginPerNode', pluginNodeBack: 'pluginPerNode',
};

/** Commands that lead to something that this broker does not have: hints, menus and the palette leave them out. */
export const isAbsent = (command: CommandId, capabilities: MonitorState['capabilities']): boolean => {
  const need = needs[command];
  return need !== undefined && capabilities?.[need] === false;
};
