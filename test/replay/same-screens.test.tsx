import { afterEach, expect, it, type TestContext, vi } from 'vitest';
import type { ActingState } from '../../src/actions/acting-monitor.ts';
import { emqV2Server } from '../../src/api/dialects/emq-v2/server/server.ts';
import { emqxV5Server } from '../../src/api/dialects/emqx-v5/server/server.ts';
import { openHttpApi } from '../../src/api/dialects/index.ts';
import { startEmbeddedBroker } from '../../src/broker/embedded-broker.ts';
import { sinkSetup } from '../../src/broker/integrations/topic-sinks.ts';
import { type FleetTarget, type Scenario, startFleet } from '../../src/broker/fleet/fleet.ts';
import { compareNatural } from '../../src/domain/natural-order.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { reading, watchOf } from '../../src/monitor/query/part.ts';
import { showMoment } from '../../src/monitor/shown-time.ts';
import type { PastEvent } from '../../src/monitor/state.ts';
import { openRecording } from '../../src/recording/folder-reader.ts';
import type { RecordedEvent } from '../../src/recording/recording.ts';
import { createReplayMonitor } from '../../src/replay/replay-monitor.ts';
import { alarms, endedAlarms } from '../../src/resources/alarms/resource.ts';
import { bans } from '../../src/resources/bans/resource.ts';
import { clientDetail } from '../../src/resources/clients/detail.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { clientTraffic } from '../../src/resources/clients/traffic.ts';
import { metrics } from '../../src/resources/metrics/resource.ts';
import { plugins } from '../../src/resources/plugins/resource.ts';
import { routeScan } from '../../src/resources/routes/resource.ts';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import { nodeSettings, settings } from '../../src/resources/settings/resource.ts';
import { accessBackends } from '../../src/resources/access-backends/resource.ts';
import { integrations } from '../../src/resources/integrations/resource.ts';
import { slowSubscriptions } from '../../src/resources/slow-subscriptions/resource.ts';
import { subscriptionScan } from '../../src/resources/subscriptions/resource.ts';
import { users } from '../../src/resources/users/resource.ts';
import { App } from '../../src/screens/app.tsx';
import type { MenuScreenId, TabId } from '../../src/screens/registry.ts';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import type { TriagedMonitor } from '../../src/triage/triaged-monitor.ts';
import { recordStates } from '../support/recordings.ts';
import { colorTheme, createRig, endRigs, type Rig } from '../tui/support/rig.tsx';

afterEach(() => {
  endRigs();
  showMoment(undefined);
});

const screens = [
  'overview',
  'nodes',
  'listeners',
  'clients',
  'sessions',
  'subscriptions',
  'routes',
  'plugins',
  'metrics',
  'more',
  'triage',
  'alarms',
  'settings',
  'topTalkers',
  'slowSubscriptions',
  'integrations',
  'accessBackends',
  'bans',
  'users',
  'log',
] as const satisfies readonly (TabId | MenuScreenId)[];

/** Pages that Enter opens on the first row of a list, and a text that they have. */
const pages = { nodes: 'Node ', clients: 'Client ' } as const;

/** Everything that these screens read, so that each has something to show. */
const read = [
  clientScan,
  sessionScan,
  subscriptionScan,
  routeScan,
  metrics,
  settings,
  alarms,
  endedAlarms,
  bans,
  users,
  slowSubscriptions,
  integrations,
  accessBackends,
  clientTraffic,
];

async function startCluster(
  { onTestFinished }: TestContext,
  scenario: Scenario,
  release: 'emq-2.3' | 'emqx-5.8',
): Promise<TriagedMonitor> {
  const broker = await startEmbeddedBroker({
    version: '1.2.3',
    nodes: 2,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    wsPort: 0,
    user: 'admin',
    password: 'only for tests',
    integrations: sinkSetup([{ filter: '+/+/+/temperature', url: new URL('http://127.0.0.1:9/in') }]),
    ...(release === 'emq-2.3'
      ? { dialect: emqV2Server, variant: 'b' as const, profile: release }
      : { dialect: emqxV5Server, profile: release }),
  });
  onTestFinished(() => broker.close());
  const [first, ...rest] = broker.cluster.nodes.map(({ ports }): FleetTarget => ({
    mqttPort: ports.tcp,
    wsPort: ports.ws,
  }));
  if (first === undefined) throw new Error('no node');
  const fleet = startFleet({ size: 40, seed: 1, host: '127.0.0.1', targets: [first, ...rest], rampMs: 200, scenario });
  onTestFinished(() => {
    fleet.end();
  });
  await fleet.ready;
  const [url = '', ...otherUrls] = broker.servers.map((server) => server.url);
  const api = openHttpApi({ url, otherUrls, user: 'admin', password: 'only for tests' });
  onTestFinished(() => api.close());
  // The hints and next steps of a monitor that may not act, as in the past.
  const monitor = createTriagedMonitor({ api, intervalSeconds: 1, isReadOnly: true });
  onTestFinished(() => {
    monitor.stop();
  });
  for (const query of read) monitor.watch(query);
  for (const { name } of broker.cluster.nodes)
    for (const query of [plugins, nodeSettings]) monitor.watch(watchOf<unknown, [string]>(query, name));
  return monitor;
}

