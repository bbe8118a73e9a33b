import { BlockList, isIP, isIPv4 } from 'node:net';
import type { ServedMeaning } from '../../api/dialect.ts';
import { BrokerError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { Ban, BanKind, BanTarget } from '../../domain/administration.ts';
import type { BrokerCluster } from '../cluster.ts';
import { toBrokerSeconds } from '../engine/counters.ts';
import type { ClientIdentity } from '../engine/hooks.ts';
import { pageOf } from './pages.ts';

export type BanApi = Required<Pick<ManagementApi, 'listBans' | 'addBan' | 'liftBan'>>;

const maxBans = 10_000;
const maxTextLength = 1024;

const valueOf: Readonly<Partial<Record<BanKind, (client: ClientIdentity) => string | undefined>>> = {
  'client-id': ({ clientId }) => clientId,
  username: ({ username }) => username,
  address: ({ ipAddress }) => (ipAddress === undefined ? undefined : canonicalAddress(ipAddress)),
};

const keyOf = ({ kind, value }: BanTarget): string => `${kind} ${value}`;

/** An IPv4 address has one form, also if the client came through an IPv6 socket. */
function canonicalAddress(address: string): string {
  const mapped = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/u, '');
  if (isIPv4(mapped)) return mapped;
  const list = new BlockList();
  list.addAddress(mapped, 'ipv6');
  // `rules` holds the address as the system writes it.
  return list.rules[0]?.split(' ').at(-1) ?? mapped;
}

/**
 * Refuses clients on all nodes, by one value each: not by patterns and networks. In memory only. Connected clients stay connected,
 * unless `banEndsSession`.
 */
export function createBans(cluster: BrokerCluster, now: () => number = Date.now, { banEndsSession = false }: Pick<ServedMeaning, 'banEndsSession'> = {}): BanApi {
  const bans = new Map<string, Ban>();
  const isOver = ({ until }: Ban): boolean => until !== undefined && until <= toBrokerSeconds(now());
  const dropEnded = (): void => {
    for (const [key, ban] of bans) if (isOver(ban)) bans.delete(key);
  };
  cluster.hooks.isBanned = (client) => {
    if (bans.size === 0) return false;
    return Object.entries(valueOf).some(([kind, read]) => {
      const value = read(client);
      const ban = value === undefined ? undefined : bans.get(`${kind} ${value}`);
      return ban !== undefined && !isOver(ban);
    });
  };
  return {
    async listBans(page) {
      dropEnded();
      return pageOf([...bans.values()], page);
    },
    async addBan({ kind, value, reason, until }) {
      const target = readTarget({ kind, value });
      if ((reason?.length ?? 0) > maxTextLength) throw new BrokerError('invalid', `The reason is longer than ${maxTextLength} characters.`);
      const ban = { ...target, by: undefined, reason, since: toBrokerSeconds(now()), until };
      if (isOver(ban)) throw new BrokerError('invalid', 'The end of the ban is in the past.');
      dropEnded();
      if (bans.has(keyOf(target))) throw new BrokerError('exists');
      if (bans.size >= maxBans) throw new BrokerError('failed', `There are ${maxBans} bans already.`);
      bans.set(keyOf(target), ban);
      const session = banEndsSession && kind === 'client-id' ? cluster.session(value) : undefined;
      if (session !== undefined) cluster.endSession(session);
    },
    async liftBan(target) {
      if (!bans.delete(keyOf(readTarget(target)))) throw new BrokerError('does-not-exist');
    },
  };
}

function readTarget({ kind, value }: BanTarget): BanTarget {
  if (valueOf[kind] === undefined) throw new BrokerError('invalid', 'This broker has no patterns and networks in bans.');
  if (value === '' || value.length > maxTextLength) throw new BrokerError('invalid', `A ban needs a value of 1 to ${maxTextLength} characters.`);
  if (kind !== 'address') return { kind, value };
  if (isIP(value) === 0) throw new BrokerError('invalid', 'This is not an IP address.');
  return { kind, value: canonicalAddress(value) };
}
