import { describe, expect, test } from 'vitest';
import type { ReadingApi } from '../../../src/api/management-api.ts';
import type { QueryContext, ReadCall } from '../../../src/monitor/query/query.ts';
import { linesOf } from '../../../src/resources/traces/lines.ts';
import { traceLog } from '../../../src/resources/traces/resource.ts';

const at = (second: number, text: string): string =>
  `2026-11-28T03:58:${String(second).padStart(2, '0')}.5+00:00 ${text}\n`;

test('lines have their time, level and text; what has no time belongs to the line before', () => {
  expect(
    linesOf(`${at(1, '[warning] slow1@10.0.0.1:59062 msg: dropped')}payload: {\n}\n${at(2, 'plain')}`, 'a'),
  ).toEqual([
    {
      place: 0,
      time: '2026-11-28T03:58:01.5+00:00',
      level: 'warning',
      node: 'a',
      text: 'slow1@10.0.0.1:59062 msg: dropped\npayload: {\n}',
    },
    { place: 0, time: '2026-11-28T03:58:02.5+00:00', level: undefined, node: 'a', text: 'plain' },
  ]);
});

/** Reads the log of a trace of two nodes, whose logs can be changed. */
const opened = (logs: Record<string, string>) => {
  const asked: string[] = [];
  const api: Partial<ReadingApi> = {
    listTraces: async () => [
      {
        name: 't',
        kind: 'client-id',
        value: 'x',
        status: 'running',
        startAt: undefined,
        endAt: undefined,
        logBytes: new Map(Object.entries(logs).map(([node, log]) => [node, Buffer.byteLength(log)])),
        unparsed: {},
      },
    ],
    async readTrace(name, node, { from, maxBytes }) {
      asked.push(`${name} ${node} ${from}`);
      const text = Buffer.from(logs[node] ?? '')
        .subarray(from, from + maxBytes)
        .toString();
      return { text, next: from + Buffer.byteLength(text) };
    },
  };
  const read = traceLog.open({ api } as unknown as QueryContext, 't');
  const call: ReadCall = { signal: new AbortController().signal, request: (request) => request() };
  return { asked, read: async () => read(call) };
};

describe('the log of a trace', () => {
  test('has the lines of all nodes in the order of their times, and then only what is new', async () => {
    const logs = { a: at(1, 'one') + at(3, 'three'), b: at(2, 'two') };
    const { read, asked } = opened(logs);
    expect((await read()).items.map(({ place, node, text }) => [place, node, text])).toEqual([
      [1, 'a', 'one'],
      [2, 'b', 'two'],
      [3, 'a', 'three'],
    ]);
    asked.length = 0;
    logs.b += at(4, 'four');
    expect((await read()).items.at(-1)).toMatchObject({ place: 4, text: 'four' });
    expect(asked).toEqual(['t b 32']);
  });

  test('has a line only once it is whole', async () => {
    const logs = { a: at(1, 'one') + '2026-11-28T03:58:02.5+00:00 tw' };
    const { read } = opened(logs);
    expect((await read()).items.map(({ text }) => text)).toEqual(['one']);
    logs.a += 'o ä\n';
    expect((await read()).items.map(({ text }) => text)).toEqual(['one', 'two ä']);
  });

  test('that is long begins near its end, and says so', async () => {
    const line = at(1, 'x'.repeat(100));
    const { read } = opened({ a: line.repeat(1_000) });
    const { items, hasMore } = await read();
    expect(hasMore).toBe(true);
    expect(items).toHaveLength(Math.floor(65_536 / line.length));
  });

  test('begins anew when another trace has the name', async () => {
    const logs = { a: at(1, 'one') + at(2, 'two') };
    const { read } = opened(logs);
    await read();
    logs.a = at(9, 'nine');
    expect((await read()).items.map(({ text }) => text)).toEqual(['one', 'two', 'nine']);
  });
});
