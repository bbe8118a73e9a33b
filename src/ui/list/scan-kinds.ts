import type { Client } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Route } from '../../domain/route.ts';
import type { Session } from '../../domain/session.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { routeIdentity } from '../../monitor/scan/route-scan.ts';
import { type MonitorState, type ScanName, type ScanState, wholeCluster } from '../../monitor/state.ts';
import { subscriptionIdentity } from '../../monitor/scan/subscription-scan.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { ScanNouns } from './scan-view.ts';

/** What a screen has to know of a scanned list. */
export interface ScanKind<T> {
  readonly name: ScanName;
  readonly nouns: ScanNouns;
  readonly select: (state: MonitorState) => ScanState<T>;
  readonly identity: (row: T) => string;
  /** Whose list held the row. */
  readonly nodeOf: (row: T) => NodeName | undefined;
  /** How many rows the statistics say that a node has. */
  readonly countOn: (state: MonitorState, node: NodeName) => number | undefined;
}

export const clientKind: ScanKind<Client> = {
  name: 'clientScan',
  nouns: { one: safe`client`, many: safe`clients`, none: safe`No client is connected.` },
  select: ({ clientScan }) => clientScan,
  identity: ({ clientId }) => clientId,
  nodeOf: ({ node }) => node,
  countOn: ({ resources }, node) => resources.nodeStats.data?.find(({ name }) => name === node)?.clients,
};

export const sessionKind: ScanKind<Session> = {
  name: 'sessionScan',
  nouns: { one: safe`session`, many: safe`sessions`, none: safe`There is no session.` },
  select: ({ sessionScan }) => sessionScan,
  identity: ({ clientId }) => clientId,
  nodeOf: ({ node }) => node,
  countOn: ({ resources }, node) => resources.stats.data?.get(node)?.sessions.count,
};

export const subscriptionKind: ScanKind<Subscription> = {
  name: 'subscriptionScan',
  nouns: { one: safe`subscription`, many: safe`subscriptions`, none: safe`Nobody has subscribed to anything.` },
  select: ({ subscriptionScan }) => subscriptionScan,
  identity: subscriptionIdentity,
  nodeOf: ({ node }) => node,
  countOn: ({ resources }, node) => resources.stats.data?.get(node)?.subscriptions.count,
};

export const routeKind: ScanKind<Route> = {
  name: 'routeScan',
  nouns: { one: safe`route`, many: safe`routes`, none: safe`There is no route: nobody has subscribed to anything.` },
  select: ({ routeScan }) => routeScan,
  identity: routeIdentity,
  nodeOf: () => wholeCluster,
  // The list is the cluster's and says its length with its first page.
  countOn: () => undefined,
};
