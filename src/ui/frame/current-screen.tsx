import type { ReactNode } from 'react';
import type { Place } from '../navigation.ts';
import { ClientScreen } from '../screens/clients/client.tsx';
import { ClientsScreen } from '../screens/clients/clients.tsx';
import { ListenersScreen } from '../screens/listeners/listeners.tsx';
import { LogScreen } from '../screens/log/log.tsx';
import { MetricsScreen } from '../screens/metrics/metrics.tsx';
import { MoreScreen } from '../screens/more/more.tsx';
import { NodeScreen } from '../screens/nodes/node.tsx';
import { NodesScreen } from '../screens/nodes/nodes.tsx';
import { OverviewScreen } from '../screens/overview/overview.tsx';
import { PluginSettingsScreen } from '../screens/plugins/plugin-settings.tsx';
import { PluginsScreen } from '../screens/plugins/plugins.tsx';
import { RoutesScreen } from '../screens/routes/routes.tsx';
import { SessionsScreen } from '../screens/sessions/sessions.tsx';
import { SettingsScreen } from '../screens/settings/settings.tsx';
import { SubscriptionsScreen } from '../screens/subscriptions/subscriptions.tsx';
import { TriageScreen } from '../screens/triage/triage.tsx';
import { UsersScreen } from '../screens/users/users.tsx';
import type { ScreenProps } from './screen.ts';

export interface CurrentScreenProps extends ScreenProps {
  readonly place: Place;
  /** Whom this program signs in as. */
  readonly ownUser?: string | undefined;
}

/** The screen of a place. */
export const CurrentScreen = ({ place, ownUser, ...props }: CurrentScreenProps): ReactNode => {
  switch (place.screen) {
    case 'overview':
      return <OverviewScreen {...props} />;
    case 'triage':
      return <TriageScreen {...props} />;
    case 'nodes':
      return <NodesScreen {...props} />;
    case 'node':
      return <NodeScreen {...props} node={place.node} />;
    case 'listeners':
      return <ListenersScreen {...props} within={place.within} />;
    case 'clients':
      return <ClientsScreen {...props} within={place.within} />;
    case 'client':
      return <ClientScreen {...props} clientId={place.clientId} />;
    case 'sessions':
      return <SessionsScreen {...props} within={place.within} />;
    case 'subscriptions':
      return <SubscriptionsScreen {...props} within={place.within} />;
    case 'routes':
      return <RoutesScreen {...props} within={place.within} />;
    case 'plugins':
      return <PluginsScreen {...props} within={place.within} />;
    case 'plugin-settings':
      return <PluginSettingsScreen {...props} node={place.node} plugin={place.plugin} />;
    case 'metrics':
      return <MetricsScreen {...props} within={place.within} />;
    case 'more':
      return <MoreScreen {...props} />;
    case 'settings':
      return <SettingsScreen {...props} />;
    case 'log':
      return <LogScreen {...props} />;
    case 'users':
      return <UsersScreen {...props} ownUser={ownUser} />;
  }
};
