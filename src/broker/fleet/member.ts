import { connect, type IClientOptions, type MqttClient } from 'mqtt';
import { createRandom, type FleetMember, type PlannedPublish } from './plan.ts';

/** Where a node listens. */
export interface FleetTarget {
  readonly mqttPort: number;
  readonly wsPort: number;
}

/** A running client of the fleet. */
export interface LiveMember {
  readonly member: FleetMember;
  isConnected(): boolean;
  publishedCount(): number;
  /** Does what is due; `nowMs` is the fleet's clock. */
  tick(nowMs: number): void;
  /** Closes the connection without DISCONNECT, for good. */
  end(): void;
}

/** Reconnect delay with jitter: the first maximum, doubled with each failure, up to the second. */
const [firstRetryMs, longestRetryMs] = [1000, 15_000];

interface PublishSchedule extends PlannedPublish {
  dueMs: number;
  value: number;
}

/**
 * Creates a member that connects at the first tick after `startMs`. It reconnects after a random delay, to its
 * own node and to others alternately.
 */
export function createMember(
  member: FleetMember,
  targets: readonly [FleetTarget, ...FleetTarget[]],
  host: string,
  startMs: number,
): LiveMember {
  const random = createRandom(member.seed);
  const schedules: PublishSchedule[] = member.publishes.map((publish) => ({
    ...publish,
    dueMs: startMs + random.between(0, publish.everyMs),
    value: random.between(publish.low, publish.high),
  }));
  let client: MqttClient | undefined;
  let hasEnded = false;
  let failures = 0;
  let published = 0;
  let nowMs = startMs;
  /** When it connects, disconnects or reconnects next, if ever. */
  let nextConnectionChangeMs: number | undefined = startMs;
  let stalledUntilMs = startMs;
  let nextStallMs = member.stall === undefined ? undefined : startMs + random.between(0, member.stall.everyMs);
  const held: { readonly untilMs: number; readonly done: () => void }[] = [];

  const address = (): Pick<IClientOptions, 'protocol' | 'host' | 'hostname' | 'port'> => {
    const own = targets[member.node] ?? targets[0];
    const [other = own, ...more] = targets.filter((target) => target !== own);
    const target = failures > 0 && failures % 2 === 0 ? random.pick([other, ...more]) : own;
    const isWs = member.transport === 'ws';
    return { protocol: isWs ? 'ws' : 'mqtt', host, hostname: host, port: isWs ? target.wsPort : target.mqttPort };
  };

  const leavesAt = ({ stayMs, inStep }: NonNullable<FleetMember['flap']>): number =>
    inStep === true ? (Math.floor(nowMs / stayMs) + 1) * stayMs : nowMs + stayMs * random.between(0.5, 1.5);

  const onConnect = (connected: MqttClient, sessionPresent: boolean): void => {
    failures = 0;
    nextConnectionChangeMs = member.flap === undefined ? undefined : leavesAt(member.flap);
    if (sessionPresent) return;
    for (const { topic, qos } of member.subscriptions) connected.subscribe(topic, { qos });
  };

  const onClose = (): void => {
    held.length = 0;
    // A planned disconnect has already set the time of its reconnect.
    if (hasEnded || nextConnectionChangeMs !== undefined && nextConnectionChangeMs > nowMs) return;
    nextConnectionChangeMs = nowMs + random.between(0.1, 1) * Math.min(longestRetryMs, firstRetryMs * 2 ** failures);
    failures += 1;
  };

  const open = (): MqttClient => {
    const { willTopic, protocolVersion } = member;
    const opened = connect({
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
    });
    opened.on('connect', ({ sessionPresent }) => onConnect(opened, sessionPresent));
    opened.on('close', onClose);
    opened.handleMessage = (_packet, callback) => {
      if (member.handlingMs === 0 && nowMs >= stalledUntilMs) callback();
      else held.push({ untilMs: Math.max(nowMs + member.handlingMs, stalledUntilMs), done: callback });
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

  const publish = (connected: MqttClient, duty: PublishSchedule): void => {
    const { topic, qos, retain, low, high } = duty;
    const step = (high - low) / 20;
    duty.value = Math.min(high, Math.max(low, duty.value + random.between(-step, step)));
    connected.publish(topic, JSON.stringify({ value: Number(duty.value.toFixed(2)) }), { qos, retain });
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
      while (held[0] !== undefined && held[0].untilMs <= atMs) held.shift()?.done();
      for (const duty of schedules) {
        if (atMs < duty.dueMs) continue;
        // From now, so that a machine that was asleep does not catch up at once.
        duty.dueMs = atMs + duty.everyMs * random.between(0.9, 1.1);
        if (client?.connected === true) publish(client, duty);
      }
    },
    end: () => {
      hasEnded = true;
      held.length = 0;
      client?.end(true);
    },
  };
}
