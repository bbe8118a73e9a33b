import { type ReactNode, useMemo } from 'react';
import { type Client, isInflightFull, type Session, type Subscription } from '../../domain/client.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import { isOlderThanExpected } from '../../monitor/polling/intervals.ts';
import { watchOf } from '../../monitor/query/part.ts';
import type { Monitor } from '../../monitor/state.ts';
import {
  formatAge,
  formatCount,
  formatProtocolVersion,
  formatText,
  loadingText,
  unknownText,
} from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import type { Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText, escapeEnds } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { asStale, blankRow, endsRow, type SpanRow } from '../../tui/components/blocks.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { orRaw } from '../../tui/components/field-columns.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { type FetchContext, useFetchContext, useReading, useStore, useWatch } from '../../tui/hooks/use-store.ts';
import { type DetailField, DetailPanel, detailRoom, detailRows, useRested } from '../../tui/list/detail.tsx';
import { errorText, type Failure } from '../../tui/list/resource-notice.ts';
import { seenNodes } from '../nodes/resource.ts';
import { stoppedNodesOf } from '../nodes/select.ts';
import { selectQueueLimits } from '../sessions/select.ts';
import type { ClientDetail } from './client-detail.ts';
import { useClientDetail } from './view/use-client-detail.ts';
import { clientDetail } from './detail.ts';
import { clientAddress } from './fields.ts';
import {
  asOfDisconnect,
  caveatOf,
  connectionText,
  isUnknownClient,
  type DetailPart,
  willTrendGrow,
  withNode,
} from './page.tsx';
import { clientScan } from './resource.ts';
import { clientTexts } from './texts.ts';
import { formatKeepalive } from './view/columns.ts';
import { stackedRows, stackedTrends, trendNote } from './view/trend-rows.ts';
import { type BrokerClocks, useBrokerClocks } from '../view/broker-clocks.ts';

/** The facts that a list has of a client before the client is read. */
export interface KnownClient {
  readonly clientId: string;
  readonly client?: Client | undefined;
  readonly session?: Session | undefined;
  /** The topic filter of the row. */
  readonly topic?: string | undefined;
  readonly isGone?: boolean | undefined;
}

interface ClientPanelProps {
  readonly monitor: Monitor;
  readonly known: KnownClient;
  readonly width: number;
  readonly height: number;
}

/** Draws a client beside its list. */
export const clientPanel = (monitor: Monitor, known: KnownClient, width: number, height: number): ReactNode => (
  <ClientPanel monitor={monitor} known={known} width={width} height={height} />
);

/**
 * Shows the client under the cursor beside a list: connection, session, trends and subscriptions. It is read once the
 * cursor rests, as on the client's page.
 */
const ClientPanel = ({ monitor, known, width, height }: ClientPanelProps): ReactNode => {
  const theme = useTheme();
  const { clientId } = known;
  const rested = useRested(clientId);
  useWatch(monitor, rested === undefined ? undefined : watchOf(clientDetail, rested));
  const state = useClientDetail(monitor, clientId);
  const listedRows = useReading(monitor, clientScan).rows;
  const intervalSeconds = useStore(monitor.store, (all) => all.intervalSeconds);
  const seen = useReading(monitor, seenNodes);
  const queueLimits = useStore(monitor.store, selectQueueLimits);
  const nowMs = useNow(1000);
  const clocks = useBrokerClocks(monitor, nowMs);
  const fetchContext = useFetchContext(monitor, nowMs);

  const listed = useMemo(
    () => known.client ?? listedRows.find((client) => client.clientId === clientId),
    [known.client, listedRows, clientId],
  );
  const detail = useMemo(() => withNode(state.data, listed), [state.data, listed]);
  const isStale = isOlderThanExpected(state, intervalSeconds, nowMs);
  const silentSeconds = isStale && state.updatedAtMs !== undefined ? (nowMs - state.updatedAtMs) / 1_000 : 0;
  const stopped = useMemo(() => stoppedNodesOf(seen), [seen]);
  const room = detailRoom(width, height);
  const node = listed?.node ?? known.session?.node;
  const view: ClientView = {
    known: { ...known, client: listed },
    detail,
    error: state.error,
    fetchContext,
    clocks,
    isStale,
    silentSeconds,
    stopped,
    intervalSeconds,
    queueLimit:
      (partOf(detail?.sessions)?.[0] ?? known.session)?.maxQueueLength ??
      (node === undefined ? undefined : queueLimits.get(node)),
  };
  const content = asStale(clientRows(theme, room.width, room.height, view), isStale);
  return (
    <DetailPanel
      width={width}
      height={height}
      title={escapeEnds(clientId, room.width - noteRoom, theme.charset)}
      {...noteOf(view)}
      content={content}
    />
  );
};

/** The room for the note in the title. */
const noteRoom = 16;

