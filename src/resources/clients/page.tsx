import { type ReactNode, useMemo, useState } from 'react';
import { type Client, hasCounters, type Subscription } from '../../domain/client.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { NodeName } from '../../domain/node.ts';
import { isOlderThanExpected } from '../../monitor/polling/intervals.ts';
import { reading, watchOf } from '../../monitor/query/part.ts';
import type { TimelineEvent } from '../../domain/event.ts';
import { timelineEvents } from '../../monitor/events.ts';
import { maybeOnStoppedNodeText } from '../../monitor/texts.ts';
import { formatCount, loadingText, unknownText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeEnds, composeLine, joinLines, type Line, type Span, wrapWords } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { asStale, type LabelledValue, fieldLines, titleLine } from '../../tui/components/blocks.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { boxLines, panelFrame, panelRows } from '../../tui/components/panel.ts';
import { useClientKeys } from './view/client-keys.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { positionText, useScroll } from '../../tui/hooks/use-scroll.ts';
import {
  type FetchContext,
  useFetchContext,
  useReading,
  useStore,
  useWatch,
  wholeState,
} from '../../tui/hooks/use-store.ts';
import { useCopy } from '../../tui/hooks/use-terminal.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import { dataProblem, errorText, type Failure, idleMessage, missingMessage } from '../../tui/list/resource-notice.ts';
import { nextContext } from '../problems/view/next-context.ts';
import { findProblem, targetProblemRows, withPresent } from '../problems/view/target-problem.ts';
import { useSpoken } from '../../tui/speech/use-speech.ts';
import { triageView } from '../../triage/view.ts';
import { logRows } from '../log/view/event-rows.ts';
import { seenNodes } from '../nodes/resource.ts';
import { stoppedNodesOf } from '../nodes/select.ts';
import { selectQueueLimits } from '../sessions/select.ts';
import type { ClientDetail } from './client-detail.ts';
import { useClientDetail } from './view/use-client-detail.ts';
import { clientDetail } from './detail.ts';
import { clientScan } from './resource.ts';
import type { ClientTarget } from './target.ts';
import { clientTexts } from './texts.ts';
import { clientValues, type SessionContext, sessionValues } from './view/client-fields.ts';
import { useClientJumps } from './view/client-jumps.ts';
import { trendNote, trendsIn, type TrendsView } from './view/trend-rows.ts';
import { type BrokerClocks, useBrokerClocks } from '../view/broker-clocks.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { logTexts } from '../log/texts.ts';

/** Says the connection, the session and each subscription, in a line each. */
const clientSpeech = (
  theme: Theme,
  detail: ClientDetail,
  { clocks, queueLimit }: Pick<SessionContext, 'clocks' | 'queueLimit'>,
): readonly SafeText[] => {
  const { clients, sessions, subscriptions } = detail;
  const [client, session] = [only(clients), only(sessions)];
  const sentence = (fields: readonly LabelledValue[]): SafeText =>
    joinSafe(
      fields.map(({ label, value }) => safe`${label} ${value}`),
      safe`, `,
    );
  const context = { clocks, queueLimit, client, subscriptions: undefined, isNarrow: false };
  return [
    connectionText(detail).text,
    ...(client === undefined ? [] : [sentence(clientValues(theme, spokenWidth, client, clocks, session))]),
    ...(session === undefined
      ? []
      : [safe`${clientTexts.session}: ${sentence(sessionValues(theme, spokenWidth, session, context))}`]),
    ...(subscriptions instanceof Error
      ? []
      : subscriptions.map(({ topic, qos }) => safe`${theme.escape(topic, spokenWidth)} QoS ${formatCount(qos)}`)),
  ];
};

/** The longest name that is said. */
const spokenWidth = 200;

const noSubscriptions: readonly Subscription[] = [];

