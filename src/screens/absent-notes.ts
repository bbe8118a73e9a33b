import type { Capabilities } from '../api/management-api.ts';
import type { MonitorState } from '../monitor/state.ts';
import { pluginLacks } from '../resources/plugins/texts.ts';
import { settingLacks } from '../resources/settings/texts.ts';
import { subscriptionLacks } from '../resources/subscriptions/texts.ts';
import { userLacks } from '../resources/users/texts.ts';
import { safe, trusted } from '../terminal/safe-text.ts';
import type { AbsentNotes } from '../tui/frame/help.tsx';
import type { Note } from '../tui/keys/catalog.ts';

const absentTexts = {
  unsupported: safe`Not supported by this broker`,
  readOnly: safe`Disabled in read-only mode`,
  readOnlyActions: [safe`Actions`, safe`brokertop was started with --read-only`],
} as const;

/** Returns what this broker's API lacks and what read-only mode takes away, with the reasons. */
export const absentNotes = ({
  capabilities,
  isReadOnly,
}: Pick<MonitorState, 'capabilities' | 'isReadOnly'>): readonly AbsentNotes[] => {
  const lacking = capabilities === undefined ? [] : lackingNotes(capabilities);
  return [
    ...(lacking.length === 0 ? [] : [{ title: absentTexts.unsupported, notes: lacking }]),
    ...(isReadOnly ? [{ title: absentTexts.readOnly, notes: [absentTexts.readOnlyActions] }] : []),
  ];
};

const lackingNotes = (capabilities: Capabilities): readonly Note[] => {
  const api = trusted(capabilities.apiName ?? 'this broker');
  return [
    ...(capabilities.settings ? [] : [settingLacks.all(api)]),
    ...(capabilities.unsubscribe ? [] : [subscriptionLacks.unsubscribe(api)]),
    ...(capabilities.isApiKey === true ? [userLacks.login] : capabilities.users === false ? [userLacks.all(api)] : []),
    ...(capabilities.pluginPerNode ? [] : [pluginLacks.perNode(api)]),
  ];
};
