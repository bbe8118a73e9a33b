import type { ReactNode } from 'react';
import type { Place } from '../navigation.ts';
import { ClientScreen } from './client.tsx';
import { ClientsScreen } from './clients.tsx';
import { ListenersScreen } from './listeners.tsx';
import { MetricsScreen } from './metrics.tsx';
import { NodeScreen } from './node.tsx';
import { NodesScreen } from './nodes.tsx';
import { OverviewScreen } from './overview.tsx';
import type { ScreenProps } from './screen.ts';

export interface CurrentScreenProps extends ScreenProps {
  readonly place: Place;
}

/** The screen of a place. */
export const CurrentScreen = ({ place, ...props }: CurrentScreenProps): ReactNode => {
  switch (place.screen) {
    case 'overview':
      return <OverviewScreen {...props} />;
    case 'nodes':
      return <NodesScreen {...props} />;
    case 'node':
      return <NodeScreen {...props} node={place.node} />;
    case 'listeners':
      return <ListenersScreen {...props} />;
    case 'clients':
      return <ClientsScreen {...props} />;
    case 'client':
      return <ClientScreen {...props} clientId={place.clientId} />;
    case 'metrics':
      return <MetricsScreen {...props} />;
  }
};
