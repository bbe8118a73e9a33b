import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BrokerCluster, startCluster } from '../../../src/broker/cluster.ts';
import { type Fleet, type FleetTarget, type LiveMember, startFleet } from '../../../src/broker/fleet/fleet.ts';
import { planFleet } from '../../../src/broker/fleet/plan.ts';
import { isBrokerReport } from '../../../src/cli/commands/demo.ts';
import type { Session as SessionRecord } from '../../../src/domain/client.ts';
import { fleetText } from '../../../src/cli/commands/fleet.ts';
import { message, startProgram } from './program.ts';

describe('the plan of a fleet', () => {
  const plan = planFleet({ size: 300, seed: 1, nodes: 3 });

  it('depends on the seed only', () => {
    expect(planFleet({ size: 300, seed: 1, nodes: 3 })).toEqual(plan);
    expect(planFleet({ size: 300, seed: 2, nodes: 3 })).not.toEqual(plan);
  });

  it('has unique ids that MQTT 3.1 accepts', () => {
    expect(new Set(plan.map(({ clientId }) => clientId)).size).toBe(300);
    expect(Math.max(...plan.map(({ clientId }) => clientId.length))).toBeLessThanOrEqual(23);
  });

  it('has some of everything that a monitor shows', () => {
    const count = (is: (member: (typeof plan)[number]) => boolean): number => plan.filter(is).length;
    const counts = {
      sensors: count(({ role }) => role === 'sensor'),
      dashboards: count(({ role }) => role === 'dashboard'),
      wildcards: count(({ subscriptions }) => subscriptions.some(({ topic }) => /[+#]/u.test(topic))),
      persistent: count(({ clean }) => !clean),
      slow: count(({ handlingMs }) => handlingMs > 0),
      stalling: count(({ stall }) => stall !== undefined),
      flapping: count(({ flap }) => flap !== undefined),
      named: count(({ username }) => username !== undefined),
      old: count(({ protocolVersion }) => protocolVersion === 3),
      webSocket: count(({ transport }) => transport === 'ws'),
      retaining: count(({ publishes }) => publishes.some(({ retain }) => retain)),
      exactlyOnce: count(({ publishes }) => publishes.some(({ qos }) => qos === 2)),
    };
    expect(Object.entries(counts).filter(([, value]) => value < 2 || value > 298)).toEqual([]);
    expect(counts.sensors).toBeGreaterThan(150);
  });

  it('is spread unevenly over all nodes', () => {
    const perNode = [0, 1, 2].map((node) => plan.filter((member) => member.node === node).length);
    expect(perNode).toEqual(perNode.toSorted((a, b) => b - a));
    expect(new Set(perNode).size).toBe(3);
    expect(Math.min(...perNode)).toBeGreaterThan(20);
  });

  it.each([1, 2, 5, 5000])('can be of %i members on one node', (size) => {
    const members = planFleet({ size, seed: 3, nodes: 1 });
    expect(members).toHaveLength(size);
    expect(members.every(({ node }) => node === 0)).toBe(true);
  });
});

describe('a fleet', () => {
  let cluster: BrokerCluster;
  let fleet: Fleet;
  const size = 40;

  /** Resolves when `is`, looked at whenever a client comes or goes, or publishes. */
  function until(is: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (is()) resolve();
      };
      cluster.events.on('connected', look).on('disconnected', look).on('published', look);
      look();
    });
  }

  function targets(): readonly [FleetTarget, ...FleetTarget[]] {
    const [first, ...rest] = cluster.nodes.map(({ ports }) => ({ mqttPort: ports.tcp, wsPort: ports.ws }));
    if (first === undefined) throw new Error('no nodes');
    return [first, ...rest];
  }

  beforeEach(async () => {
    cluster = await startCluster({ version: '1', nodes: 2, mqttPort: 0, wsPort: 0 });
    fleet = startFleet({ size, seed: 1, host: '127.0.0.1', targets: targets(), rampMs: 0 });
  });
  afterEach(async () => {
    fleet.end();
    await cluster.close();
  });

  it('connects, subscribes and publishes as planned', async () => {
    const published = new Promise<string>((resolve) => {
      cluster.events.on('published', ({ topic, publisher }) => {
        if (publisher?.startsWith('sensor-') === true) resolve(topic);
      });
    });
    await fleet.ready;
    expect(fleet.connectedCount()).toBe(size);
    for (const { member } of fleet.members) {
      expect(cluster.nodes[member.node]?.clients.get(member.clientId)?.identity).toMatchObject({
        username: member.username,
        protocolVersion: member.protocolVersion,
        cleanSession: member.clean,
      });
    }
    expect(await published).toMatch(/^(trace\/)?plant-/u);
    expect(fleet.publishedCount()).toBeGreaterThan(0);
  });

  it('has a worker that hangs until it is disconnected', async () => {
    const sessionOf = (id: string): SessionRecord | undefined =>
      cluster.nodes.map(({ sessions }) => sessions.get(id)?.describe()).find((session) => session !== undefined);
    const hung = 'worker-000001';
    await until(() => sessionOf(hung)?.inflight === 32);
    expect(sessionOf(hung)?.delivered).toBe(32);
    cluster.nodes.flatMap(({ clients }) => clients.get(hung) ?? [])[0]?.close('kicked');
    await until(() => (sessionOf(hung)?.delivered ?? 0) > 64 && sessionOf(hung)?.queueLength === 0);
  });

  it('reconnects to the remaining nodes when a node stops', async () => {
    await fleet.ready;
    await cluster.stopNode('broker1@127.0.0.1');
    const isBack = ({ member }: LiveMember): boolean => cluster.nodes[1]?.clients.get(member.clientId) !== undefined;
    // Those that flap may be away at any time.
    const steady = fleet.members.filter(({ member }) => member.flap === undefined);
    expect(steady.filter(isBack).length).toBeLessThan(steady.length);
    await until(() => steady.every(isBack));
    expect(cluster.nodes[0]?.clients.size).toBe(0);
  });

  it('is gone when it ends', async () => {
    await fleet.ready;
    fleet.end();
    await until(() => cluster.nodes.every(({ clients }) => clients.size === 0));
    expect(fleet.connectedCount()).toBe(0);
  });
});

it('the command connects its fleet, and ends when its parent disconnects', async () => {
  const broker = startProgram('broker', '--nodes', '1', '--port', '0', '--mqtt-port', '0', '--ws-port', '0');
  const { mqttPorts, wsPorts } = await message(broker.child, isBrokerReport);
  const fleet = startProgram(
    'fleet',
    '--clients',
    '5',
    '--mqtt-ports',
    mqttPorts.join(','),
    '--ws-ports',
    wsPorts.join(','),
  );
  expect(await message(fleet.child, (value): value is object => typeof value === 'object')).toEqual({
    ready: true,
    clients: 5,
  });
  fleet.child.disconnect();
  expect(await fleet.exited).toEqual({ code: 0, signal: null });
  expect(fleet.output).toEqual({ stdout: `${fleetText(5, 1)}\n`, stderr: '' });
  broker.child.kill('SIGTERM');
  await broker.exited;
});
