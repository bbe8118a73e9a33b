import type { NodeName } from './node.ts';

/** MQTT quality of service. */
export type Qos = 0 | 1 | 2;

/** A topic filter that a client subscribed to (§2.6). */
export interface Subscription {
  readonly clientId: string;
  /** Topic filter, may hold the wildcards `+` and `#`. */
  readonly topic: string;
  readonly qos: number | undefined;
  readonly node: NodeName | undefined;
}
