import { useCallback, useState } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { useStore } from '../hooks/use-store.ts';

/** Where a new password comes from, and where it goes. */
export interface SignInView {
  /** What gives it again when asked; `undefined` when the operator types it. */
  readonly source: 'file' | 'command' | undefined;
  /** From `source`; rejects with one sentence. */
  readonly readAgain: () => Promise<string>;
  readonly takePassword: (password: string) => void;
}

export interface SignInState {
  /** The prompt is open. */
  readonly isOpen: boolean;
  readonly isTrying: boolean;
  /** What came of the last try. */
  readonly error: SafeText | undefined;
  /** What the key does: opens the prompt, or reads the password again from where it came from. */
  readonly begin: () => void;
  readonly accept: (password: string) => void;
  readonly close: () => void;
}

export interface UseSignInOptions {
  readonly monitor: ActingMonitor;
  readonly view: SignInView;
  readonly notify: (text: SafeText) => void;
  /** Something else hears the keys: the prompt must not open under the operator's fingers. */
  readonly isBusy: boolean;
}

/** Asks for the password again after a 401. Each password costs the broker one request. */
export const useSignIn = ({ monitor, view, notify, isBusy }: UseSignInOptions): SignInState => {
  const theme = useTheme();
  const isUnauthorized = useStore(monitor.store, (state) => state.isUnauthorized && state.proxyRefusal === undefined);
  const [phase, setPhase] = useState<'closed' | 'dismissed' | 'open'>('closed');
  const [isTrying, setIsTrying] = useState(false);
  const [error, setError] = useState<SafeText | undefined>(undefined);
  const isTyped = view.source === undefined;

  // Taken along within the rendering that sees it, so that no frame in between is drawn.
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
