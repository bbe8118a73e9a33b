import type { NodeName } from './node.ts';

/** Where Enter leads: the page of the one thing that a problem is about, else the rows behind it, sorted to show them first. */
export interface Jump {
  readonly screen:
    | 'nodes'
    | 'node'
    | 'listeners'
    | 'clients'
    | 'client'
    | 'sessions'
    | 'subscriptions'
    | 'metrics'
    | 'plugins'
    | 'settings'
    | 'alarms'
    | 'slowSubscriptions'
    | 'bans'
    | 'users'
    | 'apiKeys'
    | 'integrations'
    | 'integrations'
    | 'accessBackends'
    | 'log';
  /** The node that the list is narrowed to; for screen `node` the node to open. */
  readonly node?: NodeName | undefined;
  /** The client that screen `client` opens. */
  readonly clientId?: string | undefined;
  readonly topic?: string | undefined;
  /** Exactly these clients; `name` says what they have in common. */
  readonly found?: { readonly name: string; readonly clientIds: readonly string[] } | undefined;
  readonly sort?: { readonly columnId: string; readonly isReversed: boolean } | undefined;
  readonly row?: string | undefined;
  readonly filter?: string | undefined;
}
