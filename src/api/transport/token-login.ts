import type { HttpRequest, TokenFormat } from '../dialect.ts';
import { ApiError, HttpStatusError, isNeverConnected, LoginLockedError, RateLimitedError } from '../errors.ts';

type LoginHeader = Readonly<Record<string, string>>;

export interface LoginAttempt {
  readonly user: string;
  readonly password: string;
  /** Sends a request without a login. */
  readonly send: (request: HttpRequest) => Promise<unknown>;
  /** Secrets that are hidden from texts; the token is added to them. */
  readonly passwords: Set<string>;
}

export interface TokenLogin {
  /** The header with the token that this address gave. */
  readonly header: LoginHeader | undefined;
  /** Whether any address of the cluster gave a token. */
  readonly hasToken: boolean;
  /**
   * @returns the header for another attempt; `undefined` if a login does not help. @throws ApiError if the login fails
   */
  renew(error: unknown, sent: LoginHeader | undefined, attempt: LoginAttempt): Promise<LoginHeader | undefined>;
  /** Returns what the refusal of a new token means; other errors as they are. */
  refusalOf(error: unknown): unknown;
  /** Forgets the token, because the password has changed. */
  forget(passwords: Set<string>): void;
  /** Lets the operator try a password again that failed for another reason than being wrong. */
  mayTry(password: string): void;
}

/**
 * Pause after a login without an answer. It may have counted as a failed one, and brokers lock accounts after five of
 * them in five minutes.
 */
const unansweredPauseMs = 120_000;
/** Pause after an answer that does not say whether the password is right. */
const failedPauseMs = 30_000;
const maxNamedPauseMs = 3_600_000;

/**
 * Returns for how long a failure answers all further requests. A wrong password is never tried again; one that was
 * refused otherwise, when the operator tries it.
 */
function pauseMs(error: ApiError): number {
  if (error.kind === 'timeout' || error.kind === 'unreachable') return unansweredPauseMs;
  const seconds =
    error instanceof RateLimitedError || error instanceof HttpStatusError || error instanceof LoginLockedError
      ? error.retryAfterSeconds
      : undefined;
  if (seconds !== undefined) return Math.min(maxNamedPauseMs, Math.max(1_000, seconds * 1_000));
  return error.kind === 'unauthorized' ? Number.POSITIVE_INFINITY : failedPauseMs;
}

interface FailedLogin {
  readonly error: ApiError;
  readonly untilMs: number;
  readonly isWrongPassword: boolean;
}

/** The knowledge that all addresses of a cluster share about one account. */
export interface Account {
  /** Logins that failed because of the account, by password. */
  readonly failed: Map<string, FailedLogin>;
  /** Passwords that were right at their last login. */
  readonly accepted: Set<string>;
  readonly tokens: Set<string>;
}

export const createAccount = (): Account => ({ failed: new Map(), accepted: new Set(), tokens: new Set() });

const isUnanswered = ({ kind }: ApiError): boolean =>
  kind === 'timeout' || kind === 'unreachable' || kind === 'aborted';

/** Holds the token of one address, which other addresses may refuse, and logs in for it at most once at a time. */
export function createTokenLogin(
  format: TokenFormat,
  { failed, accepted, tokens }: Account,
  now: () => number = () => performance.now(),
): TokenLogin {
  let header: LoginHeader | undefined;
  let token: string | undefined;
  let running: { readonly password: string; readonly done: Promise<LoginHeader> } | undefined;
  /** Failures that say nothing about other addresses. */
  const failedHere = new Map<string, FailedLogin>();

  function drop(passwords: Set<string>): void {
    if (token !== undefined) {
      passwords.delete(token);
      tokens.delete(token);
    }
    token = undefined;
    header = undefined;
  }

  function remember(password: string, thrown: ApiError, error: ApiError, isWrongPassword: boolean): void {
    if (isWrongPassword) accepted.delete(password);
    // The right password locks no account: the next request may log in as soon as the broker answers.
    if (isNeverConnected(thrown) || (isUnanswered(error) && accepted.has(password))) return;
    const isOfAccount = error.kind === 'unauthorized' || isUnanswered(error);
    (isOfAccount ? failed : failedHere).set(password, {
      error,
      untilMs: isWrongPassword ? Number.POSITIVE_INFINITY : now() + pauseMs(error),
      isWrongPassword,
    });
  }

  async function login({ user, password, send, passwords }: LoginAttempt): Promise<LoginHeader> {
    for (const before of [failed.get(password), failedHere.get(password)])
      if (before !== undefined && now() < before.untilMs) throw before.error;
    try {
      const next = format.tokenOf(await send(format.login(user, password)));
      drop(passwords);
      token = next;
      passwords.add(next);
      tokens.add(next);
      accepted.add(password);
      header = { authorization: format.authorization(next) };
      failed.delete(password);
      failedHere.delete(password);
      return header;
    } catch (thrown) {
      if (!(thrown instanceof ApiError)) throw thrown;
      const isWrongPassword = format.isWrongPassword(thrown);
      const error = isWrongPassword ? format.refused(thrown) : thrown;
      if (!isWrongPassword && error.kind !== 'unauthorized') error.nameLogin();
      remember(password, thrown, error, isWrongPassword);
      throw error;
    }
  }

  return {
    get header() {
      return header;
    },
    get hasToken() {
      return tokens.size > 0;
    },
    async renew(error, sent, attempt) {
      if (!(error instanceof ApiError) || !format.asksForLogin(error, sent !== undefined)) return undefined;
      if (header !== undefined && header !== sent) return header;
      if (header !== undefined) drop(attempt.passwords);
      if (running?.password !== attempt.password) running = { password: attempt.password, done: login(attempt) };
      const mine = running;
      try {
        return await mine.done;
      } finally {
        if (running === mine) running = undefined;
      }
    },
    refusalOf: (error) =>
      error instanceof ApiError && format.asksForLogin(error, true) ? format.tokenRefused(error) : error,
    forget: drop,
    mayTry(password) {
      if (failed.get(password)?.isWrongPassword === false) failed.delete(password);
      failedHere.delete(password);
    },
  };
}
