import type { BulkDisconnectRequest, ConfirmRequest, DialogRequest } from '../../actions/requests.ts';
import { type ReactNode, useCallback, useEffect, useReducer } from 'react';
import type { ActingMonitor, ActingState } from '../../actions/acting-monitor.ts';
import type { Action } from '../../actions/action.ts';
import type { NodeName } from '../../domain/node.ts';
import { bulkCounts, retryablePlaces } from '../../actions/bulk.ts';
import { isSkipped, isSuccess } from '../../actions/describe.ts';
import { bulkTexts } from '../../actions/texts.ts';
import { formatCount } from '../../terminal/format.ts';
import { escapeText, type SafeText } from '../../terminal/safe-text.ts';
import { widthOf } from '../../terminal/text-width.ts';
import { useTheme } from '../components/drawing.tsx';
import { briefOutcome } from './brief-outcome.ts';
import type { OpenDialog } from '../hooks/open-dialog.ts';
import { ConfirmDialog, isActing, QuitDialog } from './confirm-dialog.tsx';
import { FormDialog } from './form-dialog.tsx';
import { OutcomeDialog } from './outcome-dialog.tsx';
import { ChooseDialog, MenuDialog, ReadDialog, TextDialog } from './text-dialogs.tsx';
import { dialogTexts, unavailableTexts } from './texts.ts';
import type { Notify } from '../screen.ts';

export interface DialogHost {
  readonly ask: OpenDialog;
  readonly entry: DialogEntry | undefined;
  readonly begin: (request: ConfirmRequest) => void;
  readonly beginBulk: (request: BulkDisconnectRequest, plan: BulkChoice) => void;
  readonly showBulk: () => void;
  /** Asks once if an action is running, if a secret is shown, or if the demo's cluster would end; not for that if it was Ctrl-C. */
  readonly quit: (key?: string) => void;
  readonly exit: () => void;
  readonly next: (from: number, shown: DialogRequest, values: Readonly<Record<string, string>>) => void;
  readonly replace: (from: number, shown: DialogRequest) => void;
  readonly cancel: () => void;
  /** Does what `cancel` does, and says that nothing was sent if no form is below. */
  readonly cancelAction: () => void;
  readonly close: () => void;
}

export interface AskHostOptions {
  readonly monitor: ActingMonitor;
  /** Says why nothing may be asked for that acts; dialogs that send nothing open nevertheless. */
  readonly refusal?: SafeText | undefined;
  /** The broker ends with the program. */
  readonly isDemo?: boolean | undefined;
  readonly notify: Notify;
  /** The width of the status line. */
  readonly width: number;
  /** Returns the names of all nodes, which messages shorten. Must be stable between renders. */
  readonly nodeNames: () => readonly NodeName[];
  /** Said where a bulk cannot begin because one is running, and where none was begun. Must be stable between renders. */
  readonly bulkTold: { readonly running: SafeText; readonly none: SafeText };
  /** Ends the program. Must be stable between renders. */
  readonly exit: () => void;
  /** Runs a command by its name. Must be stable between renders. */
  readonly run: (command: string) => void;
  /** Says what goes on at the broker when the program ends. Must be stable between renders. */
  readonly leftRunning?: ((state: ActingState) => readonly SafeText[]) | undefined;
}

/** Columns around a text in the status line. */
const noticeMargin = 2;

