import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { ConnectionSlots } from '../../api/dialects/emq-v2/server/guard.ts';
import type { Listener } from '../../domain/administration.ts';
import { hostPort } from '../../domain/text.ts';
import type { ConnectionHost } from './connection.ts';
import { Connection } from './connection.ts';
import { maxConnectBytes } from './handshake.ts';
import type { CloseReason } from './hooks.ts';
import { TcpTransport, type Transport, WebSocketTransport } from './transport.ts';

/** A port could not be bound. Nothing of the node that asked for it listens any more. */
export class ListenError extends Error {
  readonly protocol: string;
  readonly address: string;
  readonly port: number;
  /** The system's code: `EADDRINUSE`, `EACCES`, … */
  readonly code: string;

  constructor(protocol: string, address: string, port: number, code: string, cause: unknown) {
    super(`The broker cannot listen on ${hostPort(address, port)} for ${protocol} (${code}).`, { cause });
    this.name = 'ListenError';
    this.protocol = protocol;
    this.address = address;
    this.port = port;
    this.code = code;
  }
}

type MqttProtocol = 'mqtt:tcp' | 'mqtt:ws';

export interface ListenerOptions {
  readonly protocol: MqttProtocol;
  readonly address: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Connections beyond this are refused. */
  readonly maxClients: number;
}

/** Ends that say nothing about a listener's health are not in its `shutdownCount`. */
const ordinaryReasons: ReadonlySet<CloseReason> = new Set(['client-disconnect', 'closed', 'node-stopped']);
/** Connections of a WebSocket listener that may be on their way to the HTTP upgrade, beside as many as there may be clients. */
const maxPendingHandshakes = 64;
/** Bytes that a WebSocket message may have beyond the largest packet. */
const messageReserve = 256 * 1024;
const subprotocols = ['mqtt', 'mqttv3.1', 'mqttv3.1.1'];
const webSocketPaths: ReadonlySet<string> = new Set(['/', '/mqtt']);

/** One listening port of a node and the connections that came through it. */
export class MqttListener {
  readonly protocol: MqttProtocol;
  readonly address: string;
  readonly maxClients: number;
  readonly #server: Server;
  readonly #host: ConnectionHost;
  /** Its connections. A full listener closes the one that has sent no CONNECT for longest, for the next one. */
  readonly slots: ConnectionSlots<Connection>;
  /** Every socket, also of connections that are over but not closed yet. */
  readonly #sockets = new Set<Duplex>();
  readonly #shutdownCount: Record<string, number> = {};
  #port: number;
  #closed: Promise<void> | undefined;

  constructor(host: ConnectionHost, options: ListenerOptions) {
    this.protocol = options.protocol;
    this.address = options.address;
    this.maxClients = options.maxClients;
    this.#port = options.port;
    this.#host = host;
    this.slots = new ConnectionSlots(options.maxClients, (connection) => {
      this.#count('crowded-out');
      connection.close('crowded-out');
    });
    this.#server = options.protocol === 'mqtt:tcp' ? this.#makeTcp() : this.#makeWebSocket();
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** The port bound; before that, the one asked for. */
  get port(): number {
    return this.#port;
  }

  /** Rejects with `ListenError`. */
  async open(): Promise<void> {
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        reject(new ListenError(this.protocol, this.address, this.#port, error.code ?? error.message, error));
      };
      server.once('error', failed);
      const bound = (): void => {
        server.removeListener('error', failed);
        // Such as EMFILE: a connection was lost, the listener goes on.
        server.on('error', () => undefined);
        resolve();
      };
      // A port beyond 65535 is thrown at once instead.
      try {
        server.listen({ host: this.address, port: this.#port, backlog: 1024 }, bound);
      } catch (error) {
        failed(error instanceof Error ? error : new Error(String(error)));
      }
    });
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  /** Lets nobody in any more; who is in stays. */
  stopListening(): void {
    this.#closed ??= new Promise<void>((resolve) => {
      // Called with an error when it never listened, which is as good.
      this.#server.close(() => resolve());
    });
  }

  /** Stops listening and drops all sockets. The connections must have been closed before. */
  async close(): Promise<void> {
    this.stopListening();
    for (const socket of this.#sockets) socket.destroy();
    await this.#closed;
  }

  /** A connection of this listener ended. */
  forget(connection: Connection, reason: CloseReason): void {
    if (this.slots.remove(connection) && !ordinaryReasons.has(reason)) this.#count(reason);
  }

  /** The listener as the management interface shows it (§2.9). The one event loop is its one acceptor. */
  describe(): Listener {
    return {
      protocol: this.protocol,
      listen: hostPort(this.address, this.#port),
      address: this.address,
      port: this.#port,
      acceptors: 1,
      maxClients: this.maxClients,
      currentClients: this.slots.size,
      shutdownCount: { ...this.#shutdownCount },
      shutdownCountRaw: undefined,
    };
  }

  #count(reason: CloseReason): void {
    this.#shutdownCount[reason] = (this.#shutdownCount[reason] ?? 0) + 1;
  }

  #add(transport: Transport): void {
    this.slots.add(new Connection(transport, this.#host));
  }

  #makeTcp(): Server {
    return createServer((socket) => {
      if (this.slots.makeRoom()) this.#add(new TcpTransport(socket));
      else socket.destroy();
    });
  }

  #makeWebSocket(): Server {
    const server = createHttpServer({ headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 1000 }, (_request, response) => {
      response.writeHead(426, { connection: 'close', upgrade: 'websocket' }).end();
    });
    const sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      handleProtocols: (offered) => subprotocols.find((name) => offered.has(name)) ?? false,
    });
    const handshakes = new ConnectionSlots<Socket>(this.maxClients + maxPendingHandshakes, (socket) => socket.destroy());
    server.on('connection', (socket: Socket) => {
      if (!handshakes.makeRoom()) {
        socket.destroy();
        return;
      }
      handshakes.add(socket);
      socket.once('close', () => handshakes.remove(socket));
    });
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => undefined);
      handshakes.remove(request.socket);
      const { settings } = this.#host;
      // Strangers may send a CONNECT and little more.
      sockets.options.maxPayload = maxConnectBytes(settings);
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      // With its headers. The library would take version 8 too, a draft.
      const refusal = !webSocketPaths.has(path) ? '404 Not Found'
        : request.headers['sec-websocket-version'] !== '13' ? '426 Upgrade Required\r\nSec-WebSocket-Version: 13'
          : !speaksMqtt(request) ? '400 Bad Request'
            : this.slots.makeRoom() ? undefined : '503 Service Unavailable';
      if (refusal !== undefined) {
        socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        // A message may hold several packets, but no client needs to send many in one.
        this.#add(new WebSocketTransport(webSocket, request.socket, () => settings.maxPacketSize + messageReserve));
      });
    });
    return server;
  }
}

/** Who offers subprotocols wants one of them; who offers none is taken at its word that it speaks MQTT. */
function speaksMqtt({ headers }: IncomingMessage): boolean {
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
  return offered === undefined || subprotocols.some((name) => offered.includes(name));
}
