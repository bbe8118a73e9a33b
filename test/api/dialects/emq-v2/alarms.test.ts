import { afterEach, expect, test } from 'vitest';
import { createHttpApi } from '../../../../src/api/dialects/index.ts';
import { NotAvailableError } from '../../../../src/api/errors.ts';
import { type RawAnswer, startRawServer, success } from '../../../support/raw-http-server.ts';

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end();
});

async function start(answer: RawAnswer) {
  const server = await startRawServer({ '*': answer });
  endings.push(() => server.close());
  const api = createHttpApi({ url: server.url, user: 'admin', password: 'public' });
  endings.push(() => api.close());
  return { server, list: async () => api.listAlarms?.('n@h') };
}

test('alarms are decoded as far as possible', async () => {
  const { list, server } = await start(
    success([
      {
        id: 'queue_high_watermark.dev/7',
        severity: 'warning',
        title: 'Queue dev/7 high-water mark',
        summary: 'queue len 806 > high_watermark 600',
        occurred_at: '2026-03-01 14:03:09',
      },
      { id: 'odd', severity: 3, summary: null, occurred_at: 'noon', more: {} },
      { severity: 'error' },
    ]),
  );
  expect(await list()).toEqual([
    {
      id: 'queue_high_watermark.dev/7',
      severity: 'warning',
      title: 'Queue dev/7 high-water mark',
      summary: 'queue len 806 > high_watermark 600',
      occurredAt: Date.UTC(2026, 2, 1, 14, 3, 9) / 1_000,
      queueOf: 'dev/7',
    },
    { id: 'odd', severity: undefined, title: undefined, summary: undefined, occurredAt: undefined },
  ]);
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /api/v2/nodes/n@h/alarms']);
});

test('after a 404 alarms are not requested again', async () => {
  const { list, server } = await start('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n');
  for (let at = 0; at < 3; at += 1) await expect(list()).rejects.toBeInstanceOf(NotAvailableError);
  expect(server.requests).toHaveLength(1);
});

test('after another failure they are requested again', async () => {
  const { list, server } = await start('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n');
  for (let at = 0; at < 2; at += 1) await expect(list()).rejects.toMatchObject({ kind: 'http-status' });
  expect(server.requests).toHaveLength(2);
});
