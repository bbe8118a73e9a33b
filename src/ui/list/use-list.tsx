import { Box } from 'ink';
import { type ReactNode, type RefObject, useEffect, useMemo, useRef } from 'react';
import { startSliced } from '../../domain/sliced-task.ts';
import { parseFilter } from '../../table/filter.ts';
import { createHeldOrder } from '../../table/held-order.ts';
import { createTableView } from '../../table/table-view.ts';
import { composeLine, type Line, type Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Column, Sort } from '../components/column.ts';
import { Rows } from '../components/painted.tsx';
import type { EmptyMessage, RowChange, TableModel } from '../components/table-lines.ts';
import { Table, type TableHandle, visibleRowCount } from '../components/table.tsx';
import { useTheme } from '../components/theme-context.ts';
import { useCopy } from '../hooks/use-notice.ts';
import { useKeys } from '../keys/use-keys.ts';
import { chooserHeight, ColumnChooser, type ColumnChooserProps } from './column-chooser.tsx';
import { idsOf } from './list-state.ts';
import { filterErrorLines, filterPromptLine, filterSetLine, searchColumns, typedId, useFilterPrompt } from './use-filter.ts';
import { useListColumns, useTableColumns } from './use-list-columns.ts';
import { useKeyed, useListKeys, useListState, useListSync } from './use-list-state.ts';
import { placeOf, useMoves, usePreviousRows, useReadyRows } from './use-rows.ts';

/** A column that can be sorted and searched. */
export type ListColumn<Row, Data = undefined> = Column<Row, Data>;

export interface ListOptions<Row, Data> {
  /** Key of the list's remembered state, from `placeKey`. */
  readonly listKey: string;
  /** Key of the column settings, shared by lists with the same columns. */
  readonly table: string;
  /** Identifies the set of columns; when it changes, the list starts as if just opened. */
  readonly columnSet?: string | undefined;
  readonly rows: readonly Row[];
  /** The same array while nothing changed; only widths may differ. */
  readonly columns: readonly ListColumn<Row, Data>[];
  /** For cells; the same object while nothing changed. */
  readonly data: Data;
  readonly getId: (row: Row) => string;
  readonly initialSort: Sort;
  /** Changes with every refresh; for highlighting changed cells. */
  readonly generation: unknown;
  /** Noun for "no client matches". */
  readonly noun: SafeText;
  /** Shown instead of rows: loading, empty, failed. */
  readonly message: EmptyMessage;
  /** A problem, in its own line below the rows. */
  readonly problem?: Span | undefined;
  readonly isStale?: boolean | undefined;
  readonly getChange?: ((row: Row) => RowChange | undefined) | undefined;
  readonly footerNote?: SafeText | undefined;
  readonly footerRight?: SafeText | undefined;
  readonly onOpen?: ((row: Row) => void) | undefined;
  /** The line above the table. */
  readonly heading?: Line | undefined;
  /** Arranges the filtered rows, e.g. as a tree; then they are not sorted. */
  readonly arrange?: ((rows: readonly Row[], isFiltered: boolean) => readonly Row[]) | undefined;
  /** Handles left (-1) and right (1) instead of scrolling columns; returns the id to move the cursor to. */
  readonly onSide?: ((row: Row, by: -1 | 1) => string | undefined) | undefined;
  /** What Enter does for an id that no row has; by default `opens "…" directly`. */
  readonly offerOf?: ((id: string) => SafeText) | undefined;
  /** Opens a typed id that no row has. */
  readonly onOpenId?: ((id: string) => void) | undefined;
  /** Whether the operator has marked the row. */
  readonly isMarked?: ((row: Row) => boolean) | undefined;
  /** What `y` copies, unescaped. */
  readonly copyText: (row: Row) => string;
  readonly width: number;
  readonly height: number;
  readonly notify: (text: SafeText) => void;
}

const prepareAfterMs = 20;

/** A list for `ListView`, with what the keys of its screen need. */
export interface List<Row, Data> {
  /** The row under the cursor. */
  readonly row: Row | undefined;
  /** The filtered rows in their order. */
  readonly shown: readonly Row[];
  /** Makes the cursor follow its row, because the operator acted on it. */
  readonly anchor: () => void;
  readonly moveToNext: () => void;
  readonly drawing: ListDrawing<Row, Data>;
}

