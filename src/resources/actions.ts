import { userActions } from './users/actions.ts';
import { retainedActions } from './retained/actions.ts';
import { listenerActions } from './listeners/actions.ts';
import { apiKeyActions } from './api-keys/actions.ts';
import { alarmActions } from './alarms/actions.ts';
import type { ActionDefinition, ActionKey } from '../actions/define-action.ts';
import { banActions } from './bans/actions.ts';
import { clearAclCache, disconnectClient, endSession } from '../actions/clients.ts';
import { startPlugin, stopPlugin } from '../actions/plugins.ts';
import { publishMessage, subscribeClient, unsubscribeClient } from '../actions/publish-subscribe.ts';
import { changeSetting, replacePluginSettings } from '../actions/settings.ts';

/** All actions, in the order in which menus, help and README list them. */
export const actionDefinitions = [
  disconnectClient,
  endSession,
  clearAclCache,
  subscribeClient,
  unsubscribeClient,
  publishMessage,
  startPlugin,
  stopPlugin,
  changeSetting,
  replacePluginSettings,
  ...alarmActions,
  ...banActions,
  ...retainedActions,
  ...listenerActions,
  ...apiKeyActions,
  ...userActions,
] as const satisfies readonly ActionDefinition[];

/** The keys of all actions that have one of their own. */
export type OwnKey = Extract<(typeof actionDefinitions)[number]['key'], ActionKey>;

export type ActionCommandId = OwnKey['id'];
