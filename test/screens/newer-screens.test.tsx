import { afterEach, describe, expect, test } from 'vitest';
import type { ActingState } from '../../src/actions/acting-monitor.ts';
import { durationTexts } from '../../src/actions/asking.ts';
import { NotAvailableError, TimeoutError } from '../../src/api/errors.ts';
import type { Alarm, ApiKey, Ban } from '../../src/domain/administration.ts';
import type { RetainedMessage, SessionMessage, SlowSubscription } from '../../src/domain/messages.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { maxListed } from '../../src/monitor/polling/pages.ts';
import { watchKey, watchOf } from '../../src/monitor/query/part.ts';
import { emptyResource, type MonitorState } from '../../src/monitor/state.ts';
import { AlarmsScreen } from '../../src/resources/alarms/screen.tsx';
import { ApiKeysScreen } from '../../src/resources/api-keys/screen.tsx';
import { BansScreen } from '../../src/resources/bans/screen.tsx';
import { ListenersScreen } from '../../src/resources/listeners/screen.tsx';
import { SessionMessagesScreen } from '../../src/resources/messages/screen.tsx';
import { retainedContent } from '../../src/resources/retained/resource.ts';
import { RetainedScreen } from '../../src/resources/retained/screen.tsx';
import { sessionMessages } from '../../src/resources/sessions/messages.ts';
import { SlowSubscriptionsScreen } from '../../src/resources/slow-subscriptions/screen.tsx';
import { UsersScreen } from '../../src/resources/users/screen.tsx';
import { safe, type SafeText } from '../../src/terminal/safe-text.ts';
import { listTexts } from '../../src/tui/list/texts.ts';
import { fullCapabilities } from '../support/full-broker.ts';
import { type PartValues, patched, readingsOf } from '../support/readings.ts';
import { any, matching } from '../support/texts.ts';
import { cellsByHeader } from '../tui/support/cells.ts';
import { endRigs } from '../tui/support/rig.tsx';
import {
  type AskingRig,
  capabilitiesB,
  confirmed,
  confirmOf,
  createAskingRig,
  createCluster,
  fill,
  formOf,
  hostile,
  node1,
  node2,
} from './administration-fixtures.tsx';
import {
  brokerClock,
  type FakeMonitor,
  infoOf,
  listenerOf,
  propsOf,
  ready,
  scanOf,
  sessionOf,
  sizes,
} from './list-fixtures.ts';

afterEach(endRigs);

const cells = (line = ''): readonly string[] =>
  line
    .replace(/^[▸ ]/u, '')
    .trim()
    .split(/\s{2,}/);

const alarms: readonly Alarm[] = [
  {
    id: 'high_cpu_usage',
    severity: undefined,
    title: 'high cpu usage',
    summary: '91 % cpu usage',
    occurredAt: brokerClock - 90,
    node: node1,
  },
  {
    id: 'high_cpu_usage',
    severity: undefined,
    title: 'high cpu usage',
    summary: hostile,
    occurredAt: brokerClock - 3_600,
    node: node2,
  },
];
const endedAlarms: readonly Alarm[] = [
  {
    id: 'partition',
    severity: undefined,
    title: undefined,
    summary: 'split',
    occurredAt: brokerClock - 500,
    endedAt: brokerClock - 480,
    node: node1,
  },
];
const bans: readonly Ban[] = [
  {
    kind: 'client-id',
    value: hostile,
    reason: 'floods',
    by: 'ann',
    since: brokerClock - 60,
    until: brokerClock + 3_600,
  },
  {
    kind: 'network',
    value: '10.0.0.0/8',
    reason: undefined,
    by: undefined,
    since: brokerClock - 120,
    until: undefined,
  },
];
const apiKeys: readonly ApiKey[] = [
  {
    name: 'ci',
    key: 'abc',
    description: '',
    isEnabled: false,
    createdAt: brokerClock - 60,
    expiresAt: brokerClock + 60,
  },
  { name: hostile, key: hostile, description: hostile, isEnabled: true, createdAt: undefined, expiresAt: undefined },
];
const listeners = new Map([
  [
    node1,
    [
      listenerOf({ id: 'tcp:default', running: 'yes', isUnlimited: true, maxClients: undefined }),
      listenerOf({ id: 'ws:default', protocol: 'mqtt:ws', running: 'partly', currentClients: 7 }),
    ],
  ],
  [node2, [listenerOf({ id: 'ws:default', protocol: 'mqtt:ws', running: 'no', currentClients: 0 })]],
]);

