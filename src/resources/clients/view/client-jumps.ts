import type { WatchedMonitor } from '../../../actions/acting-monitor.ts';
import { useStore } from '../../../tui/hooks/use-store.ts';
import { useKeys } from '../../../tui/keys/use-keys.ts';
import type { Place, TabId } from '../../../tui/registered.ts';

interface ClientJumps {
  readonly monitor: WatchedMonitor;
  /** `undefined` where the row under the cursor has no client. */
  readonly clientId: string | undefined;
  readonly go: (place: Place) => void;
  /** Whether the list that the row is in shows its session already. */
  readonly isSession?: boolean | undefined;
}

/** Binds the keys that go from a client, or from a row about one, to its session, subscriptions and messages. */
export const useClientJumps = ({ monitor, clientId, go, isSession = false }: ClientJumps): void => {
  const hasMessages = useStore(monitor.store, ({ capabilities }) => capabilities?.sessionMessages === true);
  const open = (screen: TabId) => (): void => {
    if (clientId !== undefined) go({ screen, scope: { kind: 'client', clientId } });
  };
  useKeys(
    'opened',
    clientId === undefined
      ? {}
      : {
          openSessions: isSession ? undefined : open('sessions'),
          openSubscriptions: open('subscriptions'),
          openMessages: hasMessages
            ? () => {
                go({ screen: 'session-messages', clientId });
              }
            : undefined,
        },
  );
};
