import { type Client, hasCounters, type Session, type Subscription } from '../../../domain/client.ts';
import type { BrokerSeconds } from '../../../domain/node.ts';
import type { ClientDetail } from '../../../monitor/state.ts';
import { formatAge, formatBrokerTime, formatCount, formatDuration, formatProtocolVersion, formatText, formatYesNo, loadingText, unknownText } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { composeLine, type Line, type Span, wrapWords } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { cutText, widthOf } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import { type Field, fieldLines } from '../../components/blocks.ts';
import { titleLine } from '../../components/title-line.ts';
import type { BrokerClocks } from '../../hooks/use-broker-clocks.ts';
import { errorText } from '../../list/resource-notice.ts';
import { clientAddress, formatKeepalive, orRaw } from './columns.ts';

/** A broker timestamp as its age and as written. */
const timeFields = (
  label: SafeText,
  at: BrokerSeconds | undefined,
  now: BrokerSeconds | undefined,
  raw: (figure: SafeText) => SafeText,
): readonly Field[] => [
  { label, value: raw(formatAge(at === undefined || now === undefined ? undefined : now - at)) },
  { label: safe`${label} at`, value: raw(formatBrokerTime(at)) },
];

const clientFields = (theme: Theme, width: number, client: Client, clocks: BrokerClocks): readonly Field[] => {
  const text = (own: string): SafeText => theme.escape(own, width);
  const raw = (figure: SafeText, field: keyof Client): SafeText => orRaw(figure, client.unparsed[field], text);
  return [
    { label: safe`node`, value: formatText(client.node, text) },
    { label: safe`address`, value: raw(formatText(clientAddress(client), text), 'ipAddress') },
    { label: safe`username`, value: formatText(client.username, text) },
    ...timeFields(safe`connected`, client.connectedAt, clocks.clockOf(client.node), (figure) => raw(figure, 'connectedAt')),
    { label: safe`protocol`, value: raw(formatProtocolVersion(client.protocolVersion), 'protocolVersion') },
    { label: safe`keepalive`, value: raw(formatKeepalive(client.keepaliveSeconds), 'keepaliveSeconds') },
    { label: safe`clean session`, value: raw(formatYesNo(client.cleanSession), 'cleanSession') },
  ];
};

/** All fields of both API variants (§2.5); missing ones are unknown. */
const sessionFields = (theme: Theme, width: number, session: Session, clocks: BrokerClocks): readonly Field[] => {
  const raw = (figure: SafeText, field: keyof Session): SafeText =>
    orRaw(figure, session.unparsed[field], (text) => theme.escape(text, width));
  const lost = session.dropped !== undefined && session.dropped > 0;
  return [
    ...timeFields(safe`created`, session.createdAt, clocks.clockOf(session.node), (figure) => raw(figure, 'createdAt')),
    { label: safe`clean session`, value: raw(formatYesNo(session.cleanSession), 'cleanSession') },
    { label: safe`subscriptions`, value: raw(formatCount(session.subscriptions), 'subscriptions') },
    { label: safe`inflight`, value: raw(formatCount(session.inflight), 'inflight') },
    { label: safe`max inflight`, value: raw(formatCount(session.maxInflight), 'maxInflight') },
    { label: safe`queued`, value: raw(formatCount(session.queueLength), 'queueLength') },
    { label: safe`dropped`, value: raw(lost ? safe`${formatCount(session.dropped)} !` : formatCount(session.dropped), 'dropped'), role: lost ? 'warning' : undefined },
    { label: safe`awaiting rel`, value: raw(formatCount(session.awaitingRel), 'awaitingRel') },
    { label: safe`awaiting ack`, value: raw(formatCount(session.awaitingAck), 'awaitingAck') },
    { label: safe`awaiting comp`, value: raw(formatCount(session.awaitingComp), 'awaitingComp') },
    { label: safe`delivered`, value: raw(formatCount(session.delivered), 'delivered') },
    { label: safe`enqueued`, value: raw(formatCount(session.enqueued), 'enqueued') },
  ];
};

