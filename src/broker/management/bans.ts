import { isIP } from 'node:net';
import type { ServedMeaning } from '../../api/dialect.ts';
import { BrokerError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import { canonicalAddress } from '../../api/server/address.ts';
import type { Ban, BanKind, BanTarget } from '../../domain/administration.ts';
import type { BrokerCluster } from '../cluster.ts';
import { toBrokerSeconds } from '../engine/counters.ts';
import type { ClientIdentity } from '../engine/hooks.ts';
import { pageOf } from './pages.ts';
import { StoredMap, type StoredTable } from './stored-map.ts';

export type BanApi = Required<Pick<ManagementApi, 'listBans' | 'addBan' | 'liftBan'>>;

const maxBans = 10_000;
const maxTextLength = 1024;

const valueOf: Readonly<Partial<Record<BanKind, (client: ClientIdentity) => string | undefined>>> = {
  'client-id': ({ clientId }) => clientId,
  username: ({ username }) => username,
  address: ({ ipAddress }) => (ipAddress === undefined ? undefined : canonicalAddress(ipAddress)),
};

const keyOf = ({ kind, value }: BanTarget): string => `${kind} ${value}`;

interface BanOptions extends Pick<ServedMeaning, 'banEndsSession'> {
  readonly now?: () => number;
  readonly stored?: readonly Ban[] | undefined;
}

export interface Bans {
  readonly api: BanApi;
  readonly table: StoredTable<Ban>;
}

/**
 * Refuses clients on all nodes, by one value each: not by patterns and networks. Connected clients stay connected,
 * unless `banEndsSession`.
 */
export function createBans(
  cluster: BrokerCluster,
  { now = Date.now, banEndsSession = false, stored = [] }: BanOptions = {},
): Bans {
  const bans = new StoredMap(stored, keyOf, cluster.recorder);
  const isOver = ({ until }: Ban): boolean => until !== undefined && until <= toBrokerSeconds(now());
  const dropEnded = (): void => {
    for (const ban of bans.values()) if (isOver(ban)) bans.set(keyOf(ban), undefined);
  };
  cluster.hooks.isBanned = (client) => {
    if (bans.size === 0) return false;
    return Object.entries(valueOf).some(([kind, read]) => {
      const value = read(client);
      const ban = value === undefined ? undefined : bans.export(`${kind} ${value}`);
      return ban !== undefined && !isOver(ban);
    });
  };
  const api: BanApi = {
    async listBans(page) {
      dropEnded();
      return pageOf([...bans.values()], page);
    },
    async addBan({ kind, value, reason, until }) {
      const target = readTarget({ kind, value });
      if ((reason?.length ?? 0) > maxTextLength)
        throw new BrokerError('invalid', `The reason is longer than ${maxTextLength} characters.`);
      const ban = { ...target, by: undefined, reason, since: toBrokerSeconds(now()), until };
      if (isOver(ban)) throw new BrokerError('invalid', 'The end of the ban is in the past.');
      dropEnded();
      if (bans.export(keyOf(target)) !== undefined) throw new BrokerError('exists');
      if (bans.size >= maxBans) throw new BrokerError('failed', `There are ${maxBans} bans already.`);
      await bans.put(keyOf(target), ban);
      const session = banEndsSession && kind === 'client-id' ? cluster.session(value) : undefined;
      if (session !== undefined) cluster.endSession(session);
    },
    async liftBan(target) {
      const key = keyOf(readTarget(target));
      if (bans.export(key) === undefined) throw new BrokerError('does-not-exist');
      await bans.put(key, undefined);
    },
  };
  return { api, table: bans };
}

function readTarget({ kind, value }: BanTarget): BanTarget {
  if (valueOf[kind] === undefined)
    throw new BrokerError('invalid', 'This broker has no patterns and networks in bans.');
  if (value === '' || value.length > maxTextLength)
    throw new BrokerError('invalid', `A ban needs a value of 1 to ${maxTextLength} characters.`);
  if (kind !== 'address') return { kind, value };
  if (isIP(value) === 0) throw new BrokerError('invalid', 'This is not an IP address.');
  return { kind, value: canonicalAddress(value) };
}
