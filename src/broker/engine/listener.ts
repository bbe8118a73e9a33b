import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Listener } from '../../domain/administration.ts';
import { ConnectionSlots } from '../../domain/connection-slots.ts';
import { hostPort } from '../../domain/text.ts';
import { Connection, type ConnectionHost } from './connection.ts';
import { maxConnectBytes } from './handshake.ts';
import type { CloseReason } from './hooks.ts';
import { TcpTransport, type Transport, WebSocketTransport } from './transport.ts';

export type MqttProtocol = 'mqtt:tcp' | 'mqtt:ws';

/** Protocols by the ids that name listeners in requests. */
export const listenerProtocols: Readonly<Record<string, MqttProtocol>> = {
  'tcp:default': 'mqtt:tcp',
  'ws:default': 'mqtt:ws',
};

const idOf = (protocol: MqttProtocol): string | undefined =>
  Object.keys(listenerProtocols).find((id) => listenerProtocols[id] === protocol);

/** A port cannot be bound; no listener of that node is open. */
export class ListenError extends Error {
  readonly protocol: string;
  readonly address: string;
  readonly port: number;
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

export interface ListenerOptions {
  readonly protocol: MqttProtocol;
  readonly address: string;
  readonly port: number;
  readonly maxClients: number;
}

const ordinaryReasons: ReadonlySet<CloseReason> = new Set([
  'client-disconnect',
  'closed',
  'node-stopped',
  'listener-stopped',
]);
/** Limits connections before their HTTP upgrade, in addition to the clients. */
const maxPendingHandshakes = 64;
/** Bytes that a WebSocket message may have beyond the largest packet: it may contain several. */
const messageReserve = 256 * 1024;
const subprotocols = ['mqtt', 'mqttv3.1', 'mqttv3.1.1'];
const webSocketPaths: ReadonlySet<string> = new Set(['/', '/mqtt']);

export class MqttListener {
  readonly protocol: MqttProtocol;
  readonly address: string;
  readonly maxClients: number;
  readonly #server: Server;
  readonly #host: ConnectionHost;
  /** A full listener closes the connection that has been without a CONNECT for longest. */
  readonly slots: ConnectionSlots<Connection>;
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

  /** The bound port; before `open` the requested one. */
  get port(): number {
    return this.#port;
  }

  async open(): Promise<void> {
    const server = this.#server;
    await new Promise<void>((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException): void => {
        reject(new ListenError(this.protocol, this.address, this.#port, error.code ?? error.message, error));
      };
      server.once('error', failed);
      const bound = (): void => {
        server.removeListener('error', failed);
        // Such as EMFILE: one connection is lost, the listener stays open.
        server.on('error', () => undefined);
        resolve();
      };
      // Ports above 65535 make listen throw.
      try {
        server.listen({ host: this.address, port: this.#port, backlog: 1024 }, bound);
      } catch (error) {
        failed(error instanceof Error ? error : new Error(String(error)));
      }
    });
    const address = server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
  }

  stopListening(): void {
    this.#closed ??= new Promise<void>((resolve) => {
      // The error when it never listened does not matter.
      this.#server.close(() => resolve());
    });
  }

  /** Closes the listener, whose connections must be closed before. */
  async close(): Promise<void> {
    this.stopListening();
    for (const socket of this.#sockets) socket.destroy();
    await this.#closed;
  }

  forget(connection: Connection, reason: CloseReason): void {
    if (this.slots.remove(connection) && !ordinaryReasons.has(reason)) this.#count(reason);
  }

  describe(): Listener {
    const { protocol, address, maxClients, port } = this;
    return describeListener({ protocol, address, maxClients, port }, 'yes', this.slots.size, {
      ...this.#shutdownCount,
    });
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
    const server = createHttpServer(
      { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 1000 },
      (_request, response) => {
        response.writeHead(426, { connection: 'close', upgrade: 'websocket' }).end();
      },
    );
    const sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      autoPong: false,
      handleProtocols: (offered) => subprotocols.find((name) => offered.has(name)) ?? false,
    });
    const handshakes = new ConnectionSlots<Socket>(this.maxClients + maxPendingHandshakes, (socket) =>
      socket.destroy(),
    );
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
      // Enough until CONNECT is accepted.
      sockets.options.maxPayload = maxConnectBytes(settings);
      const path = (request.url ?? '').split('?', 1)[0] ?? '';
      // ws also accepts the draft version 8.
      const refusal = !webSocketPaths.has(path)
        ? '404 Not Found'
        : request.headers['sec-websocket-version'] !== '13'
          ? '426 Upgrade Required\r\nSec-WebSocket-Version: 13'
          : !speaksMqtt(request)
            ? '400 Bad Request'
            : this.slots.makeRoom()
              ? undefined
              : '503 Service Unavailable';
      if (refusal !== undefined) {
        socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        this.#add(new WebSocketTransport(webSocket, request.socket, () => settings.maxPacketSize + messageReserve));
      });
    });
    return server;
  }
}

export function describeListener(
  { protocol, address, port, maxClients }: ListenerOptions,
  running: 'yes' | 'no',
  currentClients: number,
  shutdownCount: Listener['shutdownCount'],
): Listener {
  return {
    id: idOf(protocol),
    running,
    protocol,
    listen: hostPort(address, port),
    address,
    port,
    acceptors: 1,
    maxClients,
    currentClients,
    shutdownCount,
    shutdownCountRaw: undefined,
  };
}

function speaksMqtt({ headers }: IncomingMessage): boolean {
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
  return offered === undefined || subprotocols.some((name) => offered.includes(name));
}
