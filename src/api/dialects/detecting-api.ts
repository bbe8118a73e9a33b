import type { DialectInfo } from '../dialect.ts';
import { NotSupportedError } from '../errors.ts';
import { isObject } from '../json.ts';
import type { ApiOperations, CallOptions, ManagementApi } from '../management-api.ts';
import { detectTexts } from '../texts.ts';
import type { Failover } from '../transport/failover.ts';
import { detectDialect } from './detect.ts';
import type { HttpApi } from './index.ts';
import { SharedReads } from './shared-reads.ts';
import type { DialectId } from './versions.ts';

/** Names all calls, also the optional ones: the compiler asks for new ones. */
const names: Readonly<Record<keyof ApiOperations, true>> = {
  listNodes: true,
  getNode: true,
  listNodeStats: true,
  getNodeStats: true,
  listListeners: true,
  getListeners: true,
  listMetrics: true,
  getMetrics: true,
  listStats: true,
  getStats: true,
  listClients: true,
  getNodeClient: true,
  getClient: true,
  disconnectClient: true,
  disconnectClients: true,
  clearAclCache: true,
  listAclCache: true,
  searchClients: true,
  listSessions: true,
  getNodeSession: true,
  getSession: true,
  listSessionMessages: true,
  listSubscriptions: true,
  getNodeSubscriptions: true,
  getSubscriptions: true,
  subscribe: true,
  unsubscribe: true,
  publish: true,
  listRoutes: true,
  getRoutes: true,
  listPlugins: true,
  startPlugin: true,
  stopPlugin: true,
  startListener: true,
  stopListener: true,
  listSettings: true,
  getSettings: true,
  changeSetting: true,
  getPluginSettings: true,
  replacePluginSettings: true,
  listAlarms: true,
  listEndedAlarms: true,
  clearEndedAlarms: true,
  listBans: true,
  addBan: true,
  liftBan: true,
  listSlowSubscriptions: true,
  listRetained: true,
  getRetained: true,
  deleteRetained: true,
  listApiKeys: true,
  addApiKey: true,
  setApiKeyEnabled: true,
  deleteApiKey: true,
  listUsers: true,
  addUser: true,
  changeUserTags: true,
  deleteUser: true,
  checkCredentials: true,
  changePassword: true,
};

const signalOf = (args: readonly unknown[]): CallOptions => {
  const last = args.at(-1);
  const signal = isObject(last) ? last['signal'] : undefined;
  return signal instanceof AbortSignal ? { signal } : {};
};

function forwardAll(find: (options: CallOptions) => Promise<ManagementApi>): Required<ApiOperations> {
  const forward =
    (name: string) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const api = await find(signalOf(args));
      const call: unknown = Reflect.get(api, name);
      if (typeof call !== 'function') throw new NotSupportedError(name, {}, detectTexts.notOffered);
      return Reflect.apply(call, api, args);
    };
  return Object.fromEntries(
    Object.keys(names).map((name) => [name, forward(name)]),
  ) as unknown as Required<ApiOperations>;
}

export interface DetectingOptions {
  readonly urls: readonly [string, ...string[]];
  /** Sends requests without a login. */
  readonly probe: Failover;
  readonly create: (dialect: DialectId, password: string | undefined) => HttpApi;
  readonly password: string | undefined;
}

/** Creates an API that detects its dialect with the first request, and again until a broker answers. */
export function createDetectingApi({ urls, probe, create, ...options }: DetectingOptions): HttpApi {
  let found: HttpApi | undefined;
  let { password } = options;
  const detecting = new SharedReads<HttpApi>();
  const onFound = new Set<(api: HttpApi) => void>();
  const unknownInfo: DialectInfo = { version: undefined, label: detectTexts.unknown };

  const find = async (call: CallOptions): Promise<HttpApi> =>
    found ??
    detecting.read('', call, async ({ signal }) => {
      const dialect = await detectDialect(probe, signal);
      found ??= create(dialect, password);
      for (const note of onFound) note(found);
      onFound.clear();
      return found;
    });

  function subscribe(listen: (api: HttpApi) => () => void): () => void {
    if (found !== undefined) return listen(found);
    let stop: (() => void) | undefined;
    const note = (api: HttpApi): void => {
      stop = listen(api);
    };
    onFound.add(note);
    return () => {
      onFound.delete(note);
      stop?.();
    };
  }

  function setPassword(next: string): void {
    password = next;
    found?.setPassword(next);
  }

  return {
    get capabilities() {
      return found?.capabilities;
    },
    get apiDoubt() {
      return found?.apiDoubt;
    },
    get info() {
      return found?.info ?? unknownInfo;
    },
    urls,
    at: (url) => ({
      get capabilities() {
        return found?.capabilities;
      },
      setPassword: (next) => {
        if (found === undefined) password = next;
        else found.at(url).setPassword?.(next);
      },
      ...forwardAll(async (call) => (await find(call)).at(url)),
    }),
    get receivedBytes() {
      return found?.receivedBytes ?? 0;
    },
    get openConnections() {
      return found?.openConnections ?? 0;
    },
    get servingUrl() {
      return found?.servingUrl ?? urls[0];
    },
    whyLost: () => (found ?? probe).whyLost(),
    onServingChange: (listener) => subscribe((api) => api.onServingChange(listener)),
    onAddressSkipped: (listener) => subscribe((api) => api.onAddressSkipped(listener)),
    setPassword,
    hide: (text) => found?.hide(text) ?? probe.hide(text),
    async close() {
      await Promise.all([probe.close(), found?.close()]);
    },
    ...forwardAll(find),
  };
}
