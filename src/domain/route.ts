import type { NodeName } from './node.ts';

/** A topic filter and one node that has subscribers for it (§2.7). */
export interface Route {
  readonly topic: string;
  readonly node: NodeName;
}
