/** Name of a cluster node, of the form `name@host` (§2.2). */
export type NodeName = string;

/**
 * A time on the broker's wall clock, in seconds, as if that clock showed UTC. Brokers send local times without a zone, so
 * times of one broker can be subtracted, but not compared with this machine's clock.
 */
export type BrokerSeconds = number;

/** The raw text of fields that could not be decoded, by their names in the record. They are `undefined` in the record; screens show this text. */
export type Unparsed = Readonly<Record<string, string>>;

/** `other` is any status but the two known ones; the raw text is in `statusText`. */
export type NodeStatus = 'running' | 'stopped' | 'other';

/** Basic information about a node (§2.2). The broker does not list stopped nodes here. */
export interface NodeInfo {
  readonly name: NodeName;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly uptimeSeconds: number | undefined;
  /** The node's clock when it answered: the reference for the ages of its clients and sessions. */
  readonly clock: BrokerSeconds | undefined;
  readonly otpRelease: string | undefined;
  readonly status: NodeStatus;
  readonly statusText: string;
  readonly unparsed: Unparsed;
}

/** Statistics of a node (§2.3). Of a stopped node only name and status are known. */
export interface NodeStats {
  readonly name: NodeName;
  readonly otpRelease: string | undefined;
  readonly memoryTotalBytes: number | undefined;
  readonly memoryUsedBytes: number | undefined;
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

export type ByNode<T> = ReadonlyMap<NodeName, T>;

/** Figures of the cluster, as the broker reports them: by node, or as one total (§4.1). */
export type ClusterFigures<T> =
  | { readonly kind: 'by-node'; readonly nodes: ByNode<T> }
  | { readonly kind: 'total'; readonly total: T };
