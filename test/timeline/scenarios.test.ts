import { describe, expect, it, type TestContext } from 'vitest';
import { emqV2Server } from '../../src/api/dialects/emq-v2/server/server.ts';
import { emqxV5Server } from '../../src/api/dialects/emqx-v5/server/server.ts';
import { openHttpApi } from '../../src/api/dialects/index.ts';
import { type EmbeddedBrokerOptions, startEmbeddedBroker } from '../../src/broker/embedded-broker.ts';
import { type FleetTarget, type Scenario, startFleet } from '../../src/broker/fleet/fleet.ts';
import { reading } from '../../src/monitor/query/part.ts';
import type { MonitorState } from '../../src/monitor/state.ts';
import { selectNodes } from '../../src/resources/nodes/select.ts';
import { clusterViews } from '../../src/resources/cluster-views/resource.ts';
import { triageView } from '../../src/triage/view.ts';
import { users } from '../../src/resources/users/resource.ts';
import type { TimelineEvent } from '../../src/domain/event.ts';
import { timelineEvents } from '../../src/monitor/events.ts';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';

type Served = Pick<EmbeddedBrokerOptions, 'dialect' | 'variant' | 'profile'>;

const emqV2: Served = { dialect: emqV2Server, variant: 'b', profile: 'emq-2.3' };
const emqxV5: Served = { dialect: emqxV5Server, profile: 'emqx-5.8' };

/** Starts a cluster with a fleet on it, and a monitor of which only the users are watched, as if their screen was open. */
async function startScene({ onTestFinished }: TestContext, scenario: Scenario, served: Served = emqV2) {
  const endings: (() => Promise<void> | void)[] = [];
  onTestFinished(async () => {
    for (const end of endings.toReversed()) await end();
  });
  const password = 'only for tests';
  const broker = await startEmbeddedBroker({
    version: '1.2.3',
    nodes: 3,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    wsPort: 0,
    user: 'admin',
    password,
    ...served,
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
  const api = openHttpApi({ url, otherUrls, user: 'admin', password });
  endings.push(() => api.close());
  const monitor = createTriagedMonitor({ api, intervalSeconds: 1 });
  endings.push(() => {
    monitor.stop();
  });
  monitor.watch(users);
  const told = (check: string): readonly string[] =>
    reading(monitor.store.getState(), timelineEvents)
      .filter((event) => event.check === check || (check === 'nodes' && event.kind === 'node'))
      .map(({ kind, severity, text }) => `${kind} ${severity} ${text}`);
  return {
    broker,
    fleet,
    told,
    waitFor: (matches: (events: readonly TimelineEvent[], state: MonitorState) => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          const state = monitor.store.getState();
          if (!matches(reading(state, timelineEvents), state)) return;
          unsubscribe();
          resolve();
        };
        const unsubscribe = monitor.store.subscribe(look);
        look();
      }),
  };
}