/** Resolves when the sessions have been read so often: until then a scene goes on. */
const untilRead = (monitor: TriagedMonitor, times: number): Promise<void> =>
  new Promise((resolve) => {
    let [count, lastMs] = [0, 0];
    const end = monitor.store.subscribe((state) => {
      const { finishedAtMs = 0 } = reading(state, sessionScan);
      if (finishedAtMs === lastMs) return;
      [count, lastMs] = [count + 1, finishedAtMs];
      if (count < times) return;
      end();
      resolve();
    });
  });

/** A monitor that stands still at a state. */
const stillOf = (monitor: TriagedMonitor, state: ActingState): TriagedMonitor => ({
  ...monitor,
  store: { getState: () => state, subscribe: () => () => {} },
  watch: () => () => {},
  followProblems: () => () => {},
});

const session = {
  url: 'http://127.0.0.1:1',
  isReadOnly: true,
  isInsecure: false,
  readPayload: () => Promise.resolve(''),
  describeApi: () => '',
};
const signIn = { source: undefined, readAgain: () => Promise.resolve(''), takePassword: () => {} };

/** Without a panel beside lists: it reads the client under the cursor, which nobody saw then. */
const [columns, rows] = [130, 44];
const headerLines = 2;
const footerLines = 2;

const draw = (monitor: TriagedMonitor, firstScreen: TabId | MenuScreenId, barLines: number): Rig =>
  createRig(<App monitor={monitor} session={{ ...session, firstScreen }} signIn={signIn} theme={colorTheme} />, {
    columns,
    rows: rows + barLines,
  });

/** The cells of a screen, with their colours, but for the header, the time bar and the lines of messages and hints. */
const cellsOf = (rig: Rig, barLines: number): readonly string[] =>
  rig
    .raw()
    .split('\n')
    .slice(headerLines + barLines, -footerLines);

const expectSame = (live: Rig, past: Rig): Promise<void> =>
  vi.waitFor(
    () => {
      const cells = cellsOf(live, 0);
      expect(cells.join('').trim()).not.toBe('');
      expect(cellsOf(past, 1)).toEqual(cells);
    },
    { timeout: 8_000, interval: 50 },
  );

it.for([
  ['mixed', 'emq-2.3'],
  ['slow-consumer', 'emqx-5.8'],
  ['reconnect-storm', 'emqx-5.8'],
  ['hot-topic', 'emq-2.3'],
  ['node-down', 'emq-2.3'],
] as const)(
  'shows every screen of %s as it was shown then (%s)',
  { timeout: 300_000 },
  async ([scenario, release], context) => {
    const monitor = await startCluster(context, scenario, release);
    const moments: { readonly atMs: number; readonly state: ActingState }[] = [];
    await untilRead(monitor, 1);
    const ids = reading(monitor.store.getState(), clientScan).rows.map(({ clientId }) => clientId);
    const [first = ''] = ids.toSorted(compareNatural);
    monitor.watch(watchOf(clientDetail, first));
    for (const _ of [1, 2, 3]) {
      await untilRead(monitor, 2);
      moments.push({ atMs: steadyNowMs(), state: monitor.store.getState() });
    }
    monitor.stop();
    const recording = await openRecording<Partial<ActingState>, RecordedEvent & PastEvent>(await recordStates(moments));
    const replay = createReplayMonitor(recording);
    for (const [moment, { atMs, state }] of moments.entries()) {
      // Every screen at every moment in one scenario; in the others at one moment, the screens in turn.
      for (const screen of screens.filter((_, index) => scenario === 'mixed' || index % moments.length === moment)) {
        showMoment({ wallMs: atMs, steadyMs: atMs, monotonicMs: atMs });
        const live = draw(stillOf(monitor, state), screen, 0);
        await live.until((text) => text.includes('Overview'));
        const shown = pages[screen as keyof typeof pages];
        const open = async (rig: Rig): Promise<void> => {
          rig.type('\r');
          await rig.until((text) => text.includes(shown));
        };
        const before = cellsOf(live, 0);
        await replay.travel.goTo(atMs);
        const past = draw(replay, screen, 1);
        await expectSame(live, past);
        expect(before.length).toBeGreaterThan(0);
        if (shown !== undefined) {
          await open(live);
          await open(past);
          await expectSame(live, past);
        }
        live.unmount();
        past.unmount();
      }
    }
    await recording.close();
  },
);
