import type { Session } from '../../../domain/client.ts';
import type { SessionRates, SessionRow } from '../../../monitor/history/session-rates.ts';
import { formatAge, formatBrokerTime, formatCount, formatCountIn, formatDuration, formatRate, formatText, formatYesNo, unknownText } from '../../../terminal/format.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import type { BrokerClocks } from '../../hooks/use-broker-clocks.ts';
import type { ListColumn } from '../../list/use-list.tsx';
import { orRaw } from '../clients/columns.ts';

type SessionColumn = ListColumn<SessionRow, BrokerClocks>;

/** Growth per second with its sign: `+3/s`, `-0.4/s`, `0/s`. */
export const formatGrowth = (perSecond: number | undefined): SafeText => {
  if (perSecond === undefined || perSecond === 0) {
    return formatRate(perSecond);
  }
  return perSecond > 0 ? safe`+${formatRate(perSecond)}` : safe`-${formatRate(-perSecond)}`;
};

/** Counters as of the disconnect have a mark: their current values are unknown. */
const asOf = (figure: SafeText, { isFrozen }: SessionRow): SafeText => (isFrozen === true && figure !== unknownText ? safe`${figure} ?` : figure);

const count = (id: string, header: SafeText, field: keyof Session, width: number, priority: number, value: (session: Session) => number | undefined): SessionColumn => ({
  id,
  header,
  value: ({ session }) => value(session),
  format: (row, { text, width }) =>
    asOf(orRaw(formatCountIn(value(row.session), row.isFrozen === true ? width - 2 : width), row.session.unparsed[field], text), row),
  align: 'right',
  width,
  priority,
});

const rate = (id: string, header: SafeText, width: number, priority: number, value: (rates: SessionRates) => number | undefined, format: typeof formatRate): SessionColumn => ({
  id,
  header,
  value: ({ rates }) => value(rates),
  unit: 'perSecond',
  format: ({ rates }) => format(value(rates)),
  align: 'right',
  width,
  priority,
});

/** Whether the inflight window is full. A maximum of 0 is unlimited. */
const isWindowFull = ({ inflight, maxInflight }: Session): boolean =>
  inflight !== undefined && maxInflight !== undefined && maxInflight > 0 && inflight >= maxInflight;

const formatInflight = (session: Session, text: (raw: string) => SafeText): SafeText => {
  const inflight = orRaw(formatCount(session.inflight), session.unparsed['inflight'], text);
  const maxInflight = orRaw(formatCount(session.maxInflight), session.unparsed['maxInflight'], text);
  return inflight === unknownText && maxInflight === unknownText ? unknownText : safe`${isWindowFull(session) ? safe`! ` : safe``}${inflight}/${maxInflight}`;
};

/** The time of the counters: `live`, or `disconnect` and at least how long ago. */
const countersOf = ({ isConnected, isFrozen }: SessionRow): SafeText | undefined =>
  (isConnected === undefined ? undefined : isFrozen === true ? safe`disconnect` : safe`live`);

/** Columns of both variants. */
const shared: readonly SessionColumn[] = [
  {
    id: 'id',
    header: safe`CLIENT ID`,
    value: ({ session }) => session.clientId,
    format: ({ session }, { ends }) => ends(session.clientId),
    width: { min: 16, max: 60, grow: 2 },
    isSticky: true,
  },
  {
    id: 'node',
    header: safe`NODE`,
    value: ({ session }) => session.node,
    format: ({ session }, { text }) => formatText(session.node, text),
    width: { min: 12, max: 24 },
    priority: 4,
  },
  {
    id: 'connected',
    header: safe`CONN`,
    value: ({ isConnected }) => isConnected,
    format: ({ isConnected }) => (isConnected === false ? safe`absent` : formatYesNo(isConnected)),
    width: 6,
    priority: 1.5,
  },
  {
    id: 'inflight',
    header: safe`INFLIGHT`,
    value: ({ session }) => session.inflight,
    format: (row, { text }) => asOf(formatInflight(row.session, text), row),
    align: 'right',
    width: 10,
    priority: 1,
  },
  count('queue', safe`QUEUE`, 'queueLength', 8, 1, ({ queueLength }) => queueLength),
  rate('growth', safe`QUEUE/S`, 9, 2, ({ queuePerSecond }) => queuePerSecond, formatGrowth),
  {
    ...count('dropped', safe`DROPPED`, 'dropped', 9, 1, ({ dropped }) => dropped),
    format: (row, { text }) => {
      const { dropped } = row.session;
      return asOf(orRaw(safe`${(dropped ?? 0) > 0 ? safe`! ` : safe``}${formatCount(dropped)}`, row.session.unparsed['dropped'], text), row);
    },
  },
  rate('drop', safe`DROP/S`, 8, 3, ({ droppedPerSecond }) => droppedPerSecond, formatRate),
];

