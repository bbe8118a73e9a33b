import type { ActionDefinition, ActionKey } from '../actions/define-action.ts';
import { alarmActions } from './alarms/actions.ts';
import { apiKeyActions } from './api-keys/actions.ts';
import { banActions } from './bans/actions.ts';
import { aclCacheActions, clientActions, type ClientRow } from './clients/actions.ts';
import { listenerActions } from './listeners/actions.ts';
import { messageActions } from './messages/actions.ts';
import { pluginSettingActions } from './plugin-settings/actions.ts';
import { pluginActions } from './plugins/actions.ts';
import { retainedActions } from './retained/actions.ts';
import { settingActions } from './settings/actions.ts';
import { subscriptionActions } from './subscriptions/actions.ts';
import { userActions } from './users/actions.ts';

/** Any action; those in the menu of a row are all for the rows of clients. */
export type AnyAction = ActionDefinition<string, string, ActionKey | string, never, ClientRow>;

/** All actions, in the order in which menus, help and README list them. */
export const actionDefinitions = [
  ...clientActions,
  ...subscriptionActions,
  ...aclCacheActions,
  ...messageActions,
  ...pluginActions,
  ...settingActions,
  ...pluginSettingActions,
  ...alarmActions,
  ...banActions,
  ...retainedActions,
  ...listenerActions,
  ...apiKeyActions,
  ...userActions,
] as const satisfies readonly AnyAction[];

/** The actions in the menu of a client's row. */
export const rowActions: readonly AnyAction[] = actionDefinitions.filter(
  (action: AnyAction) => action.rowChoice !== undefined,
);

/** The keys of all actions that have one of their own. */
export type OwnKey = Extract<(typeof actionDefinitions)[number]['key'], ActionKey>;

export type ActionCommandId = OwnKey['id'];
