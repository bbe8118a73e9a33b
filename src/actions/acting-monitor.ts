import type { ApiError } from '../api/errors.ts';
import type { AdminUser } from '../domain/administration.ts';
import type { Action, ActionResult } from './action.ts';
import type { Bulk } from './bulk.ts';
import type { ClientDetail, Monitor, SkippedAddress, Takeover } from '../monitor/state.ts';

export interface BulkRequest {
  /** What it does, as the rest of a sentence: `disconnect 12 clients`. */
  readonly title: string;
  /** How many begin in a second; 20 unless given. */
  readonly perSecond?: number | undefined;
}

/** The monitor with hands. `MonitorState.actions` and `bulk` show what they do. */
export interface ActingMonitor extends Monitor {
  /**
   * Runs an action that the operator has confirmed; whatever is watched and touched by it is read anew
   * at once. Never rejects: a refusal is a result too.
   */
  runAction(action: Action): Promise<ActionResult>;
  /**
   * Reads one client once, also while the screen is frozen: what is asked about next has to be so now.
   * @throws ApiError
   */
  readClient(clientId: string, signal: AbortSignal): Promise<ClientDetail>;
  /** Reads the users at one of several addresses once. @throws ApiError */
  readUsers(url: string): Promise<readonly AdminUser[]>;
  /** Runs many, paced. `undefined` while another bulk runs. */
  startBulk(actions: readonly Action[], request: BulkRequest): Bulk | undefined;
  /** Begins no more of the running bulk; what is on its way is still seen through. */
  abortBulk(): void;
  /** Another address answers from now on. */
  noteTakeover(takeover: Omit<Takeover, 'atMs'>): void;
  /** An address is passed over because it is not trusted. */
  noteSkippedAddress(skipped: Omit<SkippedAddress, 'atMs'>): void;
  /**
   * After a 401: calls `takePassword`, then asks the broker once; when it does not reject that, fetching goes
   * on. Nothing when there was no 401.
   * @returns why not
   */
  signIn(takePassword: () => void): Promise<ApiError | undefined>;
  /** Resolves when no action runs any more and all outcomes are recorded; after `stop`, soon. */
  whenActionsEnd(): Promise<void>;
}