/** Adds the node where the list has become known since, if both show the same connection. */
export const withNode = (detail: ClientDetail | undefined, listed: Client | undefined): ClientDetail | undefined => {
  if (detail === undefined || detail.clients instanceof Error || listed?.connectedAt === undefined) {
    return detail;
  }
  const clients = detail.clients.map((client): Client => {
    const isSame =
      client.connectedAt === listed.connectedAt && client.port === listed.port && client.ipAddress === listed.ipAddress;
    return client.node === undefined && isSame ? { ...client, node: listed.node } : client;
  });
  return { ...detail, clients };
};

/** Returns what actions apply to: the connection shown, else the session, else the id. */
const targetOf = (clientId: string, detail: ClientDetail | undefined): ClientTarget => {
  if (detail === undefined) {
    return { subject: { kind: 'id', clientId } };
  }
  const { clients, sessions } = detail;
  const client = clients instanceof Error || clients.length !== 1 ? undefined : clients[0];
  if (client !== undefined) {
    return { subject: { kind: 'client', client } };
  }
  const session = sessions instanceof Error || sessions.length !== 1 ? undefined : sessions[0];
  return { subject: session === undefined ? { kind: 'id', clientId } : { kind: 'session', session } };
};

const useLastNode = (clientId: string, node: NodeName | undefined, isConnected: boolean): NodeName | undefined => {
  const [last, setLast] = useState({ clientId, node });
  const isUpdate = node !== undefined || isConnected || last.clientId !== clientId;
  if (isUpdate && (last.clientId !== clientId || last.node !== node)) {
    setLast({ clientId, node });
  }
  return isUpdate ? node : last.node;
};

export const caveatOf = (
  theme: Theme,
  lastNode: NodeName | undefined,
  stopped: readonly NodeName[],
): SafeText | undefined => {
  if (lastNode !== undefined && stopped.includes(lastNode)) {
    return clientTexts.maybeConnected(theme.escape(lastNode));
  }
  const text = maybeOnStoppedNodeText(stopped);
  return text === undefined ? undefined : theme.escape(text);
};

