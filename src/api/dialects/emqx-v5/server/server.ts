import type { DialectServer, ManagementServer, ServedApi, ServerOptions } from '../../../dialect.ts';
import { gather } from '../../../json.ts';
import { jsonBytes, textBytes, writeJson } from '../../../server/body.ts';
import { createBusyCheck, neverAnswer } from '../../../server/faults.ts';
import { defaultServerLimits, type Exchange, type ServerLimits, startHttpServer } from '../../../server/http-server.ts';
import { type JsonObject, parseJson, readBody, refusalStatus } from '../../../server/request.ts';
import { basePath } from '../base-path.ts';
import { adminRoutes } from './admin-handlers.ts';
import {
  type Answer,
  answerForError,
  closed,
  internalError,
  invalid,
  noContent,
  ok,
  RefusalError,
  unknownPath,
} from './answer.ts';
import { clientRoutes } from './client-handlers.ts';
import { frozenOutcome, withoutNode } from './frozen.ts';
import { integrationRoutes } from './integration-handlers.ts';
import { createLogins, type Logins } from './logins.ts';
import { messageRoutes } from './message-handlers.ts';
import { nodeRoutes } from './node-handlers.ts';
import { profileOf, withoutFields } from './profiles.ts';
import { bodyOf, type Handler, readText, type ServedRequest } from './query.ts';
import { traceRoutes } from './trace-handlers.ts';
import { createRouter, type Route } from '../../../server/router.ts';

interface V5ServerOptions extends Omit<ServerOptions, 'variant'> {
  readonly limits?: Partial<ServerLimits> | undefined;
  readonly now?: (() => number) | undefined;
}

/** Clients of the API send messages of up to a megabyte. */
const maxBodyBytes = 2 * 1024 * 1024;
/** Paths for users only, by the first segment of their pattern. */
const userPaths: ReadonlySet<string> = new Set(['users', 'api_key', 'logout']);

/** Logins by implementation: the nodes of a cluster serve the same one, and know each other's tokens. */
const loginsOfCluster = new WeakMap<ServedApi, Logins>();

function loginsOf(options: V5ServerOptions): Logins {
  const logins = loginsOfCluster.get(options.api) ?? createLogins(options, options.now);
  loginsOfCluster.set(options.api, logins);
  return logins;
}

const hasBody = (method: string | undefined): boolean => method === 'POST' || method === 'PUT';

