import { type ReactNode, useCallback, useEffect, useReducer } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import type { Action } from '../../actions/action.ts';
import { retryablePlaces } from '../../actions/bulk.ts';
import { disconnectClient } from '../../actions/clients.ts';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { useTheme } from '../components/theme-context.ts';
import type { Ask, AskRequest, BulkDisconnectRequest } from './ask.ts';
import { bulkCounts, BulkPreviewDialog, BulkProgressDialog } from './bulk-dialog.tsx';
import { ConfirmDialog, isActing, QuitDialog } from './confirm-dialog.tsx';
import { FormDialog } from './form-dialog.tsx';
import { OutcomeDialog } from './outcome-dialog.tsx';
import { ChooseSubscriptionDialog, ReadClientDialog, ReadSubscriptionDialog, ReadUsersDialog } from './read-dialogs.tsx';
import { MenuDialog, TextDialog } from './text-dialog.tsx';

export interface AskHost {
  readonly ask: Ask;
  readonly entry: AskEntry | undefined;
  readonly begin: (action: Action) => void;
  readonly beginBulk: (request: BulkDisconnectRequest, perSecond: number) => void;
  /** Opens the running or last bulk. */
  readonly showBulk: () => void;
  /** Ends the program; asks once if an action is running. */
  readonly quit: () => void;
  /** Ends the program without asking. */
  readonly exit: () => void;
  readonly next: (from: number, shown: AskRequest, values: Readonly<Record<string, string>>) => void;
  readonly replace: (from: number, shown: AskRequest) => void;
  readonly cancel: () => void;
  readonly close: () => void;
}

export interface AskHostOptions {
  readonly monitor: ActingMonitor;
  readonly isReadOnly: boolean;
  readonly notify: (text: SafeText) => void;
  /** Must be stable between renders. */
  readonly exit: () => void;
}

/** The open dialogs, and what confirming them starts. */
export const useAskHost = ({ monitor, isReadOnly, notify, exit }: AskHostOptions): AskHost => {
  const theme = useTheme();
  const [state, dispatch] = useReducer(reduceAsk, noDialog);
  const ask = useCallback((request: AskRequest) => {
    const { bulk, isUnauthorized, proxyRefusal } = monitor.store.getState();
    if (request.kind === 'text') {
      dispatch({ type: 'open', shown: request });
    } else if (proxyRefusal !== undefined) {
      notify(safe`nothing can be done: ${theme.escape(proxyRefusal.brief)}`);
    } else if (isUnauthorized) {
      notify(safe`nothing can be done: the broker rejected the user name or password; A signs in`);
    } else if (isReadOnly) {
      notify(safe`nothing can be done: this program was started to look only`);
    } else if (request.kind === 'bulk' && bulk !== undefined && bulk.phase !== 'finished') {
      notify(safe`others are being disconnected still, and one goes at a time: B shows them`);
    } else {
      dispatch({ type: 'open', shown: request });
    }
  }, [isReadOnly, monitor, notify, theme]);
  const begin = useCallback((action: Action) => {
    const afterKey = monitor.store.getState().actions.at(-1)?.key;
    void monitor.runAction(action);
    dispatch({ type: 'open', shown: { kind: 'running', action, afterKey } });
  }, [monitor]);
  const beginBulk = useCallback<AskHost['beginBulk']>(({ targets, onBegin, onEnd }, perSecond) => {
    const actions = targets.map((target) => disconnectClient.create(target));
    const bulk = monitor.startBulk(actions, { title: `disconnect ${formatCount(targets.length)} marked clients`, perSecond });
    if (bulk === undefined) {
      notify(safe`nothing was done: others are being disconnected still`);
    } else {
      onBegin?.();
      void bulk.finished.then((progress) => { onEnd?.(retryablePlaces(progress)); });
    }
    dispatch(bulk === undefined ? { type: 'close' } : { type: 'open', shown: { kind: 'bulk-running' } });
  }, [monitor, notify]);
  const showBulk = useCallback(() => {
    if (monitor.store.getState().bulk === undefined) {
      notify(safe`no marked clients have been disconnected in this run`);
    } else {
      dispatch({ type: 'open', shown: { kind: 'bulk-running' } });
    }
  }, [monitor, notify]);
  const next = useCallback<AskHost['next']>((from, shown, values) => { dispatch({ type: 'next', from, shown, values }); }, []);
  const replace = useCallback<AskHost['replace']>((from, shown) => { dispatch({ type: 'replace', from, shown }); }, []);
  const cancel = useCallback(() => { dispatch({ type: 'cancel' }); }, []);
  const close = useCallback(() => { dispatch({ type: 'close' }); }, []);
  const entry = state.entries.at(-1);
  const isQuitAsked = entry?.shown.kind === 'quit';
  const quit = useCallback(() => {
    if (isQuitAsked || !isActing(monitor.store.getState())) {
      exit();
    } else {
      dispatch({ type: 'over', shown: { kind: 'quit' } });
    }
  }, [monitor, exit, isQuitAsked]);
  const isBulkShown = entry?.shown.kind === 'bulk-running';
  useEffect(() => (isBulkShown ? undefined : monitor.store.subscribe(({ bulk }, before) => {
    // Its dialog is closed, so the status line reports the end.
    if (bulk?.phase === 'finished' && before.bulk?.phase !== 'finished') {
      notify(safe`${bulk.endedBecause === undefined ? safe`finished` : safe`aborted`}: ${bulkCounts(bulk)}`);
    }
  })), [isBulkShown, monitor, notify]);
  return { ask, entry, begin, beginBulk, showBulk, quit, exit, next, replace, cancel, close };
};