/** Shows one client: its connection, session and subscriptions. */
export const ClientScreen = ({
  monitor,
  clientId,
  width,
  height,
  go,
  notify,
}: ScreenProps & { readonly clientId: string }): ReactNode => {
  const theme = useTheme();
  useWatch(monitor, watchOf(clientDetail, clientId));
  const state = useClientDetail(monitor, clientId);
  const listedRows = useReading(monitor, clientScan).rows;
  const intervalSeconds = useStore(monitor.store, (all) => all.intervalSeconds);
  const nowMs = useNow(1000);
  const clocks = useBrokerClocks(monitor, nowMs);
  const fetchContext = useFetchContext(monitor, nowMs);

  const listed = useMemo(() => listedRows.find((client) => client.clientId === clientId), [listedRows, clientId]);
  const detail = useMemo(() => withNode(state.data, listed), [state.data, listed]);
  const connected = detail === undefined || detail.clients instanceof Error ? undefined : detail.clients;
  const ownSession = detail === undefined || detail.sessions instanceof Error ? undefined : detail.sessions[0];
  const sessionNode = ownSession?.node;
  const isConnected = connected !== undefined && connected.length > 0;
  const lastNode = useLastNode(clientId, isConnected ? connected[0]?.node : (sessionNode ?? listed?.node), isConnected);
  const seen = useReading(monitor, seenNodes);
  const stopped = useMemo(() => stoppedNodesOf(seen), [seen]);
  const caveat = detail === undefined || isConnected ? undefined : caveatOf(theme, lastNode, stopped);
  const isNodeDown = lastNode !== undefined && stopped.includes(lastNode);
  const subscriptions = useMemo(
    () =>
      detail === undefined || detail.subscriptions instanceof Error
        ? noSubscriptions
        : detail.subscriptions.toSorted((a, b) => compareNatural(a.topic, b.topic)),
    [detail],
  );

  const isStale = isOlderThanExpected(state, intervalSeconds, nowMs);
  const base = isStale ? 'stale' : 'normal';
  const message =
    detail !== undefined
      ? undefined
      : state.error === undefined
        ? idleMessage(fetchContext)
        : missingMessage(theme, state, safe`this client`, fetchContext);
  const maxIdLines = Math.max(2, Math.floor(height / 3));
  const queueLimits = useStore(monitor.store, selectQueueLimits);
  const queueLimit =
    ownSession?.maxQueueLength ?? (sessionNode === undefined ? undefined : queueLimits.get(sessionNode));
  const silentSeconds = isStale && state.updatedAtMs !== undefined ? (nowMs - state.updatedAtMs) / 1_000 : 0;
  const isTrendGrowing = willTrendGrow(detail, fetchContext, state.error);
  const trends = useMemo(
    (): TrendsView => ({
      points: detail?.trend,
      isLoading: isTrendGrowing,
      intervalSeconds,
      silentSeconds,
      queueLimit,
    }),
    [detail?.trend, isTrendGrowing, intervalSeconds, silentSeconds, queueLimit],
  );
  const all = useStore(monitor.store, wholeState);
  const read = findProblem(all, ({ screen, clientId: id }) => screen === 'client' && id === clientId);
  const finding =
    read === undefined || detail === undefined || detail.sessions instanceof Error
      ? read
      : withPresent(read, detail.sessions[0]);
  // A problem of many clients names the next step for all of them, which begins elsewhere.
  const shared =
    finding === undefined ? findProblem(all, ({ found }) => found?.clientIds.includes(clientId) === true) : undefined;
  const nextLines = finding === undefined ? 0 : height < minNextHeight ? 1 : 2;
  const problemLines = targetProblemRows(theme, width, nextLines, finding ?? shared, nextContext(all, nowMs)).map(
    (row) => composeLine(theme, width, row),
  );
  const head = detailLines(theme, width, height, {
    clientId,
    detail,
    lastKnown: listed ?? reading(all, triageView).reconnectedRows.get(clientId),
    message,
    clocks,
    caveat,
    base,
    maxIdLines,
    trends,
    problemLines,
  });

  const problem = state === undefined ? undefined : dataProblem(theme, state, safe`this client`, isStale, fetchContext);
  const hasSides = sidesOf(width, height);
  const below = [
    ...(hasSides && subscriptions.length > 0 ? boxLines(theme, width, { title: safe`` }, []).slice(-1) : []),
    ...fullIdSection(theme, width, clientId, maxIdLines, hasSides),
  ];
  const roomAbove = Math.max(1, height - 2 - (problem === undefined ? 0 : 1));
  const spare = roomAbove - head.length - subscriptions.length - below.length;
  const rest = [...below, ...(hasSides ? eventLines(theme, width, spare, reading(all, timelineEvents), clientId) : [])];
  const count = head.length + subscriptions.length + rest.length;
  // The last line is for the content where that then needs no scrolling.
  const hasFooter = problem !== undefined || count !== roomAbove + 1;
  const room = hasFooter ? roomAbove : count;
  const { window, handlers } = useScroll(count, room);
  const copy = useCopy(notify);
  useClientKeys({ monitor, target: targetOf(clientId, detail) });
  useKeys('list', {
    ...handlers,
    copyId: () => {
      copy(clientId);
    },
  });

  useClientJumps({ monitor, clientId, go });

  const body = Array.from({ length: window.to - window.from }, (_, index): Line => {
    const at = window.from + index;
    const subscription = subscriptions[at - head.length];
    return (
      head[at] ??
      (subscription === undefined
        ? rest[at - head.length - subscriptions.length]
        : subscriptionLine(theme, width, hasSides, subscription, base)) ??
      composeLine(theme, width, [])
    );
  });
  const blank = composeLine(theme, width, []);
  const durationText: SafeText =
    state.durationMs === undefined ? safe`` : safe`${clientTexts.readIn(state.durationMs)} `;
  const lines: readonly Line[] = [
    composeEnds(
      theme,
      width,
      [{ text: safe` Client ${theme.escape(clientId, width)}`, role: 'header' }],
      [{ text: safe`  ` }, connectionText(detail, message !== undefined, isNodeDown), { text: safe` ` }],
    ),
    ...body,
    ...Array.from({ length: room - body.length }, () => blank),
    ...(problem === undefined ? [] : [composeLine(theme, width, [{ text: safe` ` }, problem])]),
    ...(hasFooter
      ? [
          composeEnds(
            theme,
            width,
            [{ text: safe` ${detail === undefined ? safe`` : positionText(window, count)}`, role: 'dim' }],
            [{ text: durationText, role: 'dim' }],
          ),
        ]
      : []),
  ];
  useSpoken({
    rank: 'content',
    key: detail === undefined ? '' : clientId,
    lines: () =>
      message === undefined && detail !== undefined
        ? clientSpeech(theme, detail, { clocks, queueLimit })
        : [message?.text ?? ''],
  });
  return <Rows lines={lines.slice(0, height)} />;
};

