import { once } from 'node:events';
import type { Server, Socket } from 'node:net';

/** A server on a free port of 127.0.0.1. */
export interface Loopback {
  readonly port: number;
  /** Connections: open now, maximum at the same time, and total. */
  readonly connections: { readonly open: number; readonly most: number; readonly accepted: number };
  /** Adds a socket that the server opened itself. It is destroyed with the server. */
  track(socket: Socket): void;
  /** Closes the server and destroys every connection. */
  close(): Promise<void>;
}

/** Listens on a free port. */
export async function listenOnLoopback(server: Server): Promise<Loopback> {
  const connections = { open: 0, most: 0, accepted: 0 };
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  server.on('connection', (socket: Socket) => {
    connections.open += 1;
    connections.accepted += 1;
    connections.most = Math.max(connections.most, connections.open);
    socket.once('close', () => {
      connections.open -= 1;
    });
    track(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connections,
    track,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
