import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Client, Subscription } from '../../../domain/client.ts';
import { compareNatural } from '../../../domain/natural-order.ts';
import type { NodeName } from '../../../domain/node.ts';
import { isOlderThanExpected } from '../../../monitor/polling/intervals.ts';
import { maybeOnStoppedNodeText, stoppedNodesOf } from '../../../monitor/select/stopped-nodes.ts';
import type { ClientDetail, MonitorState } from '../../../monitor/state.ts';
import { formatElapsed } from '../../../terminal/format.ts';
import { composeEnds, composeLine, type Line } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { Rows } from '../../components/painted.tsx';
import { useTheme } from '../../components/theme-context.ts';
import { type ClientTarget, useClientKeys } from '../../dialogs/client-keys.tsx';
import type { ScreenProps } from '../../frame/screen.ts';
import { useBrokerClocks, useFetchContext } from '../../hooks/use-broker-clocks.ts';
import { useCopy } from '../../hooks/use-notice.ts';
import { useNow } from '../../hooks/use-now.ts';
import { positionText, useScroll } from '../../hooks/use-scroll.ts';
import { useStore, useWatch } from '../../hooks/use-store.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { dataProblem, idleMessage, missingMessage } from '../../list/resource-notice.ts';
import type { TabId } from '../registry.ts';
import { connectionText, detailLines, restOfId, subscriptionLine } from './client-lines.ts';

export interface ClientScreenProps extends ScreenProps {
  readonly clientId: string;
}

const noSubscriptions: readonly Subscription[] = [];

/** A client read by id has no node; the list knows it, if it shows the same connection. */
const withNode = (detail: ClientDetail | undefined, listed: Client | undefined): ClientDetail | undefined => {
  if (detail === undefined || detail.clients instanceof Error || listed?.connectedAt === undefined) {
    return detail;
  }
  const clients = detail.clients.map((client): Client => {
    const isSame = client.connectedAt === listed.connectedAt && client.port === listed.port && client.ipAddress === listed.ipAddress;
    return client.node === undefined && isSame ? { ...client, node: listed.node } : client;
  });
  return { ...detail, clients };
};

/** The target of this screen's keys: the connection shown, else the session, else the id, which is read first. */
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

/** The node that a client was last seen on. */
const useLastNode = (clientId: string, node: NodeName | undefined, isConnected: boolean): NodeName | undefined => {
  const [last, setLast] = useState({ clientId, node });
  const isNews = node !== undefined || isConnected || last.clientId !== clientId;
  if (isNews && (last.clientId !== clientId || last.node !== node)) {
    setLast({ clientId, node });
  }
  return isNews ? node : last.node;
};

/** Why the client may be connected although no node reports it. */
const doubtOf = (theme: Theme, lastNode: NodeName | undefined, stopped: readonly NodeName[]): SafeText | undefined => {
  if (lastNode !== undefined && stopped.includes(lastNode)) {
    return safe`${theme.escape(lastNode)}, where it was last seen, does not run: it may still be connected there.`;
  }
  const text = maybeOnStoppedNodeText(stopped);
  return text === undefined ? undefined : theme.escape(text);
};

