import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import type {
  ChooseRequest,
  ChooseSubscriptionRequest,
  DialogRequest,
  MenuRequest,
  ReadBannedRequest,
  ReadClientRequest,
  ReadSubscriptionRequest,
  ReadUsersRequest,
  TextRequest,
  UserListing,
} from '../../actions/requests.ts';
import type { Capabilities } from '../../api/management-api.ts';
import { type Client, clientIdOf } from '../../domain/client.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import { type SlicedTask, startSliced } from '../../domain/sliced-task.ts';
import { reading, watchOf } from '../../monitor/query/part.ts';
import { maybeOnStoppedNodeText } from '../../monitor/texts.ts';
import { isConcernedBy, searchOfBan } from '../../resources/bans/actions.ts';
import { banTexts } from '../../resources/bans/texts.ts';
import {
  clearAclRequest,
  clearWholeAclRequest,
  disconnectRequest,
  endSessionRequest,
} from '../../resources/clients/actions.ts';
import type { ClientDetail } from '../../resources/clients/client-detail.ts';
import { readClient } from '../../resources/clients/detail.ts';
import { clientSearch } from '../../resources/clients/search.ts';
import { clientDialogTexts } from '../../resources/clients/texts.ts';
import { seenNodes } from '../../resources/nodes/resource.ts';
import { stoppedNodesOf } from '../../resources/nodes/select.ts';
import { type SessionKnowledge, sessionKnowledge } from '../../resources/sessions/knowledge.ts';
import { subscribeQuestion, unsubscribeRequest } from '../../resources/subscriptions/actions.ts';
import { subscriptionTexts } from '../../resources/subscriptions/texts.ts';
import { readUsersAt } from '../../resources/users/resource.ts';
import { userTexts } from '../../resources/users/texts.ts';
import { loadingText } from '../../terminal/format.ts';
import { composeLine, type Line, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { fit, padText, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { titleLine } from '../components/blocks.ts';
import { type Button, buttonsLine, closeButtons, DialogBox, fitDialog } from '../components/dialog-box.tsx';
import { useTheme } from '../components/drawing.tsx';
import { Menu, type MenuItem, useMenu } from '../components/menu.tsx';
import { scrolledWindow, type TextWindow, useTop } from '../hooks/use-scroll.ts';
import { useReading, useWatch } from '../hooks/use-store.ts';
import { useAvailableCommands, useKeys } from '../keys/use-keys.ts';
import { dialogTexts } from './texts.ts';

export interface TextView extends Pick<TextWindow, 'maxTop' | 'page'> {
  readonly lines: readonly Line[];
}

const textButtons = (hasChange: boolean): readonly Button[] => [
  ...(hasChange ? [{ id: 'textChange', keys: safe`e`, label: dialogTexts.change } as const] : []),
  ...closeButtons('helpClose'),
];

/** The largest share of a line for its label; a longer one stands above its text. */
const maxLabelShare = 0.4;

export const textLines = (
  theme: Theme,
  width: number,
  height: number,
  { title, parts }: TextRequest,
  top = 0,
  hasChange = false,
): TextView => {
  const room = Math.max(2, width - 4);
  const isBeside = ({ label, isBlock }: TextRequest['parts'][number]): boolean =>
    label !== undefined && isBlock !== true && widthOf(label) <= room * maxLabelShare;
  const labelWidth = Math.max(0, ...parts.filter(isBeside).map(({ label = safe`` }) => widthOf(label) + 2));
  const all = parts.flatMap((part): readonly Line[] => {
    const { label, text } = part;
    const indent = isBeside(part) ? labelWidth : 0;
    return [
      ...(label === undefined || indent > 0
        ? []
        : [composeLine(theme, width, [{ text: safe`  ` }, { text: label, role: 'dim' }])]),
      ...wrapWords(text, Math.max(2, room - indent)).map((line, index) =>
        composeLine(theme, width, [
          { text: safe`  ` },
          { text: fit(index === 0 && label !== undefined ? label : safe``, indent), role: 'dim' },
          { text: line },
        ]),
      ),
    ];
  });
  const { from, to, maxTop, page, position } = scrolledWindow(all.length, Math.max(1, height - 2), top);
  const lines = [
    titleLine(theme, width, title),
    ...all.slice(from, to),
    ...(position === undefined ? [] : [composeLine(theme, width, [{ text: safe`  ${position}`, role: 'dim' }])]),
    buttonsLine(theme, width, textButtons(hasChange)),
  ];
  return { lines: lines.slice(-Math.max(1, height)), maxTop, page };
};

export interface TextDialogProps {
  readonly request: TextRequest;
  readonly width: number;
  readonly height: number;
  /** Opens what changes the text; absent in read-only mode. */
  readonly onChange?: ((request: DialogRequest) => void) | undefined;
  readonly onClose: () => void;
}

/** Shows a text, also in read-only mode. */
export const TextDialog = ({ request, width, height, onChange, onClose }: TextDialogProps): ReactNode => {
  const theme = useTheme();
  const { top, scroll } = useTop();
  const { change } = request;
  const doChange =
    change === undefined || onChange === undefined
      ? undefined
      : (): void => {
          onChange(change);
        };
  const dialog = fitDialog({
    theme,
    title: request.title,
    width,
    height,
    draw: (inner, lines) => textLines(theme, inner, lines, request, top, doChange !== undefined),
  });
  const view = dialog.content;
  const by = (lines: number) => (): void => {
    scroll(lines, view.maxTop);
  };
  useKeys('help', {
    textChange: doChange,
    helpClose: onClose,
    helpUp: by(-1),
    helpDown: by(1),
    helpPageUp: by(-view.page),
    helpPageDown: by(view.page),
  });
  return <DialogBox dialog={dialog} buttons={textButtons(doChange !== undefined)} area={{ width, height }} />;
};

export interface MenuDialogProps {
  readonly request: MenuRequest;
  readonly width: number;
  readonly height: number;
  readonly onChoose: (next: DialogRequest) => void;
  readonly onCancel: () => void;
}

export const MenuDialog = ({
  request: { title, choices, notes, selectedId },
  width,
  height,
  onChoose,
  onCancel,
}: MenuDialogProps): ReactNode => {
  const available = useAvailableCommands();
  const choose = (id: string): void => {
    const next = choices.find((candidate) => candidate.id === id)?.next;
    if (typeof next === 'string') {
      onCancel();
      available.run(next);
    } else if (next !== undefined) {
      onChoose(next);
    }
  };
  return (
    <Choices
      title={title}
      items={choices.map(({ id, label, note }) => ({ id, label, note }))}
      initialId={selectedId}
      notes={notes}
      width={width}
      height={height}
      onChoose={choose}
      onCancel={onCancel}
    />
  );
};

export interface ChooseDialogProps {
  readonly request: ChooseRequest;
  readonly width: number;
  readonly height: number;
  readonly onChoose: (id: string) => void;
  readonly onCancel: () => void;
}

/** A menu with a note for each choice, computed in slices because long lists take a while. */
export const ChooseDialog = ({
  request: { title, choices, selectedId },
  width,
  height,
  onChoose,
  onCancel,
}: ChooseDialogProps): ReactNode => {
  const [notes, setNotes] = useState<ReadonlyMap<string, SafeText>>(() => new Map());
  useEffect(() => {
    function* noteAll(): SlicedTask<void> {
      for (const { id, note } of choices) {
        const text = yield* note();
        setNotes((known) => new Map([...known, [id, text]]));
      }
    }
    return startSliced(noteAll(), () => {});
  }, [choices]);
  const labelWidth = Math.max(...choices.map(({ label }) => widthOf(label)));
  const items = choices.map(({ id, label }) => ({
    id,
    label: safe`${padText(label, labelWidth)}  ${notes.get(id) ?? loadingText}`,
  }));
  return (
    <Choices
      title={title}
      items={items}
      initialId={selectedId}
      width={width}
      height={height}
      onChoose={onChoose}
      onCancel={onCancel}
    />
  );
};

interface ChoicesProps {
  readonly title: SafeText;
  readonly items: readonly MenuItem[];
  readonly initialId?: string | undefined;
  readonly notes?: readonly SafeText[] | undefined;
  readonly width: number;
  readonly height: number;
  readonly onChoose: (id: string) => void;
  readonly onCancel: () => void;
}

const choiceButtons: readonly Button[] = [
  { id: 'menuAccept', keys: safe`Enter`, label: dialogTexts.choose },
  { id: 'menuCancel', keys: safe`Esc`, label: dialogTexts.cancel },
];

const Choices = ({
  title,
  items,
  initialId,
  notes = [],
  width,
  height,
  onChoose,
  onCancel,
}: ChoicesProps): ReactNode => {
  const theme = useTheme();
  const selectedId = useMenu(
    items.map(({ id }) => id),
    { initialId, onChoose, onClose: onCancel, labels: items.map(({ label }) => label) },
  );
  const dialog = fitDialog({
    theme,
    title,
    width,
    height,
    draw: (inner, lines) => {
      const noteLines = notes
        .flatMap((note) => wrapWords(note, Math.max(2, inner - 4)))
        .slice(0, Math.max(0, lines - 3));
      const menuHeight = Math.max(1, Math.min(items.length, lines - 2 - noteLines.length));
      return {
        width: inner,
        menuHeight,
        hasList: true,
        lines: [
          titleLine(theme, inner, title),
          ...Array.from({ length: menuHeight }, () => composeLine(theme, inner, [])),
          ...noteLines.map((text) => composeLine(theme, inner, [{ text: safe`  ` }, { text, role: 'dim' }])),
          buttonsLine(theme, inner, choiceButtons),
        ],
      };
    },
  });
  const menu = (
    <Menu
      items={items}
      selectedId={selectedId}
      onChoose={onChoose}
      width={dialog.content.width}
      height={dialog.content.menuHeight}
    />
  );
  return (
    <DialogBox dialog={dialog} buttons={choiceButtons} area={{ width, height }} inside={{ line: 1, children: menu }} />
  );
};

interface ReadDialogProps {
  readonly monitor: ActingMonitor;
  readonly width: number;
  readonly height: number;
  readonly onReady: (next: DialogRequest) => void;
  readonly onCancel: () => void;
}

interface WaitingProps extends Pick<ReadDialogProps, 'width' | 'height' | 'onCancel'> {
  readonly title: SafeText;
  readonly text: SafeText;
}

const WaitingDialog = ({ title, text, width, height, onCancel }: WaitingProps): ReactNode => {
  const theme = useTheme();
  useKeys('outcome', { outcomeClose: onCancel });
  const dialog = fitDialog({
    theme,
    title,
    width,
    height,
    draw: (inner) => ({
      lines: [
        titleLine(theme, inner, title),
        ...wrapWords(text, Math.max(2, inner - 4))
          .slice(0, 6)
          .map((line) => composeLine(theme, inner, [{ text: safe`  ${line}` }])),
        buttonsLine(theme, inner, closeButtons('outcomeClose')),
      ],
    }),
  });
  return <DialogBox dialog={dialog} buttons={closeButtons('outcomeClose')} area={{ width, height }} />;
};

const useFreshDetail = (monitor: ActingMonitor, clientId: string): ClientDetail | Error | undefined => {
  const [detail, setDetail] = useState<ClientDetail | Error | undefined>(undefined);
  useEffect(() => {
    const abortController = new AbortController();
    const settle = (outcome: ClientDetail | Error): void => {
      if (!abortController.signal.aborted) {
        setDetail(outcome);
      }
    };
    void readClient(monitor, clientId, abortController.signal).then(settle, (thrown: unknown) => {
      settle(thrown instanceof Error ? thrown : new Error(String(thrown)));
    });
    return () => {
      abortController.abort();
    };
  }, [monitor, clientId]);
  return detail;
};

const readClientDialogs: Readonly<
  Record<
    ReadClientRequest['purpose'],
    {
      readonly title: (clientId: SafeText) => SafeText;
      readonly notConnected: SafeText;
      readonly next: (
        theme: Theme,
        client: Client,
        knowledge: SessionKnowledge,
        capabilities: Capabilities | undefined,
      ) => DialogRequest;
    }
  >
> = {
  disconnect: {
    ...clientDialogTexts.disconnect,
    next: disconnectRequest,
  },
  'clear-acl': {
    ...clientDialogTexts.clearAcl,
    next: (theme, client, _, capabilities) =>
      (capabilities?.clearsWholeAclCache === true ? clearWholeAclRequest : clearAclRequest)(theme, client),
  },
};

export const ReadClientDialog = ({
  request,
  monitor,
  width,
  height,
  onReady,
  onCancel,
}: ReadDialogProps & { readonly request: ReadClientRequest }): ReactNode => {
  const theme = useTheme();
  const { clientId, node, purpose, onSettled } = request;
  const detail = useFreshDetail(monitor, clientId);
  const clients = detail instanceof Error ? detail : detail?.clients;
  const only = clients !== undefined && !(clients instanceof Error) && clients.length === 1 ? clients[0] : undefined;
  const { capabilities } = monitor.store.getState();
  const countersSeconds = capabilities?.sessionCountersSeconds;
  const endsSession = purpose === 'disconnect' && capabilities?.disconnectEndsSession === true;
  const sessions =
    detail === undefined || detail instanceof Error || detail.sessions instanceof Error ? [] : detail.sessions;
  const offline =
    endsSession && clients !== undefined && !(clients instanceof Error) && clients.length === 0 && sessions.length === 1
      ? sessions[0]
      : undefined;
  useEffect(() => {
    if (offline !== undefined)
      onReady({ ...endSessionRequest(theme, { ...offline, node: offline.node ?? node }, countersSeconds), onSettled });
  }, [offline, node, onReady, theme, onSettled, countersSeconds]);
  useEffect(() => {
    if (only !== undefined && !(detail instanceof Error)) {
      const next = readClientDialogs[purpose].next(
        theme,
        { ...only, node: only.node ?? node },
        sessionKnowledge(monitor.store.getState(), only.clientId, detail?.sessions),
        monitor.store.getState().capabilities,
      );
      onReady(next.kind === 'confirm' ? { ...next, onSettled } : next);
    }
  }, [only, detail, node, onReady, theme, purpose, monitor, onSettled]);
  const text = ((): SafeText => {
    if (clients === undefined || only !== undefined || offline !== undefined) {
      return dialogTexts.reading;
    }
    if (clients instanceof Error) {
      return theme.escape(clients.message);
    }
    const stoppedNote = maybeOnStoppedNodeText(stoppedNodesOf(reading(monitor.store.getState(), seenNodes)));
    const { notConnected } = readClientDialogs[purpose];
    if (clients.length > 0) return clientDialogTexts.twoConnections(clients.length);
    return stoppedNote === undefined ? notConnected : safe`${notConnected} ${theme.escape(stoppedNote)}`;
  })();
  return (
    <WaitingDialog
      title={readClientDialogs[purpose].title(theme.escape(clientId, width))}
      text={text}
      width={width}
      height={height}
      onCancel={onCancel}
    />
  );
};

/** Reads the clients that a ban concerns, as they are now, for a bulk disconnect. */
export const ReadBannedDialog = ({
  request,
  monitor,
  width,
  height,
  onReady,
  onCancel,
}: ReadDialogProps & { readonly request: ReadBannedRequest }): ReactNode => {
  const theme = useTheme();
  const { target } = request;
  const searches = useMemo(() => [searchOfBan(target) ?? {}], [target]);
  const [sinceMs] = useState(() => Date.now());
  useWatch(monitor, watchOf(clientSearch, searches));
  const { data, error, updatedAtMs = 0, isFetching } = useReading(monitor, clientSearch, searches);
  // An earlier search may have found others.
  const found = updatedAtMs >= sinceMs ? data : undefined;
  const clients = useMemo(() => found?.items.filter((client) => isConcernedBy(target, client)), [found, target]);
  const concerned = banTexts.concerned(target.kind, theme.escapeEnds(target.value, maxConcernedWidth));
  useEffect(() => {
    if (clients === undefined || clients.length === 0) return;
    onReady({
      kind: 'bulk',
      group: {
        by: target.kind === 'username' ? 'username' : 'address',
        text: found?.hasMore === true ? banTexts.firstOf(concerned) : concerned,
      },
      targets: clients.map((client) => ({ kind: 'client', client })),
      changedIds: new Set(),
      shownCount: clients.length,
      areBanned: true,
    });
  }, [clients, concerned, found, onReady, target]);
  const text =
    clients === undefined
      ? error === undefined || isFetching
        ? dialogTexts.reading
        : theme.escape(error.message)
      : clients.length === 0
        ? banTexts.noneConcerned
        : dialogTexts.reading;
  return (
    <WaitingDialog
      title={banTexts.concernedTitle(concerned)}
      text={text}
      width={width}
      height={height}
      onCancel={onCancel}
    />
  );
};

const maxConcernedWidth = 40;

/** Reads the subscriptions before it asks. An error is only shown: the action reads them again. */
export const ReadSubscriptionDialog = ({
  request,
  monitor,
  width,
  height,
  onReady,
  onCancel,
}: ReadDialogProps & { readonly request: ReadSubscriptionRequest }): ReactNode => {
  const theme = useTheme();
  const clientId = clientIdOf(request.subscriber);
  const detail = useFreshDetail(monitor, clientId);
  useEffect(() => {
    if (detail !== undefined) {
      onReady(subscribeQuestion(theme, request, detail instanceof Error ? detail : detail.subscriptions));
    }
  }, [detail, onReady, request, theme]);
  return (
    <WaitingDialog
      title={subscriptionTexts.subscribe.title(theme.escape(clientId, width))}
      text={dialogTexts.reading}
      width={width}
      height={height}
      onCancel={onCancel}
    />
  );
};

/** Reads the users of each address. Errors are kept per address. */
export const ReadUsersDialog = ({
  request,
  monitor,
  width,
  height,
  onReady,
  onCancel,
}: ReadDialogProps & { readonly request: ReadUsersRequest }): ReactNode => {
  const { title, urls, next } = request;
  useEffect(() => {
    let isMounted = true;
    const read = (url: string): Promise<UserListing> =>
      readUsersAt(monitor, url).then(
        (users) => ({ url, users }),
        (thrown: unknown) => ({ url, users: thrown instanceof Error ? thrown : new Error(String(thrown)) }),
      );
    const readAll = async (): Promise<void> => {
      const listings = await Promise.all(urls.map(read));
      if (isMounted) {
        onReady(next(listings));
      }
    };
    void readAll();
    return () => {
      isMounted = false;
    };
  }, [monitor, urls, next, onReady]);
  return (
    <WaitingDialog
      title={title}
      text={userTexts.readingAt(urls.length)}
      width={width}
      height={height}
      onCancel={onCancel}
    />
  );
};

export const ChooseSubscriptionDialog = ({
  request,
  monitor,
  width,
  height,
  onReady,
  onCancel,
}: ReadDialogProps & { readonly request: ChooseSubscriptionRequest }): ReactNode => {
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
      title: subscriptionTexts.unsubscribe.menuTitle(theme.escape(clientId, 60)),
      choices: sorted.map((subscription, index) => ({
        id: String(index),
        label: theme.escape(subscription.topic, width),
        note: subscription.qos === undefined ? undefined : subscriptionTexts.unsubscribe.qos(subscription.qos),
        next: unsubscribeRequest(theme, { ...subscription, node: subscription.node ?? node }),
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
    return subscriptions?.length === 0 ? subscriptionTexts.unsubscribe.none : dialogTexts.reading;
  })();
  return (
    <WaitingDialog
      title={subscriptionTexts.unsubscribe.title(theme.escape(clientId, width))}
      text={text}
      width={width}
      height={height}
      onCancel={onCancel}
    />
  );
};
