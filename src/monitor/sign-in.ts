import { AbortedError, type ApiError } from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import { toApiError } from './polling/backoff.ts';
import type { Call } from './polling/client-detail.ts';

export interface SignInOptions {
  readonly api: ManagementApi;
  readonly call: Call;
  /** The broker takes the new password, or fails in another way than by it. */
  readonly onAccepted: () => void;
  /** For the log, a sentence. */
  readonly note: (text: string) => void;
}

/** Tries new passwords after a 401. */
export interface SignIn {
  /**
   * Asks the broker once, after `takePassword`; nothing else is fetched until it has answered.
   * @returns why not, when it rejects that one too, or another try is under way.
   */
  tryPassword(takePassword: () => void): Promise<ApiError | undefined>;
  /** Keeps a password that may be the right one, since it is not known whether it was changed. */
  keep(takePassword: () => void): void;
  /** Tries the one that is kept, once: one request. */
  tryKept(): Promise<void>;
  /** Ends the request under way. */
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