interface ClientView {
  readonly known: KnownClient;
  readonly detail: ClientDetail | undefined;
  readonly error: Failure | undefined;
  readonly fetchContext: FetchContext;
  readonly clocks: BrokerClocks;
  readonly isStale: boolean;
  readonly silentSeconds: number;
  readonly stopped: readonly string[];
  readonly intervalSeconds: number;
  readonly queueLimit: number | undefined;
}

const isPaused = ({ isFrozen, isUnauthorized, isPast }: FetchContext): boolean =>
  isFrozen || isUnauthorized || isPast === true;

const isLoading = ({ detail, error, fetchContext }: ClientView): boolean =>
  detail === undefined && error === undefined && !isPaused(fetchContext);

const noteOf = (view: ClientView): { readonly note: SafeText; readonly noteRole: Role } => {
  if (view.isStale) return { note: clientTexts.old(view.silentSeconds), noteRole: 'warning' };
  if (view.fetchContext.isFrozen) return { note: clientTexts.frozen, noteRole: 'dim' };
  if (view.detail === undefined && view.fetchContext.isPast === true)
    return { note: clientTexts.notRecorded, noteRole: 'dim' };
  if (view.detail === undefined)
    return isLoading(view)
      ? { note: clientTexts.loading, noteRole: 'dim' }
      : { note: safe`! ${clientTexts.notRead}`, noteRole: 'error' };
  return view.error === undefined
    ? { note: view.fetchContext.isPast === true ? clientTexts.recorded : clientTexts.live, noteRole: 'dim' }
    : { note: safe`! ${clientTexts.notRead}`, noteRole: 'error' };
};

/** Returns rows of a graph that leave room for fields and some subscriptions; more where there are few. */
const minGraphRows = (height: number): number => (height >= 46 ? 5 : height >= 30 ? 3 : height >= 24 ? 2 : 1);

/** Higher graphs show no more. */
const maxGraphRows = 8;

const partOf = <T,>(part: DetailPart<T>): readonly T[] | undefined =>
  part === undefined || part instanceof Error ? undefined : part;

const clientRows = (theme: Theme, width: number, height: number, view: ClientView): readonly SpanRow[] => {
  const { detail, error, fetchContext, intervalSeconds, silentSeconds, queueLimit } = view;
  const gap = height < 22 ? [] : [blankRow];
  const trends = {
    points: detail?.trend,
    isLoading: willTrendGrow(detail, fetchContext, error),
    intervalSeconds,
    silentSeconds,
    queueLimit,
  };
  const above = [
    ...detailRows(width, fieldsOf(theme, width, view)),
    [problemSpan(theme, width, view)],
    endsRow(
      width,
      [{ text: clientTexts.trends, role: 'title' }],
      [{ text: trendNote(theme, trends) ?? safe``, role: 'dim' }],
    ),
  ];
  const listed = partOf(detail?.subscriptions)?.length ?? 0;
  const spare = height - above.length - gap.length - 1 - Math.max(1, listed);
  const trendRows = Math.max(stackedRows(minGraphRows(height)), Math.min(stackedRows(maxGraphRows), spare));
  const head = [...above, ...stackedTrends(theme, width, trendRows, trends), ...gap];
  return [...head, ...subscriptionRows(theme, width, height - head.length, view)];
};

/** Writes the state of the connection. The row for the session says whether one remains. */
const stateSpan = (view: ClientView, isNodeDown: boolean): Span => {
  const { detail, known, error, fetchContext } = view;
  const isGone = detail === undefined ? known.isGone === true : isUnknownClient(detail);
  if (isNodeDown || (!isGone && partOf(detail?.clients)?.length !== 0))
    return connectionText(detail, error !== undefined || isPaused(fetchContext), isNodeDown);
  return isGone
    ? { text: safe`${glyphs.stopped} ${clientTexts.noLongerConnected}`, role: 'warning' }
    : { text: safe`${glyphs.stopped} ${clientTexts.notConnected}` };
};

/**
 * Returns the fields. Node, address and session are those of the list until the client is read; dimmed once it is gone.
 */
