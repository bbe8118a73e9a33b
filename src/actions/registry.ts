import type { ActionDefinition } from './action.ts';
import { clearAclCache, disconnectClient } from './clients.ts';
import { startPlugin, stopPlugin } from './plugins.ts';
import { publishMessage, subscribeClient, unsubscribeClient } from './publish-subscribe.ts';
import { changeSetting, replacePluginSettings } from './settings.ts';
import { addUser, changePassword, changeUserTags, checkCredentials, deleteUser } from './users.ts';

export const actionDefinitions = [
  disconnectClient, clearAclCache, subscribeClient, unsubscribeClient, publishMessage,
  startPlugin, stopPlugin, changeSetting, replacePluginSettings,
  addUser, changeUserTags, changePassword, deleteUser, checkCredentials,
] as const satisfies readonly ActionDefinition[];
