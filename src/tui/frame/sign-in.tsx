import type { MonitorState } from '../../monitor/state.ts';
import { type ReactNode, useCallback, useState } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import { composeLine, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { maskText } from '../../terminal/text-field.ts';
import { titleLine } from '../components/blocks.ts';
import { type Button, buttonsLine, DialogBox, fitDialog } from '../components/dialog-box.tsx';
import { useTheme } from '../components/drawing.tsx';
import { promptLine, TextPrompt, useTextField } from '../components/text-prompt.tsx';
import { useStore } from '../hooks/use-store.ts';
import { frameTexts, signInTexts } from './texts.ts';
import { loginFailureOf } from '../../monitor/query/query.ts';

export interface SignInProps {
  readonly state: SignInState;
  readonly user: string | undefined;
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

const buttons: readonly Button[] = [
  { id: 'promptAccept', keys: safe`Enter`, label: signInTexts.accept },
  { id: 'promptCancel', keys: safe`Esc`, label: signInTexts.later },
];

/** Asks for the password again, without showing it. */
export const SignInForm = ({ state, user, url, width, height }: SignInProps): ReactNode => {
  const theme = useTheme();
  const [field, edit] = useTextField({
    onAccept: (text) => {
      state.accept(text);
      // The password is cleared, whatever the result.
      edit({ type: 'set', text: '' });
    },
    onCancel: state.close,
    isUnexpected: state.isUnexpected,
  });
  const dialog = fitDialog({
    theme,
    title: state.isRejected ? signInTexts.title : signInTexts.failedTitle,
    width,
    height,
    draw: (inner) => ({
      lines: [
        titleLine(theme, inner, state.isRejected ? signInTexts.title : signInTexts.failedTitle),
        composeLine(theme, inner, [
          {
            text: safe`  ${(state.isRejected ? signInTexts.stopped : signInTexts.goesOn)(theme.escape(url))}`,
            role: 'dim',
          },
        ]),
        ...(state.hint === undefined
          ? []
          : wrapWords(state.hint, inner - 4).map((text) => composeLine(theme, inner, [{ text: safe`  ${text}` }]))),
        promptLine(
          theme,
          inner,
          safe`  ${signInTexts.password(user === undefined ? undefined : theme.escape(user))}`,
          maskText(field),
        ),
        composeLine(theme, inner, [
          { text: safe`  ` },
          ...(state.isTrying ? [{ text: signInTexts.trying, role: 'dim' } as const] : []),
          ...(!state.isTrying && state.error !== undefined
            ? [{ text: safe`! ${state.error}`, role: 'error' } as const]
            : []),
        ]),
        buttonsLine(theme, inner, buttons),
      ],
    }),
  });
  return <DialogBox dialog={dialog} buttons={buttons} area={{ width, height }} />;
};

/** The source and the destination of a new password. */
export interface SignInView {
  /** `undefined` when the operator types it. */
  readonly source: 'file' | 'command' | undefined;
  /** Reads the password from `source`; rejects with one sentence. */
  readonly readAgain: () => Promise<string>;
  readonly takePassword: (password: string) => void;
}

export interface SignInState {
  readonly isOpen: boolean;
  /** The prompt opened while the operator did something else. */
  readonly isUnexpected: boolean;
  readonly isTrying: boolean;
  /** The password is wrong; otherwise the login failed for another reason. */
  readonly isRejected: boolean;
  readonly error: SafeText | undefined;
  /** Says what may be wrong with the login. */
  readonly hint: SafeText | undefined;
  /** Opens the prompt, or reads the password again from its source. */
  readonly begin: () => void;
  readonly accept: (password: string) => void;
  readonly close: () => void;
}

export interface UseSignInOptions {
  readonly monitor: ActingMonitor;
  readonly view: SignInView;
  readonly notify: (text: SafeText) => void;
  /** A dialog or prompt is open; the sign-in prompt must not open while the operator types. */
  readonly isBusy: boolean;
  /** Returns what the broker said of a rejected login. */
  readonly hintOf: (state: MonitorState) => string | undefined;
}

/** Asks for the password again after a 401. Each attempt is one request. */
export const useSignIn = ({ monitor, view, notify, isBusy, hintOf }: UseSignInOptions): SignInState => {
  const theme = useTheme();
  const isUnauthorized = useStore(
    monitor.store,
    (state) => state.isUnauthorized && state.proxyLoginError === undefined,
  );
  // A login that was rejected at a moment of the past is not asked for.
  const isPast = useStore(monitor.store, (state) => state.past !== undefined);
  const failure = useStore(monitor.store, loginFailureOf);
  const hint = useStore(monitor.store, hintOf) ?? failure?.message;
  const [phase, setPhase] = useState<'closed' | 'dismissed' | 'open' | 'unexpected'>('closed');
  const [isTrying, setIsTrying] = useState(false);
  const [error, setError] = useState<SafeText | undefined>(undefined);
  const isTyped = view.source === undefined;

  // Set while rendering, so that no frame in between is drawn.
  if (isPast) {
    // What was open or dismissed now stays so.
  } else if (!isUnauthorized && failure === undefined && phase !== 'closed') {
    setPhase('closed');
    setError(undefined);
  } else if (isUnauthorized && isTyped && phase === 'closed' && !isBusy) {
    setPhase('unexpected');
  }

  const attempt = useCallback(
    async (read: () => Promise<string>) => {
      setIsTrying(true);
      try {
        const password = await read();
        const rejected = await monitor.signIn(() => {
          view.takePassword(password);
        });
        const said = rejected === undefined ? undefined : theme.escape(rejected.message);
        setError(said);
        notify(said ?? signInTexts.signedIn);
      } catch (thrown) {
        const said = theme.escape(thrown instanceof Error ? thrown.message : String(thrown));
        setError(said);
        notify(said);
      }
      setIsTrying(false);
    },
    [monitor, view, theme, notify],
  );

  const begin = useCallback(() => {
    const state = monitor.store.getState();
    const { isUnauthorized: isRejected, proxyLoginError } = state;
    if (proxyLoginError !== undefined) {
      notify(theme.escape(proxyLoginError.message));
    } else if (!isRejected && loginFailureOf(state) === undefined) {
      notify(signInTexts.notRejected);
    } else if (isTyped) {
      setPhase('open');
    } else if (!isTrying) {
      notify(view.source === 'file' ? signInTexts.readingFile : signInTexts.runningCommand);
      void attempt(view.readAgain);
    }
  }, [monitor, notify, isTyped, isTrying, view, attempt, theme]);

  return {
    isOpen: !isPast && (phase === 'open' || phase === 'unexpected') && (isUnauthorized || failure !== undefined),
    isUnexpected: phase === 'unexpected',
    isTrying,
    isRejected: isUnauthorized,
    error,
    hint: hint === undefined ? undefined : theme.escape(hint),
    begin,
    accept: (password) => {
      if (!isTrying && password !== '') {
        void attempt(() => Promise.resolve(password));
      }
    },
    close: () => {
      setPhase('dismissed');
    },
  };
};

export interface NoFilterProps {
  readonly width: number;
  readonly onClose: () => void;
}

/** Takes what is typed as a filter on screens without one, so that it is not taken for commands. */
export const NoFilter = ({ width, onClose }: NoFilterProps): ReactNode => {
  const [field] = useTextField({ onAccept: onClose, onCancel: onClose });
  return (
    <TextPrompt
      label={safe` / `}
      field={field}
      width={width}
      right={{ text: safe`${frameTexts.noFilter} `, role: 'warning' }}
    />
  );
};
