import { describe, expect, it, type TestContext } from 'vitest';
import { createMonitor } from '../../src/resources/cluster.ts';
import { emqV2Server } from '../../src/api/dialects/emq-v2/server/server.ts';
import { openHttpApi } from '../../src/api/dialects/index.ts';
import {
  dialects,
  newestProfile,
  profileNamed,
  type ProfileName,
  profileNames,
} from '../../src/api/dialects/registry.ts';
import { type EmbeddedBrokerOptions, startEmbeddedBroker } from '../../src/broker/embedded-broker.ts';
import { sinkSetup } from '../../src/broker/integrations/topic-sinks.ts';
import { type FleetTarget, type Scenario, startFleet } from '../../src/broker/fleet/fleet.ts';
import { fanOut } from '../../src/checks/fan-out/check.ts';
import { integrations } from '../../src/checks/integrations/check.ts';
import { reconnects } from '../../src/checks/reconnects/check.ts';
import { slow } from '../../src/checks/slow/check.ts';
import { createTriage, neededReads } from '../../src/checks/triage.ts';
import type { Watchable } from '../../src/monitor/query/part.ts';
import type { MonitorState } from '../../src/monitor/state.ts';
import { isProblem } from '../../src/triage/check.ts';
import type { Finding } from '../../src/triage/problem.ts';
import type { TriageReport } from '../../src/triage/view.ts';

interface Scene {
  /** Resolves with the first report that matches. Only the time limit of the test bounds the wait. */
  waitFor(matches: (report: TriageReport) => boolean): Promise<TriageReport>;
  stopLastNode(): Promise<void>;
}

/** Releases of real brokers, and the variant that none of them has. */
type Release = ProfileName | 'variant a';
const releases: readonly Release[] = [...profileNames, 'variant a'];
/** The others differ from these in what calm and slow-consumer read, and in the list of nodes of EMQX 5.0. */
const releasesOfEachApi: readonly Release[] = dialects.flatMap(
  (dialect) => newestProfile(dialect, dialect.servedVariant)?.name ?? [],
);

const servedAs = async (release: Release): Promise<Pick<EmbeddedBrokerOptions, 'dialect' | 'variant' | 'profile'>> => {
  if (release === 'variant a') return { dialect: emqV2Server, variant: 'a' };
  const { dialect, profile } = profileNamed(release);
  return { dialect: await dialect.loadServer(), variant: profile.variant, profile: release };
};

/** Starts an embedded cluster with a fleet on it, and a monitor that reads everything Triage needs. All of it ends with the test. */
async function startScene({ onTestFinished }: TestContext, scenario: Scenario, release: Release): Promise<Scene> {
  const endings: (() => Promise<void> | void)[] = [];
  onTestFinished(async () => {
    for (const end of endings.toReversed()) await end();
  });
  const broker = await startEmbeddedBroker({
    version: '1.2.3',
    nodes: 3,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    wsPort: 0,
    user: 'admin',
    password: 'only for tests',
    ...(await servedAs(release)),
    ...(scenario === 'dead-sink' && {
      integrations: sinkSetup([{ filter: 'audit/#', url: new URL('http://127.0.0.1:9/in') }]),
    }),
  });
  endings.push(() => broker.close());
  const [first, ...rest] = broker.cluster.nodes.map(({ ports }): FleetTarget => ({
    mqttPort: ports.tcp,
    wsPort: ports.ws,
  }));
  if (first === undefined) throw new Error('no node');
  const fleet = startFleet({ size: 60, seed: 1, host: '127.0.0.1', targets: [first, ...rest], rampMs: 500, scenario });
  endings.push(() => {
    fleet.end();
  });
  await fleet.ready;
  const [url = '', ...otherUrls] = broker.servers.map((server) => server.url);
  const api = openHttpApi({ url, otherUrls, user: 'admin', password: 'only for tests' });
  endings.push(() => api.close());
  const monitor = createMonitor({ api, intervalSeconds: 1 });
  endings.push(() => {
    monitor.stop();
  });
  const watchedKeys = new Set<string>();
  const watch = (watched: Watchable): void => {
    const key = JSON.stringify(watched);
    if (watchedKeys.has(key)) return;
    watchedKeys.add(key);
    monitor.watch(watched);
  };
  // A short baseline, so that the test does not wait for a minute.
  const triage = createTriage(undefined, 8);
  // Often, but with pauses: the scenes share one processor.
  const pace = { first: 1, lists: 2, sessions: 2, urgent: 2, storm: 2, administration: 5 };
  const watchAll = (state: MonitorState): void => {
    for (const { watched } of neededReads(state, report ?? { findings: [] }, triage.sessionReadings(), pace))
      watch(watched);
  };
  let report: TriageReport | undefined = triage.update(monitor.store.getState(), Date.now());
  const listeners = new Set<() => void>();
  monitor.store.subscribe((state) => {
    watchAll(state);
    report = triage.update(state, Date.now());
    for (const listener of listeners) listener();
  });
  watchAll(monitor.store.getState());
  return {
    waitFor: (matches) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (report === undefined || !matches(report)) return;
          listeners.delete(check);
          resolve(report);
        };
        listeners.add(check);
        check();
      }),
    stopLastNode: async () => broker.cluster.stopNode(broker.cluster.nodes.at(-1)?.name ?? ''),
  };
}

