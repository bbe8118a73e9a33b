import { afterAll, beforeAll, expect, test } from 'vitest';
import { http as format } from '../../../../src/api/dialects/emq-v2/envelope.ts';
import { createHttpApi } from '../../../../src/api/dialects/index.ts';
import { ApiError } from '../../../../src/api/errors.ts';
import { createHttp } from '../../../../src/api/transport/http.ts';
import { type RawServer, startRawServer } from '../../../support/raw-http-server.ts';
import { type Expectation, expectations, recordedBody } from './recording-expectations.ts';
import { loadRecordings, type Recording, replay } from './recordings.ts';

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

/** Resolves with the value of a call, or with its error. */
async function settle(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error, isApiError: error instanceof ApiError }),
  );
}

function expectedOutcome(outcome: Expectation['outcome'], method: string): unknown {
  if ('value' in outcome) return outcome;
  const request = { method, path: expect.any(String) };
  return { error: expect.objectContaining({ ...outcome.error, request }), isApiError: true };
}

test.each([...recordings.values()])('$name', async (recording) => {
  playing = recording;
  const expectation = expectations[recording.name];
  if (!expectation) throw new Error('no expectation');
  const { call, variant, outcome } = expectation;
  const { method, path } = recording;
  const body = recordedBody(recording);
  const options = { url: server.url, user: 'admin', password: 'public' };
  const api = createHttpApi({ ...options, variant });
  const http = createHttp({ ...options, format });
  const before = server.requests.length;
  try {
    const came = await settle(call ? call(api) : http.send({ method, path: path.replace('/api/v2', ''), body }));
    expect(came).toEqual(expectedOutcome(outcome, method));
    // What does not answer is then read in another way.
    const sent = server.requests[before];
    expect(sent?.method).toBe(method);
    expect(sent?.body ? JSON.parse(sent.body) : undefined).toEqual(body);
    // `/foo` lies outside of the interface: it is asked for inside.
    expect(withoutQuery(sent?.path ?? '')).toBe(withoutQuery(path === '/foo' ? '/api/v2/foo' : path));
  } finally {
    await Promise.all([api.close(), http.close()]);
  }
});
