import type { Monitor, MonitorState, ReadableStore } from '../monitor/state.ts';
import { initialState } from '../monitor/store.ts';
import type { ActionResult, ShownValues } from './action.ts';
import type { BulkProgress, PartlyDone } from './bulk.ts';
import type { ActionPhase } from './runner.ts';

/** An action of this run of the program. */
export interface ActionRecord {
  /** Text that no two records share. */
  readonly key: string;
  /** The id of its definition. */
  readonly name: string;
  /** Raw. */
  readonly title: string;
  readonly target?: ShownValues | undefined;
  readonly startedAtMs: number;
  readonly phase: ActionPhase | 'finished';
  /** Of several addresses, the one that is being dealt with. */
  readonly phaseUrl?: string | undefined;
  /** `undefined` until it is finished. */
  readonly result: ActionResult | undefined;
}

/** What this program does to the broker. */
export interface ActionState {
  /** Actions of this run, oldest first, the last 200; those of a bulk are in `bulk` alone. */
  readonly actions: readonly ActionRecord[];
  /** The running or last bulk. */
  readonly bulk: BulkProgress | undefined;
  /** Bulks and actions on several nodes of this run that were not done in all their parts, oldest first, the last 50. */
  readonly partlyDone: readonly PartlyDone[];
}

/** Everything that the monitor knows and does. */
export type ActingState = MonitorState & ActionState;

/** The state before anything has been asked or done. */
export const initialActingState = (intervalSeconds: number): ActingState => ({ ...initialState(intervalSeconds), actions: [], bulk: undefined, partlyDone: [] });

/** The monitor as screens see it: they read and watch; what acts goes through dialogs. */
export interface WatchedMonitor extends Monitor {
  readonly store: ReadableStore<ActingState>;
}