/** Returns the record, if there is exactly one. */
const only = <T,>(part: DetailPart<T>): T | undefined =>
  part === undefined || part instanceof Error || part.length !== 1 ? undefined : part[0];

const fullIdLines = (theme: Theme, room: number, id: string, maxLines: number): readonly SafeText[] =>
  wrapWords(theme.escape(id, room * maxLines), room);

/** Shows the full id, if `idLines` cuts it. */
const fullIdSection = (
  theme: Theme,
  width: number,
  id: string,
  maxLines: number,
  hasSides: boolean,
): readonly Line[] => {
  const inner = innerWidth(width, hasSides);
  const lines = fullIdLines(theme, inner - 2, id, 3 * id.length);
  return isShortId(theme, width, id) || fullIdLines(theme, width - 2, id, 3 * id.length).length <= maxLines
    ? []
    : sectionLines(
        theme,
        width,
        hasSides,
        clientTexts.id,
        clientTexts.idLength(id.length),
        lines.map((text) => composeLine(theme, inner, [{ text: safe`  ` }, { text }])),
      );
};

/** Writes the id; cut if it does not fit into `maxLines`. */
const idLines = (theme: Theme, width: number, id: string, maxLines: number): readonly Line[] => {
  const room = width - 2;
  const lines = fullIdLines(theme, room, id, maxLines);
  const isCut = lines.length > maxLines;
  const shown = isCut ? lines.slice(0, Math.max(1, maxLines - 1)) : lines;
  const last = shown.length - 1;
  return [
    ...shown.map((text, index) =>
      composeLine(theme, width, [
        { text: safe`  ` },
        {
          text: isCut && index === last ? cutText(safe`${text} ${lines[index + 1] ?? safe``}`, room) : text,
          role: 'title',
        },
      ]),
    ),
    ...(isCut ? [composeLine(theme, width, [{ text: safe`  ${clientTexts.idCut(id.length)}`, role: 'dim' }])] : []),
  ];
};

/** Columns of the first line for the connection. */
const statusRoom = 44;

const isShortId = (theme: Theme, width: number, id: string): boolean =>
  widthOf(theme.escape(id, width)) <= width - statusRoom;

const messageLine = (theme: Theme, width: number, span: Span): Line =>
  composeLine(theme, width, [{ text: safe`  ` }, span]);

const messageLines = (theme: Theme, width: number, { text, role }: Span): readonly Line[] =>
  wrapWords(text, width - 2).map((line) => messageLine(theme, width, { text: line, role }));

export type DetailPart<T> = readonly T[] | Extract<ClientDetail['clients'], Error> | undefined;

interface Section {
  readonly title: SafeText;
  readonly note?: SafeText | undefined;
  readonly lines: readonly Line[];
}

const minSidesWidth = 100;
const minSidesHeight = 24;
/** The width from which on connection and session stand side by side. */
const minPairWidth = 160;

