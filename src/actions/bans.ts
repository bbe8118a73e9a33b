import type { ClientSearch } from '../api/management-api.ts';
import type { Ban, BanTarget } from '../domain/administration.ts';
import type { Client, Session } from '../domain/client.ts';
import type { BrokerSeconds } from '../domain/node.ts';
import { readBans } from '../monitor/polling/administration.ts';
import type { Effects } from '../monitor/state.ts';
import { defineAction, type FollowUp, type Read, type ReadFollowUp } from './action.ts';
import { actionWords, brokerTimeText, followUpTexts, invalidTexts, skipTexts, verificationTexts } from './texts.ts';
import { asWanted, isSameTime, notAsWanted, orUnsupported, readEnd } from './verification.ts';

export interface BanRequest extends BanTarget {
  readonly reason?: string | undefined;
  /** From when it is sent; without it, the ban never ends. */
  readonly seconds?: number | undefined;
}

const bansView: Effects = { refresh: [{ kind: 'bans' }] };

const isSameTarget = (a: BanTarget, b: BanTarget): boolean => a.kind === b.kind && a.value === b.value;

async function findBan(read: Read, target: BanTarget): Promise<Ban | undefined> {
  const isIt = (ban: Ban): boolean => isSameTarget(ban, target);
  return (await read((api, options) => readBans(api, options, (bans) => bans.some(isIt)))).find(isIt);
}

/** Refuses clients. A ban by client ID may also end the session; by anything else, connected clients stay connected. */
export const addBan = defineAction({
  id: 'add-ban',
  label: 'ban a client ID, username or address',
  menuLabel: 'Ban',
  danger: 'destroys',
  capability: 'bans',
  where: 'Bans; Clients, Sessions, Subscriptions, a client (`a`)',
  key: 'addBan',
  operations: ['addBan'],
  confirmation: 'form, y/N; for a pattern or network type it',
  auditFields: ['kind', 'value', 'reason', 'seconds'],
  create({ kind, value, reason, seconds }: BanRequest) {
    const target = { kind, value };
    return {
      target: { kind, value, reason, seconds },
      ...actionWords.addBan(kind, value),
      invalid: problemOfBan(target),
      async recheck(read) {
        if ((await findBan(read, target)) !== undefined) return { changed: skipTexts.banExists };
        const end = await readEnd(read, seconds);
        if (end === undefined) return { changed: skipTexts.noClock };
        const { until } = end;
        return {
          plan: {
            before: {},
            after: { until: untilText(until) },
            requests: [
              {
                node: undefined,
                send: (api, options) =>
                  orUnsupported('add a ban', api.addBan?.({ kind, value, reason, until }, options)),
              },
            ],
            async verify(readAgain) {
              const now = await findBan(readAgain, target);
              if (now === undefined) return [notAsWanted(verificationTexts.banMissing)];
              return [
                isSameTime(now.until, until)
                  ? { ...asWanted, text: verificationTexts.banned(untilText(until)) }
                  : notAsWanted(verificationTexts.bannedUntil(untilText(now.until))),
              ];
            },
          },
        };
      },
      prepareFollowUp: (read) => prepareBanFollowUp(read, target),
      effects: () => bansView,
    };
  },
});

/** Ends a ban. The clients connect again by themselves. */
export const liftBan = defineAction({
  id: 'lift-ban',
  label: 'lift a ban',
  danger: 'changes',
  capability: 'bans',
  where: 'Bans',
  key: 'liftBan',
  operations: ['liftBan'],
  confirmation: 'y/N',
  auditFields: ['kind', 'value', 'reason', 'by', 'since', 'until'],
  create(ban: Ban) {
    const shown = Object.freeze({ ...ban });
    const { kind, value, reason, by, since, until } = shown;
    return {
      target: { kind, value, reason, by, since, until },
      ...actionWords.liftBan(kind, value),
      async recheck(read) {
        const before = await findBan(read, shown);
        if (before === undefined) return { changed: skipTexts.banGone };
        if (!isSameTime(before.until, until) || !isSameTime(before.since, since))
          return { changed: skipTexts.banChanged(untilText(before.until)) };
        return {
          plan: {
            before: { until: untilText(until) },
            after: {},
            requests: [
              {
                node: undefined,
                send: (api, options) => orUnsupported('lift a ban', api.liftBan?.({ kind, value }, options)),
              },
            ],
            verify: async (readAgain) => [
              (await findBan(readAgain, shown)) === undefined ? asWanted : notAsWanted(verificationTexts.banRemains),
            ],
          },
        };
      },
      effects: () => bansView,
    };
  },
});