/** What `ListView` draws. */
interface ListDrawing<Row, Data> extends Pick<ListOptions<Row, Data>, 'heading' | 'width' | 'height' | 'columnSet'> {
  readonly table: RefObject<TableHandle<Row, Data> | null>;
  readonly model: TableModel<Row, Data>;
  readonly tableHeight: number;
  readonly below: readonly Line[];
  /** The column chooser, while it is open. */
  readonly chooser: ColumnChooserProps<Row, Data> | undefined;
}

/** Filter, sort, columns and cursor of a list, with their keys. `ListView` draws it. */
export const useList = <Row, Data>(options: ListOptions<Row, Data>): List<Row, Data> => {
  const { columns, data, getId, width, height, problem, onOpen, onOpenId, onSide, columnSet } = options;
  const theme = useTheme();
  const control = useListState(options.initialSort, options.listKey, columnSet);
  const { dispatch } = control;
  const dataNow = useRef(data);
  dataNow.current = data;
  const { searched, view } = useKeyed(columnSet, () => {
    const searchable = searchColumns(theme, columns, () => dataNow.current);
    return { searched: searchable, view: createTableView<Row>(searchable, theme.escape, createHeldOrder({ getId })) };
  });
  const prompt = useFilterPrompt(control);
  const { isTyping, text: filterText } = prompt;
  const filter = useMemo(() => parseFilter(filterText, searched), [filterText, searched]);
  const { sort } = control.state;
  const query = { rows: options.rows, filter, sortColumnId: sort.columnId, isDescending: sort.isReversed, data };
  const { rows, getChange } = useReadyRows(view, query, options.getChange);
  const result = view.query({ ...query, rows });
  const { arrange } = options;
  const isFiltered = filter.terms.length > 0;
  const shown = useMemo(() => (arrange === undefined ? result.rows : arrange(result.rows, isFiltered)), [result.rows, arrange, isFiltered]);
  const ids = useMemo(() => idsOf(shown, getId), [shown, getId]);

  const hasFilterLine = isTyping || filterText !== '';
  useEffect(() => {
    if (!hasFilterLine) {
      view.forget();
      return undefined;
    }
    // Prepared once the prompt is drawn, before anybody has typed.
    let giveUp: (() => void) | undefined;
    const timer = setTimeout(() => { giveUp = startSliced(view.prepare(rows), () => {}); }, prepareAfterMs);
    return () => {
      clearTimeout(timer);
      giveUp?.();
    };
  }, [hasFilterLine, rows, view]);
  const { heading } = options;
  const tableColumns = useTableColumns(options.table);
  const { isChoosing } = tableColumns;
  const errorLines = result.error === undefined ? [] : filterErrorLines(theme, width, result.error, Math.min(4, Math.floor(height / 3)));
  const room = height - (heading === undefined ? 0 : 1) - (hasFilterLine ? 1 : 0) - errorLines.length - (problem === undefined ? 0 : 1);
  const dialogHeight = isChoosing ? chooserHeight(columns.length, room) : 0;
  const tableHeight = Math.max(1, room - dialogHeight);
  const rowCount = visibleRowCount(tableHeight);
  const state = useListSync(control, ids, rowCount);
  const cursorRow = shown[state.cursorIndex];

  const { isMarked, isStale, footerNote, footerRight } = options;
  const visible = useMemo(() => shown.slice(state.top, state.top + rowCount), [shown, state.top, rowCount]);
  const isSorted = arrange === undefined;
  const { columnView, maxOffset, sorts, reveal, isRoomFor, usualLayout } = useListColumns({
    tableColumns, columnSet, columns, visible, data, width, getChange, isMarked, offset: state.columnOffset, sortedId: isSorted ? sort.columnId : undefined,
  });
  const { getPrevious, see } = usePreviousRows(visible, getId, options.generation, columnSet);

  const wantedId = shown.length === 0 && onOpenId !== undefined ? typedId(filterText, filter) : undefined;
  const openTypedId = wantedId === undefined || onOpenId === undefined ? undefined : (): void => { onOpenId(wantedId); };
  const isUnlisted = rows.length === 0 && options.message.isUnread === true;
  const hasSaidUnlisted = useRef(false);
  useEffect(() => { if (!isUnlisted) hasSaidUnlisted.current = false; }, [isUnlisted]);
  const sayUnlisted = !isUnlisted ? undefined : (): void => {
    if (!hasSaidUnlisted.current) {
      hasSaidUnlisted.current = true;
      options.notify(safe`nothing is listed yet`);
    }
  };
  const openRow = cursorRow === undefined || onOpen === undefined ? undefined : (): void => { onOpen(cursorRow); };
  const copy = useCopy(options.notify);
  useListKeys(control, {
    sorts: isSorted ? sorts : [],
    maxColumnOffset: maxOffset,
    reveal,
    onChooseColumns: () => {
      dispatch({ type: 'firstColumns' });
      tableColumns.openChooser();
    },
    onToggleWide: () => {
      dispatch({ type: 'firstColumns' });
      tableColumns.toggleWide();
    },
    onMove: sayUnlisted,
    onOpen: openRow ?? openTypedId ?? (onOpen === undefined ? undefined : sayUnlisted),
    onFilter: () => { prompt.open(state); },
    onClearFilter: state.filter === '' ? undefined : () => { dispatch({ type: 'filter', filter: '' }); },
    onCopyId: cursorRow === undefined ? undefined : () => {
      dispatch({ type: 'anchor' });
      copy(options.copyText(cursorRow));
    },
  });

  const side = (by: -1 | 1) => (): void => {
    const id = cursorRow === undefined ? undefined : onSide?.(cursorRow, by);
    dispatch(id === undefined ? { type: 'anchor' } : { type: 'goTo', id });
  };
  useKeys('tree', { fold: side(-1), unfold: side(1) }, { isActive: onSide !== undefined });

  // The first Enter only closes the prompt.
  const offer = wantedId === undefined
    ? safe``
    : safe` ${isTyping ? safe`Enter twice` : safe`Enter`} ${options.offerOf?.(wantedId) ?? safe`opens "${theme.escape(wantedId, width)}" directly`}.`;
  const message: EmptyMessage = rows.length === 0
    ? { ...options.message, text: offer === '' || options.message.text.endsWith('.') ? safe`${options.message.text}${offer}` : safe`${options.message.text}.${offer}` }
    : { text: safe` No ${options.noun} here matches.${offer}` };
  const place = useMemo(() => placeOf(state), [state]);
  const anchor = (): void => { dispatch({ type: 'anchor' }); };
  const model = useMemo(
    (): TableModel<Row, Data> => ({
      rows: shown, columns, data, getId, ...place, sort: isSorted ? sort : undefined, columnView,
      getChange, isMarked, getPrevious, isStale, totalCount: result.total, shownCount: result.rows.length, message, footerNote, footerRight,
    }),
    // oxlint-disable-next-line react/exhaustive-deps -- a message is the same when it says the same
    [shown, result, isSorted, columns, data, getId, place, sort, columnView, getChange, isMarked, getPrevious, isStale, message.text, message.role, message.isUnread, footerNote, footerRight],
  );
  const table = useMoves(control, { model, rowCount, isRoomFor, see });
  const outcome = { matching: result.rows.length, total: isUnlisted ? undefined : result.total, error: result.error };
  const below: readonly Line[] = [
    ...(problem === undefined ? [] : [composeLine(theme, width, [{ text: safe` ` }, problem])]),
    ...errorLines,
    ...(isTyping ? [filterPromptLine(theme, width, prompt.field, outcome)] : []),
    ...(!isTyping && hasFilterLine ? [filterSetLine(theme, width, filterText, outcome)] : []),
  ];
  const chooser: ColumnChooserProps<Row, Data> | undefined = !isChoosing ? undefined : {
    columns, layout: usualLayout, choice: tableColumns.choice, onChange: tableColumns.setChoice,
    sort: isSorted ? sort : undefined,
    onSort: (next) => { dispatch({ type: 'sortBy', sort: next, reveal }); },
    onClose: tableColumns.closeChooser,
    width, height: dialogHeight, notify: options.notify,
  };
  return {
    row: cursorRow, shown, anchor, moveToNext: () => { dispatch({ type: 'move', by: 1 }); },
    drawing: { heading, width, height, columnSet, table, model, tableHeight, below, chooser },
  };
};

export interface ListViewProps<Row, Data> {
  readonly list: List<Row, Data>;
}

/** Draws a list in the size that it was given. */
export const ListView = <Row, Data>({ list: { drawing } }: ListViewProps<Row, Data>): ReactNode => {
  const { heading, width, height, columnSet, table, model, tableHeight, below, chooser } = drawing;
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0} overflow="hidden">
      {heading !== undefined && <Rows lines={[heading]} />}
      <Table key={columnSet} ref={table} model={model} width={width} height={tableHeight} />
      <Rows lines={below} />
      {chooser !== undefined && <ColumnChooser {...chooser} />}
    </Box>
  );
};