/** The height from which on the next step is shown: on a lower terminal the subscriptions need the room. */
const minNextHeight = 24;
const sidesOf = (width: number, height: number): boolean => width >= minSidesWidth && height >= minSidesHeight;

const innerWidth = (width: number, hasSides: boolean): number => (hasSides ? width - 2 : width);

/** Draws a panel, or its title and lines where there is no room for sides. */
const sectionLines = (
  theme: Theme,
  width: number,
  hasSides: boolean,
  title: SafeText,
  note: SafeText | undefined,
  lines: readonly Line[],
): readonly Line[] =>
  hasSides ? boxLines(theme, width, { title, note }, lines) : [titleLine(theme, width, title, note), ...lines];

/** Draws a section for each record, or one that says why there is none. @param width of the lines */
const partSections = <T,>(
  theme: Theme,
  width: number,
  part: DetailPart<T>,
  title: SafeText,
  empty: SafeText,
  write: (record: T) => readonly Line[],
  note?: SafeText,
): readonly Section[] => {
  if (part === undefined)
    return [{ title, lines: [messageLine(theme, width, { text: clientTexts.loading, role: 'dim' })] }];
  if (part instanceof Error)
    return [
      { title, lines: messageLines(theme, width, { text: clientTexts.failed(errorText(theme, part)), role: 'error' }) },
    ];
  if (part.length === 0) return [{ title, lines: [messageLine(theme, width, { text: empty })] }];
  return part.map((record, index) => ({
    title: part.length === 1 ? title : safe`${title} ${index + 1} of ${part.length}`,
    note,
    lines: write(record),
  }));
};

/** Whether further readings of the session will say more: not those of counters that stand still. */
export const willTrendGrow = (
  detail: ClientDetail | undefined,
  { isFrozen, isUnauthorized, isPast }: FetchContext,
  error: Failure | undefined,
): boolean =>
  !isFrozen &&
  !isUnauthorized &&
  (isPast !== true || detail !== undefined) &&
  (detail === undefined
    ? error === undefined
    : !(detail.sessions instanceof Error) &&
      detail.sessions.length > 0 &&
      asOfDisconnect(detail, undefined) === undefined);

/**
 * Writes the connection in a few words. `isIdle`: nothing is being read; `isNodeDown`: its last known node is not
 * running.
 */
export const connectionText = (detail: ClientDetail | undefined, isIdle = false, isNodeDown = false): Span => {
  const clients = detail?.clients;
  const sessions = detail?.sessions;
  if (clients === undefined) {
    return { text: isIdle ? unknownText : loadingText, role: 'dim' };
  }
  if (clients instanceof Error) {
    return { text: clientTexts.connectionUnknown, role: 'error' };
  }
  if (clients.length > 0) {
    return { text: safe`${glyphs.running} ${clientTexts.connected(clients.length)}`, role: 'ok' };
  }
  if (isNodeDown) {
    return { text: safe`! ${clientTexts.nodeDown}`, role: 'warning' };
  }
  const hasSession = sessions !== undefined && !(sessions instanceof Error) && sessions.length > 0;
  return { text: safe`${glyphs.stopped} ${hasSession ? clientTexts.sessionRemains : clientTexts.notConnected}` };
};

export const isUnknownClient = ({ clients, sessions, subscriptions }: ClientDetail): boolean =>
  [clients, sessions, subscriptions].every((part) => !(part instanceof Error) && part.length === 0);

interface DetailView {
  readonly trends: TrendsView;
  readonly clientId: string;
  readonly detail: ClientDetail | undefined;
  /** The last connection, if the lists know of one. */
  readonly lastKnown: Client | undefined;
  /** Shown when all parts failed. */
  readonly message: Span | undefined;
  readonly clocks: BrokerClocks;
  /** Says why the client may be connected although no node reports it. */
  readonly caveat: SafeText | undefined;
  readonly base: Role;
  readonly maxIdLines: number;
  /** The problem that Triage has found. */
  readonly problemLines: readonly Line[];
}

