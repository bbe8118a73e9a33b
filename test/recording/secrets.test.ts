import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { constants, zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { initialActingState, type ActingState } from '../../src/actions/acting-monitor.ts';
import { Secret } from '../../src/actions/secret.ts';
import type { RetainedContent, SessionMessage } from '../../src/domain/messages.ts';
import { hidden } from '../../src/domain/secret-keys.ts';
import { reading, withReading } from '../../src/monitor/query/part.ts';
import { emptyResource, type ResourceState } from '../../src/monitor/state.ts';
import { createKeptState } from '../../src/recording/kept-state.ts';
import { createSampleEncoder } from '../../src/recording/sample-encoder.ts';
import { pluginSettings } from '../../src/resources/plugins/resource.ts';
import { retainedContent } from '../../src/resources/retained/resource.ts';
import { sessionMessages } from '../../src/resources/sessions/messages.ts';
import { nodeSettings, settings } from '../../src/resources/settings/resource.ts';
import { setupNotes, timelineEvents } from '../../src/monitor/events.ts';
import { eventOf } from '../support/events.ts';

const secret = 'hunter2-Pässwörd';

/** Whether the bytes of a recording have the secret, in any form in which they could. */
const contains = (bytes: Buffer, text: string): boolean =>
  (['latin1', 'utf8', 'utf16le', 'base64'] as const).some((encoding) =>
    bytes.includes(
      encoding === 'base64'
        ? Buffer.from(Buffer.from(text).toString('base64').slice(0, 16))
        : Buffer.from(text, encoding),
    ),
  );

/** Records states, and returns the bytes before they are compressed. */
async function bytesOf(...states: readonly ActingState[]): Promise<Buffer> {
  const encoder = createSampleEncoder();
  const keep = createKeptState<ActingState>();
  const chunks: Buffer[] = [];
  for (const [index, state] of states.entries()) {
    const ms = index * 2_000;
    chunks.push((await encoder.encode({ wallMs: ms, steadyMs: ms, monotonicMs: ms }, keep(state))).bytes);
  }
  encoder.close();
  return zstdDecompressSync(Buffer.concat(chunks), { finishFlush: constants.ZSTD_e_flush });
}

const answered = <Data>(data: Data): ResourceState<Data> => ({ ...emptyResource<Data>(), data, updatedAtMs: 1 });

const setting = (key: string, value: string) => ({ key, value, dataType: 'string', app: 'emqx' });
const pluginSetting = (key: string, value: string) => ({ key, value, description: 'd', required: true });

const message: SessionMessage = {
  topic: 'work/alarms',
  qos: 1,
  publishedAt: 1,
  fromClientId: 'sensor-7',
  fromUsername: undefined,
  payload: Buffer.from(secret),
};

function secretState(): ActingState {
  const secrets = [setting('auth.mysql.password', secret), setting('zone.max_inflight', '32')];
  let state: ActingState = {
    ...initialActingState(2),
    actions: [
      {
        key: '1',
        name: 'change-password',
        title: 'change the password of ops',
        target: { user: 'ops', password: new Secret(secret) as never },
        startedAtMs: 1,
        phase: 'sending',
        result: undefined,
      },
    ],
  };
  const put = (next: Pick<ActingState, 'readings'>): void => {
    state = { ...state, ...next };
  };
  const note = `Demo broker: http://127.0.0.1, user admin, password ${secret}`;
  put(withReading(state, setupNotes, [eventOf({ text: note })]));
  put(withReading(state, timelineEvents, [eventOf({ text: 'a kept entry' })]));
  put(withReading(state, settings, answered(new Map([['broker1', secrets]]))));
  put(withReading(state, nodeSettings, answered(secrets), 'broker1'));
  put(
    withReading(
      state,
      pluginSettings,
      answered([pluginSetting('server.token', secret), pluginSetting('server.url', 'http://127.0.0.1')]),
      'broker1',
      'auth_http',
    ),
  );
  const content: RetainedContent = { ...message, payload: Buffer.from(secret) };
  put(withReading(state, retainedContent, answered<RetainedContent | 'none'>(content), 'work/alarms'));
  put(withReading(state, sessionMessages, answered({ items: [message], hasMore: false }), 'sensor-7', 'queue'));
  return state;
}

it('records no password, no token and no payload', async () => {
  const state = secretState();
  // As a whole state, and as what changed.
  for (const bytes of [await bytesOf(state), await bytesOf(initialActingState(2), state)]) {
    expect(contains(bytes, secret)).toBe(false);
    for (const kept of [
      'auth.mysql.password',
      'zone.max_inflight',
      'server.url',
      'work/alarms',
      'a kept entry',
      hidden,
    ])
      expect(contains(bytes, kept)).toBe(true);
  }
});

it('finds the secret where it is recorded', async () => {
  expect(contains(await bytesOf({ ...initialActingState(2), apiDoubt: secret }), secret)).toBe(true);
});

it('keeps settings that are no secrets as they are, and those that are as hidden', () => {
  const state = createKeptState<ActingState>()(secretState());
  expect(reading(state, nodeSettings, 'broker1').data).toStrictEqual([
    setting('auth.mysql.password', hidden),
    setting('zone.max_inflight', '32'),
  ]);
  expect(reading(state, retainedContent, 'work/alarms').data).toBeUndefined();
});

// What a new part of the state has that must not be recorded is decided here, and tested above.
it('knows of each part of the state whether it has secrets or payloads', () => {
  const withSecrets = ['nodeSettings', 'pluginSettings', 'retainedContent', 'sessionMessages', 'settings'];
  const without = [
    'accessBackends',
    'accessRates',
    'alarms',
    'apiKeys',
    'bans',
    'clientDetail',
    'clientScan',
    'clientSearch',
    'clusterViews',
    'endedAlarms',
    'lastKnownNodes',
    'listeners',
    'integrationRates',
    'integrations',
    'loadHistory',
    'metricHistory',
    'metricPast',
    'metrics',
    'nodeMetrics',
    'nodeStats',
    'nodes',
    'plugins',
    'queueTrends',
    'reportedLoad',
    'retained',
    'routeScan',
    'seenNodes',
    'sessionRows',
    'sessionScan',
    'slowSubscriptions',
    'stats',
    'subscriptionScan',
    'timeline',
    'topicRoutes',
    'traceLog',
    'traces',
    'totalsHistory',
    'triage',
    'users',
  ];
  expect(namesInSource().toSorted()).toStrictEqual([...withSecrets, ...without].toSorted());
});

/** Returns the names of all parts that the source defines. */
function namesInSource(): readonly string[] {
  const src = path.join(import.meta.dirname, '..', '..', 'src');
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/u.test(file))
    .map((file) => readFileSync(path.join(src, file), 'utf8'))
    .flatMap((text) => [
      ...text.matchAll(/= define(?:Resource|Scan)(?:<[^(]*>)?\(\{\s*name: '(?<name>\w+)'/gu),
      ...text.matchAll(/= definePart(?:<[^(]*>)?\(\s*'(?<name>\w+)'/gu),
    ])
    .map(({ groups }) => groups?.['name'] ?? '');
}
