import { client, clients } from './clients/definition.ts';
import type { ScreenDefinition } from './definition.ts';
import { listeners } from './listeners/definition.ts';
import { log } from './log/definition.ts';
import { metrics } from './metrics/definition.ts';
import { more } from './more/definition.ts';
import { node, nodes } from './nodes/definition.ts';
import { overview } from './overview/definition.ts';
import { plugins, pluginSettings } from './plugins/definition.ts';
import { routes } from './routes/definition.ts';
import { sessions } from './sessions/definition.ts';
import { settings } from './settings/definition.ts';
import { subscriptions } from './subscriptions/definition.ts';
import { triage } from './triage/definition.ts';
import { users } from './users/definition.ts';

/** Every screen: tabs in their order, then those listed under More, then those that are opened from a row. */
export const screens = [
  overview, nodes, listeners, clients, sessions, subscriptions, routes, plugins, metrics, more,
  triage, settings, users, log,
  node, client, pluginSettings,
] as const;

export type Screen = (typeof screens)[number];
export type ScreenId = Screen['id'];

/** The screens that have a tab. */
export type TabId = Extract<Screen, { readonly tab: object }>['id'];

/** The screens listed under More. */
export type MenuScreenId = Extract<Screen, { readonly parent: 'more' }>['id'];

type ScreenWithKey = Extract<Screen, { readonly key: string }>['id'];

/** The command of the key that goes to a screen: `screenOverview`. */
export type ScreenCommandId = `screen${Capitalize<ScreenWithKey>}`;

export const screenCommandOf = (id: ScreenWithKey): ScreenCommandId => `screen${id.charAt(0).toUpperCase()}${id.slice(1)}` as ScreenCommandId;

export const screenOf = (id: ScreenId): Screen => {
  const found = screens.find((screen) => screen.id === id);
  if (found === undefined) {
    throw new Error(`there is no screen ${id}`);
  }
  return found;
};

/** The definition with all its optional parts. */
export const definitionOf = (id: ScreenId): ScreenDefinition => screenOf(id);

export const screenTitle = (id: ScreenId): ScreenDefinition['title'] => definitionOf(id).title;

/** The tab that a screen has or belongs to. */
export const tabOf = (id: ScreenId): TabId => {
  const screen = screenOf(id);
  return 'parent' in screen ? screen.parent : screen.id;
};

/** The ids of the tabs in their order. */
export const tabs: readonly TabId[] = screens.flatMap((screen) => ('tab' in screen ? [screen.id] : []));

/** The screens listed under More, in their order. */
export const menuScreens = screens.filter((screen) => 'parent' in screen && screen.parent === 'more');
