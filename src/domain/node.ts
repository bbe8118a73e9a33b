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

/** Text of a name up to the next separator, with it. */
const nameToken = /[^.@:_-]*[.@:_-]?/gu;
/** Parts of other texts may look alike once the rest is gone. */
const isPlain = (text: string): boolean => /^[!-~]+$/u.test(text);
const separatorAtEnds = /^[.@:_-]+(?=.)|(?<=.)[.@:_-]+$/gu;

/** How many leading tokens all lists share; each keeps at least one. */
function sharedTokens(lists: readonly (readonly string[])[]): number {
  const most = Math.min(...lists.map(({ length }) => length)) - 1;
  const end = Array.from({ length: Math.max(0, most) }).findIndex(
    (_, index) => new Set(lists.map((tokens) => tokens[index])).size > 1,
  );
  return end === -1 ? Math.max(0, most) : end;
}

/** Removes what all names begin and end with; a rest without a letter, such as an index, keeps the words before it. */
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

/** Cells of long lists ask for the same nodes. */
const shortened = new WeakMap<readonly NodeName[], ReadonlyMap<NodeName, string>>();

/**
 * Names by which the nodes can be told apart: the part before `@`, else the part after it, if that part is unique, else the whole
 * name; without the words that all of these begin or end with.
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

/** The name of a node among `nodes` as `shortNodeNames` has it; the whole name of another. */
export const shortNodeName = (node: NodeName, nodes: readonly NodeName[]): string =>
  shortNodeNames(nodes).get(node) ?? node;