const ends: readonly SessionColumn[] = [
  count('rel', safe`AWAIT REL`, 'awaitingRel', 11, 6, ({ awaitingRel }) => awaitingRel),
];

const totals: readonly SessionColumn[] = [
  rate('deliver', safe`DELIVER/S`, 11, 2, ({ deliveredPerSecond }) => deliveredPerSecond, formatRate),
  rate('enqueue', safe`ENQUEUE/S`, 11, 3, ({ enqueuedPerSecond }) => enqueuedPerSecond, formatRate),
  count('delivered', safe`DELIVERED`, 'delivered', 11, 5, ({ delivered }) => delivered),
  count('enqueued', safe`ENQUEUED`, 'enqueued', 10, 5, ({ enqueued }) => enqueued),
  count('subscriptions', safe`SUBS`, 'subscriptions', 6, 4, ({ subscriptions }) => subscriptions),
];

const awaited: readonly SessionColumn[] = [
  count('ack', safe`AWAIT ACK`, 'awaitingAck', 11, 6, ({ awaitingAck }) => awaitingAck),
  count('comp', safe`AWAIT COMP`, 'awaitingComp', 12, 6, ({ awaitingComp }) => awaitingComp),
];

/** Seconds since a session was created, by the clock of its node. */
const createdSeconds = ({ session: { createdAt, node } }: SessionRow, clocks: BrokerClocks): number | undefined => {
  const now = clocks.clockOf(node);
  return createdAt === undefined || now === undefined ? undefined : now - createdAt;
};

const times: readonly SessionColumn[] = [
  {
    id: 'counters',
    header: safe`COUNTERS`,
    value: (row) => countersOf(row),
    format: (row, { data }) => {
      const { offlineSinceMs } = row;
      const of = countersOf(row);
      if (of === undefined) return unknownText;
      if (row.isFrozen !== true || offlineSinceMs === undefined || data.nowMs === undefined) return of;
      return safe`${of} >=${formatDuration(Math.max(0, data.nowMs - offlineSinceMs) / 1000)}`;
    },
    width: 20,
    priority: 2.5,
  },
  {
    id: 'clean',
    header: safe`CLEAN`,
    value: ({ session }) => session.cleanSession,
    format: ({ session }, { text }) => orRaw(formatYesNo(session.cleanSession), session.unparsed['cleanSession'], text),
    width: 7,
    priority: 4,
  },
  {
    id: 'created',
    header: safe`CREATED`,
    value: ({ session }) => session.createdAt,
    age: createdSeconds,
    unit: 'seconds',
    format: (row, { data, text }) => orRaw(formatAge(createdSeconds(row, data)), row.session.unparsed['createdAt'], text),
    align: 'right',
    sortsFrom: 'largest',
    largest: safe`latest`,
    width: 11,
    priority: 3,
  },
  {
    id: 'since',
    header: safe`CREATED AT`,
    value: ({ session }) => session.createdAt,
    format: ({ session }, { text }) => orRaw(formatBrokerTime(session.createdAt), session.unparsed['createdAt'], text),
    sortsFrom: 'largest',
    largest: safe`latest`,
    width: 19,
    priority: 7,
  },
];

/**
 * Columns of the sessions (§2.5). `hasTotals`: the API counts delivered messages; otherwise it reports those awaiting an
 * answer. Until known: all columns.
 */
export const sessionColumns = (hasTotals: boolean | undefined): readonly SessionColumn[] => [
  ...shared,
  ...(hasTotals === false ? [] : totals),
  ...ends,
  ...(hasTotals === true ? [] : awaited),
  ...times,
];