export const asOfDisconnect = (
  { clients, sessions, offline }: ClientDetail,
  nowMs: number | undefined,
): SafeText | undefined => {
  if (clients instanceof Error || clients.length > 0 || offline?.isLive === true) return undefined;
  if (sessions instanceof Error || !sessions.some(hasCounters)) return undefined;
  return clientTexts.countersAsOfDisconnect(
    offline === undefined || nowMs === undefined ? undefined : Math.max(0, nowMs - offline.sinceMs) / 1000,
  );
};

/** Draws everything above the subscriptions. */
const detailLines = (
  theme: Theme,
  width: number,
  height: number,
  { clientId, detail, lastKnown, message, clocks, caveat, base, maxIdLines, trends, problemLines }: DetailView,
): readonly Line[] => {
  const id = [
    ...(isShortId(theme, width, clientId) ? [] : idLines(theme, width, clientId, maxIdLines)),
    ...(caveat === undefined ? [] : messageLines(theme, width, { text: safe`! ${caveat}`, role: 'warning' })),
    ...problemLines,
  ];
  if (message !== undefined) {
    return [...id, ...messageLines(theme, width, message)];
  }
  const hasSides = sidesOf(width, height);
  if (detail !== undefined && isUnknownClient(detail)) {
    if (lastKnown === undefined)
      return [...id, messageLine(theme, width, { text: clientTexts.unknown, role: 'warning' })];
    const inner = innerWidth(width, hasSides);
    const fields = fieldLines(theme, inner, clientValues(theme, width, lastKnown, clocks, undefined), 'stale');
    return [
      ...id,
      ...messageLines(theme, width, { text: clientTexts.away, role: 'warning' }),
      ...sectionLines(theme, width, hasSides, clientTexts.lastConnection, undefined, fields),
    ];
  }
  const isPair =
    hasSides &&
    width >= minPairWidth &&
    [detail?.clients, detail?.sessions].every((part) => part === undefined || part instanceof Error || part.length < 2);
  const leftWidth = isPair ? Math.floor(width * 0.4) : width;
  const rightWidth = isPair ? width - leftWidth : width;
  const connections = partSections(
    theme,
    innerWidth(leftWidth, hasSides),
    detail?.clients,
    clientTexts.connection,
    clientTexts.notConnected,
    (client) =>
      fieldLines(
        theme,
        innerWidth(leftWidth, hasSides),
        clientValues(theme, leftWidth, client, clocks, only(detail?.sessions)),
        base,
      ),
  );
  const context: SessionContext = {
    clocks,
    queueLimit: trends.queueLimit,
    client: only(detail?.clients),
    isNarrow: !hasSides,
    subscriptions:
      detail === undefined || detail.subscriptions instanceof Error ? undefined : detail.subscriptions.length,
  };
  const sessions = partSections(
    theme,
    innerWidth(rightWidth, hasSides),
    detail?.sessions,
    clientTexts.session,
    clientTexts.noSession,
    (session) => [
      ...fieldLines(theme, innerWidth(rightWidth, hasSides), sessionValues(theme, rightWidth, session, context), base),
      ...(hasCounters(session)
        ? []
        : messageLines(theme, innerWidth(rightWidth, hasSides), { text: clientTexts.countersUnknown, role: 'dim' })),
    ],
    detail && asOfDisconnect(detail, clocks.nowMs),
  );
  const rows = isPair ? Math.max(...[...connections, ...sessions].map(({ lines }) => lines.length)) : 0;
  const draw = (sections: readonly Section[], columns: number): readonly Line[] =>
    sections.flatMap(({ title, note, lines }) =>
      sectionLines(theme, columns, hasSides, title, note, [
        ...lines,
        ...Array.from({ length: rows - lines.length }, () => composeLine(theme, innerWidth(columns, hasSides), [])),
      ]),
    );
  const [left, right] = [draw(connections, leftWidth), draw(sessions, rightWidth)];
  const above = [
    ...id,
    ...(isPair
      ? left.map((line, index) => joinLines(line, right[index] ?? composeLine(theme, rightWidth, [])))
      : [...left, ...right]),
  ];
  const subscriptions = subscriptionsHead(theme, width, hasSides, detail?.subscriptions);
  const listed = detail === undefined || detail.subscriptions instanceof Error ? 0 : detail.subscriptions.length;
  const below =
    subscriptions.length + (listed === 0 ? 0 : Math.min(listed, Math.floor(height / 4)) + (hasSides ? 1 : 0));
  // Title and last line of the page, and title or borders of the trends.
  const spare = height - 2 - above.length - below - (hasSides ? 2 : 1);
  return [
    ...above,
    ...trendLines(theme, width, hasSides, Math.max(minTrendRows(height), spare), trends, base),
    ...subscriptions,
  ];
};

