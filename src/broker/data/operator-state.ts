/** State of a plugin that an operator changed on one node. */

import type { NodeName } from '../../domain/node.ts';

export interface PluginState {
  readonly active: boolean;
  /** All its settings by key (§2.13). May contain secrets. */
  readonly settings: Readonly<Record<string, string>>;
}
/** Changes of an operator on one node; everything else has its default. */
export interface NodeState {
  /** Hot settings by key (§2.12). */
  readonly settings: Readonly<Record<string, string>>;
  /** By plugin name (§2.8). */
  readonly plugins: Readonly<Record<string, PluginState>>;
}
/** Settings and plugin states of a cluster, as plain JSON. */
export interface PersistentState {
  readonly nodes: Readonly<Record<NodeName, NodeState>>;
}
/** Source of the operator state of a running cluster. */
export interface StateSource {
  /** A copy of the present state, including nodes that no longer exist. */
  exportState(): PersistentState;
  /** Calls back after every change of an operator. Returns a function that unsubscribes. */
  onChange(changed: () => void): () => void;
}
/** Stored settings or plugins cannot be restored. Starting without them could, for example, turn off authentication. */
export class StateError extends Error {
  /** Sentences without values, which may be secrets. */
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The kept settings cannot be used: ${problems.join(' ')}`);
    this.name = 'StateError';
    this.problems = problems;
  }
}
