import type { Dialect, DialectInfo } from '../dialect.ts';
import type { ManagementApi } from '../management-api.ts';
import { createFailover, type ServingChange, type Site, type SkippedAddress } from '../transport/failover.ts';
import { createHttp, type HttpOptions } from '../transport/http.ts';
import { emqV2 } from './emq-v2/dialect.ts';

/** Every API that the program speaks. A new one is a folder here and a line in this table. */
export const dialects = {
  'emq-v2': emqV2,
} as const satisfies Readonly<Record<string, Dialect>>;

export interface HttpApiOptions extends Omit<HttpOptions, 'format' | 'proxy' | 'onReceived' | 'onEnded' | 'knownPasswords'> {
  /** By default the first of the table. */
  readonly dialect?: Dialect | undefined;
  /** Further addresses of the same cluster, tried in turn when the current one fails. They get the same password. */
  readonly otherUrls?: readonly string[] | undefined;
  /** Returns the proxy for an address, if there is one. */
  readonly proxyFor?: ((url: string) => HttpOptions['proxy']) | undefined;
  /** The version of the API that the operator says the broker speaks; `auto`, the default, finds it out from answers. */
  readonly variant?: string | undefined;
}

/** The port over HTTP. */
export interface HttpApi extends ManagementApi {
  readonly info: DialectInfo;
  /** The address that answered last, the first one before that. */
  readonly servingUrl: string;
  readonly urls: readonly string[];
  at(url: string): ManagementApi;
  /** Calls `listener` when another address has answered. Returns a function that ends this. */
  onServingChange(listener: (change: ServingChange) => void): () => void;
  /** Calls `listener` when an address is skipped because it is not trusted. Returns a function that ends this. */
  onAddressSkipped(listener: (skip: SkippedAddress) => void): () => void;
  /** For every request from now on. */
  setPassword(password: string): void;
  /** Removes the login, with any password used so far, from a text that is printed or written. */
  hide(text: string): string;
  /** Aborts requests in flight with `AbortedError` and closes every connection. */
  close(): Promise<void>;
}

/**
 * Creates a client of a management API. Sends nothing by itself.
 * @throws UnreachableError when a URL is no http(s) URL
 */
export function createHttpApi({ dialect = dialects['emq-v2'], variant = 'auto', otherUrls = [], proxyFor, ...options }: HttpApiOptions): HttpApi {
  let receivedBytes = 0;
  let waitedMs = 0;
  const knownPasswords = new Set<string>();
  const site = (url: string): Site => ({
    url,
    http: createHttp({
      ...options, url, format: dialect.http, knownPasswords, proxy: proxyFor?.(url),
      onReceived: (bytes) => { receivedBytes += bytes; }, onEnded: (ms) => { waitedMs += ms; },
    }),
  });
  const failover = createFailover([site(options.url), ...otherUrls.map(site)]);
  const session = dialect.createSession(variant);
  return {
    get capabilities() { return session.capabilities; },
    get variantDoubt() { return session.variantDoubt; },
    get info() { return session.info; },
    urls: [options.url, ...otherUrls],
    at(url) {
      const transport = failover.at(url);
      return {
        get capabilities() { return session.capabilities; },
        setPassword: (password) => { transport.setPassword(password); },
        ...session.operations(transport),
      };
    },
    get receivedBytes() { return receivedBytes; },
    get waitedMs() { return waitedMs; },
    get servingUrl() { return failover.servingUrl; },
    onServingChange: (listener) => failover.onServingChange(listener),
    onAddressSkipped: (listener) => failover.onAddressSkipped(listener),
    setPassword: (password) => { failover.setPassword(password); },
    hide: (text) => failover.hide(text),
    close: () => failover.close(),
    ...session.operations(failover),
  };
}
