import type { ActionDefinition, ActionKey } from '../actions/define-action.ts';
import { clearAlarmHistory } from '../actions/alarms.ts';
import { addApiKey, deleteApiKey, disableApiKey, enableApiKey } from '../actions/api-keys.ts';
import { banActions } from './bans/actions.ts';
import { clearAclCache, disconnectClient, endSession } from '../actions/clients.ts';
import { startListener, stopListener } from '../actions/listeners.ts';
import { startPlugin, stopPlugin } from '../actions/plugins.ts';
import { publishMessage, subscribeClient, unsubscribeClient } from '../actions/publish-subscribe.ts';
import { deleteRetained } from '../actions/retained.ts';
import { changeSetting, replacePluginSettings } from '../actions/settings.ts';
import { addUser, changePassword, changeUserTags, checkCredentials, deleteUser } from '../actions/users.ts';

/** All actions, in the order in which menus, help and README list them. */
export const actionDefinitions = [
  disconnectClient,
  endSession,
  clearAclCache,
  subscribeClient,
  unsubscribeClient,
  publishMessage,
  deleteRetained,
  ...banActions,
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

/** The keys of all actions that have one of their own. */
export type OwnKey = Extract<(typeof actionDefinitions)[number]['key'], ActionKey>;

export type ActionCommandId = OwnKey['id'];
