import { AbortedError, type ApiError, asApiError } from '../api/errors.ts';
import type { ReadingApi } from '../api/management-api.ts';
import type { Call } from './polling/request-scheduler.ts';
import { journalTexts } from './texts.ts';

export interface SignInOptions {
  readonly api: ReadingApi;
  readonly call: Call;
  readonly onAccepted: () => void;
  /** Called when the password was not rejected, but it is not known whether it is right. */
  readonly onUnknown: (error: ApiError) => void;
  readonly note: (text: string) => void;
}

export interface SignIn {
  /** Tries a password. @returns why the broker is not known to accept it; `undefined` if it does */
  tryPassword(takePassword: () => void): Promise<ApiError | undefined>;
  /** Stores a password that may be valid, because the outcome of its change is unknown. */
  storeCandidate(takePassword: () => void): void;
  tryCandidate(): Promise<void>;
  stop(): void;
}

export function createSignIn({ api, call, onAccepted, onUnknown, note }: SignInOptions): SignIn {
  const abortController = new AbortController();
  const { signal } = abortController;
  let isTrying = false;
  let candidate: (() => void) | undefined;

  async function tryLogin(): Promise<ApiError | undefined> {
    try {
      await call(() => api.listNodeStats({ signal }), signal);
      return undefined;
    } catch (thrown) {
      return asApiError(thrown);
    }
  }

  async function tryPassword(takePassword: () => void): Promise<ApiError | undefined> {
    if (isTrying || signal.aborted) return new AbortedError();
    isTrying = true;
    takePassword();
    const error = await tryLogin();
    isTrying = false;
    if (error === undefined) onAccepted();
    else if (error.kind !== 'unauthorized' && !signal.aborted) onUnknown(error);
    return error;
  }

  return {
    tryPassword,
    storeCandidate(takePassword) {
      candidate = takePassword;
    },
    async tryCandidate() {
      if (candidate === undefined || isTrying || signal.aborted) return;
      const takePassword = candidate;
      candidate = undefined;
      note(journalTexts.tryingNewPassword);
      const error = await tryPassword(takePassword);
      if (error?.kind === 'unauthorized') note(journalTexts.newPasswordRejected);
    },
    stop() {
      abortController.abort();
    },
  };
}
