import type { Client } from '../../domain/client.ts';
import { memoise } from '../../domain/memoise.ts';
import { type ClientGroupingId, clientGroupings } from '../../resources/clients/fields.ts';
import { type Grouping, groupRows } from '../../table/grouping.ts';

export interface CommonTrait {
  readonly trait: 'username' | 'network' | 'prefix' | 'node';
  readonly value: string;
}

/** The trait that most of the known clients share and the others do not, or how they are spread. */
export type ClientPattern =
  | CommonTrait
  | { readonly trait: 'none'; readonly nodes: number; readonly usernames: number };

const traits = ['username', 'network', 'prefix', 'node'] as const satisfies readonly ClientGroupingId[];

/** Fewer clients share something by chance. */
const minClients = 10;
const minShare = 0.9;
const maxShareOfOthers = 0.5;
/** Limits the rows that are looked at: of more, every nth is. */
const maxRows = 20_000;

const groupingOf = (trait: ClientGroupingId): Grouping<Client> =>
  clientGroupings.find(({ id }) => id === trait) ?? { id: trait, valueOf: () => undefined };

const shareOf = (clients: readonly Client[], { valueOf }: Grouping<Client>, value: string): number =>
  clients.filter((client) => valueOf(client) === value).length / clients.length;

/** Counts clients that are listed or have one of these ids. */
export const countWith = memoise((clients: readonly Client[], clientIds: readonly string[]): number => {
  const wanted = new Set(clientIds);
  return clients.reduce((count, { clientId }) => (wanted.has(clientId) ? count : count + 1), wanted.size);
});

const sampleOf = (clients: readonly Client[]): readonly Client[] => {
  const step = Math.max(1, Math.ceil(clients.length / maxRows));
  return clients.filter((_, index) => index % step === 0);
};

/** Returns what these clients have in common, in contrast to the others; `undefined` if there are too few of either. */
export const patternOf = memoise((clients: readonly Client[], chosen: readonly Client[]): ClientPattern | undefined => {
  const wanted = new Set(chosen.map(({ clientId }) => clientId));
  const members = sampleOf(chosen);
  const others = sampleOf(clients).filter(({ clientId }) => !wanted.has(clientId));
  if (members.length < minClients || others.length < minClients) return undefined;
  for (const trait of traits) {
    const grouping = groupingOf(trait);
    const { value, share } = groupRows(members, grouping).reduce((most, group) =>
      group.share > most.share ? group : most,
    );
    if (value !== undefined && share >= minShare && shareOf(others, grouping, value) <= maxShareOfOthers)
      return { trait, value };
  }
  return {
    trait: 'none',
    nodes: groupRows(members, groupingOf('node')).length,
    usernames: groupRows(members, groupingOf('username')).filter(({ value }) => value !== undefined).length,
  };
});
