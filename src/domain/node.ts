/** Name of a cluster node, of the form `name@host` (§2.2). */
export type NodeName = string;

/**
 * A moment on the broker's own wall clock, in seconds, counted as if that clock showed UTC.
 * Brokers write local times without a zone (field notes, "Values"), so two of these from the same
 * broker can be subtracted, but none of them can be compared with this machine's clock.
 */
export type BrokerSeconds = number;

/**
 * Text of the wire fields whose value could not be understood, by wire field name. A field listed
 * here is `undefined` in the record itself; a screen that wants to show it prints this text.
 */
export type Unparsed = Readonly<Record<string, string>>;

/** `running` and `stopped` are understood; any other text of the broker is `other` (raw text in `statusText`). */
export type NodeStatus = 'running' | 'stopped' | 'other';

/** What a node says about itself (§2.2). Stopped nodes are absent from the broker's list. */
export interface NodeInfo {
  readonly name: NodeName;
  readonly version: string | undefined;
  /** `sysdescr` of the wire. */
  readonly description: string | undefined;
  readonly uptimeSeconds: number | undefined;
  /** The node's own clock when it answered; the reference for every age of its clients and sessions. */
  readonly clock: BrokerSeconds | undefined;
  readonly otpRelease: string | undefined;
  readonly status: NodeStatus;
  readonly statusText: string;
  readonly unparsed: Unparsed;
}

/** Figures of a node (§2.3). A stopped node has only its name and status; everything else is `undefined`. */
export interface NodeStats {
  readonly name: NodeName;
  readonly otpRelease: string | undefined;
  readonly memoryTotalBytes: number | undefined;
  readonly memoryUsedBytes: number | undefined;
  /** The most processes that the node may have (`process_available`). */
  readonly processLimit: number | undefined;
  readonly processesUsed: number | undefined;
  readonly maxFileDescriptors: number | undefined;
  readonly clients: number | undefined;
  readonly load1: number | undefined;
  readonly load5: number | undefined;
  readonly load15: number | undefined;
  readonly status: NodeStatus;
  readonly statusText: string;
  readonly unparsed: Unparsed;
}

/** Something that each node has one of, by node name. */
export type ByNode<T> = ReadonlyMap<NodeName, T>;

/**
 * Cluster-wide figures. Some brokers give them by node, some as one total (Variant B metrics,
 * §4.1); what was not given cannot be made up, so a reader has to look which it is.
 */
export type ClusterFigures<T> =
  | { readonly kind: 'by-node'; readonly nodes: ByNode<T> }
  | { readonly kind: 'total'; readonly total: T };
