import type { DialectInfo, DialectSession, RegisteredDialect, Transport } from '../../dialect.ts';
import type { ApiOperations, Capabilities } from '../../management-api.ts';
import { createActions } from './actions.ts';
import { http } from './answer.ts';
import { Caller } from './caller.ts';
import { Cluster, ClusterKnowledge } from './cluster.ts';
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
  bans: true,
  listenerControl: true,
  retainedMessages: true,
  sessionMessages: true,
  slowSubscriptions: true,
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
  readonly #known = new ClusterKnowledge();
  #transport: Transport | undefined;
  #hasLogin = false;

  get capabilities(): Capabilities {
    // A new password drops the token until the next request logs in.
    this.#hasLogin ||= this.#transport?.hasToken === true;
    return this.#hasLogin ? withLogin : withKey;
  }

  operations(transport: Transport): ApiOperations {
    this.#transport ??= transport;
    const caller = new Caller(transport);
    return {
      ...createReads(caller, new Cluster(caller, this.#known), this.#known),
      ...createActions(caller, this.#known),
    };
  }
}

const statusText = /^Node \S+ is |"node_name"/u;

export const emqxV5 = {
  id: 'emqx-v5',
  api: 'v5',
  brokers: 'EMQX 5 and 6',
  servedBroker: 'EMQX 5',
  defaultPort: 18083,
  variants: [],
  servedVariant: undefined,
  profiles: [
    { name: 'emqx-5.0', release: 'EMQX 5.0.26' },
    { name: 'emqx-5.8', release: 'EMQX 5.8.9' },
  ],
  probe: { path: '/status?format=json', isAnswer: ({ text }) => statusText.test(text) },
  http,
  createSession: () => new Session(),
  loadServer: async () => (await import('./server/server.ts')).emqxV5Server,
} as const satisfies RegisteredDialect;
