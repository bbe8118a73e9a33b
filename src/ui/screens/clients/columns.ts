import type { Client } from '../../../domain/client.ts';
import { hostPort } from '../../../domain/text.ts';
import {
  formatAge,
  formatBrokerTime,
  formatProtocolVersion,
  formatSeconds,
  formatText,
  formatYesNo,
  unknownText,
} from '../../../terminal/format.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import type { BrokerClocks } from '../../hooks/use-store.ts';
import type { ListColumn } from '../../list/use-list.tsx';

/** `10.2.4.17:51220` or `[::1]:51220`; `undefined` without an address. */
export const clientAddress = ({ ipAddress, port }: Client): string | undefined =>
  ipAddress === undefined ? undefined : hostPort(ipAddress, port);

/** 0 turns keepalive off. */
export const formatKeepalive = (seconds: number | undefined): SafeText =>
  seconds === 0 ? safe`none` : formatSeconds(seconds);

/** Names of the fields that hold numbers. */
export type NumberField<T> = {
  readonly [Name in keyof T]-?: T[Name] extends number | undefined ? Name : never;
}[keyof T];

/** A value, or the broker's text if it could not be parsed. */
export const orRaw = (figure: SafeText, raw: string | undefined, text: (raw: string) => SafeText): SafeText =>
  figure === unknownText && raw !== undefined ? text(raw) : figure;

const connectedSeconds = ({ connectedAt, node }: Client, clocks: BrokerClocks): number | undefined => {
  const now = clocks.clockOf(node);
  return connectedAt === undefined || now === undefined ? undefined : now - connectedAt;
};

/** The columns of clients (§2.4). */
export const clientColumns: readonly ListColumn<Client, BrokerClocks>[] = [
  {
    id: 'id',
    header: safe`CLIENT ID`,
    value: ({ clientId }) => clientId,
    format: ({ clientId }, { ends }) => ends(clientId),
    width: 16,
    isSticky: true,
  },
  {
    id: 'node',
    role: 'dim',
    header: safe`NODE`,
    value: ({ node }) => node,
    format: ({ node }, { text }) => formatText(node, text),
    width: { min: 8, max: 24, grow: 2 },
    isReadFirst: true,
    priority: 1,
  },
  {
    id: 'username',
    header: safe`USERNAME`,
    value: ({ username }) => username,
    format: ({ username }, { text }) => formatText(username, text),
    width: { min: 10, max: 24 },
    priority: 3,
  },
  {
    id: 'address',
    aliases: ['ip'],
    header: safe`ADDRESS`,
    value: clientAddress,
    format: (client, { text }) => formatText(clientAddress(client), text),
    width: { min: 15, max: 47 },
    isReadFirst: true,
    priority: 1,
  },
  {
    id: 'proto',
    role: 'dim',
    header: safe`PROTO`,
    value: ({ protocolVersion }) => protocolVersion,
    type: 'number',
    format: ({ protocolVersion, unparsed }, { text }) =>
      orRaw(formatProtocolVersion(protocolVersion), unparsed['protocolVersion'], text),
    width: 7,
    priority: 4,
  },
  {
    id: 'keepalive',
    role: 'dim',
    header: safe`KEEPALIVE`,
    value: ({ keepaliveSeconds }) => keepaliveSeconds,
    unit: 'seconds',
    format: ({ keepaliveSeconds, unparsed }, { text }) =>
      orRaw(formatKeepalive(keepaliveSeconds), unparsed['keepaliveSeconds'], text),
    align: 'right',
    largest: safe`longest`,
    width: 11,
    priority: 5,
  },
  {
    id: 'clean',
    role: 'dim',
    header: safe`CLEAN`,
    value: ({ cleanSession }) => cleanSession,
    type: 'boolean',
    format: ({ cleanSession, unparsed }, { text }) => orRaw(formatYesNo(cleanSession), unparsed['cleanSession'], text),
    width: 7,
    priority: 5,
  },
  {
    id: 'connected',
    header: safe`CONNECTED`,
    value: ({ connectedAt }) => connectedAt,
    type: 'time',
    age: connectedSeconds,
    unit: 'seconds',
    format: (client, { data, text }) =>
      orRaw(formatAge(connectedSeconds(client, data)), client.unparsed['connectedAt'], text),
    align: 'right',
    sortsFrom: 'largest',
    largest: safe`latest`,
    width: 12,
    priority: 1,
  },
  {
    id: 'since',
    role: 'dim',
    header: safe`CONNECTED AT`,
    value: ({ connectedAt }) => connectedAt,
    type: 'time',
    format: ({ connectedAt, unparsed }, { text }) =>
      orRaw(formatBrokerTime(connectedAt), unparsed['connectedAt'], text),
    sortsFrom: 'largest',
    largest: safe`latest`,
    width: 19,
    priority: 6,
  },
];

/** The columns for a screen width; the id gets 22 % of it first. */
export const clientColumnsFor = (width: number): readonly ListColumn<Client, BrokerClocks>[] =>
  clientColumns.map((column) =>
    column.id === 'id'
      ? { ...column, width: { min: Math.max(16, Math.floor(width * 0.22)), max: 60, grow: 2 } }
      : column,
  );
