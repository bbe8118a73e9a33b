import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import createRouter from 'find-my-way';
import { ConnectionSlots } from '../../../../domain/connection-slots.ts';
import { hostPort } from '../../../../domain/text.ts';
import type { DialectServer, HttpMethod, ManagementServer, ServerOptions } from '../../../dialect.ts';
import { NotFoundError } from '../../../errors.ts';
import { basePath, endpoints } from '../paths.ts';
import { type Variant, variants } from '../variants.ts';
import { type Answer, answerForError, badRequest, makeBody, notFound, success, unauthorized, unknownError, writeAnswer } from './answer.ts';
import { createHandlers, type Handler } from './handlers.ts';
import { Pipeline } from './pipeline.ts';
import { type JsonObject, parseAuthorization, parseBody, readBody, refusalStatus, repeatsPage } from './request.ts';

export interface ServerLimits {
  readonly bodyBytes: number;
  /** Until the headers are complete, from the start of the connection. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** A new one beyond it evicts one without login: failed, else idle for longest, else in login. With none it is closed unanswered. */
  readonly connections: number;
}

export const defaultServerLimits: ServerLimits = {
  bodyBytes: 64 * 1024,
  headersMs: 10_000,
  requestMs: 15_000,
  connections: 64,
};

interface ManagementServerOptions extends Omit<ServerOptions, 'version'> {
  readonly variant: Variant;
  readonly limits?: Partial<ServerLimits> | undefined;
}

const graceMs = 250;

interface Route {
  readonly method: HttpMethod;
  readonly handler: Handler;
}

type FindRoute = (method: string, url: string) => FoundRoute | 'bad-url' | undefined;

interface FoundRoute extends Route {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
}

/** The router's default of 100 would turn long ids into 404. */
const maxParamLength = 64 * 1024;

function createRoutes({ api, variant }: ManagementServerOptions): FindRoute {
  const router = createRouter({ maxParamLength, onBadUrl: () => undefined });
  const routes = new Map<unknown, Route>();
  for (const [name, handler] of createHandlers(api, variants[variant])) {
    const { method, pattern, aliases } = endpoints[name];
    // Never called: the handlers are keys of `routes`.
    const key = (): Handler => handler;
    routes.set(key, { method, handler });
    for (const path of [pattern, ...aliases]) router.on(method, basePath + path, key);
  }
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

/** Serves §4; checks the login before the path. Open points are as in real brokers (field notes). @throws the system error (`EADDRINUSE`, …) */
export async function createManagementServer(options: ManagementServerOptions): Promise<ManagementServer> {
  const limits = { ...defaultServerLimits, ...options.limits };
  const findRoute = createRoutes(options);
  const slots = new ConnectionSlots<Socket>(limits.connections, (socket) => socket.destroy(), graceMs);

  const answer = async (request: IncomingMessage, response: ServerResponse, broken: AbortSignal, signal: AbortSignal): Promise<Answer> => {
    if (!request.complete) broken.throwIfAborted();
    const credentials = parseAuthorization(request.headersDistinct['authorization']);
    if (credentials === undefined) return unauthorized;
    if (!(await options.authenticate(credentials.username, credentials.password))) {
      slots.fail(request.socket);
      return unauthorized;
    }
    slots.trust(request.socket);
    const refusal = refusalStatus(request);
    if (refusal !== undefined) return { kind: 'empty', status: refusal };

    const found = findRoute(request.method ?? '', request.url ?? '');
    if (found === undefined) return notFound;
    if (found === 'bad-url') return badRequest;
    const { method, handler, params, query } = found;
    if (Object.values(params).includes('')) return notFound;
    if (repeatsPage(query)) return badRequest;
    const param = (name: string): string => {
      const value = Object.hasOwn(params, name) ? params[name] : params['*'];
      if (value === undefined) throw new NotFoundError();
      return value;
    };
    const body: JsonObject = method === 'POST' || method === 'PUT' ? parseBody(await readBody(request, limits.bodyBytes, response, broken)) : {};
    return success(await handler({ param, query, body, options: { signal } }));
  };

  const handle = async (request: IncomingMessage, response: ServerResponse, broken: AbortSignal): Promise<void> => {
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    let result: Answer;
    let body: readonly Buffer[];
    try {
      result = await answer(request, response, broken, ended.signal);
      body = await makeBody(result, ended.signal);
    } catch (error) {
      if (ended.signal.aborted) return;
      const known = answerForError(error);
      if (known === undefined) options.onError?.(error);
      result = known ?? unknownError;
      body = await makeBody(result, ended.signal);
    }
    // The rest of an unread body must not be taken for the next request.
    if (!request.complete && !response.headersSent) response.shouldKeepAlive = false;
    writeAnswer(response, result, body);
  };

  const pipelines = new WeakMap<Duplex, Pipeline>();
  const pipelineOf = (socket: Duplex): Pipeline => {
    const pipeline = pipelines.get(socket) ?? new Pipeline(socket);
    pipelines.set(socket, pipeline);
    return pipeline;
  };
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    slots.begin(socket);
    response.once('close', () => slots.end(socket));
    const pipeline = pipelineOf(socket);
    pipeline.add(request, response, () => handle(request, response, pipeline.broken));
  };

  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    keepAliveTimeout: 30_000,
    maxHeaderSize: 16 * 1024,
  }, serve);
  // 100 Continue is sent later, if the body is wanted.
  server.on('checkContinue', serve);
  // Checked like every request: without a login nothing is revealed.
  server.on('checkExpectation', serve);
  server.on('clientError', (error, socket) => pipelineOf(socket).fail(error));
  server.on('connect', (_, socket) => pipelineOf(socket).close());
  // A client that stops reading must not hold a connection forever.
  server.timeout = 30_000;

  server.on('connection', (socket) => {
    if (!slots.makeRoom()) {
      socket.destroy();
      return;
    }
    slots.add(socket);
    socket.once('close', () => slots.remove(socket));
  });

  const { port } = await new Promise<AddressInfo>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: options.host, port: options.port }, () => {
      server.off('error', reject);
      const address = server.address();
      if (address === null || typeof address === 'string') reject(new Error('not a network address'));
      else resolve(address);
    });
  });
  // A connection that cannot be accepted (no descriptors left) must not end the broker.
  server.on('error', (error) => options.onError?.(error));
  return {
    url: `http://${hostPort(options.host, port)}`,
    port,
    connectionLimit: limits.connections,
    connectionCount: () => slots.size,
    close: () => new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    }),
  };
}

export const emqV2Server: DialectServer = {
  extraPlugins: (version) => variants[variantOf(version)].extraPlugins,
  start: async ({ version, ...options }) => createManagementServer({ ...options, variant: variantOf(version) }),
};

function variantOf(version: string): Variant {
  if (version !== 'a' && version !== 'b') throw new TypeError(`emq-v2 has no variant ${version}`);
  return version;
}
