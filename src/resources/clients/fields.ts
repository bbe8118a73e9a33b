import type { Client } from '../../domain/client.ts';
import { type BrokerClocks, secondsSince } from '../../domain/node.ts';
import { hostPort } from '../../domain/text.ts';
import { defineFields } from '../../table/field.ts';
import { type Grouping, networkOf, prefixOf } from '../../table/grouping.ts';

/** Writes `10.2.4.17:51220` or `[::1]:51220`; `undefined` without an address. */
export const clientAddress = ({ ipAddress, port }: Client): string | undefined =>
  ipAddress === undefined ? undefined : hostPort(ipAddress, port);

export const clientFields = defineFields<Client, BrokerClocks>()({
  id: { label: 'CLIENT ID', type: 'name', get: ({ clientId }) => clientId },
  node: { label: 'NODE', type: 'text', get: ({ node }) => node },
  username: { label: 'USERNAME', type: 'text', get: ({ username }) => username },
  address: { label: 'ADDRESS', type: 'address', get: clientAddress, aliases: ['ip'] },
  proto: {
    label: 'PROTO',
    type: 'number',
    get: ({ protocolVersion }) => protocolVersion,
    unparsed: ({ unparsed }) => unparsed['protocolVersion'],
  },
  keepalive: {
    label: 'KEEPALIVE',
    type: 'seconds',
    get: ({ keepaliveSeconds }) => keepaliveSeconds,
    unparsed: ({ unparsed }) => unparsed['keepaliveSeconds'],
  },
  clean: {
    label: 'CLEAN',
    type: 'flag',
    get: ({ cleanSession }) => cleanSession,
    unparsed: ({ unparsed }) => unparsed['cleanSession'],
  },
  connected: {
    label: 'CONNECTED',
    type: 'time',
    get: ({ connectedAt }) => connectedAt,
    age: ({ connectedAt, node }, clocks) => secondsSince(connectedAt, clocks, node),
    unparsed: ({ unparsed }) => unparsed['connectedAt'],
  },
  since: {
    label: 'CONNECTED AT',
    type: 'time',
    get: ({ connectedAt }) => connectedAt,
    unparsed: ({ unparsed }) => unparsed['connectedAt'],
  },
});

export type ClientGroupingId = 'node' | 'username' | 'address' | 'network' | 'proto' | 'prefix';

const { node, username, proto } = clientFields;

export const clientGroupings: readonly Grouping<Client, ClientGroupingId>[] = [
  { id: 'node', valueOf: node.get },
  { id: 'username', valueOf: username.get },
  { id: 'address', valueOf: ({ ipAddress }) => ipAddress },
  { id: 'network', valueOf: ({ ipAddress }) => (ipAddress === undefined ? undefined : networkOf(ipAddress)) },
  { id: 'proto', valueOf: (client) => proto.get(client)?.toString() },
  { id: 'prefix', valueOf: ({ clientId }) => prefixOf(clientId) },
];
