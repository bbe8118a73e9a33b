import { getHeapStatistics } from 'node:v8';
import type { ServedClock, ServedMeaning } from '../../api/dialect.ts';
import type { ManagementApi } from '../../api/management-api.ts';
import type { Alarm } from '../../domain/administration.ts';
import type { NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import { toBrokerSeconds } from '../engine/counters.ts';
import type { Session } from '../sessions/session.ts';
import { pageOf } from './pages.ts';
import { requireRunning } from './changes.ts';

export interface Alarms {
  readonly api: Required<Pick<ManagementApi, 'listAlarms' | 'listEndedAlarms' | 'clearEndedAlarms'>>;
  /** Raises an alarm that stays until `end`, or until its node stops. */
  raise(node: NodeName, alarm: Omit<Alarm, 'node' | 'occurredAt' | 'severity'>): void;
  end(node: NodeName, id: string): void;
  /** Checks the memory and the full queues once. */
  check(): void;
  close(): void;
}

interface AlarmOptions {
  readonly now?: () => number;
  /** Returns the used share of the process's heap limit, 0 to 1. */
  readonly readMemory?: () => number;
  readonly queueAlarms?: ServedMeaning['queueAlarms'];
  readonly everySecond?: ServedClock['everySecond'];
}

const maxActive = 1000;
const maxEnded = 1000;
/** Shares at which an alarm is raised and ends again. The gap keeps it from flapping. */
const memoryMarks = { high: 0.8, low: 0.7 };
const queueEndMark = 0.5;
/** Shares of a queue that real brokers of API v2 use. */
const highWatermarks = { high: 0.6, low: 0.2 };

/**
 * Raises alarms for full session queues, and for the memory of the process, which all nodes share. The newest ended
 * alarms are kept, in memory. `high-watermark`: a session queue past its mark only, until it is nearly empty; an alarm
 * whose session is gone stays.
 */
export function createAlarms(
  cluster: BrokerCluster,
  { now = Date.now, readMemory = heapShare, queueAlarms = 'full', everySecond = inRealTime }: AlarmOptions = {},
): Alarms {
  const active = new Map<string, Alarm & { readonly node: NodeName }>();
  /** The session of each queue alarm: another session with that client ID does not end it. */
  const raisedBy = new Map<string, WeakRef<Session>>();
  let ended: readonly Alarm[] = [];
  const keyOf = (node: NodeName, id: string): string => `${node} ${id}`;
  const raise = (node: NodeName, alarm: Omit<Alarm, 'node' | 'occurredAt' | 'severity'>): void => {
    const key = keyOf(node, alarm.id);
    if (active.has(key) || active.size >= maxActive) return;
    active.set(key, { ...alarm, severity: undefined, node, occurredAt: toBrokerSeconds(now()) });
  };
  const end = (key: string, alarm: Alarm): void => {
    active.delete(key);
    ended = [{ ...alarm, endedAt: toBrokerSeconds(now()) }, ...ended].slice(0, maxEnded);
  };
  const hasEnded = ({ node, queueOf, causeId, partedFrom }: Alarm, memory: number): boolean => {
    if (causeId !== undefined) return cluster.node(node ?? '')?.isRunning !== true;
    if (partedFrom !== undefined) return node === undefined || cluster.areInTouch(node, partedFrom);
    if (queueOf === undefined) return memory < memoryMarks.low || cluster.node(node ?? '')?.isRunning !== true;
    const session = cluster.session(queueOf);
    return session === undefined || session.nodeName !== node || session.outbox.queueFillLevel <= queueEndMark;
  };
  const raisePartitions = (): void => {
    const running = cluster.nodes.filter(({ isRunning }) => isRunning);
    for (const { name } of running)
      for (const { name: other } of running)
        if (!cluster.areInTouch(name, other))
          raise(name, {
            id: 'partition',
            title: 'partition',
            summary: `Partition occurs at node ${other}`,
            partedFrom: other,
          });
  };
  const checkWatermarks = (): void => {
    for (const [key, alarm] of active) {
      const session = raisedBy.get(key)?.deref();
      if (
        session === undefined ||
        cluster.session(session.clientId) !== session ||
        session.outbox.queueFillLevel > highWatermarks.low
      )
        continue;
      raisedBy.delete(key);
      end(key, alarm);
    }
    for (const { name, sessions, settings } of cluster.nodes) {
      const mark = Math.floor(settings.maxQueueLength * highWatermarks.high);
      for (const session of sessions.values()) {
        const { clientId, outbox } = session;
        const id = `queue_high_watermark.${clientId}`;
        if (mark === 0 || outbox.queueLength <= mark || active.has(keyOf(name, id))) continue;
        raise(name, {
          id,
          title: `Queue ${clientId} high-water mark`,
          summary: `queue len ${mark + 1} > high_watermark ${mark}`,
          queueOf: clientId,
        });
        raisedBy.set(keyOf(name, id), new WeakRef(session));
      }
    }
  };
  const check = (): void => {
    if (queueAlarms === 'high-watermark') {
      checkWatermarks();
      return;
    }
    const memory = readMemory();
    for (const [key, alarm] of active) if (hasEnded(alarm, memory)) end(key, alarm);
    raisePartitions();
    if (memory < memoryMarks.high) return;
    const used = `${(memory * 100).toFixed(2)}%`;
    for (const { name, isRunning } of cluster.nodes) {
      if (isRunning)
        raise(name, {
          id: 'high_process_memory_usage',
          title: `${used} of the heap limit`,
          summary: `${used} of the heap limit of the process is used`,
        });
    }
  };
  const onQueueFull = (clientId: string, node: NodeName): void => {
    raise(node, {
      id: `session_queue_full/${clientId}`,
      title: 'session queue is full',
      summary: 'the session queue is full: its oldest messages are dropped',
      queueOf: clientId,
    });
  };
  if (queueAlarms === 'full') cluster.events.on('queueFull', onQueueFull);
  const endTimer = everySecond(check);
  return {
    raise,
    end: (node, id) => {
      const key = keyOf(node, id);
      const alarm = active.get(key);
      if (alarm !== undefined) end(key, alarm);
    },
    check,
    close: () => {
      endTimer();
      cluster.events.off('queueFull', onQueueFull);
    },
    api: {
      async listAlarms(node) {
        const { name } = requireRunning(cluster, node);
        return [...active.values()].filter((alarm) => alarm.node === name);
      },
      async listEndedAlarms(page) {
        return pageOf(ended, page);
      },
      async clearEndedAlarms() {
        ended = [];
      },
    },
  };
}

function inRealTime(run: () => void): () => void {
  const timer = setInterval(run, 1000).unref();
  return () => clearInterval(timer);
}

function heapShare(): number {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return used / limit;
}
