/** `name@host` (§2.2). */
export type NodeName = string;

/** Seconds on the broker's clock, read as UTC: comparable within one broker, but not with this machine's clock. */
export type BrokerSeconds = number;

/** Raw text of fields that could not be decoded; these are `undefined` in the record. */
export type Unparsed = Readonly<Record<string, string>>;

export type NodeStatus = 'running' | 'stopped' | 'other';

/** §2.2. Stopped nodes are not listed. */
export interface NodeInfo {
  readonly name: NodeName;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly uptimeSeconds: number | undefined;
  readonly clock: BrokerSeconds | undefined;
  readonly otpRelease: string | undefined;
  readonly status: NodeStatus;
  readonly statusText: string;
  /** It does not answer the others; its status is `other`. */
  readonly isSilent?: true | undefined;
  readonly unparsed: Unparsed;
}

/** §2.3. Of a stopped node only name and status are known. */
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
  /** It does not answer the others; its status is `other`. */
  readonly isSilent?: true | undefined;
  readonly unparsed: Unparsed;
}

export type ByNode<T> = ReadonlyMap<NodeName, T>;

/** Cluster metrics as reported: by node, or one total (§4.1). */
export type ClusterFigures<T> =
  | { readonly kind: 'by-node'; readonly nodes: ByNode<T> }
  | { readonly kind: 'total'; readonly total: T };

/** The part of a node's name before `@`, else the part after it, if that part is unique among `nodes`; else the whole name. */
export const shortNodeName = (node: NodeName, nodes: readonly NodeName[]): string => {
  const others = nodes.filter((other) => other !== node).flatMap((other) => other.split('@'));
  return (nodes.includes(node) ? node.split('@').find((part) => part !== '' && !others.includes(part)) : undefined) ?? node;
};

export const shortNodeNames = (nodes: readonly NodeName[]): ReadonlyMap<NodeName, string> => new Map(nodes.map((node) => [node, shortNodeName(node, nodes)]));
