import type { Dialect, RegisteredDialect } from '../dialect.ts';
import { type Address, createFailover, operationsWith } from '../transport/failover.ts';
import { createHttp, type HttpOptions } from '../transport/http.ts';
import { createAccount, createTokenLogin } from '../transport/token-login.ts';
import { probeFormat } from './detect.ts';
import { createDetectingApi } from './detecting-api.ts';
import { emqV2 } from './emq-v2/dialect.ts';
import { emqxV4 } from './emqx-v4/dialect.ts';
import { emqxV5 } from './emqx-v5/dialect.ts';
import type { HttpApi } from './http-api.ts';
import { type ApiChoice, dialectOfApi, dialectOfVariant, type DialectId, firstDialect } from './registry.ts';

export type { HttpApi };

const clients: Readonly<Record<DialectId, Dialect>> = { 'emq-v2': emqV2, 'emqx-v4': emqxV4, 'emqx-v5': emqxV5 };

/** Returns the client half of a dialect. @throws TypeError for one that is not in the registry */
export function clientOf({ id }: RegisteredDialect): Dialect {
  const client = (clients as Readonly<Record<string, Dialect | undefined>>)[id];
  if (client === undefined) throw new TypeError(`no dialect ${id}`);
  return client;
}

export interface HttpApiOptions extends Omit<
  HttpOptions,
  'format' | 'proxy' | 'onReceived' | 'knownPasswords' | 'tokenLogin'
> {
  readonly dialect?: Dialect | undefined;
  /** Further addresses of the cluster, tried in turn with the same password. */
  readonly otherUrls?: readonly string[] | undefined;
  readonly proxyFor?: ((url: string) => HttpOptions['proxy']) | undefined;
  readonly variant?: string | undefined;
}

export interface OpenOptions extends Omit<HttpApiOptions, 'dialect'> {
  /** The default is `auto`. */
  readonly api?: ApiChoice | undefined;
}

/**
 * Opens an API without sending anything. With `auto`, the first request is preceded by at most one for each API, without a login.
 * @throws UnreachableError if a URL is not http(s)
 */
export function openHttpApi({ api = 'auto', ...options }: OpenOptions): HttpApi {
  const { url, otherUrls = [], variant = 'auto', proxyFor, user: _, ...rest } = options;
  const dialect = dialectOfVariant(variant) ?? (api === 'auto' ? undefined : dialectOfApi(api));
  if (dialect !== undefined) return createHttpApi({ ...options, dialect: clientOf(dialect) });
  const urls = [url, ...otherUrls] as const;
  const [first, ...others] = urls.map((each): Address => ({
    url: each,
    http: createHttp({ ...rest, url: each, format: probeFormat, proxy: proxyFor?.(each) }),
  }));
  if (first === undefined) throw new TypeError('no address');
  return createDetectingApi({
    urls,
    password: options.password,
    probe: createFailover([first, ...others]),
    create: (found, password) => createHttpApi({ ...options, password, dialect: clientOf(found) }),
  });
}

/** Creates an API without sending anything. @throws UnreachableError if a URL is not http(s) */
export function createHttpApi({
  variant = 'auto',
  dialect = clientOf(dialectOfVariant(variant) ?? firstDialect),
  otherUrls = [],
  proxyFor,
  ...options
}: HttpApiOptions): HttpApi {
  let receivedBytes = 0;
  let openConnections = 0;
  const knownPasswords = new Set<string>();
  const account = createAccount();
  const { token } = dialect.http;
  const address = (url: string): Address => ({
    url,
    http: createHttp({
      ...options,
      url,
      format: dialect.http,
      knownPasswords,
      tokenLogin: token && createTokenLogin(token, account),
      proxy: proxyFor?.(url),
      onReceived: (bytes) => {
        receivedBytes += bytes;
      },
      onConnection: (change) => {
        openConnections += change;
      },
    }),
  });
  const failover = createFailover([address(options.url), ...otherUrls.map(address)]);
  const session = dialect.createSession(variant);
  return {
    get capabilities() {
      return session.capabilities;
    },
    get apiDoubt() {
      return session.apiDoubt;
    },
    get info() {
      return session.info;
    },
    urls: [options.url, ...otherUrls],
    at(url) {
      const transport = failover.at(url);
      return {
        get capabilities() {
          return session.capabilities;
        },
        // Users who log in for a token are those of the cluster.
        setPassword: (password) => {
          (token === undefined ? transport : failover).setPassword(password);
        },
        ...session.operations(transport),
      };
    },
    get receivedBytes() {
      return receivedBytes;
    },
    get openConnections() {
      return openConnections;
    },
    get servingUrl() {
      return failover.servingUrl;
    },
    whyLost: () => failover.whyLost(),
    onServingChange: (listener) => failover.onServingChange(listener),
    onAddressSkipped: (listener) => failover.onAddressSkipped(listener),
    setPassword: (password) => {
      failover.setPassword(password);
    },
    hide: (text) => failover.hide(text),
    close: () => failover.close(),
    ...operationsWith(session, failover),
  };
}
