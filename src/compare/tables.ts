import type { Capabilities } from '../api/management-api.ts';
import type { Watchable } from '../monitor/query/part.ts';
import type { MonitorState } from '../monitor/state.ts';
import type { Compared } from '../resources/noun.ts';
import { allNouns } from '../resources/nouns.ts';

/** A list whose rows of two moments can be compared. */
export interface ComparedTable<Row = unknown> extends Compared<Row> {
  readonly id: string;
  /** The capability without which the broker's API has no such list. */
  readonly capability?: keyof Capabilities | undefined;
  /** The watches that have the list read. */
  watches(state: MonitorState): readonly Watchable[];
}

/** The lists that can be compared, in the order in which they are shown. */
export const comparedTables: readonly ComparedTable[] = allNouns.flatMap(([id, { compared, watches, capability }]) =>
  compared === 'no' ? [] : [{ ...compared, id, watches, capability }],
);
