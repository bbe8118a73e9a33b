import type { Capabilities } from '../api/management-api.ts';
import { type AdminUser, type Alarm, alarmName, type ApiKey, type Ban } from '../domain/administration.ts';
import type { Client, Subscription } from '../domain/client.ts';
import type { NodeName } from '../domain/node.ts';
import { disclose } from '../domain/secret-keys.ts';
import { reading, type Watchable, watchOf } from '../monitor/query/part.ts';
import type { Resource, Scan } from '../monitor/query/query.ts';
import type { MonitorState, ScanState } from '../monitor/state.ts';
import { alarmFields } from '../resources/alarms/fields.ts';
import { alarms } from '../resources/alarms/resource.ts';
import { alarmWatches } from '../resources/alarms/select.ts';
import { apiKeyFields } from '../resources/api-keys/fields.ts';
import { apiKeys } from '../resources/api-keys/resource.ts';
import { banFields } from '../resources/bans/fields.ts';
import { bans } from '../resources/bans/resource.ts';
import { clientFields } from '../resources/clients/fields.ts';
import { clientScan } from '../resources/clients/resource.ts';
import { listenerFields } from '../resources/listeners/fields.ts';
import { listeners } from '../resources/listeners/resource.ts';
import { type ListenerRow, selectListeners } from '../resources/listeners/select.ts';
import { nodeFields } from '../resources/nodes/fields.ts';
import { nodeStats } from '../resources/nodes/resource.ts';
import { type NodeRow, selectNodes } from '../resources/nodes/select.ts';
import { plugins } from '../resources/plugins/resource.ts';
import { selectPlugins } from '../resources/plugins/select.ts';
import { nodeSettings, settings } from '../resources/settings/resource.ts';
import { selectIsReadByNode, selectSettings } from '../resources/settings/select.ts';
import { subscriptionFields } from '../resources/subscriptions/fields.ts';
import { subscriptionIdentity, subscriptionScan } from '../resources/subscriptions/resource.ts';
import { userFields } from '../resources/users/fields.ts';
import { users } from '../resources/users/resource.ts';
import type { CellValue } from '../table/column.ts';
import { defineFields, type Field, type Fields } from '../table/field.ts';

/** The rows of a moment. */
export interface MomentRows<Row> {
  readonly rows: readonly Row[];
  /** The list was read to its end: what is not in it was not there. */
  readonly isWhole: boolean;
  /** The list is being read again, page by page. */
  readonly isBeingRead?: boolean | undefined;
}

/** A list whose rows of two moments can be compared. */
export interface ComparedTable<Row = unknown> {
  readonly id: string;
  readonly noun: { readonly one: string; readonly many: string };
  /** How a row is called. */
  nameOf(row: Row): string;
  /** What makes a row the same one at both moments. */
  identity(row: Row): string;
  /** What a change is seen in. */
  readonly fields: readonly ComparedField<Row>[];
  /** Returns the rows that were known; `undefined` if the list had not been read. */
  read(state: MonitorState): MomentRows<Row> | undefined;
  /** The capability without which the broker's API has no such list. */
  readonly capability?: keyof Capabilities | undefined;
  /** What is watched to have the list read; nothing for lists that are always read. */
  watches?(state: MonitorState): readonly Watchable[];
  /** What the screen of the list calls the row, where it is not the identity. */
  idOnScreen?(row: Row): string;
  clientId?(row: Row): string;
  node?(row: Row): NodeName | undefined;
}

export interface ComparedField<Row = unknown> {
  readonly name: string;
  readonly label: string;
  get(row: Row): CellValue;
}

/** Figures change all the time, and ages with them: only what a row is makes a change. */
const figureTypes: ReadonlySet<Field<never>['type']> = new Set([
  'count',
  'seconds',
  'bytes',
  'rate',
  'bytesRate',
  'share',
]);

const comparedFields = <Row>(
  fields: Fields<Row, never>,
  without: readonly string[] = [],
): readonly ComparedField<Row>[] =>
  Object.entries(fields)
    .filter(([name, { type, age }]) => !figureTypes.has(type) && age === undefined && !without.includes(name))
    .map(([name, { label, get }]) => ({ name, label, get }));

const scanRows =
  <Row>(scan: Scan<Row>) =>
  (state: MonitorState): MomentRows<Row> | undefined => {
    const { rows, coverage, leftOut, phase }: ScanState<Row> = reading(state, scan);
    // While a list is read again, its rows are those of the reading before, but for the nodes that are finished.
    const isRead = [...coverage.values()].some(({ isComplete, readAtMs }) => isComplete || readAtMs !== undefined);
    if (!isRead && rows.length === 0) return undefined;
    return {
      rows,
      isWhole:
        phase === 'complete' &&
        leftOut.size === 0 &&
        [...coverage.values()].every(({ isComplete, unusable }) => isComplete && unusable === undefined),
      isBeingRead: phase === 'running',
    };
  };

const resourceRows =
  <Row>(resource: Resource<readonly Row[]>) =>
  (state: MonitorState): MomentRows<Row> | undefined => {
    const { data, unusable } = reading(state, resource);
    return data && { rows: data, isWhole: unusable === undefined };
  };

interface OfNode {
  readonly name: string;
  readonly node: NodeName;
}

interface PluginOnNode extends OfNode {
  readonly active: boolean | undefined;
  readonly version: string | undefined;
}

interface SettingOnNode extends OfNode {
  readonly app: string;
  readonly value: string | undefined;
}

const onNode = ({ name, node }: OfNode): string => `${name} on ${node}`;

const pluginFields = defineFields<PluginOnNode>()({
  active: { label: 'ACTIVE', type: 'flag', get: ({ active }) => active },
  version: { label: 'VERSION', type: 'text', get: ({ version }) => version },
});

