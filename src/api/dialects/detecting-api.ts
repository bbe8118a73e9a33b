import type { DialectInfo, RegisteredDialect } from '../dialect.ts';
import { NotSupportedError } from '../errors.ts';
import { isObject } from '../json.ts';
import {
  type ApiOperations,
  type CallOptions,
  makeOperations,
  type ManagementApi,
  operationOf,
} from '../management-api.ts';
import { detectTexts } from '../texts.ts';
import type { Failover } from '../transport/failover.ts';
import { detectDialect } from './detect.ts';
import type { HttpApi } from './http-api.ts';
import { SharedReads } from './shared-reads.ts';

const signalOf = (args: readonly unknown[]): CallOptions => {
  const last = args.at(-1);
  const signal = isObject(last) ? last['signal'] : undefined;
  return signal instanceof AbortSignal ? { signal } : {};
};

/** All calls, because it is not known yet which the API has: one that it lacks rejects with `NotSupportedError`. */
const forwardAll = (find: (options: CallOptions) => Promise<ManagementApi>): ApiOperations =>
  makeOperations((name) => async (...values) => {
    const call = operationOf(await find(signalOf(values)), name);
    if (call === undefined) throw new NotSupportedError(name, {}, detectTexts.notOffered);
    return call(...values);
  });

export interface DetectingOptions {
  readonly urls: readonly [string, ...string[]];
  /** Sends requests without a login. */
  readonly probe: Failover;
  readonly create: (dialect: RegisteredDialect, password: string | undefined) => HttpApi;
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
      const dialect = await detectDialect(probe.repeating, signal);
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