/** The list of nodes of EMQX 5.0 does not say how many clients a node has. */
const clientsKnownBy = (release: Release): unknown => (release === 'emqx-5.0' ? undefined : expect.any(Number));

/** Whether a finding is of the scenario: on a busy machine deliveries are slow in fact. */
const isOfScenario = ({ check }: Finding): boolean => check !== 'slowSubscriptions';

const hasFound =
  (check: string) =>
  ({ findings }: TriageReport): boolean =>
    findings.some((finding) => finding.check === check);

// Each scenario needs some seconds of real traffic, so a few run at the same time, the longest first.
describe.concurrent('a scenario of the demo with slow clients', { timeout: 240_000 }, () => {
  it.for([
    // Settings of a cluster cannot be read, and so the limit of a queue.
    ['emq-2.3', undefined],
    ['emqx-4.4', 1_000],
    ['emqx-5.8', 1_000],
    ['emqx-5.0', 1_000],
    // This variant does not report the limit of a queue.
    ['variant a', undefined],
  ] as const)('slow-consumer, %s: found, with the stuck workers', async ([release, queueLimit], context) => {
    const scene = await startScene(context, 'slow-consumer', release);
    const report = await scene.waitFor(
      ({ findings }) =>
        findings.filter((finding) => isProblem(finding, slow, 'slow-consumer') && finding.evidence.isWindowFull)
          .length >= 3,
    );
    const found = report.findings.filter(({ check }) => check === 'slow');
    expect(found.map(({ jump }) => jump.clientId ?? jump.screen).toSorted()).toEqual([
      'worker-000001',
      'worker-000002',
      'worker-000003',
    ]);
    expect(found[0]).toMatchObject({
      code: 'slow-consumer',
      evidence: { queueLength: expect.any(Number), queueLimit, inflight: 32, maxInflight: 32, isWindowFull: true },
    });
    expect(new Set(report.findings.filter(isOfScenario).map(({ check }) => check))).toEqual(new Set(['slow']));
  });
});

