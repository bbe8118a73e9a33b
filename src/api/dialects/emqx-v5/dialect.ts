import type { Dialect, DialectInfo, DialectSession, Transport } from '../../dialect.ts';
import type { ApiOperations, Capabilities } from '../../management-api.ts';
import { createActions } from './actions.ts';
import { http } from './answer.ts';
import { Caller } from '../caller.ts';
import { ClusterReads, KnownCluster } from './cluster.ts';
import { openPage } from './decode-lists.ts';
import { pageQuery } from './paths.ts';
import { createReads } from './reads.ts';
import { v5Texts } from './texts.ts';

const capabilitiesOf = (hasLogin: boolean): Capabilities => ({
  unsubscribe: true,
  settings: false,
  nodeSubscriptionsOfClient: true,
  pluginPerNode: false,
  sessionTotals: true,
  sessionCountersSeconds: 15,
  metricsByNode: true,
  users: hasLogin,
  clusterUsers: true,
  apiKeys: hasLogin,
  isApiKey: !hasLogin,
  clearsWholeAclCache: true,
  disconnectEndsSession: true,
  banEndsSession: true,
  alarmHistory: true,
  partitionAlarms: true,
  bans: true,
  listenerControl: true,
  retainedMessages: true,
  sessionMessages: true,
  slowSubscriptions: true,
  integrations: true,
  accessBackends: true,
  traces: true,
  reasonCounters: true,
  clientTraffic: true,
  clientSearch: true,
  apiName: v5Texts.name,
});

const withKey = capabilitiesOf(false);
const withLogin = capabilitiesOf(true);

class Session implements DialectSession {
  readonly info: DialectInfo = { version: 'v5', label: v5Texts.name };
  readonly apiDoubt = undefined;
  readonly #known = new KnownCluster();
  #transport: Transport | undefined;
  #hasLogin = false;

  get capabilities(): Capabilities {
    // A new password drops the token until the next request logs in.
    this.#hasLogin ||= this.#transport?.hasToken === true;
    return this.#hasLogin ? withLogin : withKey;
  }

  operations(transport: Transport): ApiOperations {
    this.#transport ??= transport;
    const caller = new Caller(transport, { query: pageQuery, open: openPage });
    return {
      ...createReads(caller, new ClusterReads(caller, this.#known), this.#known),
      ...createActions(caller, this.#known),
    };
  }
}

export const emqxV5: Dialect = { http, createSession: () => new Session() };
