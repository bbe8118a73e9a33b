import type { Client, Session } from '../../../domain/client.ts';
import type { BrokerSeconds } from '../../../domain/node.ts';
import type { NumberField } from '../../../table/field.ts';
import {
  formatAge,
  formatBrokerTime,
  formatBytes,
  formatCount,
  formatProtocolVersion,
  formatText,
  formatYesNo,
  unknownText,
} from '../../../terminal/format.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import type { LabelledValue } from '../../../tui/components/blocks.ts';
import { orRaw } from '../../../tui/components/field-columns.ts';
import { restFields } from '../../../tui/list/detail.tsx';
import { clientAddress, type clientFields as clientListFields } from '../fields.ts';
import { clientTexts } from '../texts.ts';
import { clientColumns, formatKeepalive } from './columns.ts';
import type { BrokerClocks } from '../../view/broker-clocks.ts';

const timeFields = (
  label: SafeText,
  at: BrokerSeconds | undefined,
  now: BrokerSeconds | undefined,
  raw: (figure: SafeText) => SafeText,
): readonly LabelledValue[] => [
  { label, value: raw(formatAge(at === undefined || now === undefined ? undefined : now - at)) },
  { label: safe`${label} at`, value: raw(formatBrokerTime(at)) },
];

/** Returns the traffic since the client connected, where the broker counts it. */
const trafficFields = ({ traffic }: Client): readonly LabelledValue[] =>
  traffic === undefined
    ? []
    : [
        {
          label: safe`sent`,
          value: clientTexts.traffic(formatCount(traffic.receivedMessages), formatBytes(traffic.receivedBytes)),
        },
        {
          label: safe`received`,
          value: clientTexts.traffic(formatCount(traffic.sentMessages), formatBytes(traffic.sentBytes)),
        },
      ];

const drawn: readonly (keyof typeof clientListFields)[] = [
  'id',
  'node',
  'username',
  'address',
  'proto',
  'keepalive',
  'clean',
  'connected',
  'since',
];

/** Returns the connection in figures, for a width in columns. */
export const clientValues = (
  theme: Theme,
  width: number,
  client: Client,
  clocks: BrokerClocks,
  session: Session | undefined,
): readonly LabelledValue[] => {
  const text = (own: string): SafeText => theme.escape(own, width);
  const raw = (figure: SafeText, field: keyof Client): SafeText => orRaw(figure, client.unparsed[field], text);
  return [
    { label: safe`node`, value: formatText(client.node, text) },
    { label: safe`address`, value: raw(formatText(clientAddress(client), text), 'ipAddress') },
    { label: safe`username`, value: formatText(client.username, text) },
    ...timeFields(safe`connected`, client.connectedAt, clocks.clockOf(client.node), (figure) =>
      raw(figure, 'connectedAt'),
    ),
    { label: safe`protocol`, value: raw(formatProtocolVersion(client.protocolVersion), 'protocolVersion') },
    { label: safe`keepalive`, value: raw(formatKeepalive(client.keepaliveSeconds), 'keepaliveSeconds') },
    ...trafficFields(client),
    ...(session !== undefined && session.cleanSession === client.cleanSession
      ? []
      : [{ label: safe`clean session`, value: raw(formatYesNo(client.cleanSession), 'cleanSession') }]),
    ...restFields(theme, width, clientColumns, drawn, client, clocks),
  ];
};

export interface SessionContext {
  readonly clocks: BrokerClocks;
  readonly queueLimit: number | undefined;
  /** The values that the sections above and below say already. */
  readonly client: Client | undefined;
  readonly subscriptions: number | undefined;
  readonly isNarrow: boolean;
}

/** Returns the fields of a session, in whatever form the API has them. */
export const sessionValues = (
  theme: Theme,
  width: number,
  session: Session,
  { clocks, queueLimit, client, subscriptions, isNarrow }: SessionContext,
): readonly LabelledValue[] => {
  const raw = (figure: SafeText, field: keyof Session): SafeText =>
    orRaw(figure, session.unparsed[field], (text) => theme.escape(text, width));
  const count = (label: SafeText, field: NumberField<Session>): LabelledValue => ({
    label,
    value: raw(formatCount(session[field]), field),
  });
  // Each version of the API has some of them.
  const reported = (label: SafeText, field: NumberField<Session>): readonly LabelledValue[] =>
    session[field] === undefined && session.unparsed[field] === undefined ? [] : [count(label, field)];
  const isLosing = session.dropped !== undefined && session.dropped > 0;
  const times = timeFields(safe`created`, session.createdAt, clocks.clockOf(session.node), (figure) =>
    raw(figure, 'createdAt'),
  );
  const limited = (
    label: SafeText,
    field: NumberField<Session>,
    limit: number | undefined,
    limitText: SafeText,
  ): LabelledValue => {
    const isFull = limit !== undefined && limit > 0 && (session[field] ?? 0) >= limit;
    const max = limitText === unknownText ? safe`` : safe` ${clientTexts.ofMax(limitText)}`;
    return {
      label,
      value: safe`${count(safe``, field).value}${max}${isFull ? safe` !` : safe``}`,
      role: !isFull ? undefined : field === 'queueLength' ? 'error' : 'warning',
    };
  };
  return [
    ...(client !== undefined && client.node === session.node
      ? []
      : [{ label: safe`node`, value: formatText(session.node, (text) => theme.escape(text, width)) }]),
    ...(isNarrow ? times.slice(0, 1) : times),
    { label: safe`clean session`, value: raw(formatYesNo(session.cleanSession), 'cleanSession') },
    ...(session.subscriptions === subscriptions && session.unparsed['subscriptions'] === undefined
      ? []
      : [count(safe`subscriptions`, 'subscriptions')]),
    limited(safe`inflight`, 'inflight', session.maxInflight, count(safe``, 'maxInflight').value),
    limited(safe`queued`, 'queueLength', queueLimit, formatCount(queueLimit)),
    {
      label: safe`dropped`,
      value: raw(isLosing ? safe`${formatCount(session.dropped)} !` : formatCount(session.dropped), 'dropped'),
      role: isLosing ? 'warning' : undefined,
    },
    ...reported(safe`await PUBREL`, 'awaitingRel'),
    ...reported(safe`await PUBACK`, 'awaitingAck'),
    ...reported(safe`await PUBCOMP`, 'awaitingComp'),
    count(safe`delivered`, 'delivered'),
    count(safe`enqueued`, 'enqueued'),
  ];
};