describe.concurrent('a scenario of the demo without slow clients', { timeout: 240_000 }, () => {
  it.for(releases)('calm, %s: every check completes and finds nothing', async (release, context) => {
    const scene = await startScene(context, 'calm', release);
    const report = await scene.waitFor(
      ({ findings, results }) =>
        findings.some(isOfScenario) ||
        results.every(({ isNotOffered, unchecked }) => isNotOffered === true || unchecked.length === 0),
    );
    expect(report.findings.filter(isOfScenario)).toEqual([]);
    if (release !== 'variant a') return;
    expect(report.results.find(({ check }) => check === 'settings')).toMatchObject({
      isNotOffered: true,
      unchecked: [{ code: 'settings-unavailable', apiName: expect.stringContaining('v2 A') }],
    });
  });

  it.for(releasesOfEachApi)(
    'reconnect-storm, %s: found, with the clients that reconnected and what they share',
    async (release, context) => {
      const scene = await startScene(context, 'reconnect-storm', release);
      const report = await scene.waitFor(({ findings }) =>
        findings.some(
          (finding) => isProblem(finding, reconnects, 'reconnect-storm') && finding.evidence.pattern !== undefined,
        ),
      );
      expect(report.findings.map(({ check }) => check)).not.toContain('fanOut');
      const storm = report.findings.find((finding) => isProblem(finding, reconnects, 'reconnect-storm'));
      if (storm === undefined) throw new Error('no storm');
      const { clientIds, connectsPerSecond, pattern } = storm.evidence;
      expect(pattern).toEqual({ trait: 'username', value: 'factory-b' });
      expect(connectsPerSecond).toBeGreaterThan(0);
      expect(storm.jump).toMatchObject({ screen: 'clients', found: { clientIds } });
      expect(new Set(clientIds).size).toBe(clientIds.length);
    },
  );

  it.for([...releasesOfEachApi, 'emqx-5.0' as const])('node-down, %s: the first finding', async (release, context) => {
    const scene = await startScene(context, 'node-down', release);
    await scene.waitFor(({ results }) => results.find(({ check }) => check === 'nodes')?.unchecked.length === 0);
    await scene.stopLastNode();
    const report = await scene.waitFor(hasFound('nodes'));
    const node = 'broker3@127.0.0.1';
    expect(report.findings[0]).toMatchObject({
      severity: 'critical',
      code: 'node-down',
      // EMQX 4 lists no stopped nodes.
      evidence: {
        node,
        status: release === 'emqx-4.4' ? 'unknown' : 'stopped',
        clients: clientsKnownBy(release),
      },
      jump: { screen: 'node', node },
    });
  });

  it('dead-sink, emqx-5.8: one row for the connector, what its action loses, and the alarms', async (context) => {
    const scene = await startScene(context, 'dead-sink', 'emqx-5.8');
    const report = await scene.waitFor(({ findings }) =>
      findings.some(
        (finding) => isProblem(finding, integrations, 'integration-down') && finding.evidence.losing.length > 0,
      ),
    );
    const own = report.findings.filter(({ check }) => check === 'integrations' || check === 'alarms');
    expect(own).toMatchObject([
      {
        severity: 'critical',
        evidence: {
          id: 'http:audit',
          reason: 'Connection refused',
          losing: [{ id: 'http:audit', mostly: 'expired' }],
        },
        jump: { screen: 'integrations', row: 'connector http:audit' },
      },
    ]);
    const [loss] = own.flatMap((finding) =>
      isProblem(finding, integrations, 'integration-down') ? finding.evidence.losing : [],
    );
    expect(loss?.lost).toBeLessThanOrEqual(loss?.matched ?? 0);
  });

  it.for(releasesOfEachApi)('hot-topic, %s: found as fan-out, with the suspected topic', async (release, context) => {
    const scene = await startScene(context, 'hot-topic', release);
    const report = await scene.waitFor(({ findings }) =>
      findings.some((finding) => isProblem(finding, fanOut, 'fan-out') && finding.evidence.suspect !== 'not-read'),
    );
    expect(report.findings.filter(isOfScenario)).toMatchObject([
      {
        code: 'fan-out',
        evidence: { suspect: { topic: 'market/prices', subscribers: 30 } },
        jump: { screen: 'subscriptions', topic: 'market/prices' },
      },
    ]);
  });
});
