import { type ReactNode, useMemo } from 'react';
import type { BulkTarget } from '../../actions/bulk.ts';
import type { WatchedMonitor } from '../../actions/state.ts';
import { formatCount } from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import { useKeys } from '../keys/use-keys.ts';
import type { BulkDisconnectRequest } from './ask.ts';
import { ClientKeys, type ClientTarget } from './client-keys.tsx';
import { countChanged, type MarkedKind, type Marks } from './selection.ts';

export interface MarkKeysProps<T> {
  readonly monitor: WatchedMonitor;
  readonly marks: Marks<T>;
  /** How many of them are not listed any more as they were marked. */
  readonly changedCount: number;
  /** Under the cursor. */
  readonly row: T | undefined;
  /** What the keys of a single row act on. */
  readonly target: ClientTarget | undefined;
  readonly bulkTargetOf: (row: T) => BulkTarget;
  /** All that the filter shows and that are still there. */
  readonly shown: () => readonly T[];
  /** Holds the cursor on its row, because the operator acted on it. */
  readonly anchor: () => void;
  /** Moves it to the next one. */
  readonly goOn: () => void;
}

/** Hears the keys of a list whose rows can be marked: marks, and what can be done to a row or to the marked ones. */
export const MarkKeys = <T,>({ monitor, marks, changedCount, row, target, bulkTargetOf, shown, anchor, goOn }: MarkKeysProps<T>): ReactNode => {
  const { marked, isMarked, toggle, add, clear } = marks;
  useKeys('row', {
    mark: row === undefined ? undefined : () => { toggle(row); goOn(); },
    markAll: row === undefined ? undefined : () => { anchor(); add(shown()); },
    unmarkAll: marked.size === 0 ? undefined : clear,
  });
  const bulkOf = marked.size === 0 ? undefined : (): BulkDisconnectRequest => {
    const rows = [...marked.values()];
    return {
      kind: 'bulk',
      targets: rows.map(bulkTargetOf),
      changedCount,
      shownCount: shown().filter(isMarked).length,
      onBegin: clear,
      onEnd: (left) => { add(rows.filter((_, place) => left.has(place))); },
    };
  };
  return <ClientKeys monitor={monitor} target={target} bulkOf={bulkOf} />;
};

/** What a list says of its marks. */
export interface MarkNotes {
  /** How many of them are not listed any more as they were marked. */
  readonly changedCount: number;
  readonly footerNote: SafeText | undefined;
  readonly problem: Span | undefined;
}

/** How many are marked, before what else the footer says; and that some of them are gone, unless something worse is to be said. */
export const useMarkNotes = <T,>(
  { marked }: Marks<T>, rows: readonly T[], kind: MarkedKind<T>, { footerNote, problem }: Pick<MarkNotes, 'footerNote' | 'problem'>,
): MarkNotes => {
  const changedCount = useMemo(() => countChanged(marked, rows, kind), [marked, rows, kind]);
  const notes = [...(marked.size === 0 ? [] : [safe`${formatCount(marked.size)} marked`]), ...(footerNote === undefined ? [] : [footerNote])];
  const gone: Span | undefined = changedCount === 0
    ? undefined
    : { text: safe`! ${formatCount(changedCount)} of ${formatCount(marked.size)} marked not listed any more as marked; nothing will be done to them`, role: 'warning' };
  return { changedCount, footerNote: notes.length === 0 ? undefined : joinSafe(notes, safe` · `), problem: problem ?? gone };
};
