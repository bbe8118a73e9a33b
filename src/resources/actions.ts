import { isLacking } from '../api/capabilities.ts';
import type { Capabilities } from '../api/management-api.ts';
import { type SafeText, trusted } from '../terminal/safe-text.ts';
import type { ActionDefinition, ActionKey } from '../actions/define-action.ts';
import { alarmActions } from './alarms/actions.ts';
import { apiKeyActions } from './api-keys/actions.ts';
import { banActions } from './bans/actions.ts';
import { aclCacheActions, clientActions, type ClientRow } from './clients/actions.ts';
import { integrationActions } from './integrations/actions.ts';
import { listenerActions } from './listeners/actions.ts';
import { messageActions } from './messages/actions.ts';
import { pluginSettingActions } from './plugin-settings/actions.ts';
import { pluginActions } from './plugins/actions.ts';
import { retainedActions } from './retained/actions.ts';
import { settingActions } from './settings/actions.ts';
import { subscriptionActions } from './subscriptions/actions.ts';
import { traceActions } from './traces/actions.ts';
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
  ...traceActions,
  ...banActions,
  ...retainedActions,
  ...listenerActions,
  ...integrationActions,
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

/** Returns actions without a key of their own, as the palette names them. They are chosen in the menu `rowActions`. */
export const menuActions = (
  capabilities: Capabilities | undefined,
): readonly { readonly id: string; readonly name: SafeText }[] =>
  actionDefinitions
    .filter(
      (action) =>
        action.key === 'rowActions' && !('capability' in action && isLacking(action.capability, capabilities)),
    )
    .map(({ id, label }) => ({ id, name: trusted(`${label.charAt(0).toUpperCase()}${label.slice(1)}; asks first`) }));
