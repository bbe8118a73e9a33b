import { useCallback, useMemo, useState } from 'react';
import { type ColumnLayout, type ColumnView, offsetShowing } from '../components/column-layout.ts';
import { type ColumnChoice, createMeter, nameOf, orderColumns, sortOf } from '../components/column.ts';
import { cellsWidth, tableLayout, type TableModel } from '../components/table-lines.ts';
import { useTheme } from '../components/theme-context.ts';
import { type Reveal, type TableColumns, untouchedColumns, useListMemory } from './list-state.ts';
import { type NamedSort, useKeyed } from './use-list-state.ts';

/** The column settings of a table, with the actions on them. */
export interface TableColumnsControl extends TableColumns {
  /** Whether the chooser is open. */
  readonly isChoosing: boolean;
  readonly openChooser: () => void;
  readonly closeChooser: () => void;
  readonly toggleWide: () => void;
  readonly setChoice: (choice: ColumnChoice) => void;
}

/** Remembered by table name where there is a `ListMemoryProvider`. */
export const useTableColumns = (table: string): TableColumnsControl => {
  const memory = useListMemory();
  const [columns, setColumns] = useState<TableColumns>(() => memory?.columnsOf(table) ?? untouchedColumns);
  const [isChoosing, setChoosing] = useState(false);
  const change = (next: TableColumns): void => {
    memory?.setColumns(table, next);
    setColumns(next);
  };
  return {
    ...columns,
    isChoosing,
    openChooser: () => {
      // The wide view would hide the effect of a choice.
      change({ ...columns, isWide: false });
      setChoosing(true);
    },
    closeChooser: () => { setChoosing(false); },
    toggleWide: () => { change({ ...columns, isWide: !columns.isWide }); },
    setChoice: (choice) => { change({ ...columns, choice }); },
  };
};

export interface ListColumnsOptions<Row, Data> extends Pick<TableModel<Row, Data>, 'columns' | 'data' | 'getChange' | 'isMarked'> {
  readonly tableColumns: TableColumnsControl;
  /** Natural widths are measured again when it changes. */
  readonly columnSet: string | undefined;
  /** The rows on the screen. */
  readonly visible: readonly Row[];
  readonly width: number;
  readonly offset: number;
  readonly sortedId: string | undefined;
}

export interface ListColumns<Row, Data> {
  /** The same object as long as nothing changed. */
  readonly columnView: ColumnView;
  readonly maxOffset: number;
  /** Columns to sort by in their order, without hidden ones. */
  readonly sorts: readonly NamedSort[];
  readonly reveal: Reveal;
  /** Whether other rows would leave the layout as it is. */
  readonly isRoomFor: (rows: readonly Row[]) => boolean;
  /** The layout without scrolling and wide view. */
  readonly usualLayout: ColumnLayout<Row, Data>;
}

/** The layout of a list's columns. Costs depend on columns and visible rows only. */
export const useListColumns = <Row, Data>(options: ListColumnsOptions<Row, Data>): ListColumns<Row, Data> => {
  const { tableColumns, columnSet, columns, visible, data, width, getChange, isMarked, offset, sortedId } = options;
  const { choice, isWide } = tableColumns;
  const theme = useTheme();
  const measure = useKeyed(columnSet, () => createMeter<Row, Data>());
  const naturalWidths = measure({ theme, columns, rows: visible, data, screenWidth: width, isWide });
  const isRoomFor = (rows: readonly Row[]): boolean => measure({ theme, columns, rows, data, screenWidth: width, isWide }) === naturalWidths;
  const columnView = useMemo((): ColumnView => ({ offset, choice, isWide, naturalWidths, sortedId }), [offset, choice, isWide, naturalWidths, sortedId]);
  const hasChanges = getChange !== undefined;
  const isMarkable = isMarked !== undefined;
  const layout = useMemo(() => tableLayout({ columns, columnView, hasChanges, isMarkable }, width), [columns, columnView, hasChanges, isMarkable, width]);
  const usualLayout = useMemo(() => tableLayout({ columns, columnView: { choice, naturalWidths, sortedId }, hasChanges, isMarkable }, width), [columns, choice, naturalWidths, sortedId, hasChanges, isMarkable, width]);
  const sorts = useMemo(() => {
    const order = orderColumns(columns, choice.order).map((column): NamedSort => ({ name: nameOf(column), ...sortOf(column) }));
    return isWide ? order : order.filter(({ columnId }) => !choice.hidden.has(columnId));
  }, [columns, choice, isWide]);
  const reveal = useCallback(
    (columnId: string, from: number): number => offsetShowing(columns, cellsWidth(width, true, isMarkable), { ...columnView, offset: from }, columnId),
    [columns, columnView, width, isMarkable],
  );
  return { columnView, maxOffset: layout.maxOffset, sorts, reveal, isRoomFor, usualLayout };
};
