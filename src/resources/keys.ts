import { safe } from '../terminal/safe-text.ts';
import { alarmKeys } from './alarms/keys.ts';
import { secretKeys } from './api-keys/keys.ts';
import { banOutcomeKeys } from './bans/keys.ts';
import { bulkDialogKeys, type bulkKeys, type rowMenuKeys, type selectionKeys } from './clients/keys.ts';
import { logKeys } from './log/keys.ts';
import { sessionMessageKeys } from './messages/keys.ts';
import { metricsKeys } from './metrics/keys.ts';
import { pluginSettingKeys } from './plugin-settings/keys.ts';
import type { problemKeys } from './problems/keys.ts';
import { routeKeys } from './routes/keys.ts';
import { subscriptionKeys } from './subscriptions/keys.ts';
import { graphKeys, nodeColumnKeys, openedKeys, scanKeys } from './view/keys.ts';

/** The keys of screens that do nothing to the broker. */
export const screenKeys = [
  ...scanKeys,
  ...routeKeys,
  ...subscriptionKeys,
  ...openedKeys,
  ...metricsKeys,
  ...nodeColumnKeys,
  ...graphKeys,
  ...pluginSettingKeys,
  ...alarmKeys,
  ...sessionMessageKeys,
  ...logKeys,
] as const;

/** The keys of dialogs of nouns. */
export const dialogKeys = [...banOutcomeKeys, ...secretKeys, ...bulkDialogKeys] as const;

/** The names of these dialogs in the help, by the scopes of their keys. */
export const ownDialogTitles = {
  secret: safe`Secret of an API key`,
  bulkPreview: safe`Bulk disconnect, preview`,
  bulk: safe`Bulk disconnect`,
} as const;

/** The keys of all nouns, without those of actions. */
export type ResourceKey = (
  | typeof screenKeys
  | typeof dialogKeys
  | typeof bulkKeys
  | typeof rowMenuKeys
  | typeof selectionKeys
  | typeof problemKeys
)[number];
