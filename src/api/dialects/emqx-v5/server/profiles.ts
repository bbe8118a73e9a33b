import type { ServedMeaning } from '../../../dialect.ts';
import type { BrokerSeconds } from '../../../../domain/node.ts';
import type { WireRecord } from './answer.ts';
import { maxLimit } from './query.ts';

/** The differences of a release from what this server does by default. */
export interface V5Profile {
  readonly meaning: ServedMeaning;
  /** Returns the release that nodes report. @param version that of the embedded broker */
  readonly releaseOf: (version: string | undefined) => string;
  readonly maxLimit: number;
  /** Queries that the release does not know, and ignores, by pattern of the path. */
  readonly ignoredQueries: Readonly<Record<string, readonly string[]>>;
  /** Queries of which the release takes only the last. */
  readonly singleQueries: readonly string[];
  /** Routes that the release does not have, as `METHOD pattern`. */
  readonly missingRoutes: ReadonlySet<string>;
  /** Fields that the release does not have, by pattern of the path. */
  readonly missingFields: Readonly<Record<string, readonly string[]>>;
  readonly clientRow: (row: WireRecord) => WireRecord;
  /** An unknown path is answered as JSON, whatever the client accepts. */
  readonly isUnknownPathJson: boolean;
  /** The code for an API key where a login is needed. */
  readonly keyRefusal: string;
  /** The length of a ban without an end; `undefined`: forever. */
  readonly banSeconds: BrokerSeconds | undefined;
  /** Deleting a retained message succeeds whether it exists or not. */
  readonly deletesAnyRetained: boolean;
  /** A page of messages is cut at its bytes, but the next one begins after all messages that were walked. */
  readonly skipsCutMessages: boolean;
  /** A frozen node delays `/metrics` so many seconds. */
  readonly frozenMetricsSeconds: number;
}

const specified: V5Profile = {
  meaning: { disconnectEndsSession: true, clearsWholeAclCache: true },
  releaseOf: (version) => (version === undefined ? '5.8' : `5.8+${version}`),
  maxLimit,
  ignoredQueries: {},
  singleQueries: [],
  missingRoutes: new Set(),
  missingFields: {},
  clientRow: (row) => row,
  isUnknownPathJson: false,
  keyRefusal: 'API_KEY_NOT_ALLOW',
  banSeconds: undefined,
  deletesAnyRetained: false,
  skipsCutMessages: false,
  frozenMetricsSeconds: 9,
};

/** What the open source edition does. It has no alarms about queues. */
const real: ServedMeaning = {
  ...specified.meaning,
  banEndsSession: true,
  figures: { everySeconds: 15 },
  queueAlarms: 'none',
  isServedByEachNode: true,
};

const laterThan50 = ['live_connections', 'cluster_sessions'];
/** Statistics that came later. Connected clients were there from the start. */
const laterStats = ['cluster_sessions.count', 'cluster_sessions.max'];
const laterRates = ['live_connections', 'retained_msg_count', 'shared_subscriptions', 'node_uptime'];
const laterClientFields: ReadonlySet<string> = new Set([
  'durable',
  'is_expired',
  'auth_expire_at',
  'peersni',
  'client_attrs',
]);

const integrationRoutesOf55 = [
  'GET /prometheus/auth',
  'GET /prometheus/data_integration',
  'GET /connectors',
  'GET /actions',
  'GET /actions_summary',
  'GET /sources',
  'GET /sources_summary',
  'POST /connectors/:id/start',
  'POST /actions/:id/start',
  'POST /sources/:id/start',
];

const profiles: Readonly<Record<string, V5Profile>> = {
  'emqx-5.0': {
    ...specified,
    meaning: real,
    releaseOf: () => '5.0.26',
    maxLimit: 1000,
    ignoredQueries: {
      '/clients': ['clientid', 'fields'],
      '/subscriptions': ['durable'],
      '/mqtt/retainer/messages': ['topic'],
      '/metrics': ['node'],
    },
    singleQueries: ['username'],
    missingRoutes: new Set([
      'GET /clients_v2',
      'POST /clients/kickout/bulk',
      'GET /clients/:clientid/mqueue_messages',
      'GET /clients/:clientid/inflight_messages',
      // It has bridges instead.
      ...integrationRoutesOf55,
    ]),
    missingFields: {
      '/nodes': laterThan50,
      '/nodes/:node': laterThan50,
      '/stats': laterStats,
      '/nodes/:node/stats': laterStats,
      '/monitor_current': laterRates,
      '/monitor_current/nodes/:node': laterRates,
    },
    clientRow: (row) => ({
      ...Object.fromEntries(Object.entries(row).filter(([name]) => !laterClientFields.has(name))),
      zone: 'default',
    }),
    isUnknownPathJson: true,
    keyRefusal: 'BAD_API_KEY_OR_SECRET',
    banSeconds: 365 * 86_400,
    deletesAnyRetained: true,
    frozenMetricsSeconds: 42,
  },
  'emqx-5.8': { ...specified, meaning: real, releaseOf: () => '5.8.9', skipsCutMessages: true },
};

/** @throws TypeError for an unknown one */
export function profileOf(name: string | undefined): V5Profile {
  const found = name === undefined ? specified : profiles[name];
  if (found === undefined) throw new TypeError(`emqx-v5 has no profile ${String(name)}`);
  return found;
}

/** Removes fields of objects, also of those in a list. */
export function withoutFields(value: unknown, names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutFields(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
