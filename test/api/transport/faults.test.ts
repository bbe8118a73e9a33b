import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { Caller } from '../../../src/api/dialects/emq-v2/caller.ts';
import { SilentNodes } from '../../../src/api/dialects/silent-nodes.ts';
import { createReads } from '../../../src/api/dialects/emq-v2/operations.ts';
import { VariantDetector } from '../../../src/api/dialects/emq-v2/variants.ts';
import { createHttpApi, type HttpApi } from '../../../src/api/dialects/index.ts';
import { ApiError } from '../../../src/api/errors.ts';
import { badAnswerTexts, errorTexts, hintTexts, tooLargeTexts } from '../../../src/api/texts.ts';
import { type Fault, startFaultProxy } from '../../support/fault-proxy.ts';
import { answer, type RawHandler, type RawServer, startRawServer, success } from '../../support/raw-http-server.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

function connect(url: string, deadlineMs = 400): HttpApi {
  const api = createHttpApi({ url, user: 'admin', password: 'secret', variant: 'b', deadlineMs });
  closing.push(() => api.close());
  return api;
}

async function serve(handler: RawHandler): Promise<RawServer> {
  const server = await startRawServer(handler);
  closing.push(() => server.close());
  return server;
}

async function failure(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`no ApiError: ${String(error)}`);
  return error;
}

describe('on the wire', () => {
  const users = success([{ username: 'admin', tags: 'administrator' }]);
  const faults: readonly (readonly [string, Fault, string])[] = [
    ['a byte now and then', { kind: 'drip', bytesPerSecond: 20 }, 'timeout'],
    ['a long delay', { kind: 'delay', ms: 60_000 }, 'timeout'],
    ['silence', { kind: 'hold' }, 'timeout'],
    ['half an answer and silence', { kind: 'truncate', afterBytes: users.length - 5 }, 'timeout'],
    ['half an answer and the end', { kind: 'cut', afterBytes: users.length - 5 }, 'bad-answer'],
    ['the end before a byte', { kind: 'cut', afterBytes: 0 }, 'unreachable'],
    ['a reset at once', { kind: 'reset', at: 'connection' }, 'unreachable'],
    ['a reset in place of the answer', { kind: 'reset', at: 'answer' }, 'unreachable'],
    ['bytes that changed', { kind: 'corrupt', every: 4 }, 'bad-answer'],
  ];
  test.each(faults)('%s is an error, and the next request works', async (_, fault, kind) => {
    const server = await serve(() => users);
    const proxy = await startFaultProxy(server.port);
    closing.push(() => proxy.close());
    const api = connect(proxy.url);
    await proxy.set(fault);
    expect(await failure(api.listUsers())).toMatchObject({ kind });
    await proxy.set({ kind: 'none' });
    await expect.poll(() => api.listUsers().catch(() => [])).toHaveLength(1);
    await expect.poll(() => proxy.connections.open).toBe(1);
  });
});

describe('bombs', () => {
  test('a compressed body is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 2 ** 20, 0x20));
    const server = await serve(() =>
      answer(200, bomb, { 'content-encoding': 'gzip', 'content-type': 'application/json' }),
    );
    const error = await failure(connect(server.url, 60_000).listUsers());
    expect(error).toMatchObject({
      kind: 'bad-answer',
      message: `${errorTexts.badAnswer(badAnswerTexts.compressed)} ${hintTexts.compressed}`,
    });
    expect(server.requests[0]?.headers.get('accept-encoding')).toBe('identity');
  });

  test.each([
    ['a list', (api: HttpApi) => api.listUsers(), 8 * 2 ** 20],
    ['a page', (api: HttpApi) => api.listClients('n', { page: 1, pageSize: 5_000 }), 8 * 2 ** 20],
  ])('a body without an end is left at the bound of %s', async (_, read, bound) => {
    let sent = 0;
    const server = await serve((_, socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const piece = Buffer.from(`10000\r\n${' '.repeat(0x1_00_00)}\r\n`);
      const more = (): void => {
        while (!socket.destroyed) {
          sent += piece.length;
          if (!socket.write(piece)) {
            socket.once('drain', more);
            return;
          }
        }
      };
      more();
      return undefined;
    });
    expect(await failure(read(connect(server.url, 30_000)))).toMatchObject({
      kind: 'too-large',
      message: errorTexts.tooLarge(tooLargeTexts.bytes(bound)),
    });
    await expect.poll(() => server.connections.open).toBe(0);
    // What was on its way comes on top.
    expect(sent).toBeLessThan(bound + 16 * 2 ** 20);
  });

  test('endless headers are given up', async () => {
    const server = await serve((_, socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => {
        while (!socket.destroyed && socket.write(`x-${'y'.repeat(1000)}: z\r\n`));
        if (!socket.destroyed) socket.once('drain', more);
      };
      more();
      return undefined;
    });
    expect(await failure(connect(server.url, 5_000).listUsers())).toMatchObject({ kind: 'too-large' });
    await expect.poll(() => server.connections.open).toBe(0);
  });

  test('a page of a million rows is over the limit, and refused before it is read completely', async () => {
    const row = JSON.stringify({ client_id: 'sensor-000017', username: 'u', ipaddress: '10.0.0.1', port: 1 });
    const body = Buffer.from(
      `{"code":0,"result":{"current_page":1,"page_size":5000,"total_num":1000000,"total_page":200,"objects":[${`${row},`.repeat(1_000_000).slice(0, -1)}]}}`,
    );
    const server = await serve(() => answer(200, body));
    expect(await failure(connect(server.url, 30_000).listClients('n', { page: 1, pageSize: 5_000 }))).toMatchObject({
      kind: 'too-large',
    });
  });
});

