import { inBatches, type SlicedTask } from '../domain/sliced-task.ts';

export interface Grouping<Row, Id extends string = string> {
  readonly id: Id;
  readonly valueOf: (row: Row) => string | undefined;
}

export interface Group {
  readonly value: string | undefined;
  readonly count: number;
  /** A fraction, 0 to 1. */
  readonly share: number;
}

export function groupRows<Row>(rows: readonly Row[], { valueOf }: Grouping<Row>): readonly Group[] {
  const counts = new Map<string | undefined, number>();
  for (const row of rows) {
    const value = valueOf(row);
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].map(([value, count]) => ({ value, count, share: count / rows.length }));
}

/** Counts the groups that `groupRows` makes. */
export function* countGroups<Row>(rows: readonly Row[], { valueOf }: Grouping<Row>): SlicedTask<number> {
  const values = new Set<string | undefined>();
  yield* inBatches(rows.length, (start, end) => {
    for (const row of rows.slice(start, end)) values.add(valueOf(row));
  });
  return values.size;
}

const ipv4 = /^(?:::ffff:)?(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/iu;

/** Returns `10.2.4.0/24` for IPv4, also as `::ffff:10.2.4.17`; the /64 for IPv6; anything else unchanged. */
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
  return `${all
    .slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/u, ''))
    .join(':')}::/64`;
}

/**
 * Returns the part before the first digit (`sensor-` of `sensor-0017`), else up to the first separator, else the whole
 * id.
 */
export function prefixOf(clientId: string): string {
  const beforeDigit = /^\D+(?=\d)/u.exec(clientId)?.[0];
  return beforeDigit ?? /^.*?[-_.:/@]/su.exec(clientId)?.[0] ?? clientId;
}

/** Returns the first level, with a leading slash or `$share/group/` prefix. */
export function topicPrefixOf(topic: string): string {
  const shared = /^(?:\$share\/[^/]*|\$queue)\/(?=.)/su.exec(topic)?.[0] ?? '';
  const slash = topic.indexOf('/', shared.length + 1);
  return slash === -1 ? topic : topic.slice(0, slash);
}
