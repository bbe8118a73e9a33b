import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiError, BrokerError } from '../../../../src/api/errors.ts';
import { openedAnswer } from '../../../../src/api/dialects/caller.ts';
import { http } from '../../../../src/api/dialects/emqx-v5/answer.ts';
import * as lists from '../../../../src/api/dialects/emqx-v5/decode-lists.ts';
import {
  decodeByNode,
  decodeListeners,
  decodeMetrics,
  decodeNode,
  decodeNodes,
  decodeStats,
} from '../../../../src/api/dialects/emqx-v5/decode-nodes.ts';
import { decodeRows, type Fields } from '../../../../src/api/dialects/fields.ts';
import { UnusableTally } from '../../../../src/api/dialects/records.ts';
import { createHttp, type Http } from '../../../../src/api/transport/http.ts';
import { answer, type RawServer, startRawServer } from '../../../support/raw-http-server.ts';
import { type Recording, v5Recording, v5Recordings } from '../../../support/v5-replay.ts';

let current: Recording | undefined;
let server: RawServer;
let api: Http;

beforeAll(async () => {
  server = await startRawServer(
    (_, socket) => {
      if (current === undefined || current.status === 0) return void socket.destroy();
      const headers = [...current.headers].filter(
        ([name]) => name !== 'content-length' && name !== 'transfer-encoding',
      );
      return answer(current.status, current.body, Object.fromEntries(headers));
    },
    { keepAlive: false },
  );
  api = createHttp({ url: server.url, format: http });
});
afterAll(async () => {
  await api.close();
  await server.close();
});

/** Refusals by the numbers of their recordings. The others succeed. */
const refusals: Readonly<Record<string, readonly number[]>> = {
  unauthorized: [5, 7, 8, 9, 10, 11, 21, 276, 327, 329],
  'not-allowed': [14, 15, 310],
  exists: [18, 193],
  invalid: [
    6, 34, 44, 52, 59, 60, 61, 62, 77, 83, 88, 94, 115, 119, 135, 194, 223, 224, 225, 226, 227, 228, 237, 245, 308, 333,
  ],
  'does-not-exist': [51, 181, 184, 199, 211, 214, 309, 313],
  'not-connected': [102, 107, 111, 235, 240, 247, 501, 618, 620],
  'node-unreachable': [26, 27, 40, 73, 175, 513, 515, 517, 519, 521, 523, 525, 603, 604, 613],
  'not-found': [121, 155, 157, 250, 253, 255],
  'http-status': [254],
  unreachable: [527, 528, 529, 530, 531, 533],
  /** Text instead of JSON. */
  'bad-answer': [1, 3, 262, 505, 507],
};
const refusalOf = new Map(
  Object.entries(refusals).flatMap(([kind, numbers]) => numbers.map((number) => [number, kind] as const)),
);

const page = { page: 1, pageSize: 100 };
type Decoder = (body: unknown, tally: UnusableTally) => unknown;
const paged =
  (decode: (fields: Fields) => unknown): Decoder =>
  (body, tally) =>
    decodeRows(lists.openPage(body, page).rows, 'rows', decode, tally);
const rows =
  (decode: (fields: Fields) => unknown): Decoder =>
  (body, tally) =>
    decodeRows(body, 'rows', decode, tally);
const one =
  (decode: (fields: Fields) => unknown): Decoder =>
  (body, tally) =>
    decodeRows([body], 'row', decode, tally);

/** How each answer is decoded. Paths not named here are not used. */
const decoders: readonly (readonly [path: RegExp, decode: Decoder])[] = [
  [/^\/nodes$/u, (body, tally) => decodeNodes(body, undefined, tally)],
  [/^\/nodes\/[^/]+$/u, (body) => decodeNode(body, undefined)],
  [/^\/nodes\/[^/]+\/stats$|^\/stats\?aggregate=true/u, decodeStats],
  [/^\/nodes\/[^/]+\/metrics$|^\/metrics\?aggregate/u, decodeMetrics],
  [/^\/stats$/u, (body, tally) => decodeByNode(body, 'statistics', decodeStats, tally)],
  [/^\/metrics(?:\?node|$)/u, (body, tally) => decodeByNode(body, 'metrics', decodeMetrics, tally)],
  [/^\/listeners(?:\?|$)/u, decodeListeners],
  [
    /^\/clients(?:_v2)?(?:\/?$|\/(?:\.|%2E)$|\?)/u,
    paged((fields) => [lists.toClient(fields) ?? expect.unreachable(), lists.toSession(fields)]),
  ],
  [/^\/clients\/[^/]+$/u, one((fields) => [lists.toClient(fields) ?? expect.unreachable(), lists.toSession(fields)])],
  [/^\/clients\/[^/]+\/subscriptions$/u, rows(lists.toSubscription)],
  [/^\/clients\/[^/]+\/(?:mqueue|inflight)_messages/u, lists.decodeSessionMessages],
  [/^\/subscriptions/u, paged(lists.toSubscription)],
  [/^\/topics(?:\?|$)/u, paged(lists.toRoute)],
  [/^\/topics\//u, rows(lists.toRoute)],
  [/^\/alarms(?:\?|$)/u, paged(lists.toAlarm)],
  [/^\/banned(?:\?|$)/u, paged(lists.toBan)],
  [/^\/mqtt\/retainer\/messages/u, paged(lists.toRetained)],
  [/^\/mqtt\/retainer\/message\//u, lists.decodeRetained],
  [/^\/slow_subscriptions(?:\?|$)/u, paged(lists.toSlowSubscription)],
  [/^\/plugins$/u, rows(lists.toPlugin('emqx1@127.0.0.1'))],
  [/^\/users$/u, rows(lists.toUser)],
  [/^\/api_key$/u, rows(lists.toApiKey)],
  [/^\/api_key\//u, one(lists.toApiKey)],
];

const numberOf = ({ file }: Recording): number => Number.parseInt(file, 10);
const isMethod = (method: string): method is 'GET' | 'POST' | 'PUT' | 'DELETE' =>
  ['GET', 'POST', 'PUT', 'DELETE'].includes(method);

async function read(recording: Recording): Promise<unknown> {
  current = recording;
  const path = recording.path.replace(/^\/api\/v5/u, '');
  const sent = await api.send({
    method: isMethod(recording.method) ? recording.method : 'PUT',
    path: `/${numberOf(recording)}`,
  });
  const { body, status } = openedAnswer(sent);
  if (recording.method !== 'GET') return status;
  const decode = decoders.find(([pattern]) => pattern.test(path))?.[1];
  const tally = new UnusableTally();
  const value = decode === undefined ? status : decode(body, tally);
  expect(tally.rows).toBeUndefined();
  return value;
}

test('all answers of the recorded cluster are here', () => {
  expect(v5Recordings).toHaveLength(286);
});

test.each(v5Recordings.map((recording) => [recording.file, recording] as const))('%s', async (_, recording) => {
  const expected = refusalOf.get(numberOf(recording));
  const outcome = await read(recording).catch((thrown: unknown) => thrown);
  if (outcome instanceof Error && !(outcome instanceof ApiError)) throw outcome;
  expect(outcome instanceof ApiError ? outcome.kind : undefined).toBe(expected);
});

describe('the words of the broker', () => {
  test.each([
    ['059', 'limit: expected 1..10000'],
    ['237', 'root.topic: required_field'],
    ['517', 'error, {erpc,timeout}'],
    ['519', 'error, function_clause'],
    ['193', undefined],
  ])('%s is %j', async (start, words) => {
    const error = await read(v5Recording(start)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BrokerError);
    expect(error).toHaveProperty('brokerMessage', words);
  });
});
