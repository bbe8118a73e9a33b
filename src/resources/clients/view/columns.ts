import type { Client } from '../../../domain/client.ts';
import type { BrokerClocks } from '../../../domain/node.ts';
import { formatProtocolVersion, formatSeconds } from '../../../terminal/format.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { columnsOf, orRaw } from '../../../tui/components/field-columns.ts';
import type { ListColumn } from '../../../tui/list/use-list.tsx';
import { clientFields } from '../fields.ts';

/** Writes a keepalive, which 0 turns off. */
export const formatKeepalive = (seconds: number | undefined): SafeText =>
  seconds === 0 ? safe`none` : formatSeconds(seconds);

/** The columns of clients. */
export const clientColumns = columnsOf(clientFields, {
  id: { width: 16, isSticky: true },
  node: { role: 'dim', width: { min: 8, max: 24, grow: 2 }, isReadFirst: true, priority: 1 },
  username: { width: { min: 10, max: 24 }, priority: 3 },
  address: { width: { min: 15, max: 47 }, isReadFirst: true, priority: 1 },
  proto: {
    role: 'dim',
    format: ({ protocolVersion, unparsed }, { text }) =>
      orRaw(formatProtocolVersion(protocolVersion), unparsed['protocolVersion'], text),
    width: 7,
    priority: 4,
  },
  keepalive: {
    role: 'dim',
    format: ({ keepaliveSeconds, unparsed }, { text }) =>
      orRaw(formatKeepalive(keepaliveSeconds), unparsed['keepaliveSeconds'], text),
    width: 11,
    priority: 5,
  },
  clean: { role: 'dim', width: 7, priority: 5 },
  connected: { width: 12, priority: 1 },
  since: { role: 'dim', width: 19, priority: 6 },
});

/** Returns the columns for a screen width; the id gets 22 % of it first. */
export const clientColumnsFor = (width: number): readonly ListColumn<Client, BrokerClocks>[] =>
  clientColumns.map((column) =>
    column.id === 'id'
      ? { ...column, width: { min: Math.max(16, Math.floor(width * 0.22)), max: 60, grow: 2 } }
      : column,
  );