export const useDialogHost = ({
  monitor,
  refusal,
  isDemo = false,
  notify,
  width,
  nodeNames,
  bulkTold,
  exit,
  run,
  leftRunning,
}: AskHostOptions): DialogHost => {
  const theme = useTheme();
  const [state, dispatch] = useReducer(reduceDialogs, noDialog);
  const ask = useCallback(
    (request: DialogRequest) => {
      const { bulk, isUnauthorized, proxyLoginError } = monitor.store.getState();
      if (
        request.kind === 'text' ||
        request.kind === 'choose' ||
        (request.kind === 'form' && request.isLocal === true)
      ) {
        dispatch({ type: 'open', shown: request });
      } else if (proxyLoginError !== undefined) {
        notify(unavailableTexts.proxy(theme.escape(proxyLoginError.brief)));
      } else if (isUnauthorized) {
        notify(unavailableTexts.unauthorized);
      } else if (refusal !== undefined) {
        notify(refusal);
      } else if (request.kind === 'bulk' && bulk !== undefined && bulk.phase !== 'finished') {
        notify(bulkTold.running);
      } else {
        dispatch({ type: 'open', shown: request });
      }
    },
    [refusal, monitor, notify, theme, bulkTold],
  );
  const begin = useCallback(
    ({ action, offer, onSettled, showWith }: ConfirmRequest) => {
      const afterKey = monitor.store.getState().actions.at(-1)?.key;
      const closing = new AbortController();
      void monitor.runAction(action, closing.signal).then((result) => {
        if (isSuccess(result) || isSkipped(result)) onSettled?.();
        if (isSuccess(result) && showWith !== undefined) {
          dispatch({ type: 'done', action });
          run(showWith);
        }
        const brief = briefOutcome(action, result, nodeNames());
        const text = brief === undefined ? undefined : theme.escape(brief);
        if (text === undefined || widthOf(text) > width - noticeMargin) return;
        notify(text, 'ok');
        dispatch({ type: 'done', action });
      });
      dispatch({ type: 'open', shown: { kind: 'running', action, offer, afterKey, closing } });
    },
    [monitor, notify, theme, width, nodeNames, run],
  );
  const beginBulk = useCallback<DialogHost['beginBulk']>(
    ({ group, onBegin, onEnd }, { actions, places, perSecond }) => {
      const bulk = monitor.startBulk(actions, { title: bulkTexts.title(actions.length, group?.text), perSecond });
      if (bulk === undefined) {
        notify(bulkTold.running);
      } else {
        onBegin?.();
        void bulk.finished.then((progress) => {
          onEnd?.(new Set([...retryablePlaces(progress)].flatMap((index) => places[index] ?? [])));
        });
      }
      dispatch(bulk === undefined ? { type: 'close' } : { type: 'open', shown: { kind: 'bulk-running' } });
    },
    [monitor, notify, bulkTold],
  );
  const showBulk = useCallback(() => {
    if (monitor.store.getState().bulk === undefined) {
      notify(bulkTold.none);
    } else {
      dispatch({ type: 'open', shown: { kind: 'bulk-running' } });
    }
  }, [monitor, notify, bulkTold]);
  const next = useCallback<DialogHost['next']>((from, shown, values) => {
    dispatch({ type: 'next', from, shown, values });
  }, []);
  const replace = useCallback<DialogHost['replace']>((from, shown) => {
    dispatch({ type: 'replace', from, shown });
  }, []);
  const cancel = useCallback(() => {
    dispatch({ type: 'cancel' });
  }, []);
  const isOnly = state.entries.length === 1;
  const cancelAction = useCallback(() => {
    if (isOnly) notify(dialogTexts.cancelled);
    cancel();
  }, [isOnly, notify, cancel]);
  const close = useCallback(() => {
    dispatch({ type: 'close' });
  }, []);
  const entry = state.entries.at(-1);
  const closing = state.entries.flatMap(({ shown }) => (shown.kind === 'running' ? [shown.closing] : [])).at(0);
  useEffect(
    () =>
      closing === undefined
        ? undefined
        : () => {
            closing.abort();
          },
    [closing],
  );
  const shown = entry?.shown;
  const isQuitAsked = shown?.kind === 'quit';
  const quit = useCallback(
    (key?: string) => {
      const disclosure = shown?.kind === 'running' ? shown.action.disclosure : undefined;
      const loses = disclosure?.value === undefined ? undefined : disclosure.words.lost;
      const state = monitor.store.getState();
      const left = leftRunning?.(state) ?? [];
      const mustAsk = loses !== undefined || isActing(state) || left.length > 0 || (isDemo && key !== 'Ctrl-C');
      if (isQuitAsked || !mustAsk) {
        exit();
      } else {
        dispatch({ type: 'over', shown: { kind: 'quit', isDemo, loses, left } });
      }
    },
    [monitor, exit, isDemo, isQuitAsked, shown, leftRunning],
  );
  useEffect(
    () =>
      monitor.store.subscribe(({ past }, before) => {
        if ((past === undefined) !== (before.past === undefined)) dispatch({ type: 'otherTime' });
      }),
    [monitor],
  );
  const isBulkShown = entry?.shown.kind === 'bulk-running';
  useEffect(
    () =>
      isBulkShown
        ? undefined
        : monitor.store.subscribe(({ bulk }, before) => {
            // Its dialog is closed, so the status line reports the end.
            if (bulk?.phase === 'finished' && before.bulk?.phase !== 'finished') {
              notify(escapeText(bulkTexts.ended(bulk.endedBecause !== undefined, bulkCounts(bulk, formatCount))));
            }
          }),
    [isBulkShown, monitor, notify],
  );
  return { ask, entry, begin, beginBulk, showBulk, quit, exit, next, replace, cancel, cancelAction, close };
};

/** The bulk that the operator confirmed. */
export interface BulkChoice {
  readonly actions: readonly Action[];
  /** The places of their targets in the request. */
  readonly places: readonly number[];
  readonly perSecond: number;
}

interface DialogSize {
  readonly width: number;
  readonly height: number;
}

/** The dialogs of the program, which know what a bulk is about. */
export interface DialogViews {
  readonly BulkPreview: (
    props: DialogSize & {
      readonly monitor: ActingMonitor;
      readonly request: BulkDisconnectRequest;
      readonly onConfirm: (plan: BulkChoice) => void;
      readonly onCancel: () => void;
    },
  ) => ReactNode;
  readonly BulkProgress: (
    props: DialogSize & {
      readonly monitor: ActingMonitor;
      readonly onClose: () => void;
      readonly onQuit: () => void;
    },
  ) => ReactNode;
}

export interface AskDialogProps {
  readonly host: DialogHost;
  readonly views: DialogViews;
  readonly entry: DialogEntry;
  readonly monitor: ActingMonitor;
  readonly width: number;
  readonly height: number;
}