const minEventLines = 4;

/** Whether a text names a client, and not only one whose ID begins or ends like its own. */
const isAbout = (text: string, clientId: string): boolean => {
  const isPart = (character: string | undefined): boolean => character !== undefined && /[\w-]/u.test(character);
  for (let at = text.indexOf(clientId); at !== -1; at = text.indexOf(clientId, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + clientId.length])) return true;
  return false;
};

/** What happened to the client, newest first, in at most `room` lines; nothing where there is little room. */
const eventLines = (
  theme: Theme,
  width: number,
  room: number,
  events: readonly TimelineEvent[],
  clientId: string,
): readonly Line[] => {
  if (room < minEventLines || clientId === '') return [];
  const rows = logRows(
    theme,
    width - panelFrame.columns,
    events.filter((event) => event.clientId === clientId || isAbout(event.text, clientId)),
    [],
  );
  if (rows.length === 0) return [];
  const height = Math.min(room, rows.length + panelFrame.lines);
  return panelRows(width, height, { title: logTexts.recentEvents, note: logTexts.newestFirst }, rows).map((row) =>
    composeLine(theme, width, row),
  );
};

/**
 * Returns rows of the trends where the page scrolls: a head, at least two rows of graphs, and the times if there is
 * room.
 */
const minTrendRows = (height: number): number => (height >= 30 ? 6 : height >= 24 ? 4 : 3);

const trendLines = (
  theme: Theme,
  width: number,
  hasSides: boolean,
  rows: number,
  view: TrendsView,
  base: Role,
): readonly Line[] => {
  const inner = innerWidth(width, hasSides);
  const lines = asStale(trendsIn(theme, inner - 4, rows, view), base === 'stale').map((row) =>
    composeLine(theme, inner, [{ text: safe`  ` }, ...row]),
  );
  return sectionLines(theme, width, hasSides, clientTexts.trends, trendNote(theme, view), lines);
};

/** Draws the title of the subscriptions, or their whole section where there are none. */
const subscriptionsHead = (
  theme: Theme,
  width: number,
  hasSides: boolean,
  part: DetailPart<Subscription>,
): readonly Line[] => {
  if (part !== undefined && !(part instanceof Error) && part.length > 0) {
    return sectionLines(theme, width, hasSides, clientTexts.subscriptions, formatCount(part.length), []).slice(0, 1);
  }
  return partSections(
    theme,
    innerWidth(width, hasSides),
    part,
    clientTexts.subscriptions,
    clientTexts.noSubscriptions,
    () => [],
  ).flatMap(({ title, note, lines }) => sectionLines(theme, width, hasSides, title, note, lines));
};

const subscriptionLine = (
  theme: Theme,
  width: number,
  hasSides: boolean,
  { topic, qos }: Subscription,
  base: Role = 'normal',
): Line => {
  const line = composeLine(
    theme,
    innerWidth(width, hasSides),
    [{ text: safe`  QoS ${formatCount(qos)}  `, role: 'dim' }, { text: theme.escape(topic, width) }],
    base,
  );
  return hasSides ? (boxLines(theme, width, { title: safe`` }, [line])[1] ?? line) : line;
};