const wholeIdLines = (theme: Theme, room: number, id: string, maxLines: number): readonly SafeText[] =>
  // An unescaped character is at least a third of a column wide.
  wrapWords(theme.escape(id, room * maxLines), room);

/** The full id where `idLines` cuts it; else nothing. */
export const restOfId = (theme: Theme, width: number, id: string, maxLines: number): readonly Line[] => {
  const lines = wholeIdLines(theme, width - 2, id, 3 * id.length);
  return isShortId(theme, width, id) || lines.length <= maxLines
    ? []
    : [titleLine(theme, width, safe`Client id`, safe`${formatCount(id.length)} characters`), ...lines.map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text }]))];
};

/** The id in full where it fits into `maxLines`; else its start, a mark and its length. */
export const idLines = (theme: Theme, width: number, id: string, maxLines: number): readonly Line[] => {
  const room = width - 2;
  const lines = wholeIdLines(theme, room, id, maxLines);
  const isCut = lines.length > maxLines;
  const shown = isCut ? lines.slice(0, Math.max(1, maxLines - 1)) : lines;
  const last = shown.length - 1;
  return [
    ...shown.map((text, index) => composeLine(theme, width, [
      { text: safe`  ` },
      { text: isCut && index === last ? cutText(safe`${text} ${lines[index + 1] ?? safe``}`, room) : text, role: 'title' },
    ])),
    ...(isCut ? [composeLine(theme, width, [{ text: safe`  (${formatCount(id.length)} characters; the whole of it stands at the end)`, role: 'dim' }])] : []),
  ];
};

/** Width kept in the first line for the connection. */
const statusRoom = 44;

/** Whether the id fits into the first line. */
const isShortId = (theme: Theme, width: number, id: string): boolean => widthOf(theme.escape(id, width)) <= width - statusRoom;

const messageLine = (theme: Theme, width: number, span: Span): Line => composeLine(theme, width, [{ text: safe`  ` }, span]);

const messageLines = (theme: Theme, width: number, { text, role }: Span): readonly Line[] =>
  wrapWords(text, width - 2).map((line) => messageLine(theme, width, { text: line, role }));

type Part<T> = readonly T[] | Extract<ClientDetail['clients'], Error> | undefined;

/** A part of the detail: its records, or loading, failed, empty. */
const partLines = <T>(
  theme: Theme,
  width: number,
  part: Part<T>,
  title: SafeText,
  empty: SafeText,
  write: (record: T) => readonly Line[],
  note?: SafeText,
): readonly Line[] => {
  if (part === undefined) {
    return [titleLine(theme, width, title), messageLine(theme, width, { text: safe`··· reading`, role: 'dim' })];
  }
  if (part instanceof Error) {
    return [titleLine(theme, width, title), ...messageLines(theme, width, { text: safe`! not read: ${errorText(theme, part)}`, role: 'error' })];
  }
  if (part.length === 0) {
    return [titleLine(theme, width, title), messageLine(theme, width, { text: empty })];
  }
  return part.flatMap((record, index) => [
    titleLine(theme, width, part.length === 1 ? title : safe`${title} ${index + 1} of ${part.length}`, note),
    ...write(record),
  ]);
};

/**
 * The connection in a word. `isIdle`: nothing read and nothing being read; `isNodeDown`: of the node where it was last
 * seen.
 */
export const connectionText = (detail: ClientDetail | undefined, isIdle = false, isNodeDown = false): Span => {
  const clients = detail?.clients;
  const sessions = detail?.sessions;
  if (clients === undefined) {
    return { text: isIdle ? unknownText : loadingText, role: 'dim' };
  }
  if (clients instanceof Error) {
    return { text: safe`connection unknown`, role: 'error' };
  }
  if (clients.length > 0) {
    return { text: clients.length === 1 ? safe`${glyphs.running} connected` : safe`${glyphs.running} connected ${clients.length} times (take-over)`, role: 'ok' };
  }
  if (isNodeDown) {
    return { text: safe`! its node does not run`, role: 'warning' };
  }
  const hasSession = sessions !== undefined && !(sessions instanceof Error) && sessions.length > 0;
  return hasSession ? { text: safe`${glyphs.stopped} not connected, session kept` } : { text: safe`${glyphs.stopped} not connected` };
};

