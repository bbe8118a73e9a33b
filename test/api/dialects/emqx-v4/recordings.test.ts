import { afterAll, beforeAll, expect, test } from 'vitest';
import { openedAnswer } from '../../../../src/api/dialects/caller.ts';
import { http } from '../../../../src/api/dialects/emqx-v4/answer.ts';
import * as lists from '../../../../src/api/dialects/emqx-v4/decode-lists.ts';
import * as nodes from '../../../../src/api/dialects/emqx-v4/decode-nodes.ts';
import { decodeOffer } from '../../../../src/api/dialects/emqx-v4/known-broker.ts';
import { decodeRows, Fields } from '../../../../src/api/dialects/fields.ts';
import { UnusableTally } from '../../../../src/api/dialects/records.ts';
import { ApiError } from '../../../../src/api/errors.ts';
import { createHttp, type Http } from '../../../../src/api/transport/http.ts';
import { answer, type RawServer, startRawServer } from '../../../support/raw-http-server.ts';
import { emqx4Recordings, nanoMqRecordings, type V4Recording } from '../../../support/v4-recordings.ts';

let current: V4Recording | undefined;
let server: RawServer;
let api: Http;

beforeAll(async () => {
  server = await startRawServer(
    { '*': () => (current === undefined ? undefined : answer(current.status, current.body, current.headers)) },
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
  unauthorized: [3, 4, 5, 10, 11, 12, 112, 113, 118, 297],
  'not-found': [8, 9, 15, 16, 23, 32, 41, 102, 103, 105, 106, 109, 116, 117, 258, 267, 270, 271, 276, 287],
  /** Wrong parameters, with which the broker fails. */
  'http-status': [39, 209, 210, 211, 243, 245, 250, 410],
  'not-connected': [99, 219, 231, 237],
  invalid: [206, 207, 208, 212, 222, 223, 224, 226, 233, 247, 248, 256, 293],
  failed: [107, 108, 268, 269, 279],
  'not-started': [273],
  'wrong-credentials': [120, 291, 292, 295],
  'empty-credentials': [284],
  exists: [283],
  'unknown-user': [289, 299],
  'protected-user': [300],
  'node-unreachable': [403, 404, 405, 406, 407, 408, 409, 411, 415],
  /** Text instead of JSON. */
  'bad-answer': [1, 2],
};
const ofNanoMq: Readonly<Record<string, readonly number[]>> = {
  unauthorized: [2, 6, 7],
  'not-found': [3, 4, 5, 10, 13, 14, 31, 33, 34, 35, 36, 43, 44, 45, 46, 47],
  invalid: [16, 42],
};
const kindIn = (table: Readonly<Record<string, readonly number[]>>, { file }: V4Recording): string | undefined =>
  Object.entries(table).find(([, numbers]) => numbers.includes(Number.parseInt(file, 10)))?.[0];

const context: lists.RowContext = {
  times: { toBroker: (time) => time, fromEpoch: (time) => time },
  onlyNode: undefined,
};
type Decoder = (body: unknown, tally: UnusableTally) => unknown;
const dataOf = (body: unknown): unknown => Fields.of(body, 'answer').raw['data'];
const rows =
  (decode: (fields: Fields) => unknown): Decoder =>
  (body, tally) =>
    decodeRows(dataOf(body), 'rows', decode, tally);
const one =
  (decode: (fields: Fields) => unknown): Decoder =>
  (body) =>
    decode(Fields.of(dataOf(body), 'row')) ?? expect.unreachable();
const byNode =
  (part: string, decode: (value: unknown) => unknown): Decoder =>
  (body, tally) =>
    nodes.decodeByNode(dataOf(body), part, part, decode, tally);
const clientRow = (fields: Fields): unknown => [
  lists.toClient(context)(fields) ?? expect.unreachable(),
  lists.toSession(context)(fields),
];

/** How each answer is decoded. Paths not named here are not used. */
const decoders: readonly (readonly [path: RegExp, decode: Decoder])[] = [
  [/^\/?$/u, decodeOffer],
  [/^\/nodes\/?$/u, rows(nodes.toNodeStats)],
  [/^\/nodes\/[^/]+$/u, one(nodes.toNodeStats)],
  [/^\/brokers$/u, rows(nodes.toNodeInfo)],
  [/^\/brokers\/[^/]+$/u, one(nodes.toNodeInfo)],
  [/^\/stats$/u, byNode('stats', nodes.decodeStats)],
  [/\/stats$/u, (body) => nodes.decodeStats(dataOf(body))],
  [/^\/metrics$/u, byNode('metrics', nodes.decodeMetrics)],
  [/\/metrics$/u, (body) => nodes.decodeMetrics(dataOf(body))],
  [/^\/listeners$/u, byNode('listeners', (list) => nodes.decodeListeners(list))],
  [/\/listeners$/u, (body, tally) => nodes.decodeListeners(dataOf(body), tally)],
  [/\/acl_cache$/u, rows(lists.toAclDecision(context.times))],
  [/\/clients(?:\?|$)/u, rows(clientRow)],
  [/\/clients\/(?:username\/)?[^/]+$/u, rows(clientRow)],
  [/\/subscriptions(?:\/[^/]+)?(?:\?|$)/u, rows(lists.toSubscription(context))],
  [/^\/routes/u, rows(lists.toRoute)],
  [/\/plugins$/u, (body) => dataOf(body)],
  [/^\/nodes\/[^/]+\/alarms/u, rows(lists.toAlarm(undefined, context.times))],
  [/^\/banned/u, rows(lists.toBan(context.times))],
  [/^\/users$/u, rows(lists.toUser)],
];

async function read(recording: V4Recording): Promise<unknown> {
  current = recording;
  const { method } = recording;
  const { body } = openedAnswer(
    await api.send({
      method: method === 'DELETE' || method === 'POST' || method === 'GET' ? method : 'PUT',
      path: '/',
    }),
  );
  if (method !== 'GET') return undefined;
  const decode = decoders.find(([pattern]) => pattern.test(recording.path.replace(/^\/api\/v4/u, '')))?.[1];
  const tally = new UnusableTally();
  const value = decode?.(body, tally);
  expect(tally.rows).toBeUndefined();
  return value;
}

async function outcomeOf(recording: V4Recording): Promise<string | undefined> {
  const outcome = await read(recording).catch((thrown: unknown) => thrown);
  if (outcome instanceof Error && !(outcome instanceof ApiError)) throw outcome;
  return outcome instanceof ApiError ? outcome.kind : undefined;
}

test.each(emqx4Recordings.map((recording) => [recording.file, recording] as const))(
  'EMQX 4.4: %s',
  async (_, recording) => {
    expect(await outcomeOf(recording)).toBe(kindIn(refusals, recording));
  },
);

test.each(
  nanoMqRecordings
    // Its metrics are other ones.
    .filter(({ path }) => path !== '/api/v4/metrics')
    .map((recording) => [recording.file, recording] as const),
)('NanoMQ 0.25: %s', async (_, recording) => {
  expect(await outcomeOf(recording)).toBe(kindIn(ofNanoMq, recording));
});
