import type { Client, Subscription } from '../domain/client.ts';

/** A way to put rows together: rows of the same value are one group, `undefined` (not known) being a value too. */
export interface Grouping<Row, Id extends string = string> {
  readonly id: Id;
  readonly valueOf: (row: Row) => string | undefined;
}

/** Rows that have a value in common. */
export interface Group {
  readonly value: string | undefined;
  readonly count: number;
  /** Of all rows, 0 to 1. */
  readonly share: number;
}

/** Ways to group clients (§2.4). */
export type ClientGroupingId = 'node' | 'username' | 'address' | 'network' | 'proto' | 'prefix';
/** Ways to group subscriptions (§2.6). */
export type SubscriptionGroupingId = 'topic' | 'client' | 'qos' | 'node';

export const clientGroupings: readonly Grouping<Client, ClientGroupingId>[] = [
  { id: 'node', valueOf: ({ node }) => node },
  { id: 'username', valueOf: ({ username }) => username },
  { id: 'address', valueOf: ({ ipAddress }) => ipAddress },
  { id: 'network', valueOf: ({ ipAddress }) => (ipAddress === undefined ? undefined : networkOf(ipAddress)) },
  { id: 'proto', valueOf: ({ protocolVersion }) => (protocolVersion === undefined ? undefined : String(protocolVersion)) },
  { id: 'prefix', valueOf: ({ clientId }) => prefixOf(clientId) },
];

export const subscriptionGroupings: readonly Grouping<Subscription, SubscriptionGroupingId>[] = [
  { id: 'topic', valueOf: ({ topic }) => topicPrefixOf(topic) },
  { id: 'client', valueOf: ({ clientId }) => clientId },
  { id: 'qos', valueOf: ({ qos }) => (qos === undefined ? undefined : String(qos)) },
  { id: 'node', valueOf: ({ node }) => node },
];

/** The groups of rows, in order of first sight. Reads each row once. */
export function groupRows<Row>(rows: readonly Row[], { valueOf }: Grouping<Row>): readonly Group[] {
  const counts = new Map<string | undefined, number>();
  for (const row of rows) {
    const value = valueOf(row);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].map(([value, count]) => ({ value, count, share: count / rows.length }));
}

const ipv4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/iu;

/** `10.2.4.0/24` of an IPv4 address, also one written as IPv6; the /64 of an IPv6 address; anything else as it is. */
export function networkOf(address: string): string {
  const start = ipv4.exec(address)?.[1];
  if (start !== undefined) return `${start}.0/24`;
  return firstHextets(address) ?? address;
}

function firstHextets(address: string): string | undefined {
  const halves = address.toLowerCase().split('::');
  if (!address.includes(':') || halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...head, ...Array.from({ length: missing }, () => '0'), ...tail];
  if (!all.every((part) => /^[\da-f]{1,4}$/u.test(part))) return undefined;
  return `${all.slice(0, 4).map((part) => part.replace(/^0+(?=.)/u, '')).join(':')}::/64`;
}

/**
 * How an id begins: what is before its first digit (`sensor-` of `sensor-0017`). Without a digit, or with one at
 * its start, what ends with its first separator; the whole id when it has none.
 */
export function prefixOf(clientId: string): string {
  const beforeDigit = /^\D+(?=\d)/u.exec(clientId)?.[0];
  return beforeDigit ?? /^.*?[-_.:/@]/su.exec(clientId)?.[0] ?? clientId;
}

/** The first level of a topic filter, with the slash before it if it begins with one; of a shared subscription, of what is shared. */
export function topicPrefixOf(topic: string): string {
  const shared = /^(?:\$share\/[^/]*|\$queue)\/(?=.)/su.exec(topic)?.[0] ?? '';
  const slash = topic.indexOf('/', shared.length + 1);
  return slash === -1 ? topic : topic.slice(0, slash);
}