/** The broker answered and does not know the id. */
export const isUnknownClient = ({ clients, sessions, subscriptions }: ClientDetail): boolean =>
  [clients, sessions, subscriptions].every((part) => !(part instanceof Error) && part.length === 0);

export interface DetailView {
  readonly clientId: string;
  readonly detail: ClientDetail | undefined;
  /** Shown when all parts failed. */
  readonly message: Span | undefined;
  readonly clocks: BrokerClocks;
  /** Why the client may be connected although no node reports it. */
  readonly doubt: SafeText | undefined;
  readonly base: Role;
  /** Lines available for the id. */
  readonly maxIdLines: number;
}

/** The time of an offline session's counters, which do not change. */
const asOfDisconnect = ({ clients, sessions, offline }: ClientDetail, nowMs: number | undefined): SafeText | undefined => {
  if (clients instanceof Error || clients.length > 0 || offline?.isLive === true) return undefined;
  if (sessions instanceof Error || !sessions.some(hasCounters)) return undefined;
  const age = offline === undefined || nowMs === undefined ? safe`` : safe`, >=${formatDuration(Math.max(0, nowMs - offline.sinceMs) / 1000)} ago`;
  return safe`counters as of disconnect${age}`;
};

/** Everything above the subscriptions. */
export const detailLines = (theme: Theme, width: number, { clientId, detail, message, clocks, doubt, base, maxIdLines }: DetailView): readonly Line[] => {
  // A short id is in the first line already.
  const id = [
    ...(isShortId(theme, width, clientId) ? [] : idLines(theme, width, clientId, maxIdLines)),
    ...(doubt === undefined ? [] : messageLines(theme, width, { text: safe`! ${doubt}`, role: 'warning' })),
  ];
  if (message !== undefined) {
    return [...id, ...messageLines(theme, width, message)];
  }
  if (detail !== undefined && isUnknownClient(detail)) {
    return [...id, messageLine(theme, width, { text: safe`The broker knows no client, session or subscription of this id.`, role: 'warning' })];
  }
  return [
    ...id,
    ...partLines(theme, width, detail?.clients, safe`Connection`, safe`not connected`, (client) => fieldLines(theme, width, clientFields(theme, width, client, clocks), base)),
    ...partLines(theme, width, detail?.sessions, safe`Session`, safe`no session`, (session) => [
      ...fieldLines(theme, width, sessionFields(theme, width, session, clocks), base),
      ...(hasCounters(session) ? [] : messageLines(theme, width, { text: safe`Counters unknown: brokers tell them of sessions on the node that is asked. Ask its own node, with --url.`, role: 'dim' })),
    ], detail && asOfDisconnect(detail, clocks.nowMs)),
    ...subscriptionsHead(theme, width, detail?.subscriptions),
  ];
};

/** The lines above the subscriptions, which are too many to be made at once. */
const subscriptionsHead = (theme: Theme, width: number, part: Part<Subscription>): readonly Line[] =>
  part === undefined || part instanceof Error || part.length === 0
    ? partLines(theme, width, part, safe`Subscriptions`, safe`no subscriptions`, () => [])
    : [titleLine(theme, width, safe`Subscriptions`, formatCount(part.length))];

/** One subscription. */
export const subscriptionLine = (theme: Theme, width: number, { topic, qos }: Subscription, base: Role = 'normal'): Line =>
  composeLine(theme, width, [
    { text: safe`  QoS ${formatCount(qos)}  `, role: 'dim' },
    { text: theme.escape(topic, width) },
  ], base);
