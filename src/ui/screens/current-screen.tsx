import { createElement, type ReactNode } from 'react';
import { titleLine } from '../components/blocks.ts';
import { Rows, useTheme } from '../components/drawing.tsx';
import type { ScreenProps } from '../frame/screen.ts';
import type { Place } from '../navigation.ts';
import { AlarmsScreen } from './alarms.tsx';
import { ApiKeysScreen } from './api-keys.tsx';
import { BansScreen } from './bans.tsx';
import { ClientScreen } from './clients/client.tsx';
import { ClientsScreen } from './clients/clients.tsx';
import { SessionMessagesScreen } from './clients/session-messages.tsx';
import { TopTalkersScreen } from './clients/top-talkers.tsx';
import { ListenersScreen } from './listeners.tsx';
import { LogScreen } from './log.tsx';
import { MetricsScreen } from './metrics/metrics.tsx';
import { MoreScreen } from './more.tsx';
import { NodeScreen } from './nodes/node.tsx';
import { NodesScreen } from './nodes/nodes.tsx';
import { OverviewScreen } from './overview/overview.tsx';
import { PluginSettingsScreen } from './plugins/plugin-settings.tsx';
import { PluginsScreen } from './plugins/plugins.tsx';
import { isUnnamed, type ScreenId, screenTitle } from './registry.ts';
import { RetainedScreen } from './retained.tsx';
import { RoutesScreen } from './routes/routes.tsx';
import { SessionsScreen } from './sessions.tsx';
import { SettingsScreen } from './settings.tsx';
import { SlowSubscriptionsScreen } from './slow-subscriptions.tsx';
import { SubscriptionsScreen } from './subscriptions.tsx';
import { TriageScreen } from './triage/triage.tsx';
import { UsersScreen } from './users.tsx';

type PlaceOf<Id extends ScreenId> = Place & { readonly screen: Id };
type View<Id extends ScreenId> = (props: ScreenProps & PlaceOf<Id>) => ReactNode;

/** The view of each screen. Its props include what its place says: a scope, a node, a client id. */
const views: { readonly [Id in ScreenId]: View<Id> } = {
  overview: OverviewScreen,
  nodes: NodesScreen,
  listeners: ListenersScreen,
  clients: ClientsScreen,
  sessions: SessionsScreen,
  subscriptions: SubscriptionsScreen,
  routes: RoutesScreen,
  plugins: PluginsScreen,
  metrics: MetricsScreen,
  more: MoreScreen,
  triage: TriageScreen,
  settings: SettingsScreen,
  alarms: AlarmsScreen,
  topTalkers: TopTalkersScreen,
  slowSubscriptions: SlowSubscriptionsScreen,
  retained: RetainedScreen,
  bans: BansScreen,
  apiKeys: ApiKeysScreen,
  users: UsersScreen,
  log: LogScreen,
  node: NodeScreen,
  client: ClientScreen,
  'session-messages': SessionMessagesScreen,
  'plugin-settings': PluginSettingsScreen,
};

const viewOf = <Id extends ScreenId>(id: Id): View<Id> => views[id];

export const CurrentScreen = ({ place, ...props }: ScreenProps & { readonly place: Place }): ReactNode => {
  const theme = useTheme();
  const { width, height } = props;
  if (!isUnnamed(place.screen, width)) return createElement(viewOf(place.screen), { ...props, ...place });
  return (
    <>
      <Rows lines={[titleLine(theme, width, screenTitle(place.screen))]} />
      {createElement(viewOf(place.screen), { ...props, ...place, height: height - 1 })}
    </>
  );
};
