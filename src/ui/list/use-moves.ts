import { useLayoutEffect, useRef, type RefObject } from 'react';
import { type ListState, selectCursorId } from './list-state.ts';
import type { ListControl } from './use-list-state.ts';
import type { PreviousRows } from './use-previous-rows.ts';
import type { TableModel } from '../components/table-lines.ts';
import type { TableHandle } from '../components/table.tsx';
import type { ListColumns } from './use-list-columns.ts';

/** Where a list stands, for its table. */
export const placeOf = (state: ListState): Pick<TableModel<unknown, unknown>, 'cursorId' | 'cursorIndex' | 'top'> =>
  ({ cursorId: selectCursorId(state), cursorIndex: state.cursorIndex, top: state.top });

export interface MovesOptions<Row, Data> extends Pick<ListColumns<Row, Data>, 'isRoomFor'>, Pick<PreviousRows<Row>, 'see'> {
  /** The table as it was drawn last. */
  readonly model: TableModel<Row, Data>;
  readonly rowCount: number;
}

/**
 * Has keys that only move shown by the table itself, as long as its columns stand the same. What is drawn then is what
 * a rendering would draw; it comes later, and costs many times as much.
 */
export const useMoves = <Row, Data>({ cell }: ListControl, { model, rowCount, isRoomFor, see }: MovesOptions<Row, Data>): RefObject<TableHandle<Row, Data> | null> => {
  const table = useRef<TableHandle<Row, Data>>(null);
  useLayoutEffect(() => cell.showMovesBy((moved) => {
    const visible = model.rows.slice(moved.top, moved.top + rowCount);
    if (!isRoomFor(visible)) {
      return false;
    }
    see(visible);
    return table.current?.show({ ...model, ...placeOf(moved) }) ?? false;
  }));
  return table;
};