/** Starts a server that checks the login before the path. @throws the system error (`EADDRINUSE`, …) */
export async function createV5Server(options: V5ServerOptions): Promise<ManagementServer> {
  const { api } = options;
  const limits = { ...defaultServerLimits, bodyBytes: maxBodyBytes, ...options.limits };
  const logins = loginsOf(options);
  const profile = profileOf(options.profile);
  const { self } = options;
  const isBusy = createBusyCheck(options.faults);
  const nodes = nodeRoutes(api, profile, self?.name);
  const routes: readonly Route<Handler>[] = [
    ...nodes.routes,
    ...clientRoutes(api, profile),
    ...messageRoutes(api, profile),
    ...traceRoutes(api),
    ...adminRoutes(api, profile, logins.logout),
    ...integrationRoutes(api),
    {
      method: 'POST',
      pattern: '/logout',
      handler: async ({ body, user }) => {
        const username = readText(bodyOf({ body }), 'username', '');
        if (username !== user) throw new RefusalError(401, 'WRONG_USERNAME_OR_PWD_FORBID', 'Only the own login ends');
        logins.logout(username);
        return noContent;
      },
    },
  ];
  const find = createRouter<Handler>(
    routes.filter(({ method, pattern }) => !profile.missingRoutes.has(`${method} ${pattern}`)),
    // As real brokers do.
    { removesDots: true },
  );
  const unknown = (accept: string | undefined): Answer => unknownPath(accept, profile.isUnknownPathJson);
  const ownNode = async (signal: AbortSignal) => {
    const nodes = await api.listNodes({ signal });
    return self === undefined ? nodes[0] : nodes.find(({ name }) => name === self.name);
  };

  const readJson = async ({ request, response, broken }: Exchange): Promise<unknown> => {
    const bytes = await readBody(request, limits.bodyBytes, response, broken);
    if (bytes.length === 0) return undefined;
    if (!/^application\/json\b/iu.test(request.headers['content-type'] ?? '')) {
      throw new RefusalError(415, 'UNSUPPORTED_MEDIA_TYPE', 'content-type:application/json Required');
    }
    return parseJson(bytes);
  };

  const login = async (exchange: Exchange): Promise<Answer> => {
    const body: JsonObject = bodyOf({ body: (await readJson(exchange)) ?? {} });
    const token = await logins.login(readText(body, 'username', ''), readText(body, 'password', ''));
    if (token === undefined) {
      exchange.failed();
      throw new RefusalError(401, 'BAD_USERNAME_OR_PWD', 'Auth failed');
    }
    exchange.succeeded();
    const node = await ownNode(exchange.signal);
    return ok({ token, version: profile.releaseOf(node?.version), license: { edition: 'ce' } });
  };

  const status = async (isJson: boolean, { signal }: Exchange): Promise<Answer> => {
    const node = await ownNode(signal);
    const headers = { 'retry-after': '15' };
    if (node === undefined) return { status: 503, headers };
    return isJson
      ? {
          ...ok({
            node_name: node.name,
            broker_status: 'started',
            app_status: 'running',
            rel_vsn: `v${profile.releaseOf(node.version)}`,
          }),
          headers,
        }
      : { status: 200, text: `Node ${node.name} is started\nemqx is running`, headers };
  };

  /** Drops what the release does not know. @throws RefusalError for more rows than the release gives */
  const applyProfile = (pattern: string, query: URLSearchParams): void => {
    for (const name of profile.ignoredQueries[pattern] ?? []) query.delete(name);
    for (const name of profile.singleQueries) if (query.has(name)) query.set(name, query.getAll(name).at(-1) ?? '');
    const limit = Number(query.get('limit') ?? 1);
    if (limit > profile.maxLimit) throw invalid('limit', { expected: `1..${profile.maxLimit}` }, limit);
  };

  const answer = async (exchange: Exchange): Promise<Answer> => {
    const { request, broken, signal } = exchange;
    if (!request.complete) broken.throwIfAborted();
    if (self?.isRunning === false) return closed;
    if (self !== undefined && options.faults?.frozen === self.name) return neverAnswer(options.clock, signal);
    if (isBusy()) return new RefusalError(503, 'SERVICE_UNAVAILABLE', 'Service Unavailable').answer;
    const refusal = refusalStatus(request);
    if (refusal !== undefined) return { status: refusal };
    const method = request.method ?? '';
    const [path = '', ...search] = (request.url ?? '').split('?');
    const query = new URLSearchParams(search.join('?'));
    if (method === 'GET' && (path === '/status' || path === `${basePath}/status`))
      return status(query.get('format') === 'json', exchange);
    if (method === 'POST' && path === `${basePath}/login`) return login(exchange);
    if (!path.startsWith(`${basePath}/`)) return unknown(request.headers.accept);

    const scheme = /^\S+/u.exec(request.headers.authorization ?? '')?.[0].toLowerCase();
    if (scheme !== undefined && scheme !== 'basic' && scheme !== 'bearer') return { status: 400 };
    let user: string | undefined;
    try {
      ({ user } = logins.check(request.headersDistinct['authorization']));
    } catch (error) {
      exchange.failed();
      throw error;
    }
    exchange.succeeded();
    const found = find(method, path.slice(basePath.length));
    if (found.kind === 'bad-url') return { status: 400 };
    if (found.kind === 'other-method') return { status: 405, headers: { allow: found.allowed.join(', ') } };
    if (found.kind !== 'found') return unknown(request.headers.accept);
    const [, area = ''] = found.pattern.split('/');
    if (options.faults?.forbidden.some((path) => found.pattern.startsWith(path)) === true)
      throw new RefusalError(403, 'UNAUTHORIZED_ROLE', 'API key has no permission to access this resource');
    if (user === undefined && userPaths.has(area)) {
      throw new RefusalError(
        401,
        profile.keyRefusal,
        `Please use bearer Token instead, using API key/secret in ${area} path is not permitted`,
      );
    }
    const body = hasBody(method) ? await readJson(exchange) : undefined;
    const param = (name: string): string => found.params.get(name) ?? '';
    const { pattern } = found;
    applyProfile(pattern, query);
    const served: ServedRequest = { param, query, body, options: { signal }, user };
    const frozen = options.faults?.frozen;
    const outcome = frozen === undefined ? undefined : await frozenOutcome(pattern, served, frozen, api, profile);
    if (outcome !== undefined) await options.clock?.sleep(outcome.seconds * 1000, signal);
    if (outcome !== undefined && outcome.end !== 'without') return outcome.end;
    const result = await found.handler(served);
    const missing = profile.missingFields[pattern];
    if (missing === undefined && outcome === undefined) return result;
    return {
      ...result,
      json: withoutNode(withoutFields(result.json, missing ?? []), outcome === undefined ? '' : (frozen ?? '')),
    };
  };

  const handle = async (exchange: Exchange): Promise<void> => {
    const { request, response, signal } = exchange;
    let result: Answer;
    let body: readonly Buffer[];
    try {
      result = await answer(exchange);
      body = await bytesOf(result, signal);
    } catch (error) {
      if (signal.aborted) return;
      const known = answerForError(error);
      if (known === undefined) options.onError?.(error);
      result = known ?? internalError;
      body = await bytesOf(result, signal);
    }
    if (result.isClosed === true) return void response.destroy();
    // The rest of an unread body must not be taken for the next request.
    if (!request.complete && !response.headersSent) response.shouldKeepAlive = false;
    const { status: code, headers } = result;
    if (result.json !== undefined || result.long !== undefined) return writeJson(response, code, body, headers);
    response.writeHead(code, {
      ...(result.text !== undefined && { 'content-type': 'text/plain' }),
      ...(code !== 204 && { 'content-length': body[0]?.length ?? 0 }),
      ...headers,
    });
    response.end(body[0]);
  };

  const server = await startHttpServer({ ...options, limits, handle }).catch((error: unknown) => {
    nodes.close();
    throw error;
  });
  return {
    ...server,
    close: () => {
      nodes.close();
      return server.close();
    },
  };
}

async function bytesOf({ json, long, text }: Answer, signal: AbortSignal): Promise<readonly Buffer[]> {
  if (long !== undefined) return gather(jsonBytes(long), signal);
  if (json !== undefined) return [textBytes(JSON.stringify(json))];
  return text === undefined ? [] : [Buffer.from(text)];
}

export const emqxV5Server: DialectServer = {
  firstPath: '/nodes',
  hasApiKeys: true,
  extraPlugins: (variant) => {
    refuseVariant(variant);
    return [];
  },
  meaning: (profile) => profileOf(profile).meaning,
  start: async (options) => {
    refuseVariant(options.variant);
    return createV5Server(options);
  },
};

function refuseVariant(variant: string | undefined): void {
  if (variant !== undefined) throw new TypeError(`emqx-v5 has no variant ${variant}`);
}
