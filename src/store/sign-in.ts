import { AbortedError } from '../api/errors.ts';
import type { ApiError } from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import { toApiError } from './backoff.ts';
import type { Call } from './client-detail.ts';

export interface SignInOptions {
  readonly api: ManagementApi;
  readonly call: Call;
  /** The broker takes the new password, or fails in another way than by it. */
  readonly onAccepted: () => void;
}

/** Tries new passwords after a 401. */
export interface SignIn {
  /**
   * Asks the broker once, after `takePassword`; nothing else is fetched until it has answered.
   * @returns why not, when it rejects that one too, or another try is under way.
   */
  tryAnew(takePassword: () => void): Promise<ApiError | undefined>;
  /** Ends the request under way. */
  stop(): void;
}

export function createSignIn({ api, call, onAccepted }: SignInOptions): SignIn {
  const ender = new AbortController();
  const { signal } = ender;
  let isTrying = false;

  async function askOnce(): Promise<ApiError | undefined> {
    try {
      await call(() => api.listNodeStats({ signal }), signal);
    } catch (thrown) {
      const error = toApiError(thrown);
      if (error.kind === 'unauthorized' || signal.aborted) return error;
    }
    return undefined;
  }

  return {
    async tryAnew(takePassword) {
      if (isTrying || signal.aborted) return new AbortedError();
      isTrying = true;
      takePassword();
      const error = await askOnce();
      isTrying = false;
      if (error === undefined) onAccepted();
      return error;
    },
    stop() {
      ender.abort();
    },
  };
}
