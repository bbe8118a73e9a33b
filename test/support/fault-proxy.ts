import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A fault between a client and its target. Bytes are counted per connection, in the target's answers,
 * from the moment that the fault was set.
 */
export type Fault =
  | { readonly kind: 'none' }
  /** Delays each chunk of an answer. */
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'drip'; readonly bytesPerSecond: number }
  /** Ends the connection normally after so many bytes. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /**
   * Sends so many bytes, then nothing, and leaves the connection open. With 0 the request is carried out and never
   * answered.
   */
  | { readonly kind: 'truncate'; readonly afterBytes: number }
  /** Resets on connect, on the request (which does not reach the target), or instead of the answer. */
  | { readonly kind: 'reset'; readonly at: 'connection' | 'request' | 'answer' }
  /** Holds requests until the fault changes, then forwards them even if the client has left. */
  | { readonly kind: 'hold' }
  /** Stops listening, and resets open connections. */
  | { readonly kind: 'refuse' }
  /** Changes every nth byte of the answers. */
  | { readonly kind: 'corrupt'; readonly every: number };

export interface FaultProxy {
  readonly port: number;
  readonly url: string;
  readonly connections: { readonly open: number; readonly accepted: number };
  /** Bytes forwarded. */
  readonly bytes: { readonly toTarget: number; readonly toClient: number };
  /** Sets the fault, for open connections too. What was held continues under the new fault. */
  set(fault: Fault): Promise<void>;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly target: Socket;
  answered: number;
}

/** Starts a TCP proxy on a free port of 127.0.0.1, without a fault. `target` is a URL or a port of 127.0.0.1. */
export async function startFaultProxy(target: string | number): Promise<FaultProxy> {
  const targetPort = typeof target === 'number' ? target : Number(new URL(target).port);
  const connections = { open: 0, accepted: 0 };
  const bytes = { toTarget: 0, toClient: 0 };
  const pairs = new Set<Pair>();
  let fault: Fault = { kind: 'none' };
  let isClosed = false;
  let changed = Promise.withResolvers<void>();
  let server: Server | undefined;

  function forward(to: Socket, piece: Buffer, count: keyof typeof bytes): void {
    if (to.destroyed || piece.length === 0) return;
    bytes[count] += piece.length;
    to.write(piece);
  }

  /** Waits until the time is over, the fault changes, or the connection closes. */
  async function pause(pair: Pair, ms?: number): Promise<void> {
    if (pair.client.destroyed) return;
    const gone = Promise.withResolvers<void>();
    const timer = ms === undefined ? undefined : setTimeout(gone.resolve, ms);
    pair.client.once('close', gone.resolve);
    await Promise.race([changed.promise, gone.promise]);
    clearTimeout(timer);
    pair.client.off('close', gone.resolve);
  }

  /** Forwards what the fault lets through now, and returns the rest of the chunk. */
  async function answerSome(pair: Pair, piece: Buffer): Promise<Buffer> {
    const now = fault;
    const pass = (length: number): Buffer => {
      const part = piece.subarray(0, length);
      pair.answered += part.length;
      forward(pair.client, part, 'toClient');
      return piece.subarray(part.length);
    };
    switch (now.kind) {
      case 'delay':
        await pause(pair, now.ms);
        return fault === now ? pass(piece.length) : piece;
      case 'drip':
        await pause(pair, 1000 / now.bytesPerSecond);
        return fault === now ? pass(1) : piece;
      case 'cut':
      case 'truncate': {
        const rest = pass(Math.max(0, now.afterBytes - pair.answered));
        if (pair.answered < now.afterBytes) return rest;
        if (now.kind === 'cut') pair.client.end();
        return Buffer.alloc(0);
      }
      case 'reset':
        pair.client.resetAndDestroy();
        return Buffer.alloc(0);
      case 'corrupt':
        piece.forEach((byte, index) => {
          if ((pair.answered + index + 1) % now.every === 0) piece[index] = byte ^ 0x15;
        });
        return pass(piece.length);
      case 'hold':
        await pause(pair);
        return piece;
      case 'none':
      case 'refuse':
        return pass(piece.length);
    }
  }

  async function passAnswers(pair: Pair): Promise<void> {
    const pieces: AsyncIterable<Buffer> = pair.target;
    for await (const piece of pieces) {
      let rest = piece;
      while (rest.length > 0 && !pair.client.destroyed) rest = await answerSome(pair, rest);
    }
    pair.client.end();
  }

  async function passRequests(pair: Pair): Promise<void> {
    const pieces: AsyncIterable<Buffer> = pair.client;
    for await (const piece of pieces) {
      while (fault.kind === 'hold' && !isClosed) await changed.promise;
      if (fault.kind === 'reset' && fault.at === 'request') pair.client.resetAndDestroy();
      else forward(pair.target, piece, 'toTarget');
    }
    pair.target.end();
  }

  function accept(client: Socket): void {
    connections.accepted += 1;
    connections.open += 1;
    const pair: Pair = { client, target: connect({ host: '127.0.0.1', port: targetPort }), answered: 0 };
    pairs.add(pair);
    client.setNoDelay(true);
    for (const socket of [client, pair.target]) socket.on('error', () => undefined);
    client.once('close', () => {
      connections.open -= 1;
      pairs.delete(pair);
      pair.target.destroy();
    });
    if (fault.kind === 'reset' && fault.at === 'connection') {
      client.resetAndDestroy();
      return;
    }
    passRequests(pair).catch(() => pair.target.end());
    passAnswers(pair).catch(() => client.resetAndDestroy());
  }

  async function listen(onPort: number): Promise<number> {
    server = createServer({ allowHalfOpen: true }, accept);
    server.listen(onPort, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : onPort;
  }

  async function stopListening(): Promise<void> {
    const closing = server;
    server = undefined;
    const closed = closing && once(closing, 'close');
    closing?.close();
    for (const { client } of pairs) client.resetAndDestroy();
    await closed;
  }

  const port = await listen(0);
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections,
    bytes,
    async set(next) {
      if (isClosed) return;
      fault = next;
      for (const pair of pairs) pair.answered = 0;
      changed.resolve();
      changed = Promise.withResolvers();
      if (next.kind === 'refuse') await stopListening();
      else if (server === undefined) await listen(port);
    },
    async close() {
      isClosed = true;
      changed.resolve();
      await stopListening();
    },
  };
}
