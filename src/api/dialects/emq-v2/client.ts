import type { ManagementApi } from '../../management-api.ts';
import { createFailover, type ServingChange, type Site, type SkippedAddress } from '../../transport/failover.ts';
import { createHttp, type Http, type HttpOptions } from '../../transport/http.ts';
import { createActions } from './actions.ts';
import { Caller } from './caller.ts';
import { createReads } from './reads.ts';
import { type Variant, VariantDetector, type VariantKnowledge } from './variants.ts';

export interface HttpApiOptions extends Omit<HttpOptions, 'proxy' | 'onReceived'> {
  /** Further addresses of the same cluster, asked in turn when the one before is gone. They get the same password. */
  readonly otherUrls?: readonly string[] | undefined;
  /** The proxy on the way to an address, if there is one. */
  readonly proxyFor?: ((url: string) => HttpOptions['proxy']) | undefined;
  /** `auto`, the default, finds it out from the shape of answers. */
  readonly variant?: Variant | 'auto' | undefined;
}

/** The port over HTTP. */
export interface HttpApi extends ManagementApi {
  readonly variantKnowledge: VariantKnowledge;
  /** Address that answers: the last that did, the first one before that. */
  readonly servingUrl: string;
  /** Calls `listener` when another address has answered; the answer ends that. */
  readonly urls: readonly string[];
  at(url: string): ManagementApi;
  onServingChange(listener: (change: ServingChange) => void): () => void;
  /** Calls `listener` when an address is skipped because it is not trusted; the answer ends that. */
  onAddressSkipped(listener: (skip: SkippedAddress) => void): () => void;
  /** For every request from now on. */
  setPassword(password: string): void;
  /** A text without the login, whichever of the passwords that it has had: for what is printed or written. */
  hide(text: string): string;
  /** Ends what is in flight with `AbortedError` and closes every connection. */
  close(): Promise<void>;
}

/**
 * A client of the management interface, both variants. Sends nothing by itself.
 * @throws UnreachableError when a URL is no http(s) URL
 */
export function createHttpApi({ variant = 'auto', otherUrls = [], proxyFor, ...options }: HttpApiOptions): HttpApi {
  let receivedBytes = 0;
  let waitedMs = 0;
  const knownPasswords = new Set<string>();
  const site = (url: string): Site => ({
    url,
    http: createHttp({ ...options, url, knownPasswords, proxy: proxyFor?.(url), onReceived: (bytes) => { receivedBytes += bytes; }, onEnded: (ms) => { waitedMs += ms; } }),
  });
  const http = createFailover([site(options.url), ...otherUrls.map(site)]);
  const detector = new VariantDetector(variant);
  const operations = (way: Http): ReturnType<typeof createReads> & ReturnType<typeof createActions> => {
    const caller = new Caller(way, detector);
    return { ...createReads(caller, detector), ...createActions(caller) };
  };
  return {
    get capabilities() {
      return detector.capabilities;
    },
    get variantDoubt() {
      return detector.knowledge.doubt;
    },
    urls: [options.url, ...otherUrls],
    at(url) {
      const way = http.at(url);
      return { get capabilities() { return detector.capabilities; }, setPassword: (password) => { way.setPassword(password); }, ...operations(way) };
    },
    get receivedBytes() {
      return receivedBytes;
    },
    get waitedMs() {
      return waitedMs;
    },
    get variantKnowledge() {
      return detector.knowledge;
    },
    get servingUrl() {
      return http.servingUrl;
    },
    onServingChange: (listener) => http.onServingChange(listener),
    onAddressSkipped: (listener) => http.onAddressSkipped(listener),
    setPassword: (password) => { http.setPassword(password); },
    hide: (text) => http.hide(text),
    close: () => http.close(),
    ...operations(http),
  };
}
