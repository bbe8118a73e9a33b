import type { Qos } from '../../src/domain/client.ts';

export const clientIds = ['a', 'b/c', 'd', 'é'] as const;
export const topics = ['t/0', 't/1', 'u', 't/1/x'] as const;
export const filters = ['t/0', 't/1', 'u', 't/+', 't/#', '+', '#', '+/1/#'] as const;
export const nodeCount = 3;

/** A message as a client sees it. */
export interface Seen {
  readonly topic: string;
  readonly payload: string;
  readonly qos: number;
  readonly retain: boolean;
}

interface ModelSession {
  node: number;
  readonly isClean: boolean;
  isOnline: boolean;
  readonly subscriptions: Map<string, Qos>;
  /** Messages for an offline client. */
  readonly queue: Seen[];
}

/** The expected behaviour of a cluster, as short as possible and without code of the engine. */
export class Model {
  readonly running: boolean[] = Array.from({ length: nodeCount }, () => true);
  readonly sessions = new Map<string, ModelSession>();
  readonly retained = new Map<string, { readonly payload: string; readonly qos: Qos }>();
  /** All messages that each client must have received. */
  readonly received = new Map<string, Seen[]>(clientIds.map((id) => [id, []]));

  isOnline(id: string): boolean {
    return this.sessions.get(id)?.isOnline === true;
  }

  /** Returns whether the session was present. */
  connect(id: string, node: number, isClean: boolean): boolean {
    const old = this.sessions.get(id);
    if (old !== undefined && !old.isClean && !isClean) {
      old.node = node;
      old.isOnline = true;
      for (const seen of old.queue.splice(0)) this.received.get(id)?.push(seen);
      return true;
    }
    this.sessions.set(id, { node, isClean, isOnline: true, subscriptions: new Map(), queue: [] });
    return false;
  }

  disconnect(id: string): void {
    const session = this.sessions.get(id);
    if (session === undefined) return;
    session.isOnline = false;
    if (session.isClean) this.sessions.delete(id);
  }

  subscribe(id: string, filter: string, qos: Qos): void {
    this.sessions.get(id)?.subscriptions.set(filter, qos);
    for (const [topic, { payload, qos: sent }] of this.retained) {
      if (matches(filter, topic)) this.#deliver(id, { topic, payload, qos: Math.min(qos, sent), retain: true });
    }
  }

  unsubscribe(id: string, filter: string): void {
    this.sessions.get(id)?.subscriptions.delete(filter);
  }

  publish(topic: string, payload: string, qos: Qos, retain: boolean): void {
    if (retain && payload === '') this.retained.delete(topic);
    else if (retain) this.retained.set(topic, { payload, qos });
    for (const [id, { subscriptions }] of this.sessions) {
      const granted = [...subscriptions].filter(([filter]) => matches(filter, topic)).map(([, one]) => one);
      if (granted.length > 0)
        this.#deliver(id, { topic, payload, qos: Math.min(qos, Math.max(...granted)), retain: false });
    }
  }

  stopNode(node: number): void {
    this.running[node] = false;
    for (const [id, session] of this.sessions) if (session.node === node) this.disconnect(id);
    const failoverNode = this.running.indexOf(true);
    for (const session of this.sessions.values()) if (session.node === node) session.node = failoverNode;
  }

  startNode(node: number): void {
    this.running[node] = true;
  }

  /** `filter node` pairs. */
  routes(): Set<string> {
    return new Set(
      [...this.sessions.values()].flatMap(({ node, subscriptions }) =>
        [...subscriptions.keys()].map((filter) => `${filter} ${node}`),
      ),
    );
  }

  #deliver(id: string, seen: Seen): void {
    const session = this.sessions.get(id);
    (session?.isOnline === true ? this.received.get(id) : session?.queue)?.push(seen);
  }
}

/** MQTT 3.1.1 section 4.7; none of the topics here begins with `$`. */
function matches(filter: string, topic: string): boolean {
  const pattern = filter.replaceAll('+', '[^/]*').replace(/\/#$/u, '(/.*)?').replace(/^#$/u, '.*');
  return new RegExp(`^${pattern}$`, 'u').test(topic);
}
