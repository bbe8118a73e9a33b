import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { listenOnLoopback } from './loopback.ts';

/** Answers each piece with itself. */
async function startEcho(): Promise<{ readonly port: number; readonly received: () => string }> {
  let received = '';
  const { port, close } = await listenOnLoopback(
    createServer((socket) => {
      socket.on('data', (piece: Buffer) => {
        received += piece.toString('latin1');
        socket.write(piece);
      });
    }),
  );
  onTestFinished(close);
  return { port, received: () => received };
}

interface Caller {
  readonly socket: Socket;
  readonly got: () => string;
  /** `end` or an error's code, once the connection is over. */
  readonly ending: () => string | undefined;
}

function call(proxy: FaultProxy): Caller {
  const socket = connect({ host: '127.0.0.1', port: proxy.port });
  let got = '';
  let ending: string | undefined;
  socket.on('data', (piece: Buffer) => {
    got += piece.toString('latin1');
  });
  socket.on('end', () => {
    ending ??= 'end';
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    ending ??= error.code;
  });
  onTestFinished(() => {
    socket.destroy();
  });
  return { socket, got: () => got, ending: () => ending };
}

async function start(): Promise<{ proxy: FaultProxy; received: () => string }> {
  const { port, received } = await startEcho();
  const proxy = await startFaultProxy(port);
  onTestFinished(() => proxy.close());
  return { proxy, received };
}

test('forwards everything without a fault, and counts bytes', async () => {
  const { proxy } = await start();
  const caller = call(proxy);
  caller.socket.write('hello');
  await expect.poll(caller.got).toBe('hello');
  expect(proxy.bytes).toEqual({ toTarget: 5, toClient: 5 });
  expect(proxy.connections).toEqual({ open: 1, accepted: 1 });
  caller.socket.destroy();
  await expect.poll(() => proxy.connections.open).toBe(0);
});

test('delays and drips, and continues at once after that', async () => {
  const { proxy, received } = await start();
  const caller = call(proxy);
  await proxy.set({ kind: 'delay', ms: 3_600_000 });
  caller.socket.write('late');
  await expect.poll(received).toBe('late');
  expect(caller.got()).toBe('');
  await proxy.set({ kind: 'drip', bytesPerSecond: 100 });
  await expect.poll(caller.got).toBe('late');
  await proxy.set({ kind: 'drip', bytesPerSecond: 0.001 });
  caller.socket.write('never');
  await expect.poll(received).toBe('latenever');
  expect(caller.got()).toBe('late');
  await proxy.set({ kind: 'none' });
  await expect.poll(caller.got).toBe('latenever');
});

test('cuts after so many bytes', async () => {
  const { proxy } = await start();
  await proxy.set({ kind: 'cut', afterBytes: 3 });
  const caller = call(proxy);
  caller.socket.write('abcdef');
  await expect.poll(caller.ending).toBe('end');
  expect(caller.got()).toBe('abc');
});

test('truncates after so many bytes and stays open', async () => {
  const { proxy, received } = await start();
  await proxy.set({ kind: 'truncate', afterBytes: 3 });
  const caller = call(proxy);
  caller.socket.write('abcdef');
  await expect.poll(caller.got).toBe('abc');
  caller.socket.write('ghi');
  await expect.poll(received).toBe('abcdefghi');
  await proxy.set({ kind: 'none' });
  caller.socket.write('z');
  await expect.poll(caller.got).toBe('abcz');
  expect(caller.ending()).toBeUndefined();
});

test.each([
  ['connection', ''],
  ['request', ''],
  ['answer', 'abc'],
] as const)('resets at the %s', async (at, target) => {
  const { proxy, received } = await start();
  await proxy.set({ kind: 'reset', at });
  const caller = call(proxy);
  caller.socket.write('abc');
  await expect.poll(caller.ending).toMatch(/^(ECONNRESET|EPIPE)$/);
  expect(received()).toBe(target);
  expect(caller.got()).toBe('');
});

test('holds requests and forwards them later', async () => {
  const { proxy, received } = await start();
  await proxy.set({ kind: 'hold' });
  const caller = call(proxy);
  caller.socket.write('abc');
  await expect.poll(() => proxy.connections.open).toBe(1);
  expect(received()).toBe('');
  await proxy.set({ kind: 'none' });
  await expect.poll(caller.got).toBe('abc');
});

test('forwards held requests even if the client has left', async () => {
  const { proxy, received } = await start();
  await proxy.set({ kind: 'hold' });
  const caller = call(proxy);
  await new Promise<void>((resolve) => {
    caller.socket.end('abc', resolve);
  });
  expect(received()).toBe('');
  await proxy.set({ kind: 'none' });
  await expect.poll(received).toBe('abc');
});

test('refuses, and listens on the same port again', async () => {
  const { proxy } = await start();
  const open = call(proxy);
  await expect.poll(() => proxy.connections.open).toBe(1);
  await proxy.set({ kind: 'refuse' });
  await expect.poll(open.ending).toBe('ECONNRESET');
  const refused = call(proxy);
  await expect.poll(refused.ending).toBe('ECONNREFUSED');
  await proxy.set({ kind: 'none' });
  const caller = call(proxy);
  caller.socket.write('abc');
  await expect.poll(caller.got).toBe('abc');
});

test('corrupts every nth byte', async () => {
  const { proxy } = await start();
  await proxy.set({ kind: 'corrupt', every: 3 });
  const caller = call(proxy);
  caller.socket.write('aaaaaaa');
  await expect.poll(caller.got).toBe('aataata');
});

test.each([{ kind: 'hold' }, { kind: 'drip', bytesPerSecond: 0.001 }, { kind: 'refuse' }] as const)(
  'leaves nothing behind while $kind',
  async (fault) => {
    const { proxy } = await start();
    const caller = call(proxy);
    caller.socket.write('abc');
    await expect.poll(caller.got).toBe('abc');
    await proxy.set(fault);
    caller.socket.write('def');
    await proxy.close();
    await expect.poll(() => proxy.connections.open).toBe(0);
    await expect.poll(caller.ending).toMatch(/^(ECONNRESET|EPIPE)$/);
    await expect.poll(call(proxy).ending).toBe('ECONNREFUSED');
  },
);
