import type { NodeName } from './node.ts';

/** Something that each node has one of, by node name. */
export type ByNode<T> = ReadonlyMap<NodeName, T>;

/**
 * Cluster-wide figures. Some brokers give them by node, some as one total (Variant B metrics,
 * §4.1); what was not given cannot be made up, so a reader has to look which it is.
 */
export type ClusterFigures<T> =
  | { readonly kind: 'by-node'; readonly nodes: ByNode<T> }
  | { readonly kind: 'total'; readonly total: T };
