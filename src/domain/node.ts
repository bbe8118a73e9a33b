/** `name@host` */
export type NodeName = string;

/** Seconds on the broker's clock, read as UTC: comparable within one broker, but not with this machine's clock. */
export type BrokerSeconds = number;

/** The clocks of the nodes, as far as they are known. */
export interface BrokerClocks {
  /** Returns the clock of a node now; `undefined` when unknown. Without a node: any clock, as long as all agree. */
  readonly clockOf: (node: NodeName | undefined) => BrokerSeconds | undefined;
}

/** Seconds since `at` on the clock of a node; negative before it. */
export function secondsSince(
  at: BrokerSeconds | undefined,
  { clockOf }: BrokerClocks,
  node?: NodeName,
): number | undefined {
  const now = clockOf(node);
  return at === undefined || now === undefined ? undefined : now - at;
}

/** Seconds since `at` on the clock of a node, 0 if that is behind. */
export function ageOf(at: BrokerSeconds | undefined, clocks: BrokerClocks, node?: NodeName): number | undefined {
  const seconds = secondsSince(at, clocks, node);
  return seconds === undefined ? undefined : Math.max(0, seconds);
}

/** Raw text of fields that could not be decoded; these are `undefined` in the record. */
export type Unparsed = Readonly<Record<string, string>>;

export type NodeStatus = 'running' | 'stopped' | 'other';

/** An entry of the broker's list of nodes, which leaves stopped ones out. */
export interface NodeInfo {
  readonly name: NodeName;
  readonly version: string | undefined;
  readonly description: string | undefined;
  readonly uptimeSeconds: number | undefined;
  readonly clock: BrokerSeconds | undefined;
  readonly otpRelease: string | undefined;
  readonly status: NodeStatus;
  readonly statusText: string;
  /** The node does not answer the others; its status is `other`. */
  readonly isSilent?: true | undefined;
  readonly unparsed: Unparsed;
}

/** Figures of a node. A stopped node has only name and status. */
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
  /** The node does not answer the others; its status is `other`. */
  readonly isSilent?: true | undefined;
  readonly unparsed: Unparsed;
}

/** The cluster as one of its nodes sees it. */
export interface ClusterView {
  /** The node that answered; `undefined` where the API does not say. */
  readonly self: NodeName | undefined;
  /** The nodes that it counts as running. */
  readonly nodes: readonly NodeName[];
}

export type ByNode<T> = ReadonlyMap<NodeName, T>;

/** Cluster metrics as reported: by node, or one total. */
export type ClusterFigures<T> =
  | { readonly kind: 'by-node'; readonly nodes: ByNode<T> }
  | { readonly kind: 'total'; readonly total: T };

/** Matches the part of a name up to and including the next separator. */
const nameToken = /[^.@:_-]*[.@:_-]?/gu;
/** Only printable ASCII is shortened: parts of other texts may look alike without what surrounds them. */
const isPlain = (text: string): boolean => /^[!-~]+$/u.test(text);
const separatorAtEnds = /^[.@:_-]+(?=.)|(?<=.)[.@:_-]+$/gu;

/** Returns how many leading tokens all lists share. Each list keeps at least one. */
function sharedTokens(lists: readonly (readonly string[])[]): number {
  const maxShared = Math.min(...lists.map(({ length }) => length)) - 1;
  const end = Array.from({ length: Math.max(0, maxShared) }).findIndex(
    (_, index) => new Set(lists.map((tokens) => tokens[index])).size > 1,
  );
  return end === -1 ? Math.max(0, maxShared) : end;
}

/** Removes what all names begin and end with. If no letter would remain, as in an index, the words before it stay. */
function withoutShared(names: readonly string[]): readonly string[] {
  if (names.length < 2 || !names.every(isPlain)) return names;
  const tokens = names.map((name) => name.match(nameToken)?.filter((token) => token !== '') ?? []);
  const first = sharedTokens(tokens);
  const rests = tokens.map((list) => list.slice(first));
  const last = sharedTokens(rests.map((list) => list.toReversed().map((token) => token.replace(separatorAtEnds, ''))));
  for (let from = first; from >= 0; from -= 1) {
    const short = tokens.map((list) =>
      list
        .slice(from, list.length - last)
        .join('')
        .replace(separatorAtEnds, ''),
    );
    if (new Set(short).size === short.length && short.every((name) => /[a-z]/iu.test(name))) return short;
  }
  return names;
}

/** The names are kept by list: each cell of a long table asks for them. */
const shortened = new WeakMap<readonly NodeName[], ReadonlyMap<NodeName, string>>();

/**
 * Returns a short name for each node: the part before `@` if only one node has it, else the part after it, else the
 * whole name. Then the words that all of these begin or end with are removed.
 */
export const shortNodeNames = (nodes: readonly NodeName[]): ReadonlyMap<NodeName, string> => {
  const known = shortened.get(nodes);
  if (known !== undefined) return known;
  const parts = nodes.map((node) => {
    const others = nodes.filter((other) => other !== node).flatMap((other) => other.split('@'));
    return node.split('@').find((part) => part !== '' && !others.includes(part)) ?? node;
  });
  const short = withoutShared(parts);
  const names = new Map(nodes.map((node, index) => [node, short[index] ?? node]));
  shortened.set(nodes, names);
  return names;
};

/** Shortens a name as `shortNodeNames` does. The name of a node that is not among `nodes` stays whole. */
export const shortNodeName = (node: NodeName, nodes: readonly NodeName[]): string =>
  shortNodeNames(nodes).get(node) ?? node;
