import type { Monitor, MonitorState, ReadableStore } from '../monitor/state.ts';
import { initialState } from '../monitor/store.ts';
import type { ActionResult, ShownValues } from './action.ts';
import type { BulkProgress, PartlyDone } from './bulk.ts';
import type { ActionPhase } from './runner.ts';

/** An action of this session. */
export interface ActionRecord {
  /** Unique. */
  readonly key: string;
  /** The id of its definition. */
  readonly name: string;
  /** Raw. */
  readonly title: string;
  readonly target?: ShownValues | undefined;
  readonly startedAtMs: number;
  readonly phase: ActionPhase | 'finished';
  /** The current one of several addresses. */
  readonly phaseUrl?: string | undefined;
  /** `undefined` until it is finished. */
  readonly result: ActionResult | undefined;
}

/** The actions of this program. */
export interface ActionState {
  /** Oldest first, max 200; without those of a bulk. */
  readonly actions: readonly ActionRecord[];
  /** The running or last bulk. */
  readonly bulk: BulkProgress | undefined;
  /** Bulks and actions on several nodes that were not done completely, oldest first, max 50. */
  readonly partlyDone: readonly PartlyDone[];
}

export type ActingState = MonitorState & ActionState;

export const initialActingState = (intervalSeconds: number): ActingState => ({ ...initialState(intervalSeconds), actions: [], bulk: undefined, partlyDone: [] });

/** The monitor as screens see it: they read and watch; only dialogs act. */
export interface WatchedMonitor extends Monitor {
  readonly store: ReadableStore<ActingState>;
}
