import { clearAclCache, disconnectClient } from './clients.ts';
import type { ActionDefinition } from './definition.ts';
import { publishMessage, subscribeClient, unsubscribeClient } from './messages.ts';
import { startPlugin, stopPlugin } from './plugins.ts';
import { changeSetting, replacePluginSettings } from './settings.ts';
import { addUser, changePassword, changeUserTags, checkCredentials, deleteUser } from './users.ts';

/** Every action of the program, in the order of the README. */
export const actionDefinitions = [
  disconnectClient, clearAclCache, subscribeClient, unsubscribeClient, publishMessage,
  startPlugin, stopPlugin, changeSetting, replacePluginSettings,
  addUser, changeUserTags, changePassword, deleteUser, checkCredentials,
] as const satisfies readonly ActionDefinition[];