const settingFields = defineFields<SettingOnNode>()({
  value: { label: 'VALUE', type: 'text', get: ({ name, value }) => disclose(name, value) },
});

const table = <Row>(definition: ComparedTable<Row>): ComparedTable<Row> => definition;

/** The lists that can be compared, in the order in which they are shown. */
export const comparedTables: readonly ComparedTable[] = [
  table<NodeRow>({
    id: 'nodes',
    noun: { one: 'node', many: 'nodes' },
    nameOf: ({ name }) => name,
    identity: ({ name }) => name,
    fields: comparedFields(nodeFields, ['clock']),
    node: ({ name }) => name,
    read: (state) =>
      reading(state, nodeStats).data === undefined ? undefined : { rows: selectNodes(state), isWhole: true },
  }),
  table<ListenerRow>({
    id: 'listeners',
    noun: { one: 'listener', many: 'listeners' },
    nameOf: ({ listener, node }) => `${listener.protocol} ${listener.listen} on ${node}`,
    identity: ({ key }) => key,
    fields: comparedFields(listenerFields, ['shutdown']),
    node: ({ node }) => node,
    read(state) {
      const rows = selectListeners(state);
      return rows && { rows, isWhole: reading(state, listeners).unusable === undefined };
    },
  }),
  table<Client>({
    id: 'clients',
    noun: { one: 'client', many: 'clients' },
    nameOf: ({ clientId }) => clientId,
    identity: ({ clientId }) => clientId,
    fields: comparedFields(clientFields),
    clientId: ({ clientId }) => clientId,
    node: ({ node }) => node,
    read: scanRows(clientScan),
    watches: () => [clientScan],
  }),
  table<Subscription>({
    id: 'subscriptions',
    noun: { one: 'subscription', many: 'subscriptions' },
    nameOf: ({ clientId, topic }) => `${topic} of ${clientId}`,
    identity: subscriptionIdentity,
    fields: [...comparedFields(subscriptionFields), { name: 'qos', label: 'QOS', get: ({ qos }) => qos }],
    clientId: ({ clientId }) => clientId,
    node: ({ node }) => node,
    read: scanRows(subscriptionScan),
    watches: () => [subscriptionScan],
  }),
  table<PluginOnNode>({
    id: 'plugins',
    noun: { one: 'plugin', many: 'plugins' },
    nameOf: onNode,
    identity: ({ name, node }) => JSON.stringify([name, node]),
    idOnScreen: ({ name }) => name,
    fields: comparedFields(pluginFields),
    node: ({ node }) => node,
    watches: (state) => selectPlugins(state).running.map((node) => watchOf(plugins, node)),
    read(state) {
      const { rows, read } = selectPlugins(state);
      if (read.size === 0) return undefined;
      return {
        rows: rows.flatMap(({ name, byNode }) =>
          [...byNode].map(([node, { active, version }]) => ({ name, node, active, version })),
        ),
        isWhole: selectNodes(state).every(({ name, status }) => status === 'stopped' || read.has(name)),
      };
    },
  }),
  table<SettingOnNode>({
    id: 'settings',
    noun: { one: 'setting', many: 'settings' },
    nameOf: onNode,
    identity: ({ app, name, node }) => JSON.stringify([app, name, node]),
    idOnScreen: ({ app, name }) => JSON.stringify([app, name]),
    fields: comparedFields(settingFields),
    node: ({ node }) => node,
    capability: 'settings',
    watches: (state) =>
      selectIsReadByNode(state) ? selectSettings(state).running.map((node) => watchOf(nodeSettings, node)) : [settings],
    read(state) {
      const { rows, read } = selectSettings(state);
      if (read.size === 0) return undefined;
      return {
        rows: rows.flatMap(({ app, key, byNode }) =>
          [...byNode].map(([node, { value }]) => ({ app, name: key, node, value })),
        ),
        isWhole: selectNodes(state).every(({ name, status }) => status === 'stopped' || read.has(name)),
      };
    },
  }),
  table<Ban>({
    id: 'bans',
    noun: { one: 'ban', many: 'bans' },
    nameOf: ({ kind, value }) => `${kind} ${value}`,
    identity: ({ kind, value }) => `${kind} ${value}`,
    fields: comparedFields(banFields),
    read: resourceRows(bans),
    capability: 'bans',
    watches: () => [bans],
  }),
  table<AdminUser>({
    id: 'users',
    noun: { one: 'user', many: 'users' },
    nameOf: ({ username, url }) => (url === undefined ? username : `${username} at ${url}`),
    identity: ({ username, url = '' }) => JSON.stringify([username, url]),
    idOnScreen: ({ username }) => username,
    fields: [{ name: 'tags', label: userFields.tags.label, get: ({ tags }) => tags }],
    read: resourceRows(users),
    capability: 'users',
    watches: () => [users],
  }),
  table<ApiKey>({
    id: 'api-keys',
    noun: { one: 'API key', many: 'API keys' },
    nameOf: ({ name }) => name,
    identity: ({ name, key }) => JSON.stringify([name, key]),
    idOnScreen: ({ name }) => name,
    fields: comparedFields(apiKeyFields),
    read: resourceRows(apiKeys),
    capability: 'apiKeys',
    watches: () => [apiKeys],
  }),
  table<Alarm>({
    id: 'alarms',
    noun: { one: 'alarm', many: 'alarms' },
    nameOf: ({ id, node }) => (node === undefined ? id : `${id} on ${node}`),
    identity: ({ id, node = '' }) => JSON.stringify([id, node]),
    idOnScreen: alarmName,
    fields: comparedFields(alarmFields),
    node: ({ node }) => node,
    read: resourceRows(alarms),
    watches: alarmWatches,
  }),
];
