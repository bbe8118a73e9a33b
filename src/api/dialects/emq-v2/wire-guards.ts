import { unknownText } from './records.ts';
import type { WireClient, WireRoute, WireSession, WireSubscription } from './wire.ts';

/**
 * What the schemas of wire.ts say of the records of long lists, as plain comparisons: a tenth of the time, and no
 * copy of each record. A record that is refused here may still be one of which the schema reads a part.
 */
type Guard<T> = (raw: Raw) => raw is Raw & T;
type Raw = Readonly<Record<string, unknown>>;

function isText(value: unknown): boolean {
  return typeof value === 'string' || value === undefined || value === null;
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean' || value === undefined || value === null;
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : value === undefined || value === null || value === unknownText;
}

/** §2.4 */
export const isWireClient: Guard<WireClient> = (raw): raw is Raw & WireClient =>
  typeof raw['client_id'] === 'string'
  && isText(raw['username'])
  && isText(raw['ipaddress'])
  && isCount(raw['port'])
  && isFlag(raw['clean_sess'])
  && isCount(raw['proto_ver'])
  && isCount(raw['keepalive'])
  && isText(raw['connected_at']);

/** §2.5 */
export const isWireSession: Guard<WireSession> = (raw): raw is Raw & WireSession =>
  typeof raw['client_id'] === 'string'
  && isFlag(raw['clean_sess'])
  && isText(raw['created_at'])
  && isCount(raw['max_inflight'])
  && isCount(raw['inflight_queue'])
  && isCount(raw['message_queue'])
  && isCount(raw['message_dropped'])
  && isCount(raw['awaiting_rel'])
  && isCount(raw['awaiting_ack'])
  && isCount(raw['awaiting_comp'])
  && isCount(raw['subscriptions'])
  && isCount(raw['inflight_len'])
  && isCount(raw['mqueue_len'])
  && isCount(raw['mqueue_dropped'])
  && isCount(raw['awaiting_rel_len'])
  && isCount(raw['deliver_msg'])
  && isCount(raw['enqueue_msg']);

/** §2.6 */
export const isWireSubscription: Guard<WireSubscription> = (raw): raw is Raw & WireSubscription =>
  typeof raw['client_id'] === 'string' && typeof raw['topic'] === 'string' && isCount(raw['qos']);

/** §2.7 */
export const isWireRoute: Guard<WireRoute> = (raw): raw is Raw & WireRoute =>
  typeof raw['topic'] === 'string' && typeof raw['node'] === 'string';
