import { AbortedError, type ApiError, asApiError } from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import type { Call } from './polling/resources.ts';
import { journalTexts } from './texts.ts';

export interface SignInOptions {
  readonly api: ManagementApi;
  readonly call: Call;
  /** The broker accepted the new password, or failed for another reason. */
  readonly onAccepted: () => void;
  readonly note: (text: string) => void;
}

export interface SignIn {
  /** @returns the error if the password is rejected, or another attempt is running */
  tryPassword(takePassword: () => void): Promise<ApiError | undefined>;
  /** Stores a password that may be valid, because the outcome of its change is unknown. */
  storeCandidate(takePassword: () => void): void;
  tryCandidate(): Promise<void>;
  stop(): void;
}

export function createSignIn({ api, call, onAccepted, note }: SignInOptions): SignIn {
  const abortController = new AbortController();
  const { signal } = abortController;
  let isTrying = false;
  let candidate: (() => void) | undefined;

  async function tryLogin(): Promise<ApiError | undefined> {
    try {
      await call(() => api.listNodeStats({ signal }), signal);
    } catch (thrown) {
      const error = asApiError(thrown);
      if (error.kind === 'unauthorized' || signal.aborted) return error;
    }
    return undefined;
  }

  async function tryPassword(takePassword: () => void): Promise<ApiError | undefined> {
    if (isTrying || signal.aborted) return new AbortedError();
    isTrying = true;
    takePassword();
    const error = await tryLogin();
    isTrying = false;
    if (error === undefined) onAccepted();
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
