import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ConnectionSlots } from '../../domain/connection-slots.ts';
import { hostPort } from '../../domain/text.ts';
import type { ManagementServer } from '../dialect.ts';
import { Pipeline } from './pipeline.ts';

export interface ServerLimits {
  readonly bodyBytes: number;
  /** The headers of a request may take so long, from the start of the connection. */
  readonly headersMs: number;
  readonly requestMs: number;
  /**
   * Limits connections. A new one beyond it evicts one without login: failed, else idle for longest, else in login. If
   * there is none, the new one is closed unanswered.
   */
  readonly connections: number;
}

export const defaultServerLimits: ServerLimits = {
  bodyBytes: 64 * 1024,
  headersMs: 10_000,
  requestMs: 15_000,
  connections: 64,
};

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted with a `BrokenRequestError` when the rest of the request will not arrive. */
  readonly broken: AbortSignal;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** Notes a successful login: the connection is never closed to make room for another. */
  succeeded(): void;
  failed(): void;
}

interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  readonly limits: ServerLimits;
  /** Answers the request; must not reject. */
  readonly handle: (exchange: Exchange) => Promise<void>;
  /** Called when accepting a connection fails. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const graceMs = 250;

/** Starts an HTTP server with limits, for the server half of any dialect. @throws the system error (`EADDRINUSE`, …) */
export async function startHttpServer({ limits, ...options }: HttpServerOptions): Promise<ManagementServer> {
  const slots = new ConnectionSlots<Socket>(limits.connections, (socket) => socket.destroy(), graceMs);

  const handle = (request: IncomingMessage, response: ServerResponse, broken: AbortSignal): Promise<void> => {
    const { socket } = request;
    const ended = new AbortController();
    response.once('close', () => ended.abort());
    return options.handle({
      request,
      response,
      broken,
      signal: ended.signal,
      succeeded: () => slots.trust(socket),
      failed: () => slots.fail(socket),
    });
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

  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      keepAliveTimeout: 30_000,
      maxHeaderSize: 16 * 1024,
    },
    serve,
  );
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
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
