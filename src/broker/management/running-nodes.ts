import { BrokerError, NotFoundError } from '../../api/errors.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import type { BrokerNode } from '../node.ts';

/** The nodes that run, in the order of the cluster. */
export function runningNodes(cluster: BrokerCluster): readonly BrokerNode[] {
  return cluster.nodes.filter((node) => node.isRunning);
}

/** A node to read. @throws NotFoundError for one that does not exist or does not run. */
export function requireRunning(cluster: BrokerCluster, name: NodeName): BrokerNode {
  const node = cluster.node(name);
  if (node?.isRunning !== true) throw new NotFoundError();
  return node;
}

/** A node to act on. @throws BrokerError 102 for one that does not exist, 101 for one that does not run. */
export function requireActing(cluster: BrokerCluster, name: NodeName): BrokerNode {
  const node = cluster.node(name);
  if (node === undefined) throw new BrokerError(102, `There is no node ${name}.`);
  if (!node.isRunning) throw new BrokerError(101, `The node ${name} does not run.`);
  return node;
}
