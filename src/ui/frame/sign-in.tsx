import { type ReactNode, useCallback, useState } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import { composeLine } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { maskText } from '../../terminal/text-field.ts';
import { Rows } from '../components/painted.tsx';
import { promptLine, TextPrompt } from '../components/text-prompt.tsx';
import { useTheme } from '../components/theme-context.ts';
import { titleLine } from '../components/title-line.ts';
import { useStore } from '../hooks/use-store.ts';
import { useTextField } from '../hooks/use-text-field.ts';

export interface SignInProps {
  readonly state: SignInState;
  readonly user: string | undefined;
  readonly url: string;
  readonly width: number;
}

/** Asks for the password again, without showing it. */
export const SignIn = ({ state, user, url, width }: SignInProps): ReactNode => {
  const theme = useTheme();
  const [field, edit] = useTextField({
    onAccept: (text) => {
      state.accept(text);
      // The password is not kept, whatever the result.
      edit({ type: 'set', text: '' });
    },
    onCancel: state.close,
  });
  return (
    <Rows
      lines={[
        titleLine(theme, width, safe`The broker rejected the user name or password`),
        composeLine(theme, width, [{ text: safe`  Nothing is fetched from ${theme.escape(url)} meanwhile.`, role: 'dim' }]),
        promptLine(theme, width, safe`  Password of ${theme.escape(user ?? 'nobody')}: `, maskText(field)),
        composeLine(theme, width, [
          { text: safe`  ` },
          ...(state.isTrying ? [{ text: safe`··· asking the broker`, role: 'dim' } as const] : []),
          ...(!state.isTrying && state.error !== undefined ? [{ text: safe`! ${state.error}`, role: 'error' } as const] : []),
        ]),
        composeLine(theme, width, [{ text: safe`  ` }, { text: safe`Enter`, role: 'key' }, { text: safe` takes it and asks the broker once  ` }, { text: safe`Esc`, role: 'key' }, { text: safe` later` }]),
      ]}
    />
  );
};

/** Where a new password comes from and goes to. */
export interface SignInView {
  /** `undefined` when the operator types it. */
  readonly source: 'file' | 'command' | undefined;
  /** From `source`; rejects with one sentence. */
  readonly readAgain: () => Promise<string>;
  readonly takePassword: (password: string) => void;
}

export interface SignInState {
  readonly isOpen: boolean;
  readonly isTrying: boolean;
  /** Error of the last attempt. */
  readonly error: SafeText | undefined;
  /** Opens the prompt, or reads the password again from its source. */
  readonly begin: () => void;
  readonly accept: (password: string) => void;
  readonly close: () => void;
}

export interface UseSignInOptions {
  readonly monitor: ActingMonitor;
  readonly view: SignInView;
  readonly notify: (text: SafeText) => void;
  /** A dialog or prompt is open; the sign-in prompt must not open while somebody types. */
  readonly isBusy: boolean;
}

/** Asks for the password again after a 401. Each attempt is one request. */
export const useSignIn = ({ monitor, view, notify, isBusy }: UseSignInOptions): SignInState => {
  const theme = useTheme();
  const isUnauthorized = useStore(monitor.store, (state) => state.isUnauthorized && state.proxyRefusal === undefined);
  const [phase, setPhase] = useState<'closed' | 'dismissed' | 'open'>('closed');
  const [isTrying, setIsTrying] = useState(false);
  const [error, setError] = useState<SafeText | undefined>(undefined);
  const isTyped = view.source === undefined;

  // Set while rendering, so that no frame in between is drawn.
  if (!isUnauthorized && phase !== 'closed') {
    setPhase('closed');
    setError(undefined);
  } else if (isUnauthorized && isTyped && phase === 'closed' && !isBusy) {
    setPhase('open');
  }

  const attempt = useCallback(async (read: () => Promise<string>) => {
    setIsTrying(true);
    try {
      const password = await read();
      const rejected = await monitor.signIn(() => { view.takePassword(password); });
      const said = rejected === undefined ? undefined : theme.escape(rejected.message);
      setError(said);
      notify(said ?? safe`signed in; fetching again`);
    } catch (thrown) {
      const said = theme.escape(thrown instanceof Error ? thrown.message : String(thrown));
      setError(said);
      notify(said);
    }
    setIsTrying(false);
  }, [monitor, view, theme, notify]);

  const begin = useCallback(() => {
    const { isUnauthorized: isRejected, proxyRefusal } = monitor.store.getState();
    if (proxyRefusal !== undefined) {
      notify(theme.escape(proxyRefusal.message));
    } else if (!isRejected) {
      notify(safe`the broker has not rejected the password`);
    } else if (isTyped) {
      setPhase('open');
    } else if (!isTrying) {
      notify(view.source === 'file' ? safe`reading the password file again` : safe`running the password command again`);
      void attempt(view.readAgain);
    }
  }, [monitor, notify, isTyped, isTrying, view, attempt, theme]);

  return {
    isOpen: phase === 'open' && isUnauthorized,
    isTrying,
    error,
    begin,
    accept: (password) => {
      if (!isTrying && password !== '') {
        void attempt(() => Promise.resolve(password));
      }
    },
    close: () => { setPhase('dismissed'); },
  };
};

export interface NoFilterProps {
  readonly width: number;
  readonly onClose: () => void;
}

/** Takes what is typed as a filter on screens without one, so that it is not taken for commands. */
export const NoFilter = ({ width, onClose }: NoFilterProps): ReactNode => {
  const [field] = useTextField({ onAccept: onClose, onCancel: onClose });
  return <TextPrompt label={safe` / `} field={field} width={width} right={{ text: safe`nothing to filter here: Esc `, role: 'warning' }} />;
};
