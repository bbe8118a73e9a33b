import { useMemo, type ReactNode } from 'react';
import type { BulkTarget } from '../../store/actions/bulk.ts';
import type { Monitor } from '../../store/state.ts';
import { formatCount } from '../format.ts';
import { useKeys } from '../hooks/use-keys.ts';
import { type SafeText, joinSafe, safe } from '../safe-text.ts';
import type { BulkDisconnectRequest } from './ask.ts';
import { ClientKeys, type ClientTarget } from './client-keys.tsx';
import { type MarkedKind, type Marks, countChanged } from './marks.ts';

export interface MarkKeysProps<T> {
  readonly monitor: Monitor;
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
}

/** Hears the keys of a list whose rows can be marked: marks, and what can be done to a row or to the marked ones. */
export const MarkKeys = <T,>({ monitor, marks, changedCount, row, target, bulkTargetOf, shown, anchor }: MarkKeysProps<T>): ReactNode => {
  const { marked, toggle, add, clear } = marks;
  useKeys('row', {
    ...(row === undefined ? {} : { mark: () => { anchor(); toggle(row); }, markAll: () => { anchor(); add(shown()); } }),
    ...(marked.size === 0 ? {} : { unmarkAll: clear }),
  });
  const bulkOf = marked.size === 0 ? undefined : (): BulkDisconnectRequest => ({
    kind: 'bulk',
    targets: [...marked.values()].map(bulkTargetOf),
    changedCount,
    onBegin: clear,
  });
  return <ClientKeys monitor={monitor} target={target} bulkOf={bulkOf} />;
};

/** How many are marked, and how many of these are gone, for the footer before what else it says. */
export const useMarkNote = <T,>(marks: Marks<T>, rows: readonly T[], kind: MarkedKind<T>, note: SafeText | undefined): { readonly changedCount: number; readonly footerNote: SafeText | undefined } => {
  const { marked } = marks;
  const changedCount = useMemo(() => countChanged(marked, rows, kind), [marked, rows, kind]);
  const gone = changedCount === 0 ? safe`` : safe` (${formatCount(changedCount)} gone)`;
  const notes = [...(marked.size === 0 ? [] : [safe`${formatCount(marked.size)} marked${gone}`]), ...(note === undefined ? [] : [note])];
  return { changedCount, footerNote: notes.length === 0 ? undefined : joinSafe(notes, safe` · `) };
};
