import { alarmKeys } from './alarms/keys.ts';
import { banOutcomeKeys } from './bans/keys.ts';
import { bulkDialogKeys, type bulkKeys, bulkLayers, type rowMenuKeys, type selectionKeys } from './clients/keys.ts';
import { logKeys } from './log/keys.ts';
import { sessionMessageKeys } from './messages/keys.ts';
import { metricsKeys } from './metrics/keys.ts';
import { pluginSettingKeys } from './plugin-settings/keys.ts';
import type { problemKeys } from './problems/keys.ts';
import { routeKeys, treeLayers } from './routes/keys.ts';
import { subscriptionKeys } from './subscriptions/keys.ts';
import { graphKeys, graphLayers, nodeColumnKeys, nodeColumnLayers, openedKeys, scanKeys } from './view/keys.ts';

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
export const dialogKeys = [...banOutcomeKeys, ...bulkDialogKeys] as const;

/** The layers of nouns that are no screens. */
export const ownLayers = { ...bulkLayers, ...treeLayers, ...nodeColumnLayers, ...graphLayers } as const;

/** The keys of all nouns, without those of actions. */
export type ResourceKey = (
  | typeof screenKeys
  | typeof dialogKeys
  | typeof bulkKeys
  | typeof rowMenuKeys
  | typeof selectionKeys
  | typeof problemKeys
)[number];
