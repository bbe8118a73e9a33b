import { createMember, type FleetTarget, type LiveMember } from './member.ts';
import { type FleetMember, type FleetPlanOptions, planFleet } from './plan.ts';

export type { FleetTarget } from './member.ts';

export interface FleetOptions {
  readonly size: number;
  readonly seed: number;
  readonly host: string;
  readonly targets: readonly [FleetTarget, ...FleetTarget[]];
  /** Time over which the connections are spread; 0 opens all at once. */
  readonly rampMs?: number | undefined;
  /** Default `mixed`. */
  readonly scenario?: Scenario | undefined;
}

export interface Fleet {
  readonly members: readonly LiveMember[];
  connectedCount(): number;
  publishedCount(): number;
  /** Resolves when every member has connected at least once. */
  readonly ready: Promise<void>;
  /** Drops every connection. */
  end(): void;
}

/** One timer drives all members. */
const tickMs = 50;

/** Starts a fleet of real MQTT clients. The same seed gives the same fleet. */
export function startFleet({ size, seed, host, targets, rampMs = 3000, scenario = 'mixed' }: FleetOptions): Fleet {
  const startedAtMs = performance.now();
  const members = planScenario(scenario, { size, seed, nodes: targets.length })
    .map((member, index) => createMember(member, targets, host, rampMs * (index / size)));
  const waiting = new Set(members);
  let beat: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((resolve) => {
    beat = setInterval(() => {
      const nowMs = performance.now() - startedAtMs;
      for (const member of members) member.tick(nowMs);
      if (waiting.size === 0) return;
      for (const member of waiting) if (member.isConnected()) waiting.delete(member);
      if (waiting.size === 0) resolve();
    }, tickMs);
  });
  return {
    members,
    ready,
    connectedCount: () => members.filter((member) => member.isConnected()).length,
    publishedCount: () => members.reduce((sum, member) => sum + member.publishedCount(), 0),
    end: () => {
      clearInterval(beat);
      for (const member of members) member.end();
    },
  };
}

/** What the fleet does: a mix of everything, nothing wrong, or one problem. */
export type Scenario = 'mixed' | 'calm' | 'reconnect-storm' | 'slow-consumer' | 'node-down' | 'hot-topic';

/** Period in which members of a reconnect storm disconnect together. */
const stormPeriodMs = 8000;
const slowWorkers = 3;
const hotPublishers = 2;
const hotTopic = 'market/prices';

/** The fleet of a scenario; the same for the same options. */
export function planScenario(scenario: Scenario, options: FleetPlanOptions): readonly FleetMember[] {
  const fleet = planFleet(options);
  if (scenario === 'mixed') return fleet;
  const calm = fleet.map((member, index) => calmDown(member, index, options.nodes));
  switch (scenario) {
    // The broker stops the node; the members reconnect to others.
    case 'calm':
    case 'node-down': return calm;
    case 'reconnect-storm': return calm.map((member, index) => (index % 2 === 1 ? inStorm(member) : member));
    case 'slow-consumer': {
      const slow = new Set(calm.slice(1).toSorted((a, b) => Number(b.role === 'worker') - Number(a.role === 'worker')).slice(0, slowWorkers));
      return calm.map((member) => (slow.has(member) ? notAcknowledging(member) : acknowledgedOnly(member)));
    }
    case 'hot-topic': return calm.map((member, index) => (index % 2 === 1 ? onHotTopic(member, index) : quieter(member)));
  }
}

/** Evenly spread, always connected and fast; the first member subscribes to `#`, so that every message is routed. */
function calmDown(member: FleetMember, index: number, nodes: number): FleetMember {
  const base: FleetMember = {
    ...member,
    node: index % nodes,
    flap: undefined,
    stall: undefined,
    handlingMs: 0,
    publishes: member.publishes.filter(({ topic }) => !topic.startsWith('trace/')),
    subscriptions: member.subscriptions.filter(({ topic }) => topic !== '+/+/+/+' && topic !== 'work/#'),
  };
  return index === 0 ? { ...base, clean: true, publishes: [], subscriptions: [{ topic: '#', qos: 0 }], willTopic: undefined } : base;
}

function inStorm(member: FleetMember): FleetMember {
  return { ...member, flap: { stayMs: stormPeriodMs, awayMs: 1500, isClean: false, inStep: true } };
}

/** Never acknowledges a message. No keepalive: PINGRESP would wait behind the messages. */
function notAcknowledging(member: FleetMember): FleetMember {
  return {
    ...member, clean: false, keepaliveSeconds: 0, publishes: [], handlingMs: Infinity,
    subscriptions: [{ topic: '+/+/+/+', qos: 1 }],
  };
}

const acknowledgedOnly = (member: FleetMember): FleetMember =>
  ({ ...member, publishes: member.publishes.map((publish) => ({ ...publish, qos: 1 })) });

const quieter = (member: FleetMember): FleetMember =>
  ({ ...member, publishes: member.publishes.map((publish) => ({ ...publish, everyMs: publish.everyMs * 8 })) });

/** Half of the fleet subscribes to one topic, and two members publish to it five times a second each. */
function onHotTopic(member: FleetMember, index: number): FleetMember {
  const { publishes, subscriptions } = quieter(member);
  const isPublisher = index < 2 * hotPublishers;
  return {
    ...member,
    publishes: isPublisher ? [...publishes, { topic: hotTopic, qos: 0, retain: false, everyMs: 200, low: 90, high: 110 }] : publishes,
    subscriptions: [...subscriptions, { topic: hotTopic, qos: 0 }],
  };
}
