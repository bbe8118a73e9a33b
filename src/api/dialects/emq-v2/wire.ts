import * as z from 'zod';
import { erlangUndefined } from '../records.ts';

/**
 * Schemas of the fields that are read, from §2.1 to §2.14. Most may be missing; unknown ones, such as `__proto__`, are
 * dropped.
 */

const text = z.string().nullish();
const flag = z.boolean().nullish();

function isCount(value: unknown): boolean {
  return value === erlangUndefined || (typeof value === 'number' && Number.isFinite(value));
}

/** A number, or `"undefined"` if the answering node does not know it. */
const count = z.custom<number | typeof erlangUndefined>(isCount).nullish();

function isTextOrNumber(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

/** A size or load is text, but a size below one unit is a bare integer. */
const textOrNumber = z.custom<string | number>(isTextOrNumber).nullish();

/** The envelope (§2.1). Some failures have a `message`. */
export const envelopeSchema = z.object({
  code: z.int(),
  message: z.string().optional().catch(undefined),
  result: z.unknown().optional(),
});

const records = z.custom<readonly unknown[]>(Array.isArray);

export const pageSchema = z.object({
  current_page: count.catch(undefined),
  page_size: count.catch(undefined),
  total_num: count.catch(undefined),
  total_page: count.catch(undefined),
  objects: records,
});

/** The read of a single record (§2.1). */
export const objectsSchema = z.object({ objects: records });

export const nodeInfoSchema = z.object({
  name: text,
  version: text,
  sysdescr: text,
  uptime: text,
  datetime: text,
  otp_release: text,
  node_status: text,
});
export type WireNodeInfo = z.infer<typeof nodeInfoSchema>;

export const nodeStatsSchema = z.object({
  name: text,
  otp_release: text,
  memory_total: textOrNumber,
  memory_used: textOrNumber,
  process_available: count,
  process_used: count,
  max_fds: count,
  clients: count,
  node_status: text,
  load1: textOrNumber,
  load5: textOrNumber,
  load15: textOrNumber,
});
export type WireNodeStats = z.infer<typeof nodeStatsSchema>;

export const clientSchema = z.object({
  client_id: z.string(),
  username: text,
  ipaddress: text,
  port: count,
  clean_sess: flag,
  proto_ver: count,
  keepalive: count,
  connected_at: text,
});
export type WireClient = z.infer<typeof clientSchema>;

export const sessionSchema = z.object({
  client_id: z.string(),
  clean_sess: flag,
  created_at: text,
  max_inflight: count,
  inflight_queue: count,
  message_queue: count,
  message_dropped: count,
  awaiting_rel: count,
  awaiting_ack: count,
  awaiting_comp: count,
  subscriptions: count,
  inflight_len: count,
  mqueue_len: count,
  mqueue_dropped: count,
  awaiting_rel_len: count,
  deliver_msg: count,
  enqueue_msg: count,
});
export type WireSession = z.infer<typeof sessionSchema>;

/** Fields that only one variant has (§2.5). */
export const sessionFieldsOfA = [
  'inflight_queue',
  'message_queue',
  'message_dropped',
  'awaiting_rel',
  'awaiting_ack',
  'awaiting_comp',
] as const;
export const sessionFieldsOfB = [
  'subscriptions',
  'inflight_len',
  'mqueue_len',
  'mqueue_dropped',
  'awaiting_rel_len',
  'deliver_msg',
  'enqueue_msg',
] as const;

export const subscriptionSchema = z.object({ client_id: z.string(), topic: z.string(), qos: count });
export type WireSubscription = z.infer<typeof subscriptionSchema>;

export const routeSchema = z.object({ topic: z.string(), node: z.string() });
export type WireRoute = z.infer<typeof routeSchema>;

export const pluginSchema = z.object({ name: z.string(), version: text, description: text, active: flag });

/** A listener (§2.9). The content of `shutdown_count` is undocumented. */
export const listenerSchema = z.object({
  protocol: z.string(),
  listen: textOrNumber,
  acceptors: count,
  max_clients: count,
  current_clients: count,
  shutdown_count: z.unknown().optional(),
});
export type WireListener = z.infer<typeof listenerSchema>;

/** A setting (§2.12); `datatpye` is the broker's spelling. */
export const settingSchema = z.object({ key: z.string(), value: textOrNumber, datatpye: text, app: z.string() });

export const pluginSettingSchema = z.object({ key: z.string(), value: textOrNumber, desc: text, required: flag });

/** An alarm, which is undocumented, as EMQ 2.3 sends it. */
export const alarmSchema = z.object({ id: z.string(), severity: text, title: text, summary: text, occurred_at: text });

export const userSchema = z.object({ username: z.string(), tags: text });

/**
 * Accepts what the schema does, but ten times as fast. A rejected record may still be decoded in part by its schema.
 */
type Guard<T> = (raw: Raw) => raw is Raw & T;
type Raw = Readonly<Record<string, unknown>>;

function isText(value: unknown): boolean {
  return typeof value === 'string' || value === undefined || value === null;
}

function isFlag(value: unknown): boolean {
  return typeof value === 'boolean' || value === undefined || value === null;
}

function isGuardedCount(value: unknown): boolean {
  return typeof value === 'number'
    ? Number.isFinite(value)
    : value === undefined || value === null || value === erlangUndefined;
}

export const isWireClient: Guard<WireClient> = (raw): raw is Raw & WireClient =>
  typeof raw['client_id'] === 'string' &&
  isText(raw['username']) &&
  isText(raw['ipaddress']) &&
  isGuardedCount(raw['port']) &&
  isFlag(raw['clean_sess']) &&
  isGuardedCount(raw['proto_ver']) &&
  isGuardedCount(raw['keepalive']) &&
  isText(raw['connected_at']);

export const isWireSession: Guard<WireSession> = (raw): raw is Raw & WireSession =>
  typeof raw['client_id'] === 'string' &&
  isFlag(raw['clean_sess']) &&
  isText(raw['created_at']) &&
  isGuardedCount(raw['max_inflight']) &&
  isGuardedCount(raw['inflight_queue']) &&
  isGuardedCount(raw['message_queue']) &&
  isGuardedCount(raw['message_dropped']) &&
  isGuardedCount(raw['awaiting_rel']) &&
  isGuardedCount(raw['awaiting_ack']) &&
  isGuardedCount(raw['awaiting_comp']) &&
  isGuardedCount(raw['subscriptions']) &&
  isGuardedCount(raw['inflight_len']) &&
  isGuardedCount(raw['mqueue_len']) &&
  isGuardedCount(raw['mqueue_dropped']) &&
  isGuardedCount(raw['awaiting_rel_len']) &&
  isGuardedCount(raw['deliver_msg']) &&
  isGuardedCount(raw['enqueue_msg']);

export const isWireSubscription: Guard<WireSubscription> = (raw): raw is Raw & WireSubscription =>
  typeof raw['client_id'] === 'string' && typeof raw['topic'] === 'string' && isGuardedCount(raw['qos']);

export const isWireRoute: Guard<WireRoute> = (raw): raw is Raw & WireRoute =>
  typeof raw['topic'] === 'string' && typeof raw['node'] === 'string';
