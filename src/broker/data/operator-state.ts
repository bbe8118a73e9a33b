/** What an operator made of one plugin on one node. */

import type { NodeName } from '../../domain/node.ts';

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
