import { BrokerError, NotFoundError } from '../../api/errors.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import { reasonOf } from '../data/data-error.ts';
import type { BrokerNode } from '../node.ts';
import type { Recorder } from '../sessions/recorder.ts';

/**
 * Makes a change of an operator and resolves once it is on disk. `make` returns a function that undoes it.
 * @throws BrokerError `failed` when it cannot be written; it is then undone
 */
export async function persistChange(recorder: Recorder | undefined, make: () => (() => void) | Promise<() => void>): Promise<void> {
  if (recorder?.failure !== undefined) throw notStored(recorder.failure);
  const before = recorder?.position;
  const undo = await make();
  if (recorder === undefined || recorder.position === before) return;
  const { position } = recorder;
  while (recorder.syncedPosition < position) {
    await new Promise<void>((resolve) => { recorder.afterSync(resolve); });
    const { failure } = recorder;
    if (failure === undefined || recorder.syncedPosition >= position) continue;
    undo();
    throw notStored(failure);
  }
}

function notStored(cause: Error): BrokerError {
  return new BrokerError('failed', `Nothing was changed: the data folder cannot be written (${reasonOf(cause.cause)}).`, { cause });
}
/** The running nodes, in cluster order. */
export function runningNodes(cluster: BrokerCluster): readonly BrokerNode[] {
  return cluster.nodes.filter((node) => node.isRunning);
}
/** Finds a node to read. @throws NotFoundError when it does not exist or is stopped. */
export function requireRunning(cluster: BrokerCluster, name: NodeName): BrokerNode {
  const node = cluster.node(name);
  if (node?.isRunning !== true) throw new NotFoundError();
  return node;
}
/** Finds a node to act on. @throws BrokerError `failed` when it does not exist, `node-unreachable` when it is stopped. */
export function requireActing(cluster: BrokerCluster, name: NodeName): BrokerNode {
  const node = cluster.node(name);
  if (node === undefined) throw new BrokerError('failed', `There is no node ${name}.`);
  if (!node.isRunning) throw new BrokerError('node-unreachable', `The node ${name} does not run.`);
  return node;
}
