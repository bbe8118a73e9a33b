import type { Qos } from '../../domain/client.ts';

type FleetRole = 'sensor' | 'dashboard' | 'worker' | 'controller' | 'flapper';

export interface PlannedPublish {
  readonly topic: string;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly everyMs: number;
  readonly min: number;
  readonly max: number;
}

export interface FleetMember {
  readonly role: FleetRole;
  /** The client id has max 23 characters, the limit of MQTT 3.1. */
  readonly clientId: string;
  readonly username: string | undefined;
  readonly node: number;
  readonly transport: 'tcp' | 'ws';
  /** 3 is MQTT 3.1, 4 is MQTT 3.1.1. */
  readonly protocolVersion: 3 | 4;
  readonly keepaliveSeconds: number;
  readonly clean: boolean;
  readonly publishes: readonly PlannedPublish[];
  readonly subscriptions: readonly { readonly topic: string; readonly qos: Qos }[];
  /** The member takes so long for each message with QoS 1 or 2, one after the other. */
  readonly handlingMs: number;
  /** The member handles nothing until it reconnects. It has no keepalive: PINGRESP would wait behind the messages. */
  readonly hangs: boolean;
  readonly stall: { readonly everyMs: number; readonly forMs: number } | undefined;
  /**
   * How the member comes and goes. `isClean`: with DISCONNECT. `isSynchronized`: disconnects at multiples of `stayMs`,
   * together with others.
   */
  readonly flap:
    | { readonly stayMs: number; readonly awayMs: number; readonly isClean: boolean; readonly isSynchronized?: boolean }
    | undefined;
  /** The address to connect from; needs a system where all of 127.0.0.0/8 is this machine, such as Linux. */
  readonly localAddress?: string | undefined;
  readonly willTopic: string | undefined;
  readonly seed: number;
}

export interface FleetPlanOptions {
  readonly size: number;
  readonly seed: number;
  readonly nodes: number;
}

/** Shares of the roles. The remaining members are sensors. */
const shares: readonly (readonly [FleetRole, number])[] = [
  ['dashboard', 0.09],
  ['worker', 0.13],
  ['controller', 0.06],
  ['flapper', 0.08],
];

const plants = ['plant-a', 'plant-b', 'plant-c', 'plant-d'] as const;
const lines = ['line-1', 'line-2', 'line-3'] as const;
const measures = ['temperature', 'pressure', 'vibration', 'flow'] as const;
const queues = ['billing', 'alarms', 'archive', 'orders'] as const;
const usernames = ['factory-a', 'factory-b', 'operations', 'maintenance'] as const;
/** Matches everything that is measured, on every line of every plant. */
export const everyMeasure = '+/+/+/+';
/** A filter for topics that are published often. */
const auditTopics = 'audit/#';
const keepalives = [30, 60, 60, 120] as const;

export function planFleet({ size, seed, nodes }: FleetPlanOptions): readonly FleetMember[] {
  const random = createRandom(seed);
  const roles = shares.flatMap(([role, share]) => Array.from({ length: Math.floor(size * share) }, () => role));
  while (roles.length < size) roles.push('sensor');
  const counts = new Map<FleetRole, number>();
  return roles.map((role) => {
    const number = (counts.get(role) ?? 0) + 1;
    counts.set(role, number);
    return planMember(role, number, nodes, random);
  });
}

function planTrace(place: string, random: Random): PlannedPublish {
  return { topic: `trace/${place}/debug`, qos: 0, retain: false, everyMs: random.integer(2000, 6000), min: 0, max: 1 };
}

function pickNode(nodes: number, random: Random): number {
  return Math.min(nodes - 1, Math.floor(random.between(0, 1) ** 1.6 * nodes));
}

function planMember(role: FleetRole, number: number, nodes: number, random: Random): FleetMember {
  const clientId = `${role}-${String(number).padStart(6, '0')}`;
  const place = `${random.pick(plants)}/${random.pick(lines)}/${clientId}`;
  const base: FleetMember = {
    role,
    clientId,
    username: random.chance(0.4) ? random.pick(usernames) : undefined,
    node: pickNode(nodes, random),
    transport: random.chance(role === 'dashboard' ? 0.8 : 0.1) ? 'ws' : 'tcp',
    protocolVersion: random.chance(0.15) ? 3 : 4,
    keepaliveSeconds: random.pick(keepalives),
    clean: true,
    publishes: [],
    subscriptions: [],
    handlingMs: 0,
    hangs: false,
    stall: undefined,
    flap: undefined,
    willTopic: undefined,
    seed: random.integer(0, 2 ** 32 - 1),
  };
  return { ...base, ...behaviours[role](place, number, random) };
}

