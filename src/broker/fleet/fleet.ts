import { createConnection } from 'node:net';
import { connect, type IClientOptions, MqttClient } from 'mqtt';
import {
  createRandom,
  everyMeasure,
  type FleetMember,
  type FleetPlanOptions,
  planFleet,
  type PlannedPublish,
} from './plan.ts';

interface FleetOptions {
  readonly size: number;
  readonly seed: number;
  readonly host: string;
  readonly targets: readonly [FleetTarget, ...FleetTarget[]];
  /** Opening the connections takes so long; 0 opens all at once. */
  readonly rampMs?: number | undefined;
  readonly scenario?: Scenario | undefined;
}

export interface Fleet {
  readonly members: readonly LiveMember[];
  connectedCount(): number;
  publishedCount(): number;
  readonly ready: Promise<void>;
  end(): void;
}

const tickMs = 50;

/** Starts a fleet; the same seed gives the same one. */
export function startFleet({ size, seed, host, targets, rampMs = 3000, scenario = 'mixed' }: FleetOptions): Fleet {
  const startedAtMs = performance.now();
  const members = planScenario(scenario, { size, seed, nodes: targets.length }).map((member, index) =>
    createMember(member, targets, host, rampMs * (index / size)),
  );
  const waiting = new Set(members);
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((resolve) => {
    timer = setInterval(() => {
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
      clearInterval(timer);
      for (const member of members) member.end();
    },
  };
}

export type Scenario =
  | 'mixed'
  | 'calm'
  | 'reconnect-storm'
  | 'slow-consumer'
  | 'node-down'
  | 'split-brain'
  | 'shared-id'
  | 'hot-topic'
  | 'dead-sink';

const stormPeriodMs = 5000;
/** A name that the clients of a storm share, and no others. */
const stormUsername = 'factory-b';
const slowWorkers = 3;
const hotPublishers = 2;
/** The addresses of two devices with one client ID. */
const sharers = ['127.0.0.2', '127.0.0.3'] as const;
const hotTopic = 'market/prices';

function planScenario(scenario: Scenario, options: FleetPlanOptions): readonly FleetMember[] {
  const fleet = planFleet(options);
  if (scenario === 'mixed') return fleet;
  const calm = fleet.map((member, index) => calmDown(member, index, options.nodes));
  switch (scenario) {
    // The broker stops the node, and the members reconnect to others; or it has the sink.
    case 'calm':
    case 'node-down':
    case 'dead-sink':
    case 'split-brain':
      return calm;
    case 'shared-id': {
      const [first] = calm.slice(-sharers.length);
      if (first === undefined) return calm;
      const devices = sharers.map((localAddress, index): FleetMember => ({
        ...first,
        node: index % options.nodes,
        transport: 'tcp',
        seed: index,
        localAddress,
      }));
      return [...calm.slice(0, -sharers.length), ...devices];
    }
    case 'reconnect-storm':
      return calm.map((member, index) =>
        index % 2 === 1
          ? inStorm(member)
          : { ...member, username: member.username === stormUsername ? undefined : member.username },
      );
    case 'slow-consumer': {
      const slow = new Set(
        calm
          .slice(1)
          .toSorted((a, b) => Number(b.role === 'worker') - Number(a.role === 'worker'))
          .slice(0, slowWorkers),
      );
      return calm.map((member) => (slow.has(member) ? hanging(member) : acknowledgedOnly(member)));
    }
    case 'hot-topic':
      return calm.map((member, index) => (index % 2 === 1 ? onHotTopic(member, index) : publishingLess(member)));
  }
}

/** Turns a member into a calm one. The first subscribes to `#`, so that every message is routed. */
function calmDown(member: FleetMember, index: number, nodes: number): FleetMember {
  const base: FleetMember = {
    ...member,
    node: index % nodes,
    flap: undefined,
    stall: undefined,
    handlingMs: 0,
    hangs: false,
    publishes: member.publishes.filter(({ topic }) => !topic.startsWith('trace/')),
    subscriptions: member.subscriptions.filter(({ topic }) => topic !== everyMeasure),
  };
  return index === 0
    ? { ...base, clean: true, publishes: [], subscriptions: [{ topic: '#', qos: 0 }], willTopic: undefined }
    : base;
}

function inStorm(member: FleetMember): FleetMember {
  return {
    ...member,
    username: stormUsername,
    flap: { stayMs: stormPeriodMs, awayMs: 1500, isClean: false, isSynchronized: true },
  };
}

function hanging(member: FleetMember): FleetMember {
  return {
    ...member,
    clean: false,
    keepaliveSeconds: 0,
    publishes: [],
    hangs: true,
    subscriptions: [{ topic: everyMeasure, qos: 1 }],
  };
}

const acknowledgedOnly = (member: FleetMember): FleetMember => ({
  ...member,
  publishes: member.publishes.map((publish) => ({ ...publish, qos: 1 })),
});

const publishingLess = (member: FleetMember): FleetMember => ({
  ...member,
  publishes: member.publishes.map((publish) => ({ ...publish, everyMs: publish.everyMs * 8 })),
});

function onHotTopic(member: FleetMember, index: number): FleetMember {
  const { publishes, subscriptions } = publishingLess(member);
  const isPublisher = index < 2 * hotPublishers;
  return {
    ...member,
    publishes: isPublisher
      ? [...publishes, { topic: hotTopic, qos: 0, retain: false, everyMs: 200, min: 90, max: 110 }]
      : publishes,
    subscriptions: [...subscriptions, { topic: hotTopic, qos: 0 }],
  };
}

export interface FleetTarget {
  readonly mqttPort: number;
  readonly wsPort: number;
}

export interface LiveMember {
  readonly member: FleetMember;
  isConnected(): boolean;
  publishedCount(): number;
  tick(nowMs: number): void;
  /** Closes the connection without DISCONNECT and does not reconnect. */
  end(): void;
}

/** The delay doubles with each failure, with jitter. */
const [firstRetryMs, maxRetryMs] = [1000, 15_000];

interface PublishSchedule extends PlannedPublish {
  dueMs: number;
  value: number;
}

/** Creates a member that reconnects after a random delay, alternately to its own node and to others. */
function createMember(
  member: FleetMember,
  targets: readonly [FleetTarget, ...FleetTarget[]],
  host: string,
  startMs: number,
): LiveMember {
  const random = createRandom(member.seed);
  const schedules: PublishSchedule[] = member.publishes.map((publish) => ({
    ...publish,
    dueMs: startMs + random.between(0, publish.everyMs),
    value: random.between(publish.min, publish.max),
  }));
  let client: MqttClient | undefined;
  let hasEnded = false;
  let failures = 0;
  let connections = 0;
  let published = 0;
  let nowMs = startMs;
  let nextConnectionChangeMs: number | undefined = startMs;
  let stalledUntilMs = startMs;
  let nextStallMs = member.stall === undefined ? undefined : startMs + random.between(0, member.stall.everyMs);
  const heldMessages: { readonly untilMs: number; readonly done: () => void }[] = [];

  const address = (): Pick<IClientOptions, 'protocol' | 'host' | 'hostname' | 'port'> => {
    const home = targets[member.node] ?? targets[0];
    const [other = home, ...more] = targets.filter((target) => target !== home);
    const target = failures > 0 && failures % 2 === 0 ? random.pick([other, ...more]) : home;
    const isWs = member.transport === 'ws';
    return { protocol: isWs ? 'ws' : 'mqtt', host, hostname: host, port: isWs ? target.wsPort : target.mqttPort };
  };

  const nextLeaveMs = ({ stayMs, isSynchronized }: NonNullable<FleetMember['flap']>): number =>
    isSynchronized === true ? (Math.floor(nowMs / stayMs) + 1) * stayMs : nowMs + stayMs * random.between(0.5, 1.5);

  const onConnect = (connected: MqttClient, sessionPresent: boolean): void => {
    failures = 0;
    connections += 1;
    nextConnectionChangeMs = member.flap === undefined ? undefined : nextLeaveMs(member.flap);
    if (sessionPresent) return;
    for (const { topic, qos } of member.subscriptions) connected.subscribe(topic, { qos });
  };

  const onClose = (): void => {
    heldMessages.length = 0;
    // A planned disconnect has already set the time of its reconnect.
    if (hasEnded || (nextConnectionChangeMs !== undefined && nextConnectionChangeMs > nowMs)) return;
    nextConnectionChangeMs = nowMs + random.between(0.1, 1) * Math.min(maxRetryMs, firstRetryMs * 2 ** failures);
    failures += 1;
  };

  const open = (): MqttClient => {
    const { willTopic, protocolVersion } = member;
    const options: IClientOptions = {
      ...address(),
      clientId: member.clientId,
      keepalive: member.keepaliveSeconds,
      clean: member.clean,
      protocolVersion,
      protocolId: protocolVersion === 3 ? 'MQIsdp' : 'MQTT',
      ...(member.username === undefined ? {} : { username: member.username }),
      ...(willTopic === undefined ? {} : { will: { topic: willTopic, payload: 'offline', qos: 0, retain: true } }),
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
      connectTimeout: 10_000,
    };
    const { localAddress } = member;
    const opened =
      localAddress === undefined
        ? connect(options)
        : new MqttClient(
            ({ options: { hostname = host, port = 0 } }) => createConnection({ host: hostname, port, localAddress }),
            options,
          );
    opened.on('connect', ({ sessionPresent }) => onConnect(opened, sessionPresent));
    // A close follows.
    opened.on('error', () => {});
    opened.on('close', onClose);
    opened.handleMessage = ({ qos }, callback) => {
      const handlingMs = member.hangs && connections <= 1 ? Infinity : qos === 0 ? 0 : member.handlingMs;
      if (handlingMs === 0 && nowMs >= stalledUntilMs) callback();
      else heldMessages.push({ untilMs: Math.max(nowMs + handlingMs, stalledUntilMs), done: callback });
    };
    return opened;
  };

  const changeConnection = (): void => {
    nextConnectionChangeMs = undefined;
    if (client === undefined) {
      client = open();
    } else if (client.connected) {
      const { awayMs, isClean } = member.flap ?? { awayMs: 0, isClean: true };
      nextConnectionChangeMs = nowMs + awayMs * random.between(0.5, 1.5);
      if (isClean) client.end();
      else client.stream.destroy();
    } else {
      Object.assign(client.options, address());
      client.reconnect();
    }
  };

  const publish = (connected: MqttClient, schedule: PublishSchedule): void => {
    const { topic, qos, retain, min, max } = schedule;
    const step = (max - min) / 20;
    schedule.value = Math.min(max, Math.max(min, schedule.value + random.between(-step, step)));
    connected.publish(topic, JSON.stringify({ value: Number(schedule.value.toFixed(2)) }), { qos, retain });
    published += 1;
  };

  return {
    member,
    isConnected: () => !hasEnded && client?.connected === true,
    publishedCount: () => published,
    tick: (atMs) => {
      nowMs = atMs;
      if (hasEnded) return;
      if (nextConnectionChangeMs !== undefined && atMs >= nextConnectionChangeMs) changeConnection();
      if (member.stall !== undefined && nextStallMs !== undefined && atMs >= nextStallMs) {
        stalledUntilMs = atMs + member.stall.forMs;
        nextStallMs = atMs + member.stall.everyMs * random.between(0.8, 1.2);
      }
      while (heldMessages[0] !== undefined && heldMessages[0].untilMs <= atMs) heldMessages.shift()?.done();
      for (const schedule of schedules) {
        if (atMs < schedule.dueMs) continue;
        // From now, so that a machine that was asleep does not catch up.
        schedule.dueMs = atMs + schedule.everyMs * random.between(0.9, 1.1);
        if (client?.connected === true) publish(client, schedule);
      }
    },
    end: () => {
      hasEnded = true;
      heldMessages.length = 0;
      client?.end(true);
    },
  };
}