describe.concurrent('the events of a scenario, whichever screen is open', { timeout: 240_000 }, () => {
  it('node-down: the node, its problem, and both again when it is back', async (context) => {
    const { broker, told, waitFor } = await startScene(context, 'node-down');
    const name = broker.cluster.nodes.at(-1)?.name ?? '';
    await waitFor((_, state) => selectNodes(state).filter(({ status }) => status === 'running').length === 3);
    await broker.cluster.stopNode(name);
    await waitFor((events) => events.some(({ kind, check }) => kind === 'began' && check === 'nodes'));
    await broker.cluster.startNode(name);
    await waitFor((events) => events.some(({ kind, check }) => kind === 'ended' && check === 'nodes'));
    expect(
      told('nodes')
        .map((text) => text.replace(/after .+?:/u, 'after …:'))
        .toSorted(),
    ).toEqual(
      [
        'node warning Node broker3@127.0.0.1 is stopped (was running)',
        'began critical Problem: Node broker3@127.0.0.1 is stopped',
        'node info Node broker3@127.0.0.1 is running (was stopped)',
        'ended info Resolved after …: "Node broker3@127.0.0.1 is stopped"',
      ].toSorted(),
    );
  });

  it.for([
    ['v2', emqV2, 'http://127.0.0.1:PORT sees only broker3@127.0.0.1'],
    ['v5', emqxV5, 'broker3@127.0.0.1 sees only itself'],
  ] as const)(
    'split-brain over API %s: one problem, which ends when the nodes see each other again',
    async ([, served, title], context) => {
      const { broker, told, waitFor } = await startScene(context, 'split-brain', served);
      const agree = (state: MonitorState): boolean =>
        reading(state, clusterViews).data?.addresses.filter(({ isSteady }) => isSteady).length === 3;
      await waitFor((_, state) => agree(state));
      broker.cluster.cutOff = new Set([broker.cluster.nodes.at(-1)?.name ?? '']);
      const problemsIn = (state: MonitorState) => reading(state, triageView).report.problems;
      await waitFor((_, state) => problemsIn(state).some(({ code }) => code === 'split-brain'));
      broker.cluster.cutOff = new Set();
      await waitFor((events) => events.some(({ kind, check }) => kind === 'ended' && check === 'split'));
      // It goes on as the problem that explains what was found first, if anything was.
      expect(told('split').filter((text) => /^(?:began|named) /u.test(text))).toHaveLength(1);
      expect(
        told('split')
          .at(-1)
          ?.replace(/:\d{4,5}/u, ':PORT'),
      ).toContain(title);
    },
  );

  it.for([
    ['v2', emqV2],
    ['v5', emqxV5],
  ] as const)(
    'shared-id over API %s: the ID that two devices fight for, and both their addresses',
    async ([, served], context) => {
      const { fleet, waitFor } = await startScene(context, 'shared-id', served);
      const clientId = fleet.members.at(-1)?.member.clientId;
      let evidence: object | undefined;
      await waitFor((_, state) => {
        const found = reading(state, triageView).report.problems.filter(({ check }) => check === 'sharedIds');
        expect(found.length).toBeLessThan(2);
        evidence = found[0]?.evidence;
        return evidence !== undefined;
      });
      expect(evidence).toMatchObject({ clientId });
      expect(
        'addresses' in (evidence ?? {}) && new Set((evidence as { addresses: readonly string[] }).addresses),
      ).toEqual(new Set(['127.0.0.2', '127.0.0.3']));
    },
  );

  it('slow-consumer: one beginning for each of the stuck workers', async (context) => {
    const { waitFor, told } = await startScene(context, 'slow-consumer');
    const workers = [1, 2, 3].map((number) => `worker-00000${number}`);
    const begins = (events: readonly TimelineEvent[]): readonly string[] =>
      events
        .filter(({ kind, check }) => kind === 'began' && check === 'slow')
        .map(({ clientId = '' }) => clientId)
        .toSorted();
    let begun: readonly string[] = [];
    await waitFor((events) => {
      begun = begins(events);
      return workers.every((worker) => begun.includes(worker));
    });
    expect(begun).toEqual(workers);
    for (const text of told('slow').filter((each) => each.startsWith('began')))
      expect(text).toMatch(/^began (critical|warning) Problem: (Queue of )?worker-00000[123] /u);
  });

  it('hot-topic: the fan-out, and its topic when it is known', async (context) => {
    const { told, waitFor } = await startScene(context, 'hot-topic');
    await waitFor(() => told('fanOut').some((text) => text.includes('market/prices')));
    const [first = '', ...rest] = told('fanOut');
    expect(first).toMatch(/^began warning Problem: High fan-out/u);
    const named = rest.length === 0 ? first : rest.join('\n');
    expect(named).toMatch(
      rest.length === 0
        ? /^began warning Problem: High fan-out, probably on market\/prices/u
        : /^named info Now known: High fan-out, probably on market\/prices$/u,
    );
  });
});
