import type { ReactNode } from 'react';
import type { NodeName } from '../../../domain/node.ts';
import { useKeys } from '../../keys/use-keys.ts';
import type { CommandOf } from '../../keys/keymap.ts';
import type { Place, TabId } from '../../navigation.ts';

export interface NodeKeysProps {
  /** `undefined` when the cursor is on nothing. */
  readonly node: NodeName | undefined;
  readonly go: (place: Place) => void;
}

/** Hears the keys that lead from a node to the lists of what is on it. */
export const useNodeKeys = ({ node, go }: NodeKeysProps): void => {
  useKeys('opened', node === undefined ? {} : handlersOf(node, go));
};

const handlersOf = (node: NodeName, go: NodeKeysProps['go']): Readonly<Partial<Record<CommandOf<'opened'>, () => void>>> => {
  const open = (screen: TabId) => (): void => { go({ screen, within: { kind: 'node', node } }); };
  return {
    openClients: open('clients'),
    openSessions: open('sessions'),
    openSubscriptions: open('subscriptions'),
    openRoutes: open('routes'),
    openListeners: open('listeners'),
    openPlugins: open('plugins'),
    openMetrics: open('metrics'),
  };
};

/** The keys as something that a list can render for its row. */
export const NodeKeys = (props: NodeKeysProps): ReactNode => {
  useNodeKeys(props);
  return undefined;
};
