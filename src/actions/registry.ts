import type { ActionDefinition } from './action.ts';
import { clearAlarmHistory } from './alarms.ts';
import { addApiKey, deleteApiKey, disableApiKey, enableApiKey } from './api-keys.ts';
import { addBan, liftBan } from './bans.ts';
import { clearAclCache, disconnectClient, endSession } from './clients.ts';
import { startListener, stopListener } from './listeners.ts';
import { startPlugin, stopPlugin } from './plugins.ts';
import { publishMessage, subscribeClient, unsubscribeClient } from './publish-subscribe.ts';
import { deleteRetained } from './retained.ts';
import { changeSetting, replacePluginSettings } from './settings.ts';
import { addUser, changePassword, changeUserTags, checkCredentials, deleteUser } from './users.ts';

export const actionDefinitions = [
  disconnectClient,
  endSession,
  clearAclCache,
  subscribeClient,
  unsubscribeClient,
  publishMessage,
  deleteRetained,
  addBan,
  liftBan,
  clearAlarmHistory,
  startListener,
  stopListener,
  startPlugin,
  stopPlugin,
  changeSetting,
  replacePluginSettings,
  addUser,
  changeUserTags,
  changePassword,
  deleteUser,
  checkCredentials,
  addApiKey,
  enableApiKey,
  disableApiKey,
  deleteApiKey,
] as const satisfies readonly ActionDefinition[];
