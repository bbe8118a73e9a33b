import { BrokerError, NotFoundError } from '../../api/errors.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import { reasonOf } from '../data/files.ts';
import type { MqttProtocol } from '../engine/listener.ts';
import type { BrokerNode } from '../node.ts';
import type { Recorder } from '../sessions/recorder.ts';

/**
 * Makes a change and resolves once it is on disk; `make` returns its undo. @throws BrokerError `failed` when not
 * written; it is then undone.
 */
export async function persistChange(
  recorder: Recorder | undefined,
  make: () => (() => void) | Promise<() => void>,
): Promise<void> {
  if (recorder?.failure !== undefined) throw notStored(recorder.failure);
  const before = recorder?.position;
  const undo = await make();
  if (recorder === undefined || recorder.position === before) return;
  const { position } = recorder;
  while (recorder.syncedPosition < position) {
    await new Promise<void>((resolve) => {
      recorder.afterSync(resolve);
    });
    const { failure } = recorder;
    if (failure === undefined || recorder.syncedPosition >= position) continue;
    undo();
    throw notStored(failure);
  }
}

function notStored(cause: Error): BrokerError {
  return new BrokerError(
    'failed',
    `Nothing was changed: the data folder cannot be written (${reasonOf(cause.cause)}).`,
    { cause },
  );
}

export function runningNodes(cluster: BrokerCluster): readonly BrokerNode[] {
  return cluster.nodes.filter((node) => node.isRunning);
}

/** @throws NotFoundError when the node does not exist or is stopped. */
export function requireRunning(cluster: BrokerCluster, name: NodeName): BrokerNode {
  const node = cluster.node(name);
  if (node?.isRunning !== true) throw new NotFoundError();
  return node;
}

/** @throws BrokerError `failed` when the node does not exist, `node-unreachable` when it is stopped. */
export function requireActing(cluster: BrokerCluster, name: NodeName): BrokerNode {
  const node = cluster.node(name);
  if (node === undefined) throw new BrokerError('failed', `Node ${name} does not exist.`);
  if (!node.isRunning) throw new BrokerError('node-unreachable', `Node ${name} is not running.`);
  return node;
}

/** A listener that the operator stopped, until it is started again. */
export interface StoppedListener {
  readonly node: NodeName;
  readonly protocol: MqttProtocol;
}

export const stoppedListenerKey = ({ node, protocol }: StoppedListener): string => `${node} ${protocol}`;

export interface PluginState {
  readonly active: boolean;
  /** Values by key. They may contain secrets. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface NodeState {
  readonly settings: Readonly<Record<string, string>>;
  /** States by the name of the plugin. */
  readonly plugins: Readonly<Record<string, PluginState>>;
}

export interface PersistentState {
  readonly nodes: Readonly<Record<NodeName, NodeState>>;
}

export interface StateSource {
  exportState(): PersistentState;
  onChange(changed: () => void): () => void;
}

/** Stored settings or plugins cannot be restored. Starting without them could, for example, turn off authentication. */
export class StateError extends Error {
  /** Sentences without values, which may be secrets. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The stored settings cannot be used: ${problems.join(' ')}`);
    this.name = 'StateError';
    this.problems = problems;
  }
}
