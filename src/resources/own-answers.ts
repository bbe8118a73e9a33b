import { asApiError } from '../api/errors.ts';
import type { CallOptions, ReadingApi, Page, PageRequest, UnusableRows } from '../api/management-api.ts';
import { type Alarm, alarmName } from '../domain/administration.ts';
import { hasCounters, type Session } from '../domain/client.ts';
import type { NodeName } from '../domain/node.ts';

/** An address that failed is not asked in addition for so long. */
const skipMs = 30_000;

interface Owners {
  /** The address at which each node answers for itself. */
  readonly urls: Map<NodeName, string>;
  readonly skipUntilMs: Map<string, number>;
  readonly alarms: Map<string, readonly Alarm[]>;
}

const known = new WeakMap<ReadingApi, Owners>();

function ownersOf(api: ReadingApi): Owners {
  const owners = known.get(api) ?? { urls: new Map(), skipUntilMs: new Map(), alarms: new Map() };
  known.set(api, owners);
  return owners;
}

/** Asks one address. @returns `undefined` if it fails: it is asked in addition only. @throws ApiError when aborted */
export async function askAt<T>(
  api: ReadingApi,
  url: string,
  options: CallOptions | undefined,
  ask: (port: ReadingApi) => Promise<T>,
): Promise<T | undefined> {
  const { skipUntilMs } = ownersOf(api);
  if (api.at === undefined || performance.now() < (skipUntilMs.get(url) ?? 0)) return undefined;
  try {
    return await ask(api.at(url));
  } catch (thrown) {
    const error = asApiError(thrown);
    if (error.kind === 'aborted' || options?.signal?.aborted === true) throw error;
    // Users may differ between nodes; a rejected login is not tried again.
    skipUntilMs.set(url, error.kind === 'unauthorized' ? Number.POSITIVE_INFINITY : performance.now() + skipMs);
    return undefined;
  }
}

const othersOf = ({ urls = [], servingUrl }: ReadingApi): readonly string[] =>
  urls.length < 2 || servingUrl === undefined ? [] : urls.filter((url) => url !== servingUrl);

interface Answer<T> {
  readonly value: T;
  readonly unusable: readonly UnusableRows[];
}

/** Reads one page of a node's sessions at the address that knows their counters: some nodes have those of their own sessions only. */
export async function listOwnSessions(
  api: ReadingApi,
  node: NodeName,
  page: PageRequest,
  options: CallOptions,
): Promise<Page<Session>> {
  const others = othersOf(api);
  if (others.length === 0) return api.listSessions(node, page, options);
  const { urls } = ownersOf(api);
  const ask = async (port: ReadingApi): Promise<Answer<Page<Session>>> => {
    const unusable: UnusableRows[] = [];
    const value = await port.listSessions(node, page, {
      ...options,
      onUnusable: (rows) => {
        unusable.push(rows);
      },
    });
    return { value, unusable };
  };
  const take = ({ value, unusable }: Answer<Page<Session>>, url?: string): Page<Session> => {
    for (const rows of unusable) options.onUnusable?.(rows);
    if (url !== undefined && value.items.some(hasCounters)) urls.set(node, url);
    return value;
  };
  const isOwn = ({ value: { items } }: Answer<Page<Session>>): boolean => items.length === 0 || items.some(hasCounters);
  const owner = urls.get(node);
  if (owner !== undefined && others.includes(owner)) {
    const answer = await askAt(api, owner, options, ask);
    if (answer !== undefined && isOwn(answer)) return take(answer, owner);
    // An address that fails goes on to own the node: its last alarms are still those of the node.
    if (answer !== undefined) urls.delete(node);
  }
  const answer = await ask(api);
  if (isOwn(answer)) return take(answer, api.servingUrl);
  for (const url of others) {
    const other = await askAt(api, url, options, ask);
    if (other?.value.items.some(hasCounters) === true) return take(other, url);
  }
  return take(answer);
}

/** Returns the session of a client, with its counters if one of the addresses has them. */
export async function getOwnSession(
  api: ReadingApi,
  clientId: string,
  options?: CallOptions,
): Promise<readonly Session[]> {
  const sessions = await api.getSession(clientId, options);
  if (sessions.length === 0 || sessions.some(hasCounters)) return sessions;
  for (const url of othersOf(api)) {
    const own = await askAt(api, url, options, (port) => port.getSession(clientId, options));
    if (own?.some(hasCounters) === true) return own;
  }
  return sessions;
}

/**
 * Lists alarms of the node that answers, and of those that are known to answer for themselves elsewhere. Those of an
 * address that fails stay.
 */
export async function listOwnAlarms(api: ReadingApi, node: NodeName, options: CallOptions): Promise<readonly Alarm[]> {
  const { urls, alarms } = ownersOf(api);
  const owners = new Set(urls.values());
  const own = (await api.listAlarms?.(node, options)) ?? [];
  if (api.servingUrl !== undefined) alarms.set(api.servingUrl, own);
  const more = await Promise.all(
    othersOf(api)
      .filter((url) => owners.has(url))
      .map(async (url) => {
        const listed = await askAt(
          api,
          url,
          options,
          (port) => port.listAlarms?.(node, options) ?? Promise.resolve([]),
        );
        if (listed !== undefined) alarms.set(url, listed);
        return alarms.get(url) ?? [];
      }),
  );
  return [...new Map([...own, ...more.flat()].map((alarm) => [alarmName(alarm), alarm])).values()];
}
