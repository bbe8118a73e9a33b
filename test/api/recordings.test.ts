import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { createHttpApi } from '../../src/api/v2/client.ts';
import { createHttp } from '../../src/api/v2/http.ts';
import { startRawServer } from './raw-server.ts';
import type { RawServer } from './raw-server.ts';
import { expectations, recordedBody } from './recording-expectations.ts';
import { loadRecordings, replay } from './recordings.ts';
import type { Recording } from './recordings.ts';

const recordings = loadRecordings();
let playing: Recording | undefined;
let server: RawServer;

beforeAll(async () => {
  server = await startRawServer((_, socket) => {
    const bytes = playing && replay(playing);
    if (bytes === undefined) socket.end();
    return bytes;
  });
});

afterAll(() => server.close());

test('every recording has an expectation, and every expectation a recording', () => {
  expect(recordings.size).toBe(137);
  expect(Object.keys(expectations).toSorted()).toEqual([...recordings.keys()].toSorted());
});

/** Paging is always written out by the client; brokers answer the same without. */
const withoutQuery = (path: string): string => path.split('?')[0] ?? '';

test.each([...recordings.values()])('$name', async (recording) => {
  playing = recording;
  const expectation = expectations[recording.name];
  if (!expectation) throw new Error('no expectation');
  const { call, variant, outcome } = expectation;
  const options = { url: server.url, user: 'admin', password: 'public' };
  const api = createHttpApi({ ...options, variant });
  const http = createHttp(options);
  try {
    const body = recordedBody(recording);
    const path = recording.path.replace('/api/v2', '');
    const result = call ? call(api) : http.send({ method: recording.method, path, body });
    if ('value' in outcome) expect(await result).toEqual(outcome.value);
    else {
      const error: unknown = await result.then((value) => value, (reason: unknown) => reason);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject(outcome.error);
      expect(error).toMatchObject({ request: { method: recording.method } });
    }
    if (call) {
      const sent = server.requests.at(-1);
      expect([sent?.method, withoutQuery(sent?.path ?? '')]).toEqual([recording.method, withoutQuery(recording.path)]);
      expect(sent?.body ? JSON.parse(sent.body) : undefined).toEqual(body);
    }
  } finally {
    await Promise.all([api.close(), http.close()]);
  }
});
