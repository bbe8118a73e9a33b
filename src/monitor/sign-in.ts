import { AbortedError, type ApiError } from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import { toApiError } from './polling/backoff.ts';
import type { Call } from './polling/client-detail.ts';

export interface SignInOptions {
  readonly api: ManagementApi;
  readonly call: Call;
  /** The broker accepts the new password, or fails for another reason. */
  readonly onAccepted: () => void;
  readonly note: (text: string) => void;
}

/** Tries new passwords after a 401. */
export interface SignIn {
  /**
   * Calls `takePassword` and sends one request.
   * @returns the error if the password is rejected, or another attempt is running
   */
  tryPassword(takePassword: () => void): Promise<ApiError | undefined>;
  /** Keeps a password that may be valid, because a change of it has an unknown outcome. */
  keep(takePassword: () => void): void;
  /** Tries the kept password once. */
  tryKept(): Promise<void>;
  stop(): void;
}

export function createSignIn({ api, call, onAccepted, note }: SignInOptions): SignIn {
  const ender = new AbortController();
  const { signal } = ender;
  let isTrying = false;
  let kept: (() => void) | undefined;

  async function askOnce(): Promise<ApiError | undefined> {
    try {
      await call(() => api.listNodeStats({ signal }), signal);
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.kind === 'unauthorized' || signal.aborted) return error;
    }
    return undefined;
  }

  async function tryPassword(takePassword: () => void): Promise<ApiError | undefined> {
    if (isTrying || signal.aborted) return new AbortedError();
    isTrying = true;
    takePassword();
    const error = await askOnce();
    isTrying = false;
    if (error === undefined) onAccepted();
    return error;
  }

  return {
    tryPassword,
    keep(takePassword) {
      kept = takePassword;
    },
    async tryKept() {
      if (kept === undefined || isTrying || signal.aborted) return;
      const takePassword = kept;
      kept = undefined;
      note('The new password is tried, once: it is not known whether it was changed.');
      const error = await tryPassword(takePassword);
      if (error?.kind === 'unauthorized') note('The broker rejects the new password too.');
    },
    stop() {
      ender.abort();
    },
  };
}
