import createRouter from 'find-my-way';
import type { DialectServer, HttpMethod, ManagementServer, ServerOptions } from '../../../dialect.ts';
import { NotFoundError } from '../../../errors.ts';
import { createBusyCheck, neverAnswer } from '../../../server/faults.ts';
import { defaultServerLimits, type Exchange, type ServerLimits, startHttpServer } from '../../../server/http-server.ts';
import { type JsonObject, parseAuthorization, readBody, refusalStatus } from '../../../server/request.ts';
import { basePath } from '../base-path.ts';
import { type Endpoint, type EndpointName, endpoints, unspecifiedEndpoints } from '../paths.ts';
import { type Variant, variants } from '../variants.ts';
import {
  type Answer,
  answerForError,
  badRequest,
  makeBody,
  notFound,
  success,
  unauthorized,
  unknownError,
  writeAnswer,
} from './answer.ts';
import { createHandlers, type Handler, type ServedBy, unspecifiedHandlers } from './handlers.ts';
import { profileOf, waitsFor } from './profiles.ts';
import { parseBody, repeatsPage } from './request.ts';

interface ManagementServerOptions extends Omit<ServerOptions, 'variant'> {
  readonly variant: Variant;
  readonly limits?: Partial<ServerLimits> | undefined;
}

type ServedEndpoint = EndpointName | keyof typeof unspecifiedEndpoints;

interface Route {
  readonly name: ServedEndpoint;
  readonly method: HttpMethod;
  readonly handler: Handler;
}

type FindRoute = (method: string, url: string) => FoundRoute | 'bad-url' | undefined;

interface FoundRoute extends Route {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
}

/** Endpoints without a trailing slash (field notes, "Paths"): a topic may end with one. */
const withoutTrailingSlash: ReadonlySet<ServedEndpoint> = new Set<ServedEndpoint>([
  'listRoutes',
  'getRoutes',
  'subscribe',
  'unsubscribe',
  'publish',
]);

/** The router's default of 100 would turn long ids into 404. */
const maxParamLength = 64 * 1024;

function createRoutes({ api, variant }: ManagementServerOptions, by: ServedBy): FindRoute {
  const router = createRouter({ maxParamLength, onBadUrl: () => undefined });
  const routes = new Map<unknown, Route>();
  const add = (name: ServedEndpoint, { method, pattern, aliases }: Endpoint, handler: Handler): void => {
    // Never called: the handlers are keys of `routes`.
    const key = (): Handler => handler;
    routes.set(key, { name, method, handler });
    const paths = [pattern, ...aliases];
    const withSlash = withoutTrailingSlash.has(name) ? [] : paths.map((path) => `${path.replace(/\/$/u, '')}/`);
    for (const path of new Set([...paths, ...withSlash])) router.on(method, basePath + path, key);
  };
  for (const [name, handler] of createHandlers(api, variants[variant], by)) add(name, endpoints[name], handler);
  const { listAlarms, getUser } = unspecifiedHandlers(api, by);
  if (listAlarms !== undefined) add('listAlarms', unspecifiedEndpoints.listAlarms, listAlarms);
  if (getUser !== undefined) add('getUser', unspecifiedEndpoints.getUser, getUser);
  return (method, url) => {
    if (!isHttpMethod(method)) return isWellEncoded(url) ? undefined : 'bad-url';
    const found = router.find(method, url);
    const route = routes.get(found?.handler);
    if (found === null) return undefined;
    if (route === undefined) return 'bad-url';
    const queryAt = url.indexOf('?');
    return { ...route, params: found.params, query: new URLSearchParams(queryAt < 0 ? '' : url.slice(queryAt + 1)) };
  };
}

function isHttpMethod(method: string): method is HttpMethod {
  return method === 'GET' || method === 'POST' || method === 'PUT' || method === 'DELETE';
}

function isWellEncoded(url: string): boolean {
  try {
    decodeURI(url.split('?', 1)[0] ?? '');
    return true;
  } catch {
    return false;
  }
}

/**
 * Serves §4 and checks the login before the path. What the specification leaves open is as in real brokers (field
 * notes). @throws the system error (`EADDRINUSE`, …)
 */
export async function createManagementServer(options: ManagementServerOptions): Promise<ManagementServer> {
  const limits = { ...defaultServerLimits, ...options.limits };
  const profile = profileOf(options.profile);
  if (!profile.variants.includes(options.variant))
    throw new TypeError(`${String(options.profile)} has no variant ${options.variant}`);
  const { self, faults, clock } = options;
  const findRoute = createRoutes(options, { profile, self, faults });
  const isBusy = createBusyCheck(faults);

  const answer = async ({ request, response, broken, signal, ...login }: Exchange): Promise<Answer> => {
    if (!request.complete) broken.throwIfAborted();
    if (self?.isRunning === false) return { kind: 'close' };
    if (self !== undefined && faults?.frozen === self.name) return neverAnswer(clock, signal);
    if (isBusy()) return { kind: 'empty', status: 503 };
    const credentials = parseAuthorization(request.headersDistinct['authorization']);
    if (credentials === undefined) return unauthorized;
    if (!(await options.authenticate(credentials.username, credentials.password))) {
      login.failed();
      return unauthorized;
    }
    login.succeeded();
    const refusal = refusalStatus(request);
    if (refusal !== undefined) return { kind: 'empty', status: refusal };

    const found = findRoute(request.method ?? '', request.url ?? '');
    if (found === undefined) return notFound;
    if (found === 'bad-url') return badRequest;
    const { name, method, handler, params, query } = found;
    if (Object.values(params).includes('')) return notFound;
    if (repeatsPage(query)) return badRequest;
    const param = (name: string): string => {
      const value = Object.hasOwn(params, name) ? params[name] : params['*'];
      if (value === undefined) throw new NotFoundError();
      return value;
    };
    const frozen = faults?.frozen;
    if (frozen !== undefined && waitsFor(frozen, name, params['node']))
      await clock?.sleep(profile.frozenSeconds * 1000, signal);
    const body: JsonObject =
      method === 'POST' || method === 'PUT'
        ? parseBody(await readBody(request, limits.bodyBytes, response, broken))
        : {};
    return success(await handler({ param, query, body, options: { signal } }));
  };

  const handle = async (exchange: Exchange): Promise<void> => {
    const { request, response, signal } = exchange;
    let result: Answer;
    let body: readonly Buffer[];
    try {
      result = await answer(exchange);
      body = await makeBody(result, signal);
    } catch (error) {
      if (signal.aborted) return;
      const known = answerForError(error);
      if (known === undefined) options.onError?.(error);
      result = known ?? unknownError;
      body = await makeBody(result, signal);
    }
    // The rest of an unread body must not be taken for the next request.
    if (!request.complete && !response.headersSent) response.shouldKeepAlive = false;
    writeAnswer(response, result, body);
  };

  return startHttpServer({ ...options, limits, handle });
}

export const emqV2Server: DialectServer = {
  firstPath: '/management/nodes',
  hasApiKeys: false,
  extraPlugins: (variant) => variants[requireVariant(variant)].extraPlugins,
  meaning: (profile) => profileOf(profile).meaning,
  start: async (options) => createManagementServer({ ...options, variant: requireVariant(options.variant) }),
};

function requireVariant(variant: string | undefined): Variant {
  if (variant !== 'a' && variant !== 'b') throw new TypeError(`emq-v2 has no variant ${String(variant)}`);
  return variant;
}