export const TopDialog = ({ host, views, entry, monitor, width, height }: AskDialogProps): ReactNode => {
  const { shown, key, values } = entry;
  const { ask, begin, beginBulk, quit, exit, next, replace, cancel, cancelAction, close } = host;
  const size = { width, height };
  const onReady = useCallback(
    (request: DialogRequest) => {
      replace(key, request);
    },
    [replace, key],
  );
  switch (shown.kind) {
    case 'confirm':
      return (
        <ConfirmDialog
          {...size}
          monitor={monitor}
          request={shown}
          onConfirm={() => {
            begin(shown);
          }}
          onCancel={cancelAction}
        />
      );
    case 'form':
      return (
        <FormDialog
          {...size}
          request={shown}
          before={values}
          onNext={(typed, request) => {
            next(key, request, typed);
          }}
          onCancel={shown.isLocal === true ? cancel : cancelAction}
        />
      );
    case 'menu':
      return <MenuDialog {...size} request={shown} onChoose={onReady} onCancel={cancel} />;
    case 'choose':
      return (
        <ChooseDialog
          {...size}
          request={shown}
          onChoose={(id) => {
            close();
            shown.onChoose(id);
          }}
          onCancel={cancel}
        />
      );
    case 'bulk':
      return (
        <views.BulkPreview
          {...size}
          request={shown}
          monitor={monitor}
          onConfirm={(plan) => {
            beginBulk(shown, plan);
          }}
          onCancel={cancelAction}
        />
      );
    case 'read':
      return <ReadDialog {...size} request={shown} monitor={monitor} onReady={onReady} onCancel={cancel} />;
    case 'running':
      return (
        <OutcomeDialog
          {...size}
          monitor={monitor}
          action={shown.action}
          offer={shown.offer}
          afterKey={shown.afterKey}
          onOffer={onReady}
          onClose={close}
          onQuit={quit}
        />
      );
    case 'bulk-running':
      return <views.BulkProgress {...size} monitor={monitor} onClose={close} onQuit={quit} />;
    case 'text':
      return (
        <TextDialog
          {...size}
          request={shown}
          onChange={monitor.store.getState().isReadOnly ? undefined : ask}
          onClose={close}
        />
      );
    case 'quit':
      return (
        <QuitDialog
          {...size}
          monitor={monitor}
          isDemo={shown.isDemo}
          loses={shown.loses}
          left={shown.left}
          onConfirm={exit}
          onCancel={cancel}
        />
      );
  }
};

export interface DialogEntry {
  /** A unique number, so that text typed in one dialog never shows in another. */
  readonly key: number;
  readonly shown:
    | DialogRequest
    | {
        readonly kind: 'running';
        readonly action: Action;
        readonly offer: ConfirmRequest['offer'];
        readonly afterKey: string | undefined;
        readonly closing: AbortController;
      }
    | { readonly kind: 'bulk-running' }
    | {
        readonly kind: 'quit';
        readonly isDemo: boolean;
        readonly loses: string | undefined;
        readonly left: readonly SafeText[];
      };
  readonly values?: Readonly<Record<string, string>> | undefined;
}

export interface DialogStack {
  readonly entries: readonly DialogEntry[];
  readonly nextKey: number;
}

export type DialogChange =
  | { readonly type: 'open'; readonly shown: DialogEntry['shown'] }
  | { readonly type: 'over'; readonly shown: DialogEntry['shown'] }
  | {
      readonly type: 'next';
      readonly from: number;
      readonly shown: DialogRequest;
      readonly values: Readonly<Record<string, string>>;
    }
  | { readonly type: 'replace'; readonly from: number; readonly shown: DialogRequest }
  | { readonly type: 'cancel' }
  /** Closes its dialog if that is on top. */
  | { readonly type: 'done'; readonly action: Action }
  /** Closes what was asked of another time. */
  | { readonly type: 'otherTime' }
  | { readonly type: 'close' };

export const noDialog: DialogStack = { entries: [], nextKey: 1 };

/** Changes the dialogs. Ignores what a dialog sends that is no longer on top. */
export const reduceDialogs = (state: DialogStack, action: DialogChange): DialogStack => {
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
        : {
            entries: [
              ...entries.slice(0, -1),
              { ...top, values: action.values },
              { key: nextKey, shown: action.shown },
            ],
            nextKey: nextKey + 1,
          };
    case 'replace':
      return top?.key !== action.from
        ? state
        : { entries: [...entries.slice(0, -1), { key: nextKey, shown: action.shown }], nextKey: nextKey + 1 };
    case 'cancel': {
      // A new key mounts the form again, with the values of its entry.
      const below = entries.at(-2);
      return below === undefined
        ? { ...state, entries: [] }
        : { entries: [...entries.slice(0, -2), { ...below, key: nextKey }], nextKey: nextKey + 1 };
    }
    case 'done':
      return top?.shown.kind === 'running' && top.shown.action === action.action ? { ...state, entries: [] } : state;
    case 'otherTime': {
      const kept = entries.filter(({ shown }) => shown.kind === 'quit');
      return kept.length === entries.length ? state : { ...state, entries: kept };
    }
    case 'close':
      return { ...state, entries: [] };
  }
};