export interface AskDialogProps {
  readonly host: AskHost;
  readonly entry: AskEntry;
  readonly monitor: ActingMonitor;
  readonly width: number;
  readonly height: number;
}

/** Renders the open dialog. */
export const AskDialog = ({ host, entry, monitor, width, height }: AskDialogProps): ReactNode => {
  const { shown, key, values } = entry;
  const { begin, beginBulk, quit, exit, next, replace, cancel, close } = host;
  const size = { width, height };
  const onReady = useCallback((request: AskRequest) => { replace(key, request); }, [replace, key]);
  switch (shown.kind) {
    case 'confirm':
      return <ConfirmDialog {...size} request={shown} onConfirm={() => { begin(shown.action); }} onCancel={cancel} />;
    case 'form':
      return <FormDialog {...size} request={shown} before={values} onNext={(typed, request) => { next(key, request, typed); }} onCancel={cancel} />;
    case 'menu':
      return <MenuDialog {...size} request={shown} onChoose={onReady} onCancel={cancel} />;
    case 'bulk':
      return <BulkPreviewDialog {...size} request={shown} monitor={monitor} onConfirm={(perSecond) => { beginBulk(shown, perSecond); }} onCancel={cancel} />;
    case 'read-client':
      return <ReadClientDialog width={width} request={shown} monitor={monitor} onReady={onReady} onCancel={cancel} />;
    case 'read-subscription':
      return <ReadSubscriptionDialog width={width} request={shown} monitor={monitor} onReady={onReady} onCancel={cancel} />;
    case 'read-users':
      return <ReadUsersDialog width={width} request={shown} monitor={monitor} onReady={onReady} onCancel={cancel} />;
    case 'choose-subscription':
      return <ChooseSubscriptionDialog width={width} request={shown} monitor={monitor} onReady={onReady} onCancel={cancel} />;
    case 'running':
      return <OutcomeDialog {...size} monitor={monitor} action={shown.action} afterKey={shown.afterKey} onClose={close} onQuit={quit} />;
    case 'bulk-running':
      return <BulkProgressDialog {...size} monitor={monitor} onClose={close} onQuit={quit} />;
    case 'text':
      return <TextDialog {...size} request={shown} onClose={close} />;
    case 'quit':
      return <QuitDialog {...size} monitor={monitor} onConfirm={exit} onCancel={cancel} />;
  }
};

/** One dialog on the stack. */
export interface AskEntry {
  /** Unique, so that text typed in one dialog never shows in another. */
  readonly key: number;
  readonly shown:
    | AskRequest
    | { readonly kind: 'running'; readonly action: Action; readonly afterKey: string | undefined }
    /** The running or last bulk. */
    | { readonly kind: 'bulk-running' }
    | { readonly kind: 'quit' };
  /** What was typed into a form before the next dialog opened. */
  readonly values?: Readonly<Record<string, string>> | undefined;
}

/** The dialog stack; the last one is visible. */
export interface AskState {
  readonly entries: readonly AskEntry[];
  readonly nextKey: number;
}

export type AskAction =
  /** Replaces all dialogs. */
  | { readonly type: 'open'; readonly shown: AskEntry['shown'] }
  /** Opens on top; cancelling returns to the one below. */
  | { readonly type: 'over'; readonly shown: AskEntry['shown'] }
  /** Opens on top of a form; cancelling returns to the form. */
  | { readonly type: 'next'; readonly from: number; readonly shown: AskRequest; readonly values: Readonly<Record<string, string>> }
  /** Replaces the dialog that led here. */
  | { readonly type: 'replace'; readonly from: number; readonly shown: AskRequest }
  | { readonly type: 'cancel' }
  | { readonly type: 'close' };

export const noDialog: AskState = { entries: [], nextKey: 1 };

/** The dialog reducer. Ignores what a dialog sends that is no longer on top. */
export const reduceAsk = (state: AskState, action: AskAction): AskState => {
  const { entries, nextKey } = state;
  const top = entries.at(-1);
  switch (action.type) {
    case 'open':
      return { entries: [{ key: nextKey, shown: action.shown }], nextKey: nextKey + 1 };
    case 'over':
      return { entries: [...entries, { key: nextKey, shown: action.shown }], nextKey: nextKey + 1 };
    case 'next':
      return top?.key !== action.from
        ? state
        : { entries: [...entries.slice(0, -1), { ...top, values: action.values }, { key: nextKey, shown: action.shown }], nextKey: nextKey + 1 };
    case 'replace':
      return top?.key !== action.from ? state : { entries: [...entries.slice(0, -1), { key: nextKey, shown: action.shown }], nextKey: nextKey + 1 };
    case 'cancel': {
      // A new key mounts the form again, with the values of its entry.
      const below = entries.at(-2);
      return below === undefined ? { ...state, entries: [] } : { entries: [...entries.slice(0, -2), { ...below, key: nextKey }], nextKey: nextKey + 1 };
    }
    case 'close':
      return { ...state, entries: [] };
  }
};
