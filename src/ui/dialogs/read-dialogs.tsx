import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import { clientIdOf } from '../../actions/clients.ts';
import type { Client } from '../../domain/client.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import { maybeOnStoppedNodeText, stoppedNodesOf } from '../../monitor/select/stopped-nodes.ts';
import type { ClientDetail } from '../../monitor/state.ts';
import { formatCount } from '../../terminal/format.ts';
import { composeLine, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { Rows } from '../components/painted.tsx';
import { useTheme } from '../components/theme-context.ts';
import { titleLine } from '../components/title-line.ts';
import { useKeys } from '../keys/use-keys.ts';
import type { AskRequest, ChooseSubscriptionRequest, MenuRequest, ReadClientRequest, ReadSubscriptionRequest, ReadUsersRequest, UserListing } from './ask.ts';
import { clearAclRequest, disconnectRequest, subscribeQuestion, unsubscribeRequest } from './client-requests.ts';

interface ReadDialogProps {
  readonly monitor: ActingMonitor;
  readonly width: number;
  /** Replaces this dialog. */
  readonly onReady: (next: AskRequest) => void;
  readonly onCancel: () => void;
}

/** Shown while reading, or instead of a question. */
const WaitingLines = ({ title, text, width, onCancel }: { readonly title: SafeText; readonly text: SafeText; readonly width: number; readonly onCancel: () => void }): ReactNode => {
  const theme = useTheme();
  useKeys('outcome', { outcomeClose: onCancel });
  return (
    <Rows
      lines={[
        titleLine(theme, width, title),
        ...wrapWords(text, Math.max(2, width - 4)).slice(0, 6).map((line) => composeLine(theme, width, [{ text: safe`  ${line}` }])),
        composeLine(theme, width, [{ text: safe`  ` }, { text: safe`Enter Esc`, role: 'key' }, { text: safe` close` }]),
      ]}
    />
  );
};

/** Reads the client when the dialog opens: what is known may be old. Returns the error if that fails. */
const useFreshDetail = (monitor: ActingMonitor, clientId: string): ClientDetail | Error | undefined => {
  const [detail, setDetail] = useState<ClientDetail | Error | undefined>(undefined);
  useEffect(() => {
    const abortController = new AbortController();
    const settle = (outcome: ClientDetail | Error): void => {
      if (!abortController.signal.aborted) {
        setDetail(outcome);
      }
    };
    void monitor.readClient(clientId, abortController.signal).then(settle, (thrown: unknown) => {
      settle(thrown instanceof Error ? thrown : new Error(String(thrown)));
    });
    return () => { abortController.abort(); };
  }, [monitor, clientId]);
  return detail;
};

const waiting = safe`··· reading it anew`;

const readClientDialogs: Readonly<Record<ReadClientRequest['wish'], {
  readonly title: (clientId: SafeText) => SafeText;
  readonly nobody: SafeText;
  readonly next: (theme: Theme, client: Client) => AskRequest;
}>> = {
  'disconnect': {
    title: (clientId) => safe`Disconnect ${clientId}`,
    nobody: safe`It is not connected: there is nothing to disconnect.`,
    next: disconnectRequest,
  },
  'clear-acl': {
    title: (clientId) => safe`Clear the ACL cache of ${clientId}`,
    nobody: safe`It is not connected: there is no cache to clear.`,
    next: clearAclRequest,
  },
};

/** Reads who is connected with an id, then asks about that connection. */
export const ReadClientDialog = ({ request, monitor, width, onReady, onCancel }: ReadDialogProps & { readonly request: ReadClientRequest }): ReactNode => {
  const theme = useTheme();
  const { clientId, node, wish } = request;
  const detail = useFreshDetail(monitor, clientId);
  const clients = detail instanceof Error ? detail : detail?.clients;
  const only = clients !== undefined && !(clients instanceof Error) && clients.length === 1 ? clients[0] : undefined;
  useEffect(() => {
    if (only !== undefined) {
      onReady(readClientDialogs[wish].next(theme, { ...only, node: only.node ?? node }));
    }
  }, [only, node, onReady, theme, wish]);
  const text = ((): SafeText => {
    if (clients === undefined || only !== undefined) {
      return waiting;
    }
    if (clients instanceof Error) {
      return theme.escape(clients.message);
    }
    const lookAlike = maybeOnStoppedNodeText(stoppedNodesOf(monitor.store.getState()));
    const nobody = lookAlike === undefined ? readClientDialogs[wish].nobody : safe`${readClientDialogs[wish].nobody} ${theme.escape(lookAlike)}`;
    return clients.length === 0 ? nobody : safe`${formatCount(clients.length)} connections have this id now, one taking over from the other.`;
  })();
  return <WaitingLines title={readClientDialogs[wish].title(theme.escape(clientId, width))} text={text} width={width} onCancel={onCancel} />;
};

/** Reads a client's subscriptions, then asks. An error is only shown: the action reads them again. */
export const ReadSubscriptionDialog = ({ request, monitor, width, onReady, onCancel }: ReadDialogProps & { readonly request: ReadSubscriptionRequest }): ReactNode => {
  const theme = useTheme();
  const clientId = clientIdOf(request.subscriber);
  const detail = useFreshDetail(monitor, clientId);
  useEffect(() => {
    if (detail !== undefined) {
      onReady(subscribeQuestion(theme, request, detail instanceof Error ? detail : detail.subscriptions));
    }
  }, [detail, onReady, request, theme]);
  return <WaitingLines title={safe`Subscribe ${theme.escape(clientId, width)}`} text={waiting} width={width} onCancel={onCancel} />;
};

/** Reads the users at each address, then asks about all; errors are kept per address. */
export const ReadUsersDialog = ({ request, monitor, width, onReady, onCancel }: ReadDialogProps & { readonly request: ReadUsersRequest }): ReactNode => {
  const { title, urls, next } = request;
  useEffect(() => {
    let isThere = true;
    const read = (url: string): Promise<UserListing> =>
      monitor.readUsers(url).then((users) => ({ url, users }), (thrown: unknown) => ({ url, users: thrown instanceof Error ? thrown : new Error(String(thrown)) }));
    const readAll = async (): Promise<void> => {
      const listings = await Promise.all(urls.map(read));
      if (isThere) {
        onReady(next(listings));
      }
    };
    void readAll();
    return () => { isThere = false; };
  }, [monitor, urls, next, onReady]);
  return <WaitingLines title={title} text={safe`··· reading the users at ${formatCount(urls.length)} addresses`} width={width} onCancel={onCancel} />;
};

/** Reads a client's subscriptions, then offers them. */
export const ChooseSubscriptionDialog = ({ request, monitor, width, onReady, onCancel }: ReadDialogProps & { readonly request: ChooseSubscriptionRequest }): ReactNode => {
  const theme = useTheme();
  const { clientId, node } = request;
  const detail = useFreshDetail(monitor, clientId);
  const subscriptions = detail instanceof Error ? detail : detail?.subscriptions;
  const menu = useMemo((): MenuRequest | undefined => {
    if (subscriptions === undefined || subscriptions instanceof Error || subscriptions.length === 0) {
      return undefined;
    }
    const sorted = subscriptions.toSorted((a, b) => compareNatural(a.topic, b.topic));
    return {
      kind: 'menu',
      title: safe`Unsubscribe ${theme.escape(clientId, 60)} from`,
      choices: sorted.map((subscription, index) => ({
        id: String(index),
        label: theme.escape(subscription.topic, width),
        note: subscription.qos === undefined ? undefined : safe`QoS ${subscription.qos}`,
        request: unsubscribeRequest(theme, { ...subscription, node: subscription.node ?? node }),
      })),
    };
  }, [subscriptions, clientId, node, theme, width]);
  useEffect(() => {
    if (menu !== undefined) {
      onReady(menu);
    }
  }, [menu, onReady]);
  const text = ((): SafeText => {
    if (subscriptions instanceof Error) {
      return theme.escape(subscriptions.message);
    }
    return subscriptions?.length === 0 ? safe`It has no subscriptions.` : waiting;
  })();
  return <WaitingLines title={safe`Unsubscribe ${theme.escape(clientId, width)}`} text={text} width={width} onCancel={onCancel} />;
};