/** One client: connection, session and subscriptions, each loaded or failed on its own. */
export const ClientScreen = ({ monitor, clientId, width, height, go, notify }: ClientScreenProps): ReactNode => {
  const theme = useTheme();
  useWatch(monitor, { kind: 'clientDetail', clientId });
  const state = useStore(monitor.store, useCallback(({ clientDetails }: MonitorState) => clientDetails.get(clientId), [clientId]));
  const listedRows = useStore(monitor.store, ({ clientScan }) => clientScan.rows);
  const intervalSeconds = useStore(monitor.store, (all) => all.intervalSeconds);
  const nowMs = useNow(1000);
  const clocks = useBrokerClocks(monitor, nowMs);
  const fetchContext = useFetchContext(monitor, nowMs);

  const listed = useMemo(() => listedRows.find((client) => client.clientId === clientId), [listedRows, clientId]);
  const detail = useMemo(() => withNode(state?.data, listed), [state?.data, listed]);
  const connected = detail === undefined || detail.clients instanceof Error ? undefined : detail.clients;
  const sessionNode = detail === undefined || detail.sessions instanceof Error ? undefined : detail.sessions[0]?.node;
  const isConnected = connected !== undefined && connected.length > 0;
  const lastNode = useLastNode(clientId, isConnected ? connected[0]?.node : (sessionNode ?? listed?.node), isConnected);
  const seenNodes = useStore(monitor.store, (all) => all.seenNodes);
  const stopped = useMemo(() => stoppedNodesOf({ seenNodes }), [seenNodes]);
  const doubt = detail === undefined || isConnected ? undefined : doubtOf(theme, lastNode, stopped);
  const isNodeDown = lastNode !== undefined && stopped.includes(lastNode);
  const subscriptions = useMemo(
    () =>
      detail === undefined || detail.subscriptions instanceof Error
        ? noSubscriptions
        : detail.subscriptions.toSorted((a, b) => compareNatural(a.topic, b.topic)),
    [detail],
  );

  const isStale = state !== undefined && isOlderThanExpected(state, intervalSeconds, nowMs);
  const base = isStale ? 'stale' : 'normal';
  const message = detail !== undefined ? undefined : state?.error === undefined ? idleMessage(fetchContext) : missingMessage(theme, state, safe`this client`, fetchContext);
  const maxIdLines = Math.max(2, Math.floor(height / 3));
  const head = useMemo(
    () => detailLines(theme, width, { clientId, detail, message, clocks, doubt, base, maxIdLines }),
    // oxlint-disable-next-line react/exhaustive-deps -- a message is the same when it says the same
    [theme, width, maxIdLines, clientId, detail, message?.text, clocks, doubt, base],
  );

  const problem = state === undefined ? undefined : dataProblem(theme, state, safe`this client`, isStale, fetchContext);
  const rest = useMemo(() => restOfId(theme, width, clientId, maxIdLines), [theme, width, clientId, maxIdLines]);
  const count = head.length + subscriptions.length + rest.length;
  const room = Math.max(1, height - 2 - (problem === undefined ? 0 : 1));
  const { window, handlers } = useScroll(count, room);
  const copy = useCopy(notify);
  useClientKeys({ monitor, target: targetOf(clientId, detail) });
  useKeys('list', {
    ...handlers,
    copyId: () => { copy(clientId); },
  });

  const open = (screen: TabId) => (): void => { go({ screen, scope: { kind: 'client', clientId } }); };
  useKeys('opened', { openSessions: open('sessions'), openSubscriptions: open('subscriptions') });

  const body = Array.from({ length: window.to - window.from }, (_, index): Line => {
    const at = window.from + index;
    const subscription = subscriptions[at - head.length];
    return head[at] ?? (subscription === undefined ? rest[at - head.length - subscriptions.length] : subscriptionLine(theme, width, subscription, base)) ?? composeLine(theme, width, []);
  });
  const blank = composeLine(theme, width, []);
  const took: SafeText = state?.durationMs === undefined ? safe`` : safe`3 requests · ${formatElapsed(state.durationMs)} `;
  const lines: readonly Line[] = [
    composeEnds(theme, width, [{ text: safe` CLIENT ${theme.escape(clientId, width)}`, role: 'header' }], [{ text: safe`  ` }, connectionText(detail, message !== undefined, isNodeDown), { text: safe` ` }]),
    ...body,
    ...Array.from({ length: room - body.length }, () => blank),
    ...(problem === undefined ? [] : [composeLine(theme, width, [{ text: safe` ` }, problem])]),
    composeEnds(theme, width, [{ text: safe` ${detail === undefined ? safe`` : positionText(window, count)}`, role: 'dim' }], [{ text: took, role: 'dim' }]),
  ];
  return <Rows lines={lines.slice(0, height)} />;
};
