import type { Trace } from '../../src/domain/traces.ts';
import { BrokerError, NotFoundError } from '../../src/api/errors.ts';
import type { Capabilities, ManagementApi, Page, PageRequest } from '../../src/api/management-api.ts';
import type { Alarm, ApiKey, Ban, Listener } from '../../src/domain/administration.ts';
import type { Integration } from '../../src/domain/integrations.ts';
import type { RetainedContent } from '../../src/domain/messages.ts';

/** A broker with the optional calls of the API, kept in memory. */
export interface FullBroker {
  readonly parts: Required<
    Pick<
      ManagementApi,
      | 'listAlarms'
      | 'listEndedAlarms'
      | 'clearEndedAlarms'
      | 'listBans'
      | 'addBan'
      | 'liftBan'
      | 'startListener'
      | 'stopListener'
      | 'listListeners'
      | 'listTraces'
      | 'readTrace'
      | 'startTrace'
      | 'stopTrace'
      | 'deleteTrace'
      | 'listApiKeys'
      | 'addApiKey'
      | 'setApiKeyEnabled'
      | 'deleteApiKey'
      | 'listRetained'
      | 'getRetained'
      | 'deleteRetained'
      | 'listSessionMessages'
      | 'listSlowSubscriptions'
      | 'listAccessBackends'
      | 'listIntegrations'
      | 'startIntegration'
      | 'setRuleEnabled'
    >
  >;
  retained: readonly RetainedContent[];
  alarms: readonly Alarm[];
  endedAlarms: readonly Alarm[];
  bans: readonly Ban[];
  apiKeys: readonly ApiKey[];
  integrations: readonly Integration[];
  traces: readonly Trace[];
  listeners: ReadonlyMap<string, readonly Listener[]>;
}

export const fullCapabilities = {
  alarmHistory: true,
  bans: true,
  apiKeys: true,
  traces: true,
  listenerControl: true,
  clientTraffic: true,
  slowSubscriptions: true,
  integrations: true,
  accessBackends: true,
  retainedMessages: true,
  sessionMessages: true,
  apiName: 'API v9',
} as const satisfies Partial<Capabilities>;

/** The secret of every key that the broker adds. */
export const newSecret = 'hunter2-secret';

const pageOf = <T>(rows: readonly T[], { page, pageSize }: PageRequest): Page<T> => ({
  page,
  pageSize,
  items: rows.slice((page - 1) * pageSize, page * pageSize),
  totalItems: rows.length,
  totalPages: undefined,
  hasNext: rows.length > page * pageSize,
});

/** @param clock seconds on the broker's clock */
export function createFullBroker(clock: () => number): FullBroker {
  const isBanOf =
    (target: Pick<Ban, 'kind' | 'value'>) =>
    (ban: Ban): boolean =>
      ban.kind === target.kind && ban.value === target.value;
  const setRunning = (id: string, running: 'yes' | 'no'): void => {
    if (![...broker.listeners.values()].flat().some((listener) => listener.id === id)) throw new NotFoundError();
    const changed = (listener: Listener): Listener =>
      listener.id === id
        ? { ...listener, running, currentClients: running === 'no' ? 0 : listener.currentClients }
        : listener;
    broker.listeners = new Map([...broker.listeners].map(([node, list]) => [node, list.map(changed)]));
  };
  const changeKey = (name: string, change: (key: ApiKey) => readonly ApiKey[]): void => {
    if (!broker.apiKeys.some((key) => key.name === name)) throw new NotFoundError();
    broker.apiKeys = broker.apiKeys.flatMap((key) => (key.name === name ? change(key) : [key]));
  };
  const broker: FullBroker = {
    alarms: [],
    endedAlarms: [],
    bans: [],
    apiKeys: [],
    integrations: [],
    traces: [],
    listeners: new Map(),
    retained: [],
    parts: {
      listAlarms: async () => broker.alarms,
      listEndedAlarms: async (page) => pageOf(broker.endedAlarms, page),
      async clearEndedAlarms() {
        broker.endedAlarms = [];
      },
      listBans: async (page) => pageOf(broker.bans, page),
      async addBan({ kind, value, reason, until }) {
        if (broker.bans.some(isBanOf({ kind, value }))) throw new BrokerError('exists');
        broker.bans = [...broker.bans, { kind, value, reason, until, by: 'admin', since: clock() }];
      },
      async liftBan(target) {
        if (!broker.bans.some(isBanOf(target))) throw new NotFoundError();
        broker.bans = broker.bans.filter((ban) => !isBanOf(target)(ban));
      },
      listListeners: async () => broker.listeners,
      async startListener(id) {
        setRunning(id, 'yes');
      },
      async stopListener(id) {
        setRunning(id, 'no');
      },
      listRetained: async (_, page) => pageOf(broker.retained, page),
      getRetained: async (topic) => broker.retained.find((message) => message.topic === topic),
      async deleteRetained(topic) {
        broker.retained = broker.retained.filter((message) => message.topic !== topic);
      },
      listSessionMessages: async () => ({ items: [], next: undefined }),
      listSlowSubscriptions: async () => ({ isEnabled: true, thresholdMs: 500, items: [] }),
      listAccessBackends: async () => [],
      listIntegrations: async () => broker.integrations,
      async startIntegration(kind, id) {
        broker.integrations = broker.integrations.map((part) =>
          part.kind === kind && part.id === id
            ? {
                ...part,
                nodes: new Map([...part.nodes.keys()].map((node) => [node, { status: 'connected' as const }])),
              }
            : part,
        );
      },
      async setRuleEnabled(id, isEnabled) {
        broker.integrations = broker.integrations.map((part) =>
          part.kind === 'rule' && part.id === id ? { ...part, isEnabled } : part,
        );
      },
      listTraces: async () => broker.traces,
      readTrace: async (_, __, { from }) => ({ text: '', next: from }),
      async startTrace(trace) {
        broker.traces = [
          ...broker.traces,
          { ...trace, status: 'running', startAt: clock(), logBytes: new Map(), unparsed: {} },
        ];
      },
      async stopTrace(name) {
        broker.traces = broker.traces.map((trace) => (trace.name === name ? { ...trace, status: 'stopped' } : trace));
      },
      async deleteTrace(name) {
        broker.traces = broker.traces.filter((trace) => trace.name !== name);
      },
      listApiKeys: async () => broker.apiKeys,
      async addApiKey({ name, description, expiresAt }) {
        const key = `key-of-${name}`;
        broker.apiKeys = [
          ...broker.apiKeys,
          { name, key, description, isEnabled: true, createdAt: clock(), expiresAt },
        ];
        return { key, secret: newSecret };
      },
      async setApiKeyEnabled(name, isEnabled) {
        changeKey(name, (key) => [{ ...key, isEnabled }]);
      },
      async deleteApiKey(name) {
        changeKey(name, () => []);
      },
    },
  };
  return broker;
}