const untilText = (until: BrokerSeconds | undefined): string => (until === undefined ? 'never' : brokerTimeText(until));

const searched = 1_000;

/** The search for the clients that a ban concerns; `undefined` for kinds that cannot be searched. */
export const searchOfBan = ({ kind, value }: BanTarget): ClientSearch | undefined =>
  kind === 'username' ? { wholeUsername: value } : kind === 'address' ? { ipAddress: value } : undefined;

/** The search may find more. */
export const isConcernedBy = ({ kind, value }: BanTarget, { username, ipAddress }: Client): boolean =>
  (kind === 'username' ? username : ipAddress) === value;

/** Some brokers take a moment to disconnect the client. */
const settlingMs = 3_000;

async function prepareBanFollowUp(read: Read, target: BanTarget): Promise<ReadFollowUp> {
  if (target.kind !== 'client-id') return (readAgain) => countConnected(readAgain, target);
  const before = await readBanned(read, target.value);
  const countersSeconds = await read(async (api) => api.capabilities?.sessionCountersSeconds);
  return async (readAgain, elapsedMs) => {
    const now = await readBanned(readAgain, target.value);
    return {
      text: followUpTexts.bannedClient(before, now, countersSeconds),
      isFinal: !now.isConnected || elapsedMs() > settlingMs,
    };
  };
}

async function readBanned(
  read: Read,
  value: string,
): Promise<{ readonly isConnected: boolean; readonly session: Session | undefined }> {
  const clients = await read((api, options) => api.getClient(value, options));
  const sessions = await read((api, options) => api.getSession(value, options));
  return {
    isConnected: clients.some(({ clientId }) => clientId === value),
    session: sessions.find(({ clientId }) => clientId === value),
  };
}

/** Clients that the ban refuses, but that are connected still. @throws ApiError */
async function countConnected(read: Read, target: BanTarget): Promise<FollowUp> {
  switch (target.kind) {
    case 'username':
    case 'address': {
      const search = searchOfBan(target) ?? {};
      const page = await read(async (api, options) =>
        api.searchClients?.(search, { page: 1, pageSize: searched }, options),
      );
      if (page === undefined) return { text: followUpTexts.bannedOthers, isFinal: true };
      const count = page.items.filter((client) => isConcernedBy(target, client)).length;
      return { text: followUpTexts.bannedClients(count, page.hasNext ?? (page.totalPages ?? 1) > 1), isFinal: true };
    }
    default:
      return { text: followUpTexts.bannedOthers, isFinal: true };
  }
}

const isAddress = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:.]*:[\da-f:.]*)$/iu;

/** Returns a sentence. */
function problemOfBan({ kind, value }: BanTarget): string | undefined {
  if (value === '') return invalidTexts.emptyBan;
  if (value.includes('\u0000')) return invalidTexts.nul('text');
  if (!value.isWellFormed()) return invalidTexts.unicode('text');
  if (kind === 'address' && !isAddress.test(value)) return invalidTexts.address;
  if (kind === 'network') {
    const [address = '', bits = '', rest] = value.split('/');
    return isAddress.test(address) &&
      /^\d{1,3}$/u.test(bits) &&
      Number(bits) <= (address.includes(':') ? 128 : 32) &&
      rest === undefined
      ? undefined
      : invalidTexts.network;
  }
  return undefined;
}