const fieldsOf = (theme: Theme, width: number, view: ClientView): readonly DetailField[] => {
  const { detail, known, clocks, stopped } = view;
  const clients = partOf(detail?.clients);
  const client = clients?.[0] ?? known.client;
  const session = partOf(detail?.sessions)?.[0] ?? (partOf(detail?.sessions) === undefined ? known.session : undefined);
  const isGone = known.isGone === true && detail === undefined;
  const role: Role = isGone || clients?.length === 0 ? 'stale' : 'normal';
  const text = (raw: string): SafeText => theme.escape(raw, width);
  const missing = isLoading(view) ? loadingText : unknownText;
  const node = client?.node ?? session?.node ?? known.session?.node;
  const isNodeDown = clients?.length === 0 && node !== undefined && stopped.includes(node);
  const state = stateSpan(view, isNodeDown);
  const now = clocks.clockOf(client?.node);
  const connected =
    client === undefined
      ? missing
      : orRaw(
          formatAge(client.connectedAt === undefined || now === undefined ? undefined : now - client.connectedAt),
          client.unparsed['connectedAt'],
          text,
        );
  const protocol =
    client === undefined
      ? missing
      : safe`${orRaw(formatProtocolVersion(client.protocolVersion), client.unparsed['protocolVersion'], text)} · keepalive ${orRaw(formatKeepalive(client.keepaliveSeconds), client.unparsed['keepaliveSeconds'], text)}`;
  return [
    { label: safe`state`, value: state.text, role: state.role },
    { label: safe`node`, value: node === undefined ? missing : text(node), role },
    { label: safe`username`, value: client === undefined ? missing : formatText(client.username, text), role },
    { label: safe`address`, value: client === undefined ? missing : formatText(clientAddress(client), text), role },
    { label: clients?.length === 0 ? safe`last connect` : safe`connected`, value: connected, role },
    { label: safe`protocol`, value: protocol, role },
    {
      label: safe`session`,
      value: sessionText(theme, width, view, session, missing),
      role: session === undefined ? role : 'normal',
    },
    {
      label: safe`inflight`,
      value: session === undefined ? missing : inflightText(session, text),
      role: session !== undefined && isInflightFull(session) ? 'warning' : 'normal',
    },
  ];
};

const sessionText = (
  theme: Theme,
  width: number,
  { detail, clocks }: ClientView,
  session: Session | undefined,
  missing: SafeText,
): SafeText => {
  if (session === undefined) return partOf(detail?.sessions)?.length === 0 ? clientTexts.noSession : missing;
  const now = clocks.clockOf(session.node);
  const kind =
    session.cleanSession === undefined
      ? unknownText
      : session.cleanSession
        ? clientTexts.clean
        : clientTexts.persistent;
  const age =
    session.createdAt === undefined || now === undefined
      ? unknownText
      : clientTexts.old(Math.max(0, now - session.createdAt));
  return safe`${kind} · ${orRaw(age, session.unparsed['createdAt'], (raw) => theme.escape(raw, width))}`;
};

const inflightText = (session: Session, text: (raw: string) => SafeText): SafeText =>
  safe`${orRaw(formatCount(session.inflight), session.unparsed['inflight'], text)} of ${orRaw(formatCount(session.maxInflight), session.unparsed['maxInflight'], text)}${isInflightFull(session) ? safe` !` : safe``}`;

/** Says why something above or below is missing. Its row is always there. */
const problemSpan = (theme: Theme, width: number, view: ClientView): Span => {
  const { detail, error, known, clocks, stopped } = view;
  const failed = (failure: Failure): Span => ({
    text: cutText(clientTexts.failed(errorText(theme, failure)), width),
    role: 'error',
  });
  if (error !== undefined) return failed(error);
  if (detail === undefined) return { text: safe`` };
  const { clients, sessions } = detail;
  if (clients instanceof Error) return failed(clients);
  if (sessions instanceof Error) return failed(sessions);
  const caveat = clients.length > 0 ? undefined : caveatOf(theme, known.client?.node ?? sessions[0]?.node, stopped);
  if (caveat !== undefined) return { text: cutText(safe`! ${caveat}`, width), role: 'warning' };
  return { text: cutText(asOfDisconnect(detail, clocks.nowMs) ?? safe``, width), role: 'dim' };
};

const subscriptionRows = (theme: Theme, width: number, height: number, view: ClientView): readonly SpanRow[] => {
  const part = view.detail?.subscriptions;
  const title: Span = { text: clientTexts.subscriptions, role: 'title' };
  if (part === undefined)
    return [[title], [{ text: isLoading(view) ? clientTexts.loading : unknownText, role: 'dim' }]];
  if (part instanceof Error)
    return [[title], [{ text: cutText(clientTexts.failed(errorText(theme, part)), width), role: 'error' }]];
  if (part.length === 0) return [[title], [{ text: clientTexts.noSubscriptions }]];
  const room = Math.max(1, height - 1);
  const shown = part
    .toSorted((a, b) => compareNatural(a.topic, b.topic))
    .slice(0, part.length > room ? room - 1 : room);
  return [
    endsRow(width, [title], [{ text: formatCount(part.length), role: 'dim' }]),
    ...shown.map(({ topic, qos }: Subscription): SpanRow => [
      { text: safe`QoS ${formatCount(qos)}  `, role: 'dim' },
      { text: theme.escape(topic, width), role: topic === view.known.topic ? 'title' : 'normal' },
    ]),
    ...(shown.length < part.length
      ? [[{ text: clientTexts.more(part.length - shown.length), role: 'dim' } as const]]
      : []),
  ];
};