const behaviours: Readonly<Record<FleetRole, (place: string, number: number, random: Random) => Partial<FleetMember>>> =
  {
    sensor: (place, _number, random) => ({
      publishes: [
        {
          topic: `${place}/${random.pick(measures)}`,
          qos: random.chance(0.3) ? 1 : 0,
          retain: false,
          everyMs: random.integer(1500, 6000),
          min: 10,
          max: 90,
        },
        { topic: `${place}/state`, qos: 1, retain: true, everyMs: random.integer(30_000, 60_000), min: 0, max: 3 },
        // Without subscribers: counted by `messages.dropped`.
        ...(random.chance(0.15) ? [planTrace(place, random)] : []),
      ],
      subscriptions: [{ topic: `${place}/command`, qos: 1 }],
      willTopic: random.chance(0.3) ? `${place}/state` : undefined,
    }),

    dashboard: (_place, _number, random) => ({
      subscriptions: [
        random.pick([
          { topic: `${random.pick(plants)}/${random.pick(lines)}/#`, qos: 0 },
          { topic: `${random.pick(plants)}/+/+/${random.pick(measures)}`, qos: 0 },
          { topic: `+/${random.pick(lines)}/+/${random.pick(measures)}`, qos: 1 },
        ]),
        { topic: '+/+/+/state', qos: 0 },
      ],
    }),

    // The queues of the first two overflow: one hangs, and a disconnect helps; one subscribes to too much.
    worker: (_place, number, random) => {
      const queue = `work/${queues[number % queues.length] ?? queues[0]}/+`;
      if (number === 1)
        return {
          clean: false,
          keepaliveSeconds: 0,
          subscriptions: [
            { topic: auditTopics, qos: 1 },
            { topic: queue, qos: 1 },
          ],
          hangs: true,
        };
      if (number === 2)
        return {
          clean: false,
          subscriptions: [
            { topic: everyMeasure, qos: 1 },
            { topic: queue, qos: 1 },
          ],
          handlingMs: 100,
        };
      return {
        clean: false,
        subscriptions: [{ topic: queue, qos: random.chance(0.2) ? 2 : 1 }],
        handlingMs: random.chance(0.3) ? random.integer(200, 900) : 0,
        stall: random.chance(0.3)
          ? { everyMs: random.integer(40_000, 90_000), forMs: random.integer(10_000, 25_000) }
          : undefined,
      };
    },

    controller: (place, number, random) => ({
      publishes: [
        {
          topic: `work/${queues[number % queues.length] ?? queues[0]}/${place.split('/')[0] ?? place}`,
          qos: random.chance(0.5) ? 2 : 1,
          retain: false,
          everyMs: random.integer(1500, 4000),
          min: 1,
          max: 500,
        },
        { topic: `audit/${place.split('/')[2] ?? place}`, qos: 1, retain: false, everyMs: 650, min: 1, max: 500 },
      ],
      subscriptions: [{ topic: `${place}/command`, qos: 1 }],
      clean: random.chance(0.5),
    }),

    flapper: (place, _number, random) => ({
      clean: random.chance(0.5),
      publishes: [
        { topic: `${place}/position`, qos: 0, retain: false, everyMs: random.integer(2000, 5000), min: 0, max: 360 },
      ],
      subscriptions: [
        { topic: `${place}/command`, qos: 1 },
        { topic: 'work/alarms/+', qos: 1 },
      ],
      flap: { stayMs: random.integer(8000, 40_000), awayMs: random.integer(3000, 25_000), isClean: random.chance(0.5) },
      willTopic: `${place}/state`,
    }),
  };

/** Reproducible random numbers (mulberry32); not for secrets. */
interface Random {
  /** Returns a number from `from` up to, but not including, `to`. */
  between(from: number, to: number): number;
  /** Returns an integer from `from` to `to`, both included. */
  integer(from: number, to: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (from, to) => from + next() * (to - from),
    integer: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (probability) => next() < probability,
    pick: (items) => items[Math.floor(next() * items.length)] ?? items[0],
  };
}