const capabilities = { ...capabilitiesB, ...fullCapabilities };

const cluster = (patch: Partial<ActingState> = {}): FakeMonitor => {
  const monitor = createCluster(
    patched<Partial<ActingState>>(
      {
        capabilities,
        ...readingsOf({
          alarms: ready(alarms),
          endedAlarms: ready(endedAlarms),
          bans: ready(bans),
          apiKeys: ready(apiKeys),
        }),
      },
      patch,
    ),
  );
  monitor.setResources({ nodes: ready([infoOf(node1), infoOf(node2)]), listeners: ready(listeners) });
  return monitor;
};

type Screen = typeof BansScreen;
const open = (
  Screen: Screen,
  monitor: FakeMonitor,
  size: readonly [number, number] = [130, 14],
  options?: { readonly isReadOnly: boolean },
): AskingRig => createAskingRig(<Screen {...propsOf(monitor, size)} />, size, options);

const screens = [
  [AlarmsScreen, 'alarms'],
  [BansScreen, 'bans'],
  [ApiKeysScreen, 'apiKeys'],
] as const;

describe.each(screens)('%o', (Screen, part) => {
  test.each(sizes)('fills %i by %i', (width, height) => {
    const rig = open(Screen, cluster(), [width, height]);
    expect(rig.lines()).toHaveLength(height);
    expect(Math.max(...rig.lines().map((line) => line.length))).toBeLessThanOrEqual(width);
    expect(rig.lines().join('\n')).toContain('▸');
    expect(rig.raw()).not.toMatch(/\u001B\[2J|\u202E/u);
  });

  test('shows loading, empty, failed and stale differently, and is watched', () => {
    const show = (values: PartValues): string =>
      open(Screen, cluster(readingsOf(values)), [150, 14])
        .lines()
        .join('\n');
    const what = { alarms: safe`the alarms`, bans: safe`the bans`, apiKeys: safe`the API keys` }[part];
    const empty = {
      alarms: 'No active alarms.',
      bans: 'No bans. Press n to add one.',
      apiKeys: 'No API keys. Press n to add one.',
    }[part];
    expect(show({ [part]: emptyResource() })).toContain(`··· loading ${what}`);
    expect(show({ [part]: ready([]) })).toContain(empty);
    expect(
      show({ [part]: { ...emptyResource(), error: new TimeoutError(5_000), nextAttemptAtMs: steadyNowMs() + 9_000 } }),
    ).toMatch(matching(listTexts.failed(what, listTexts.retryIn(any), any)));
    expect(show({ [part]: ready({ alarms, bans, apiKeys }[part], 200_000) })).toMatch(/.*: last read 3m/u);
    const monitor = cluster();
    open(Screen, monitor);
    expect(monitor.watching.map(watchKey)).toContain(part);
  });

  test('is not read without its capability, and says so', () => {
    // That a broker has no alarms is known once it was asked for them.
    const monitor = cluster({
      capabilities: { ...capabilitiesB, apiName: 'API v0' },
      ...readingsOf({
        [part]: part === 'alarms' ? { ...emptyResource(), error: new NotAvailableError('alarms') } : emptyResource(),
      }),
    });
    const what = { alarms: 'alarms', bans: 'bans', apiKeys: 'API keys' }[part];
    expect(open(Screen, monitor).lines().join('\n')).toContain(`Not available: API v0 does not support ${what}.`);
    expect(monitor.watching.map(watchKey)).not.toContainEqual(part);
  });
});

test.each([BansScreen, AlarmsScreen])('%o says that it is cut', (Screen) => {
  const note = 'incomplete: only the first 10,000 are read';
  const show = (length: number): string =>
    open(
      Screen,
      cluster(
        readingsOf({
          alarms: ready(
            Array.from({ length }, (_, at): Alarm => ({
              id: `a${at}`,
              severity: undefined,
              title: undefined,
              summary: undefined,
              occurredAt: brokerClock - 60,
              node: node1,
            })),
          ),
          bans: ready(
            Array.from({ length }, (_, at): Ban => ({
              kind: 'client-id',
              value: `c${at}`,
              reason: undefined,
              by: undefined,
              since: undefined,
              until: undefined,
            })),
          ),
        }),
      ),
    )
      .lines()
      .join('\n');
  expect(show(maxListed)).toContain(note);
  expect(show(maxListed - 1)).not.toContain(note);
});

test('Users says why it is missing, and reads none', () => {
  const show = (isApiKey: boolean): string => {
    const monitor = cluster({ capabilities: { ...capabilities, users: false, apiKeys: false, isApiKey } });
    const text = open(UsersScreen, monitor).lines().join('\n');
    expect(monitor.watching.map(watchKey)).not.toContainEqual('users');
    return text;
  };
  expect(show(true)).toContain('Users need a dashboard login, not an API key.');
  expect(show(false)).toContain('Not available: API v9 does not support users.');
});

describe('Alarms', () => {
  test('shows those that are active, latest first, with their duration by the clock of the broker', () => {
    const lines = open(AlarmsScreen, cluster()).lines();
    expect(lines[0]).toContain('Active alarms');
    expect(cellsByHeader(lines[1], lines[2])).toMatchObject({
      ALARM: 'high_cpu_usage',
      NODE: 'broker1',
      SINCE: '2026-03-01 14:05:10',
      DURATION: '1m 30s',
      MESSAGE: '91 % cpu usage',
    });
    expect(cellsByHeader(lines[1], lines[3])).toMatchObject({
      ALARM: 'high_cpu_usage',
      NODE: 'broker2',
      SINCE: '2026-03-01 13:06:40',
      DURATION: '1h 00m',
      MESSAGE: String.raw`z\x1b[2J\u202e`,
    });
  });

  test('shows the active ones of an API without a history, and no key for that', async () => {
    const monitor = cluster({ capabilities: { ...capabilitiesB, apiName: 'API v0' } });
    const rig = open(AlarmsScreen, monitor);
    rig.type('v');
    const lines = await rig.until((text) => text.includes('showing 2 of 2'));
    expect(lines[0]?.trim()).toBe('Active alarms');
    expect(cells(lines[2]).slice(0, 2)).toEqual(['high_cpu_usage', 'broker1']);
    expect(lines.join('\n')).not.toMatch(/history|Not available/u);
    expect(monitor.watching.map(watchKey)).toContainEqual('alarms');
  });

  test('shows the history after v, and goes back', async () => {
    const monitor = cluster();
    const rig = open(AlarmsScreen, monitor);
    rig.type('v');
    const lines = await rig.until((text) => text.includes('Alarm history'));
    expect(cellsByHeader(lines[1], lines[2])).toMatchObject({
      ALARM: 'partition',
      NODE: 'broker1',
      SINCE: '2026-03-01 13:58:20',
      ENDED: '2026-03-01 13:58:40',
      DURATION: '20 s',
      MESSAGE: 'split',
    });
    expect(monitor.watching.map(watchKey)).toContainEqual('endedAlarms');
    expect(monitor.watching.map(watchKey)).not.toContainEqual('alarms');
    rig.type('v');
    await rig.until((text) => text.includes('Active alarms'));
  });

  test('clears the history, but not while the active alarms are shown', async () => {
    const rig = open(AlarmsScreen, cluster());
    rig.type('D');
    rig.type('v');
    await rig.until((text) => text.includes('Alarm history'));
    expect(rig.asked).toEqual([]);
    rig.type('D');
    await rig.until(() => rig.asked.length === 1);
    expect(confirmOf(rig.asked[0])).toMatchObject({
      mustType: 'alarm history',
      action: { name: 'clear-alarm-history', target: { count: 1 } },
    });
  });

  test('has the row in the panel', () => {
    const text = open(AlarmsScreen, cluster(), [200, 20]).lines().join('\n');
    expect(text).toMatch(/╭ high_cpu_usage ─/u);
    expect(text).toMatch(new RegExp(`node +${node1}`, 'u'));
  });
});

const ask = async (Screen: Screen, key: string, down = 0, monitor = cluster()): Promise<AskingRig> => {
  const rig = open(Screen, monitor);
  for (let row = 0; row < down; row += 1) rig.type('j');
  rig.type(key);
  await rig.until(() => rig.asked.length === 1 || monitor.notices.length === 1);
  return rig;
};

describe('Bans', () => {
  test('shows whom, why, by whom and how long', () => {
    const lines = open(BansScreen, cluster(), [139, 14]).lines();
    expect(cellsByHeader(lines[0], lines[1])).toMatchObject({
      WHO: String.raw`z\x1b[2J\u202e`,
      KIND: 'client ID',
      ADDED: '1m 00s ago',
      ENDS: expect.stringMatching(/^in (?:59m 5\ds|1h 00m)$/u),
      REASON: 'floods',
      BY: 'ann',
      'ADDED AT': '2026-03-01 14:05:40',
      UNTIL: '2026-03-01 15:06:40',
    });
    expect(cellsByHeader(lines[0], lines[2])).toMatchObject({
      WHO: '10.0.0.0/8',
      KIND: 'network',
      ADDED: '2m 00s ago',
      ENDS: 'never',
      REASON: '–',
      BY: '–',
      'ADDED AT': '2026-03-01 14:04:40',
      UNTIL: 'never',
    });
  });

  test('adds one of any kind, for a time or for ever', async () => {
    const form = formOf((await ask(BansScreen, 'n')).asked[0]);
    expect(form.fields.map(({ id }) => id)).toEqual(['kind', 'value', 'reason', 'duration']);
    expect(fill(form, {})).toBe('Enter what to ban.');
    expect(fill(form, { value: 'x', duration: 'soon' })).toBe(durationTexts.invalid);
    expect(fill(form, { value: 'x', duration: '0s' })).toBe(durationTexts.invalid);
    expect(fill(form, { value: 'x', reason: 'y', duration: '1d12h' })).toMatchObject({
      target: 'x',
      mustType: undefined,
      action: { name: 'add-ban', target: { kind: 'client-id', value: 'x', reason: 'y', seconds: 129_600 } },
    });
    expect(confirmed(form, { kind: 'username', value: 'x', duration: 'never' })).toMatchObject({
      action: { target: { kind: 'username', seconds: undefined } },
      details: expect.arrayContaining([
        durationTexts.never,
        'The broker refuses new connections. Connected clients stay connected.',
      ]),
    });
    expect(fill(form, { kind: 'address', value: 'x', duration: '1h' })).toMatch(/IP address/u);
    expect(confirmed(form, { kind: 'client ID pattern', value: '.*', duration: '1h' })).toMatchObject({
      mustType: '.*',
      warning: 'This may lock out many clients.',
    });
  });

  test('says what a ban ends: by client ID the connection and the session, else nothing', async () => {
    const monitor = cluster({
      capabilities: { ...capabilities, banEndsSession: true, clientSearch: true, sessionCountersSeconds: 15 },
      ...readingsOf({ sessionScan: scanOf([sessionOf('pump-1', { queueLength: 12 })]) }),
    });
    const form = formOf((await ask(BansScreen, 'n', 0, monitor)).asked[0]);
    expect(confirmed(form, { value: 'pump-1', duration: '1h' })).toMatchObject({
      warning:
        'The broker disconnects this client at once and deletes its session; 12 queued messages are lost (counted up to 15 s earlier).',
      offer: undefined,
    });
    expect(confirmed(form, { value: 'pump-2', duration: '1h' })).toMatchObject({
      warning:
        'The broker disconnects this client at once and deletes its session; an unknown number of queued messages will be lost.',
    });
    for (const [kind, value] of [
      ['username', 'ann'],
      ['address', '10.0.0.1'],
    ] as const) {
      expect(confirmed(form, { kind, value, duration: '1h' })).toMatchObject({
        warning: undefined,
        details: expect.arrayContaining([
          'The broker refuses new connections. Connected clients stay connected: you can disconnect them next.',
        ]),
        offer: { label: 'Disconnect its clients', request: { kind: 'read', title: expect.stringContaining(value) } },
      });
    }
    expect(confirmed(form, { kind: 'client ID pattern', value: '^a', duration: '1h' })).toMatchObject({
      warning: 'This may lock out many clients.',
      details: expect.arrayContaining(['The broker refuses new connections. Connected clients stay connected.']),
      offer: undefined,
    });
  });

  test('lifts the one under the cursor', async () => {
    expect(confirmOf((await ask(BansScreen, 'D', 1)).asked[0])).toMatchObject({
      target: '10.0.0.0/8',
      action: { name: 'lift-ban', target: { kind: 'network', value: '10.0.0.0/8' } },
    });
  });
});

describe('API keys', () => {
  test('shows whether they are enabled and when they expire', () => {
    const lines = open(ApiKeysScreen, cluster()).lines();
    expect(cellsByHeader(lines[0], lines[1])).toMatchObject({
      NAME: 'ci',
      KEY: 'abc',
      ENABLED: '○ no',
      EXPIRES: '2026-03-01 14:07:40',
      CREATED: '2026-03-01 14:05:40',
      DESCRIPTION: '–',
    });
    expect(cellsByHeader(lines[0], lines[2])).toMatchObject({
      NAME: String.raw`z\x1b[2J\u202e`,
      KEY: String.raw`z\x1b[2J\u202e`,
      ENABLED: '● yes',
      EXPIRES: 'never',
      CREATED: '–',
      DESCRIPTION: String.raw`z\x1b[2J\u202e`,
    });
  });

  test('adds one, and says that its secret is shown once', async () => {
    const form = formOf((await ask(ApiKeysScreen, 'n')).asked[0]);
    expect(fill(form, {})).toBe('The name is empty.');
    expect(fill(form, { name: 'ci' })).toBe('An API key with this name already exists.');
    expect(fill(form, { name: 'x', duration: '' })).toBe(durationTexts.invalid);
    expect(confirmed(form, { name: 'x', duration: '30d' })).toMatchObject({
      details: expect.arrayContaining(['The secret is shown once, after it is added.']),
      action: { name: 'add-api-key', target: { name: 'x', description: undefined, seconds: 2_592_000 } },
    });
  });

  test('enables, disables and deletes; the name has to be typed to delete', async () => {
    expect(confirmOf((await ask(ApiKeysScreen, 'S')).asked[0])).toMatchObject({
      target: 'ci',
      action: { name: 'enable-api-key' },
    });
    expect(confirmOf((await ask(ApiKeysScreen, 'K', 1)).asked[0])).toMatchObject({
      target: hostile,
      action: { name: 'disable-api-key' },
    });
    expect(confirmOf((await ask(ApiKeysScreen, 'D')).asked[0])).toMatchObject({
      mustType: 'ci',
      action: { name: 'delete-api-key' },
    });
    const monitor = cluster();
    expect((await ask(ApiKeysScreen, 'K', 0, monitor)).asked).toEqual([]);
    expect(monitor.notices).toEqual(['API key ci is already disabled']);
  });
});

describe('Listeners that can be stopped', () => {
  test('show their state, and unlimited where there is no limit', () => {
    const lines = open(ListenersScreen, cluster(), [138, 14]).lines();
    const rows = new Map(lines.slice(1, 4).map((line) => [`${cells(line)[0]} ${cells(line)[1]}`, line]));
    expect(cellsByHeader(lines[0], rows.get('broker1 mqtt:tcp'))).toMatchObject({
      NODE: 'broker1',
      PROTOCOL: 'mqtt:tcp',
      LISTEN: '0.0.0.0:1883',
      RUNNING: '● running',
      USED: 'unlimited',
      CURRENT: '402',
      MAX: 'unlimited',
      ACCEPTORS: '16',
      'SHUTDOWN COUNTS': 'none',
    });
    expect(rows.get('broker1 mqtt:ws')).toContain('! partly');
    expect(rows.get('broker2 mqtt:ws')).toContain('○ stopped');
  });

  const choose = async (key: string, filter: string, monitor = cluster()): Promise<AskingRig> => {
    const rig = open(ListenersScreen, monitor);
    rig.type(`/${filter}\r`);
    await rig.until((text) => text.includes('Esc clears'));
    rig.type(key);
    await rig.until(() => rig.asked.length === 1 || monitor.notices.length === 1);
    return rig;
  };

  test('are stopped on all nodes once their ID is typed, with a warning about their clients', async () => {
    const request = confirmOf((await choose('K', 'ws')).asked[0]);
    expect(request).toMatchObject({
      target: 'ws:default',
      mustType: 'ws:default',
      warning: '7 clients connected to it will be disconnected, and cannot reconnect to it.',
      action: { name: 'stop-listener', target: { listener: 'ws:default', nodes: `${node1}, ${node2}` } },
    });
    expect(confirmOf((await choose('S', 'ws')).asked[0])).toMatchObject({
      mustType: undefined,
      warning: undefined,
      action: { name: 'start-listener' },
    });
  });

  test('are not started when they run, nor without an ID', async () => {
    const refused = async (monitor: FakeMonitor): Promise<readonly SafeText[]> => {
      await choose('S', 'tcp', monitor);
      return monitor.notices;
    };
    expect(await refused(cluster())).toEqual(['Listener tcp:default is already running']);
    const unnamed = cluster();
    unnamed.setResources({ listeners: ready(new Map([[node1, [listenerOf()]]])) });
    expect(await refused(unnamed)).toEqual(['The broker reports no ID for this listener']);
  });

  test('cannot be stopped without the capability', async () => {
    const monitor = cluster({ capabilities: capabilitiesB });
    const rig = open(ListenersScreen, monitor);
    rig.type('SKj');
    await rig.until((text) => text.split('\n')[2]?.startsWith('▸') === true);
    expect(rig.asked).toEqual([]);
    expect(rig.lines()[0]).not.toContain('RUNNING');
  });
});

test('nothing acts in read-only mode', async () => {
  for (const [Screen, keys] of [
    [BansScreen, 'nD'],
    [ApiKeysScreen, 'nSKD'],
    [ListenersScreen, 'SK'],
  ] as const) {
    const rig = open(Screen, cluster({ isReadOnly: true }), [130, 14], { isReadOnly: true });
    rig.type(`${keys}j`);
    await rig.until((text) => text.split('\n')[2]?.startsWith('▸') === true);
    expect(rig.asked).toEqual([]);
  }
  expect(
    open(BansScreen, cluster({ isReadOnly: true, ...readingsOf({ bans: ready([]) }) }))
      .lines()
      .join('\n'),
  ).not.toContain('No bans. Press n to add one.');
});

describe('Slow subscriptions', () => {
  const slow: readonly SlowSubscription[] = [
    { clientId: 'quick', topic: 'a/#', node: node1, latencyMs: 600, updatedAt: brokerClock - 5 },
    { clientId: hostile, topic: hostile, node: node2, latencyMs: 12_300, updatedAt: undefined },
  ];
  const withSlow = (patch: Partial<ActingState> = {}): FakeMonitor =>
    cluster(
      patched(readingsOf({ slowSubscriptions: ready({ isEnabled: true, thresholdMs: 500, items: slow }) }), patch),
    );

  test('shows the slowest first, with the threshold, and opens the client', async () => {
    const monitor = withSlow();
    const rig = open(SlowSubscriptionsScreen, monitor);
    const lines = rig.lines();
    expect(lines[0]).toContain('Messages that take longer than 500 ms to arrive');
    expect(cellsByHeader(lines[1], lines[2])).toMatchObject({
      'CLIENT ID': String.raw`z\x1b[2J\u202e`,
      LATENCY: '12.3 s',
      'TOPIC FILTER': String.raw`z\x1b[2J\u202e`,
      NODE: 'broker2',
    });
    expect(cellsByHeader(lines[1], lines[3])).toMatchObject({ 'CLIENT ID': 'quick', LATENCY: '0.6 s' });
    expect(monitor.watching.map(watchKey)).toContainEqual('slowSubscriptions');
    rig.type('\r');
    await expect.poll(() => monitor.places).toEqual([{ screen: 'client', clientId: hostile }]);
    rig.type('K');
    await rig.until(() => rig.asked.length === 1);
    expect(rig.asked[0]).toMatchObject({ kind: 'read', title: String.raw`Disconnect z\x1b[2J\u202e` });
  });

  test('says that none is slow, that the broker does not measure them, or that it has no such list', () => {
    const text = (patch: Partial<MonitorState>): string =>
      open(SlowSubscriptionsScreen, withSlow(patch), [150, 12]).lines().join('\n');
    expect(text(readingsOf({ slowSubscriptions: ready({ isEnabled: true, thresholdMs: 500, items: [] }) }))).toContain(
      'No slow subscriptions.',
    );
    expect(
      text(readingsOf({ slowSubscriptions: ready({ isEnabled: false, thresholdMs: undefined, items: [] }) })),
    ).toMatch(/This broker does not measure slow subscriptions\. *$/mu);
    const off = { isEnabled: false, setting: 'delays.on', thresholdMs: undefined, items: [] };
    expect(text(readingsOf({ slowSubscriptions: ready(off) }))).toContain(
      'This broker does not measure slow subscriptions. Turn them on in its configuration (delays.on).',
    );
    expect(text(readingsOf({ slowSubscriptions: emptyResource() }))).toContain('··· loading the slow subscriptions');
    expect(
      text({
        capabilities: { ...capabilitiesB, apiName: 'API v0' },
        ...readingsOf({ slowSubscriptions: emptyResource() }),
      }),
    ).toContain('Not available: API v0 does not support slow subscriptions.');
  });
});

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('Retained messages', () => {
  const messages: readonly RetainedMessage[] = [
    { topic: 'plant/state', qos: 1, publishedAt: brokerClock - 60, fromClientId: 'plc', fromUsername: 'ann' },
    { topic: hostile, qos: 0, publishedAt: undefined, fromClientId: hostile, fromUsername: undefined },
  ];
  const withRetained = (patch: Partial<ActingState> = {}): FakeMonitor =>
    cluster(patched(readingsOf({ retained: ready({ items: messages, hasMore: false }) }), patch));

  test('shows where, when and by whom they were published, and if there are more', () => {
    const lines = open(
      RetainedScreen,
      withRetained(readingsOf({ retained: ready({ items: messages, hasMore: true }) })),
    ).lines();
    expect(cellsByHeader(lines[0], lines[1])).toMatchObject({
      TOPIC: 'plant/state',
      QOS: '1',
      PUBLISHED: '1m 00s ago',
      FROM: 'plc',
      USERNAME: 'ann',
    });
    expect(cellsByHeader(lines[0], lines[2])).toMatchObject({
      TOPIC: String.raw`z\x1b[2J\u202e`,
      QOS: '0',
      PUBLISHED: '–',
      FROM: String.raw`z\x1b[2J\u202e`,
      USERNAME: '–',
    });
    expect(lines.join('\n')).toContain('only the first 2 are listed; type a topic after / to read another');
    expect(
      open(RetainedScreen, withRetained(readingsOf({ retained: ready({ items: [], hasMore: false }) })))
        .lines()
        .join('\n'),
    ).toContain('No retained messages.');
  });

  test('Enter reads the message, and shows it as text, JSON or hexadecimal', async () => {
    const opened = async (payload: Uint8Array): Promise<string> => {
      const monitor = withRetained();
      const rig = open(RetainedScreen, monitor);
      rig.type('\r');
      await expect
        .poll(() => monitor.watching.map(watchKey))
        .toContainEqual(watchKey(watchOf(retainedContent, 'plant/state')));
      monitor.set(
        readingsOf({
          retainedContent: new Map([
            [
              'plant/state',
              ready(
                {
                  ...messages[0],
                  payload,
                  topic: 'plant/state',
                  qos: 1,
                  publishedAt: 1,
                  fromClientId: 'plc',
                  fromUsername: 'ann',
                },
                -100,
              ),
            ],
          ]),
        }),
      );
      await rig.until(() => rig.asked.length === 1);
      await expect
        .poll(() => monitor.watching.map(watchKey))
        .not.toContainEqual(watchKey(watchOf(retainedContent, 'plant/state')));
      const [request] = rig.asked;
      return request?.kind === 'text'
        ? request.parts
            .slice(5)
            .map(({ label, text }) => `${label ?? ''}|${text}`)
            .join('\n')
        : '';
    };
    expect(await opened(bytes('on'))).toBe('payload (2 B)|on');
    expect(await opened(bytes('{"a":[1]}'))).toBe('payload (9 B)|{\n|  "a": [\n|    1\n|  ]\n|}');
    expect(await opened(new Uint8Array([0xff, 0x00]))).toBe('payload (2 B, not UTF-8 (byte 1), hexadecimal)|ff 00');
    expect(await opened(bytes(hostile))).toContain(String.raw`z\x1b[2J\u202e`);
    expect(await opened(bytes('x'.repeat(9_000)))).toMatch(/… \(cut\)/u);
    expect(await opened(new Uint8Array())).toContain('empty');
  });

  test('Enter on a topic that is not listed reads its message, as it says', async () => {
    const monitor = withRetained();
    const rig = open(RetainedScreen, monitor);
    rig.type('/plant/other');
    await rig.until((text) => text.includes('Press Enter twice to read the retained message of "plant/other".'));
    rig.type('\r');
    await rig.until((text) => text.includes('Press Enter to read the retained message of "plant/other".'));
    rig.type('\r');
    await expect
      .poll(() => monitor.watching.map(watchKey))
      .toContainEqual(watchKey(watchOf(retainedContent, 'plant/other')));
  });

  test('Enter on one that is gone or cannot be read says so', async () => {
    for (const [read, says] of [
      [() => ready('none' as const, -100), 'Nothing is retained for this topic.'],
      [
        () => ({ ...emptyResource<'none'>(), error: new TimeoutError(5_000), nextAttemptAtMs: steadyNowMs() + 9_000 }),
        '!',
      ],
    ] as const) {
      const monitor = withRetained();
      const rig = open(RetainedScreen, monitor);
      rig.type('\r');
      await expect.poll(() => monitor.watching.length).toBeGreaterThan(1);
      monitor.set(readingsOf({ retainedContent: new Map([['plant/state', read()]]) }));
      await expect.poll(() => monitor.notices.join('\n')).toContain(says);
      expect(rig.asked).toEqual([]);
    }
  });

  test('the panel shows the payload of the row once the cursor rests', async () => {
    const monitor = withRetained();
    const rig = open(RetainedScreen, monitor, [200, 20]);
    await expect
      .poll(() => monitor.watching.map(watchKey))
      .toContainEqual(watchKey(watchOf(retainedContent, 'plant/state')));
    monitor.set(
      readingsOf({
        retainedContent: new Map([
          [
            'plant/state',
            ready({
              topic: 'plant/state',
              qos: 1,
              publishedAt: 1,
              fromClientId: 'plc',
              fromUsername: 'ann',
              payload: bytes('is on'),
            }),
          ],
        ]),
      }),
    );
    await rig.until((text) => text.includes('is on'));
    expect(rig.lines().join('\n')).toContain(`╭ plant/state ─`);
  });

  test('D asks to delete the one under the cursor', async () => {
    expect(confirmOf((await ask(RetainedScreen, 'D', 0, withRetained())).asked[0])).toMatchObject({
      target: 'plant/state',
      action: { name: 'delete-retained', target: { topic: 'plant/state' } },
    });
  });
});

describe('Messages of a session', () => {
  const queued: readonly SessionMessage[] = Array.from({ length: 4 }, (_, at) => ({
    topic: at < 3 ? 'plant/flow' : hostile,
    qos: 1 as const,
    publishedAt: brokerClock - 60 + at,
    fromClientId: at === 0 ? 'plc' : 'pump',
    fromUsername: undefined,
    payload: at === 2 ? new Uint8Array([255]) : bytes(`value ${at}`),
  }));
  const withMessages = (hasMore = false): FakeMonitor =>
    cluster(
      readingsOf({
        sessionMessages: new Map([
          [sessionMessages.textOf('c', 'queue'), ready({ items: queued, hasMore })],
          [sessionMessages.textOf('c', 'inflight'), ready({ items: [], hasMore: false })],
        ]),
      }),
    );
  const Screen = (props: Parameters<typeof BansScreen>[0]) => <SessionMessagesScreen {...props} clientId="c" />;

  test('shows those of the queue in their order, what most have in common, and their payload', async () => {
    const monitor = withMessages(true);
    const rig = open(Screen, monitor);
    const lines = rig.lines();
    expect(lines[0]).toContain('Queued messages for c');
    expect(lines[0]).toContain('3 of plant/flow · 3 from pump');
    expect(cells(lines[1])).toEqual(['TOPIC', '# ▲', 'QOS', 'PUBLISHED', 'FROM', 'PAYLOAD']);
    expect(cells(lines[2])).toEqual(['plant/flow', '1', '1', '1m 00s ago', 'plc', 'value 0']);
    expect(cells(lines[4]).at(-1)).toBe('ff');
    expect(lines.join('\n')).toContain('the first 4 are listed');
    rig.type('\r');
    await rig.until(() => rig.asked.length === 1);
    expect(rig.asked[0]).toMatchObject({
      kind: 'text',
      title: 'Message',
      parts: expect.arrayContaining([{ label: 'payload (7 B)', text: 'value 0', isBlock: true }]),
    });
  });

  test('shows those in flight after v', async () => {
    const monitor = withMessages();
    const rig = open(Screen, monitor);
    expect(monitor.watching.map(watchKey)).toContainEqual(watchKey(watchOf(sessionMessages, 'c', 'queue')));
    rig.type('v');
    await rig.until((text) => text.includes('Inflight messages for') && text.includes('No message is in flight.'));
    expect(monitor.watching.map(watchKey)).not.toContainEqual(watchKey(watchOf(sessionMessages, 'c', 'queue')));
  });

  test.each(sizes)('fill %i by %i', (width, height) => {
    for (const [Each, monitor] of [
      [Screen, withMessages()],
      [RetainedScreen, cluster(readingsOf({ retained: ready({ items: [], hasMore: false }) }))],
    ] as const) {
      const rig = open(Each, monitor, [width, height]);
      expect(rig.lines()).toHaveLength(height);
      expect(Math.max(...rig.lines().map((line) => line.length))).toBeLessThanOrEqual(width);
      expect(rig.raw()).not.toMatch(/\u001B\[2J|\u202E/u);
    }
  });
});