describe('far more rows than requested', () => {
  const page = { page: 1, pageSize: 5_000 };
  const rows = (count: number, row: (index: number) => unknown): string =>
    Array.from({ length: count }, (_, index) => JSON.stringify(row(index))).join(',');
  const pageOf = (objects: string): Buffer =>
    answer(
      200,
      `{"code":0,"result":{"current_page":1,"page_size":5000,"total_num":1,"total_page":1,"objects":[${objects}]}}`,
    );

  test('are decoded in slices, between which other work runs', async () => {
    const objects = Array.from({ length: 200_000 }, (_, index) => ({ client_id: `c${index}` }));
    const detector = new VariantDetector('b');
    // Answers at once, so that no turn is the network's.
    const caller = new Caller({ prefix: '', send: () => Promise.resolve({ objects }) }, detector);
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    const reading = createReads(caller, detector, new SilentNodes(() => false)).listClients('n', page);
    count();
    expect((await reading).items).toHaveLength(200_000);
    isOver = true;
    expect(turns).toBeGreaterThan(2);
  });

  test('nested too deep in a long answer are refused before its end', async () => {
    const server = await serve((_, socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 9000000\r\n\r\n${' '.repeat(2 ** 20)}${'['.repeat(100)}`);
    });
    expect(await failure(connect(server.url, 2_000).listClients('n', page))).toMatchObject({ kind: 'too-large' });
  });

  test.each([1, 10_000])('nested too deep in an unused field are refused, among %i rows', async (count) => {
    const server = await serve(() =>
      pageOf(
        `${rows(count, (index) => ({ client_id: `c${index}`, username: 'u'.repeat(150) }))},{"client_id":"x","more":${'['.repeat(40)}${']'.repeat(40)}}`,
      ),
    );
    expect(await failure(connect(server.url, 30_000).listClients('n', page))).toMatchObject({
      kind: 'too-large',
      message: errorTexts.tooLarge(tooLargeTexts.nesting(32)),
    });
  });

  test('that are tiny are refused while they arrive, before parsing them blocks', async () => {
    let sent = 0;
    const server = await serve((_, socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const text = rows(3_000, (index) => ({ client_id: `c${index}` }));
      const send = (body: string): boolean => socket.write(`${body.length.toString(16)}\r\n${body}\r\n`);
      send(
        `{"code":0,"result":{"current_page":1,"page_size":5000,"total_num":1500000,"total_page":300,"objects":[${text}`,
      );
      const more = (): void => {
        while (!socket.destroyed && sent < 1_500_000) {
          sent += 3_000;
          if (!send(`,${text}`)) {
            socket.once('drain', more);
            return;
          }
        }
        if (!socket.destroyed) socket.write('2\r\n]}\r\n1\r\n}\r\n0\r\n\r\n');
      };
      more();
      return undefined;
    });
    expect(await failure(connect(server.url, 30_000).listClients('n', page))).toMatchObject({
      kind: 'too-large',
      message: errorTexts.tooLarge(tooLargeTexts.values(200_000)),
    });
    await expect.poll(() => server.connections.open).toBe(0);
    expect(sent).toBeLessThan(1_500_000);
  });

  test('that cannot be decoded are given up after the first thousand; single ones are left out', async () => {
    const bodies = [
      pageOf(rows(90_000, () => ({}))),
      pageOf(`${rows(1_500, (index) => ({ client_id: `c${index}` }))},${rows(2_000, () => ({}))}`),
    ];
    const server = await serve(() => bodies.shift());
    const api = connect(server.url, 30_000);
    expect(await failure(api.listClients('n', page))).toMatchObject({ kind: 'bad-answer' });
    expect((await api.listClients('n', page)).items).toHaveLength(1_500);
  });

  test('are refused in lists without pages', async () => {
    const server = await serve(() =>
      answer(200, `{"code":0,"result":[${rows(150_000, (index) => ({ name: `n${index}`, node_status: 'Running' }))}]}`),
    );
    expect(await failure(connect(server.url, 30_000).listNodeStats())).toMatchObject({
      kind: 'too-large',
      message: errorTexts.tooLarge(tooLargeTexts.values(200_000)),
    });
  });
});

describe('Retry-After', () => {
  test.each([429, 503])('of a %d, in seconds or as a date', async (status) => {
    const headers = ['7', new Date(Date.now() + 20_000).toUTCString()];
    const server = await serve(() => answer(status, '', { 'retry-after': headers.shift() ?? '' }));
    const api = connect(server.url);
    expect(await failure(api.listUsers())).toMatchObject({ retryAfterSeconds: 7 });
    expect(await failure(api.listUsers())).toMatchObject({ retryAfterSeconds: expect.closeTo(20, -1) });
    expect(await failure(api.listUsers())).toMatchObject({ retryAfterSeconds: undefined });
  });
});
