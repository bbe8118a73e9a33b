import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import createRouter from 'find-my-way';
import { hostPort } from '../../../../domain/text.ts';
import type { HttpMethod } from '../../../dialect.ts';
import { NotFoundError } from '../../../errors.ts';
import { basePath, endpoints } from '../paths.ts';
import { type Variant, variants } from '../variants.ts';
import { type Answer, answerForError, badRequest, makeBody, notFound, success, unauthorized, unknownError, writeAnswer } from './answer.ts';
import { asksTwoPages, ConnectionSlots, judgeRequest, parseAuthorization } from './guard.ts';
import { createHandlers, type Handler, type ServedApi } from './handlers.ts';
import { Pipeline } from './pipeline.ts';
import { type JsonObject, parseBody, readBody } from './request.ts';

export type { ServedApi } from './handlers.ts';

/** Limits for one caller. */
export interface ServerLimits {
  readonly bodyBytes: number;
  /** Until the headers are complete, counted from the connection's first moment. */
  readonly headersMs: number;
  /** Until the whole request is there. */
  readonly requestMs: number;
  /**
   * Simultaneous connections. One more takes the place of one that has never sent a right login: of one that sent a
   * wrong one, of the one idle for longest, or of the first whose login is being judged; without such a one it is
   * closed without an answer (field notes, "Transport").
   */
  readonly connections: number;
}

export const defaultServerLimits: ServerLimits = {
  bodyBytes: 64 * 1024,
  headersMs: 10_000,
  requestMs: 15_000,
  connections: 64,
};

export interface ManagementServerOptions {
  readonly api: ServedApi;
  readonly variant: Variant;
  /** Whether the pair is an admin user's. May reject with an `ApiError`, which is then the answer. */
  readonly authenticate: (username: string, password: string) => Promise<boolean>;
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly limits?: Partial<ServerLimits> | undefined;
  /** Called with unexpected errors of operations (the caller got code 102), and when accepting fails. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export interface ManagementServer {
  /** `http://127.0.0.1:8080`, without the path prefix. */
  readonly url: string;
  readonly port: number;
  /** What the listener `mqtt:api` says as `max_clients`. */
  readonly connectionLimit: number;
  /** Connections that are open now. */
  connectionCount(): number;
  /** Stops listening and ends every connection, idle or not. */
  close(): Promise<void>;
}

/** The time from being connected to having asked. */
const graceMs = 250;

interface Route {
  readonly method: HttpMethod;
  readonly handler: Handler;
}

type FindRoute = (method: string, url: string) => Found | 'bad-url' | undefined;

interface Found extends Route {
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: URLSearchParams;
}

/** Ids are as long as the request line allows; the router's own limit of 100 would turn them into 404. */
const maxParamLength = 64 * 1024;

function createRoutes({ api, variant }: ManagementServerOptions): FindRoute {
  const router = createRouter({ maxParamLength, onBadUrl: () => undefined });
  const routes = new Map<unknown, Route>();
  for (const [name, handler] of createHandlers(api, variants[variant])) {
    const { method, pattern, aliases } = endpoints[name];
    // The router's handlers are never called: they are keys of what is found.
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
    const mark = url.indexOf('?');
    return { ...route, params: found.params, query: new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1)) };
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
 * The management interface (§4) over HTTP, for any implementation of the port.
 *
 * Authentication is checked before the path. Failures that the port reports as `BrokerError` are
 * HTTP 200 with `{code, message}`; everything else that the specification leaves open is answered
 * as real brokers answer (field notes).
 *
 * @throws Error of the system (`EADDRINUSE`, …) when it cannot listen.
 */
export async function createManagementServer(options: ManagementServerOptions): Promise<ManagementServer> {
  const limits = { ...defaultServerLimits, ...options.limits };
  const findRoute = createRoutes(options);
  const slots = new ConnectionSlots<Socket>(limits.connections, (socket) => socket.destroy(), graceMs);

  const answer = async (request: IncomingMessage, response: ServerResponse, broken: AbortSignal, signal: AbortSignal): Promise<Answer> => {
    if (!request.complete) broken.throwIfAborted();
    const credentials = parseAuthorization(request.headersDistinct['authorization']);
    if (credentials === undefined) return unauthorized;
    if (!(await options.authenticate(credentials.username, credentials.password))) {
      slots.refuse(request.socket);
      return unauthorized;
    }
    slots.trust(request.socket);
    const refusal = judgeRequest(request);
    if (refusal !== undefined) return refusal;

    const found = findRoute(request.method ?? '', request.url ?? '');
    if (found === undefined) return notFound;
    if (found === 'bad-url') return badRequest;
    const { method, handler, params, query } = found;
    if (Object.values(params).includes('')) return notFound;
    if (asksTwoPages(query)) return badRequest;
    const param = (name: string): string => {
      const value = Object.hasOwn(params, name) ? params[name] : params['*'];
      if (value === undefined) throw new NotFoundError();
      return value;
    };
    const body: JsonObject = method === 'POST' || method === 'PUT' ? parseBody(await readBody(request, limits.bodyBytes, response, broken)) : {};
    return success(await handler({ param, query, body, options: { signal } }));
  };

  const carryOut = async (request: IncomingMessage, response: ServerResponse, broken: AbortSignal): Promise<void> => {
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    let result: Answer;
    let body: readonly Buffer[];
    try {
      result = await answer(request, response, broken, ended.signal);
      body = await makeBody(result, ended.signal);
    } catch (error) {
      // The caller has gone.
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
    pipeline.add(request, response, () => carryOut(request, response, pipeline.broken));
  };

  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: Math.min(1000, limits.headersMs),
    keepAliveTimeout: 30_000,
    maxHeaderSize: 16 * 1024,
  }, serve);
  // The body is requested only once it is clear that it is wanted.
  server.on('checkContinue', serve);
  // Checked like every request: without a login nothing is revealed.
  server.on('checkExpectation', serve);
  server.on('clientError', (error, socket) => pipelineOf(socket).break(error));
  server.on('connect', (_, socket) => pipelineOf(socket).close());
  // A caller that stops reading must not hold a connection forever.
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
  // A connection that could not be accepted (no descriptors left) must not end the broker.
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
