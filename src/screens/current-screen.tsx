import { createElement, type ReactNode } from 'react';
import { AccessBackendsScreen } from '../resources/access-backends/screen.tsx';
import { AlarmsScreen } from '../resources/alarms/screen.tsx';
import { ApiKeysScreen } from '../resources/api-keys/screen.tsx';
import { BansScreen } from '../resources/bans/screen.tsx';
import { ClientScreen } from '../resources/clients/page.tsx';
import { ClientsScreen } from '../resources/clients/screen.tsx';
import { IntegrationsScreen } from '../resources/integrations/screen.tsx';
import { ListenersScreen } from '../resources/listeners/screen.tsx';
import { LogScreen } from '../resources/log/screen.tsx';
import { SessionMessagesScreen } from '../resources/messages/screen.tsx';
import { MetricsScreen } from '../resources/metrics/screen.tsx';
import { NodeScreen } from '../resources/nodes/page.tsx';
import { NodesScreen } from '../resources/nodes/screen.tsx';
import { PluginSettingsScreen } from '../resources/plugin-settings/screen.tsx';
import { PluginsScreen } from '../resources/plugins/screen.tsx';
import { RetainedScreen } from '../resources/retained/screen.tsx';
import { RoutesScreen } from '../resources/routes/screen.tsx';
import { SessionsScreen } from '../resources/sessions/screen.tsx';
import { SettingsScreen } from '../resources/settings/screen.tsx';
import { SlowSubscriptionsScreen } from '../resources/slow-subscriptions/screen.tsx';
import { SubscriptionsScreen } from '../resources/subscriptions/screen.tsx';
import { TopTalkersScreen } from '../resources/top-talkers/screen.tsx';
import { TraceScreen } from '../resources/traces/page.tsx';
import { TracesScreen } from '../resources/traces/screen.tsx';
import { UsersScreen } from '../resources/users/screen.tsx';
import { titleLine } from '../tui/components/blocks.ts';
import { Rows, useTheme } from '../tui/components/drawing.tsx';
import { CompareScreen } from './compare/screen.tsx';
import type { Place } from './navigation.ts';
import { MoreScreen } from './more.tsx';
import { OverviewScreen } from './overview/overview.tsx';
import { isUnnamed, type ScreenId, screenTitle } from './registry.ts';
import { TriageScreen } from './triage/triage.tsx';
import type { ScreenProps } from '../tui/screen.ts';

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
  integrations: IntegrationsScreen,
  accessBackends: AccessBackendsScreen,
  traces: TracesScreen,
  retained: RetainedScreen,
  bans: BansScreen,
  apiKeys: ApiKeysScreen,
  users: UsersScreen,
  compare: CompareScreen,
  log: LogScreen,
  node: NodeScreen,
  client: ClientScreen,
  'session-messages': SessionMessagesScreen,
  trace: TraceScreen,
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
