import { errorCodeOf } from '../../domain/error-code.ts';
import type { NodeName } from '../../domain/node.ts';

/** The data folder is of no use, or could not be written. `message` is one sentence for the operator. */
export class DataError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DataError';
  }
}

/** The system's code of an error, such as `ENOSPC`. */
export function errorCode(error: unknown): string {
  return errorCodeOf(error) ?? 'unknown reason';
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the file system is read-only',
  EACCES: 'access is denied',
  EPERM: 'it is not permitted',
  ENOENT: 'it does not exist',
  ENOTDIR: 'a part of the path is no folder',
  EMFILE: 'too many files are open',
  EIO: 'the disk reports an error',
  EFBIG: 'it would become too large',
};

/** Why the system refused, in words where there are some. */
export function reasonOf(error: unknown): string {
  const code = errorCode(error);
  return reasons[code] ?? code;
}

/** What an operator made of one plugin on one node. */
export interface PluginState {
  readonly active: boolean;
  /** The whole set of its settings, keys as §2.13 writes them. May hold secrets. */
  readonly settings: Readonly<Record<string, string>>;
}

/** What an operator changed on one node; what was never touched is absent and keeps its default. */
export interface NodeState {
  /** Hot settings by key, values as §2.12 writes them. */
  readonly settings: Readonly<Record<string, string>>;
  /** By the name that the plugin has in the list (§2.8). */
  readonly plugins: Readonly<Record<string, PluginState>>;
}

/** Settings and plugin states of a cluster, as plain JSON. */
export interface PersistentState {
  readonly nodes: Readonly<Record<NodeName, NodeState>>;
}

/** Where the state of a running cluster can be had, to keep it over a restart. */
export interface StateSource {
  /** The state of now: a copy. Nodes that the cluster does not have any more are in it as they came. */
  exportState(): PersistentState;
  /** Calls after every change that an operator made, once it is in effect; the answer ends that. */
  onChange(changed: () => void): () => void;
}

/** A state that was kept cannot be brought back as it was; going on without would, say, leave a node open that asked for passwords. */
export class StateError extends Error {
  /** One sentence each; no values, which may be secrets. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The kept settings cannot be used: ${problems.join(' ')}`);
    this.name = 'StateError';
    this.problems = problems;
  }
}
