import { BrokerError } from '../../api/errors.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { NewTrace, Trace } from '../../domain/traces.ts';
import type { BrokerCluster } from '../cluster.ts';
import { toBrokerSeconds } from '../engine/counters.ts';
import { topicMatcher } from '../../domain/topics.ts';
import { quote } from '../log.ts';

export type TraceApi = Required<
  Pick<ManagementApi, 'listTraces' | 'readTrace' | 'startTrace' | 'stopTrace' | 'deleteTrace'>
>;

const maxTraces = 30;
/** A longer log loses nothing, but gets no more lines. */
const maxLogBytes = 4 * 1024 * 1024;

/** An event, with everything that a trace may follow. */
interface Traced {
  readonly node: NodeName | undefined;
  readonly clientId: string | undefined;
  readonly ipAddress?: string | undefined;
  readonly port?: number | undefined;
  readonly topic?: string | undefined;
  readonly level: 'debug' | 'info' | 'warning';
  readonly text: string;
}

interface Log {
  readonly lines: Buffer[];
  bytes: number;
}

interface Running {
  readonly trace: NewTrace;
  readonly startedAtMs: number;
  isStopped: boolean;
  readonly follows: (traced: Traced) => boolean;
  readonly logs: Map<NodeName, Log>;
}

function followerOf({ kind, value }: NewTrace): Running['follows'] {
  if (kind === 'client-id') return ({ clientId }) => clientId === value;
  if (kind === 'address') return ({ ipAddress }) => ipAddress === value;
  const matches = topicMatcher(value);
  return ({ topic }) => topic !== undefined && matches(topic);
}

/** Writes down what the broker does for a client, a topic or an address, on each node, until the trace ends. */
export function createTraces(cluster: BrokerCluster, now: () => number = Date.now): TraceApi {
  const traces = new Map<string, Running>();
  const isRunning = ({ trace, isStopped }: Running): boolean => !isStopped && toBrokerSeconds(now()) < trace.endAt;
  const addressOf = (clientId: string): Pick<Traced, 'ipAddress' | 'port'> => {
    const client = cluster.nodes
      .map((node) => node.clients.get(clientId)?.describe())
      .find((each) => each !== undefined);
    return { ipAddress: client?.ipAddress, port: client?.port };
  };
  const write = (traced: Traced): void => {
    if (traces.size === 0) return;
    const { node, clientId, level, text } = traced;
    const peer = traced.ipAddress === undefined && clientId !== undefined ? addressOf(clientId) : traced;
    for (const running of traces.values()) {
      if (node === undefined || !isRunning(running) || !running.follows({ ...traced, ...peer })) continue;
      const log = running.logs.get(node) ?? { lines: [], bytes: 0 };
      running.logs.set(node, log);
      const where = peer.ipAddress === undefined ? '' : `@${peer.ipAddress}:${peer.port ?? 0}`;
      const line = Buffer.from(
        `${new Date(now()).toISOString()} [${level}] ${clientId === undefined ? '' : quote(clientId)}${where} msg: ${text}\n`,
      );
      if (log.bytes + line.length > maxLogBytes) continue;
      log.lines.push(line);
      log.bytes += line.length;
    }
  };
  cluster.events.on('connected', (client) => {
    write({ ...client, level: 'info', text: `connected, clean session: ${client.cleanSession}` });
  });
  cluster.events.on('disconnected', (client, reason) => {
    write({ ...client, level: 'info', text: `disconnected, reason: ${reason}` });
  });
  cluster.events.on('rejected', (peer, reason) => {
    const code = peer.returnCode === undefined ? '' : `, CONNACK: ${peer.returnCode}`;
    write({ ...peer, level: 'warning', text: `connection refused, reason: ${reason}${code}` });
  });
  cluster.events.on('subscribed', (clientId, topic, qos, node) => {
    write({ clientId, topic, node, level: 'debug', text: `subscribed, topic: ${quote(topic)}, qos: ${qos}` });
  });
  cluster.events.on('subscriptionRefused', (clientId, topic, node) => {
    write({ clientId, topic, node, level: 'warning', text: `subscription refused, topic: ${quote(topic)}` });
  });
  cluster.events.on('unsubscribed', (clientId, topic, node) => {
    write({ clientId, topic, node, level: 'debug', text: `unsubscribed, topic: ${quote(topic)}` });
  });
  cluster.events.on('denied', (clientId, action, topic, node) => {
    write({
      clientId,
      topic,
      node,
      level: 'warning',
      text: `authorization denied, action: ${action}, topic: ${quote(topic)}`,
    });
  });
  cluster.events.on('published', ({ topic, qos, publisher, payload }, node) => {
    write({
      clientId: publisher,
      topic,
      node,
      level: 'debug',
      text: `published, topic: ${quote(topic)}, qos: ${qos}, payload: ${payload.length} bytes`,
    });
  });
  cluster.events.on('queueFull', (clientId, node) => {
    write({ clientId, node, level: 'warning', text: 'message dropped, reason: the queue is full' });
  });

  const find = (name: string): Running => {
    const found = traces.get(name);
    if (found === undefined) throw new BrokerError('does-not-exist', `${name} NOT FOUND`);
    return found;
  };
  return {
    async listTraces() {
      return [...traces.values()].map((running): Trace => ({
        ...running.trace,
        status: isRunning(running) ? 'running' : 'stopped',
        startAt: toBrokerSeconds(running.startedAtMs),
        logBytes: new Map(
          cluster.nodes
            .filter((node) => node.isRunning)
            .map(({ name }) => [name, running.logs.get(name)?.bytes ?? 0] as const),
        ),
        unparsed: {},
      }));
    },
    async readTrace(name, node, { from, maxBytes }) {
      const log = Buffer.concat(find(name).logs.get(node)?.lines ?? []);
      const part = log.subarray(from, from + maxBytes);
      return { text: part.toString(), next: from + part.length };
    },
    async startTrace(trace) {
      if (traces.has(trace.name)) throw new BrokerError('exists', `${trace.name} Already Exists`);
      if (traces.size >= maxTraces) throw new BrokerError('failed', `There are ${maxTraces} traces already.`);
      if (trace.endAt <= toBrokerSeconds(now())) throw new BrokerError('invalid', 'end_at time has already passed');
      traces.set(trace.name, {
        trace,
        startedAtMs: now(),
        isStopped: false,
        follows: followerOf(trace),
        logs: new Map(),
      });
    },
    async stopTrace(name) {
      find(name).isStopped = true;
    },
    async deleteTrace(name) {
      find(name);
      traces.delete(name);
    },
  };
}
