import type { ReactNode } from 'react';
import type { ScreenProps } from '../frame/screen.ts';
import type { Place } from '../navigation.ts';
import { ClientScreen } from './clients/client.tsx';
import { ClientsScreen } from './clients/clients.tsx';
import { ListenersScreen } from './listeners/listeners.tsx';
import { LogScreen } from './log/log.tsx';
import { MetricsScreen } from './metrics/metrics.tsx';
import { MoreScreen } from './more/more.tsx';
import { NodeScreen } from './nodes/node.tsx';
import { NodesScreen } from './nodes/nodes.tsx';
import { OverviewScreen } from './overview/overview.tsx';
import { PluginSettingsScreen } from './plugins/plugin-settings.tsx';
import { PluginsScreen } from './plugins/plugins.tsx';
import { RoutesScreen } from './routes/routes.tsx';
import { SessionsScreen } from './sessions/sessions.tsx';
import { SettingsScreen } from './settings/settings.tsx';
import { SubscriptionsScreen } from './subscriptions/subscriptions.tsx';
import { TriageScreen } from './triage/triage.tsx';
import { UsersScreen } from './users/users.tsx';

export interface CurrentScreenProps extends ScreenProps {
  readonly place: Place;
  /** The user that this program signs in as. */
  readonly ownUser?: string | undefined;
}

/** The view of each screen, with what its place says. */
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
      return <ListenersScreen {...props} scope={place.scope} />;
    case 'clients':
      return <ClientsScreen {...props} scope={place.scope} />;
    case 'client':
      return <ClientScreen {...props} clientId={place.clientId} />;
    case 'sessions':
      return <SessionsScreen {...props} scope={place.scope} />;
    case 'subscriptions':
      return <SubscriptionsScreen {...props} scope={place.scope} />;
    case 'routes':
      return <RoutesScreen {...props} scope={place.scope} />;
    case 'plugins':
      return <PluginsScreen {...props} scope={place.scope} />;
    case 'plugin-settings':
      return <PluginSettingsScreen {...props} node={place.node} plugin={place.plugin} />;
    case 'metrics':
      return <MetricsScreen {...props} scope={place.scope} />;
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
