import type { NodeName } from '../../../domain/node.ts';
import { useKeys } from '../../../tui/keys/use-keys.ts';
import type { Place, TabId } from '../../../tui/registered.ts';
import type { CommandOf } from '../../../tui/keys/bindings.ts';

interface NodeKeysProps {
  /** `undefined` without a cursor. */
  readonly node: NodeName | undefined;
  readonly go: (place: Place) => void;
}

/** Binds the keys that go from a node to its lists. */
export const useNodeKeys = ({ node, go }: NodeKeysProps): void => {
  useKeys('opened', node === undefined ? {} : handlersOf(node, go));
};

const handlersOf = (
  node: NodeName,
  go: NodeKeysProps['go'],
): Readonly<Partial<Record<CommandOf<'opened'>, () => void>>> => {
  const open = (screen: TabId) => (): void => {
    go({ screen, scope: { kind: 'node', node } });
  };
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
