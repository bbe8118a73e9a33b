import { useRef, useState } from 'react';
import { shownClockOffsetMs } from '../../monitor/shown-time.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import { useListMemory } from '../../tui/list/list-state.ts';
import { cellAt, type GraphTimes } from '../metrics/view/graph-cursor.ts';

/** The cursor of a graph, which stays at its time of day. */
export interface GraphCursor {
  /** Where it is; monotonic. */
  readonly atMs: number | undefined;
  /** Returns where it is by now: several keys may come before the next rendering. */
  readonly latestMs: () => number | undefined;
  readonly set: (atMs: number | undefined) => void;
}

/** Holds the cursor of a graph, for as long as the program runs. @param key of the graph */
export function useGraphCursor(key: string): GraphCursor {
  const cursors = useListMemory()?.graphCursors;
  const [wallMs, show] = useState(() => cursors?.get(key));
  const latest = useRef(wallMs);
  const offsetMs = shownClockOffsetMs();
  const monotonic = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms - offsetMs);
  return {
    atMs: monotonic(wallMs),
    latestMs: () => monotonic(latest.current),
    set: (atMs) => {
      latest.current = atMs === undefined ? undefined : atMs + offsetMs;
      cursors?.set(key, latest.current);
      show(latest.current);
    },
  };
}

/**
 * Gives the keys of graphs to the cursor of one. Returns a function that moves it to a column. @param times of what is
 * drawn; `undefined` without a graph
 */
export function useGraphCursorKeys(cursor: GraphCursor, times: GraphTimes | undefined): (cell: number) => void {
  /** Puts the cursor in the middle of a column; behind the last one there is none. */
  const moveTo = (cell: number): void => {
    if (times !== undefined)
      cursor.set(cell >= times.cells ? undefined : times.beginMs + (Math.max(0, cell) + 0.5) * times.cellMs);
  };
  const step = (by: -1 | 1) => (): void => {
    const at = times && cellAt(times, cursor.latestMs());
    if (at !== undefined) moveTo(at.cell + by);
    else if (times !== undefined && by < 0) moveTo(times.cells - 1);
  };
  useKeys('graph', { cursorEarlier: step(-1), cursorLater: step(1) }, { isActive: times !== undefined });
  useKeys(
    'closable',
    {
      close: () => {
        cursor.set(undefined);
      },
    },
    { isActive: times !== undefined && cellAt(times, cursor.atMs) !== undefined },
  );
  return moveTo;
}
