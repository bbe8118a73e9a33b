import type { BrokerSeconds, NodeName, Unparsed } from './node.ts';

/** A connected MQTT client (§2.4). */
export interface Client {
  readonly clientId: string;
  /** `undefined` when the client gave none (the wire says the string `"undefined"`). */
  readonly username: string | undefined;
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  readonly cleanSession: boolean | undefined;
  /** 3 is MQTT 3.1, 4 is MQTT 3.1.1, 5 is MQTT 5. */
  readonly protocolVersion: number | undefined;
  readonly keepaliveSeconds: number | undefined;
  readonly connectedAt: BrokerSeconds | undefined;
  /** The node whose list held it; `undefined` when it was read by id alone (`clients/{id}`). */
  readonly node: NodeName | undefined;
  readonly unparsed: Unparsed;
}
