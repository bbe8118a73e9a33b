import { Box } from 'ink';
import { type ReactNode, type RefObject, use, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import { startSliced } from '../../domain/sliced-task.ts';
import { shownNowMs, shownWallMs } from '../../monitor/shown-time.ts';
import { parseFilter } from '../../table/filter.ts';
import type { TableColumn } from '../../table/column.ts';
import { createHeldOrder } from '../../table/sort-order.ts';
import { createTableView } from '../../table/table-view.ts';
import { composeLine, type Line, type Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { type Column, type Sort, troubleSort } from '../components/column.ts';
import { Rows, useTheme } from '../components/drawing.tsx';
import {
  type EmptyMessage,
  type RowChange,
  Table,
  type TableHandle,
  type TableModel,
  frameHeight,
  panelHeight,
  tableSummary,
  visibleRowCount,
} from '../components/table.tsx';
import { DialogContext } from '../hooks/open-dialog.ts';
import { useCopy } from '../hooks/use-terminal.ts';
import { usePointer } from '../keys/use-keys.ts';
import { rowSpeech } from './row-speech.ts';
import { useSpoken } from '../speech/use-speech.ts';
import { DetailPanel, detailWidthOf } from './detail.tsx';
import { exportRequest, ListExportContext } from './export-list.ts';
import {
  chooserHeight,
  ColumnChooser,
  type ColumnChooserProps,
  useListColumns,
  useTableColumns,
} from './list-columns.tsx';
import { idsOf } from './list-state.ts';
import { columnTexts, exportTexts, filterTexts, listTexts } from './texts.ts';
import {
  filterErrorLines,
  type FilterOutcome,
  filterPromptLine,
  filterSetLine,
  searchColumns,
  typedId,
  useFilterPrompt,
} from './use-filter.ts';
import { useKeyed, useListKeys, useListState, useListSync } from './use-list-state.ts';
import { useRowClicks } from './use-row-clicks.ts';
import { cursorOf, useMoves, usePreviousRows, useReadyRows } from './use-rows.ts';

export type ListColumn<Row, Data = undefined> = Column<Row, Data>;

export type Trouble<Row> = Pick<TableColumn<Row>, 'value' | 'tieBreak'>;

export interface ListOptions<Row, Data> {
  /** The key of the list's remembered state, from `placeKey`. */
  readonly listKey: string;
  /** The key of the column settings, shared by lists with the same columns. */
  readonly table: string;
  /** Identifies the set of columns; when it changes, the list starts as if just opened. */
  readonly columnSet?: string | undefined;
  readonly rows: readonly Row[];
  /** The same array while nothing changed; only widths and formats may differ. */
  readonly columns: readonly ListColumn<Row, Data>[];
  /** Passed to cells; the same object while nothing changed. */
  readonly data: Data;
  readonly getId: (row: Row) => string;
  readonly initialSort: Sort;
  /** Returns how bad a row is, larger is worse; for `troubleSort`. The same object at every rendering. */
  readonly trouble?: Trouble<Row> | undefined;
  /** Changes with every refresh; for highlighting changed cells. */
  readonly generation: unknown;
  /** The noun for one row, as in `No … matches`. */
  readonly noun: SafeText;
  /** Stands in the border of a wide list. */
  readonly title: SafeText;
  /** Draws what stands below a wide list that is much shorter than the screen. */
  readonly spare?: ((width: number, height: number) => ReactNode) | undefined;
  /** Stands in place of rows: loading, empty, failed. */
  readonly message: EmptyMessage;
  /** A problem, in its own line below the rows. */
  readonly problem?: Span | undefined;
  readonly isStale?: boolean | undefined;
  readonly getChange?: ((row: Row) => RowChange | undefined) | undefined;
  readonly footerNote?: SafeText | undefined;
  readonly footerRight?: SafeText | undefined;
  readonly onOpen?: ((row: Row) => void) | undefined;
  readonly heading?: Line | undefined;
  /** A filter that has chosen what the rows are made of; `Esc` clears it. */
  readonly outerFilter?: OuterFilter | undefined;
  /** Arranges the filtered rows, e.g. as a tree; then they are not sorted. */
  readonly arrange?: ((rows: readonly Row[], isFiltered: boolean) => readonly Row[]) | undefined;
  /** Handles left (-1) and right (1); returns the id to move the cursor to. */
  readonly onSide?: ((row: Row, by: -1 | 1) => string | undefined) | undefined;
  /** Columns of which one is what actions apply to. Left and right choose it. */
  readonly target?: TargetColumns | undefined;
  /** Opens a typed id that no row has. */
  readonly unlisted?: UnlistedId | undefined;
  readonly isMarked?: ((row: Row) => boolean) | undefined;
  /** Draws the row under the cursor beside a wide table, in exactly this size. */
  readonly detail?: ((row: Row, width: number, height: number) => ReactNode) | undefined;
  /** The number of lines of `detail` that stand above `spare` with few rows; by default 24. */
  readonly detailHeight?: number | undefined;
  /**
   * Puts `detail` below the rows of a short list, if there is room, either where there is none beside them, or wherever
   * it fills the screen better.
   */
  readonly detailBelow?: 'narrow' | 'always' | undefined;
  /** Returns what `y` copies, unescaped. */
  readonly copyText: (row: Row) => string;
  readonly width: number;
  readonly height: number;
  readonly notify: (text: SafeText) => void;
}

export interface UnlistedId {
  /** Says what Enter does, as a part of a sentence. */
  readonly offer: (id: string) => SafeText;
  readonly open: (id: string) => void;
}

export interface TargetColumns {
  readonly chosenId: string;
  readonly isOffered: (columnId: string) => boolean;
  readonly choose: (columnId: string) => void;
}

export interface OuterFilter {
  readonly text: string;
  readonly outcome: FilterOutcome;
  readonly onClear: () => void;
}

const prepareAfterMs = 20;

/** Fewer rows below a list stay empty. */
const minSpareHeight = 18;

/** The height of a panel beside few rows. */
const usualDetailHeight = 24;

/** The height of a panel that says that no row is selected. */
const emptyPanelHeight = 3;

/** The height of a panel below a list. */
const minBelowHeight = 7;
const maxBelowHeight = 30;
/** The smallest screen with a panel below the rows. */
const minScreenHeight = 30;
/** Rows of a list with a panel below it, so that it moves nothing when a row comes or goes. */
const minRows = 4;

/** A list for `ListView`, with what the keys of its screen need. */
export interface List<Row, Data> {
  readonly row: Row | undefined;
  readonly shown: readonly Row[];
  /** The filter that applies; empty without one. */
  readonly filter: string;
  /** Makes the cursor follow its row, because the operator acted on it. */
  readonly anchor: () => void;
  /** Does what left (-1) or right (1) does instead of scrolling columns, with `onSide` or `target`. */
  readonly toSide: (by: -1 | 1) => void;
  readonly moveToNext: () => void;
  readonly drawing: ListDrawing<Row, Data>;
}

interface ListDrawing<Row, Data> extends Pick<ListOptions<Row, Data>, 'heading' | 'width' | 'height' | 'columnSet'> {
  readonly onClickRow: (visibleIndex: number, columnId: string | undefined) => void;
  readonly onClickHeader: (columnId: string) => void;
  readonly table: RefObject<TableHandle<Row, Data> | null>;
  readonly model: TableModel<Row, Data>;
  readonly tableHeight: number;
  readonly below: readonly Line[];
  readonly chooser: ColumnChooserProps<Row, Data> | undefined;
  readonly tableWidth: number;
  /** The panel next to the table or below it, if there is one. */
  readonly detail: ReactNode;
  readonly spare: ReactNode;
  readonly hasBelow: boolean;
}

/** Filter, sort, columns and cursor of a list, with their keys. `ListView` draws it. */
export const useList = <Row, Data>(options: ListOptions<Row, Data>): List<Row, Data> => {
  const { columns, data, getId, width, height, problem, onOpen, unlisted, onSide, columnSet, target, outerFilter } =
    options;
  const theme = useTheme();
  const exporting = use(ListExportContext);
  const openDialog = use(DialogContext);
  const control = useListState(options.initialSort, options.listKey, columnSet, options.table);
  const { dispatch, cell } = control;
  const dataNow = useRef(data);
  dataNow.current = data;
  const { searched, view } = useKeyed(columnSet, () => {
    const searchable = searchColumns(theme, columns, () => dataNow.current);
    // Rows that are equal in a column stand by their name.
    const [name] = searchable;
    const tied =
      name === undefined
        ? searchable
        : searchable.map((column) => (column === name ? column : { tieBreak: name.value, ...column }));
    const sortable = options.trouble === undefined ? tied : [...tied, { id: troubleSort.columnId, ...options.trouble }];
    return {
      searched: searchable,
      view: createTableView<Row>(sortable, theme.escape, createHeldOrder({ getId, isHeld: cell.isKeyRecent })),
    };
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
  const shown = useMemo(
    () => (arrange === undefined ? result.rows : arrange(result.rows, isFiltered)),
    [result.rows, arrange, isFiltered],
  );
  const ids = useMemo(() => idsOf(shown, getId), [shown, getId]);

  const hasFilterLine = isTyping || filterText !== '';
  useEffect(() => {
    if (!hasFilterLine) {
      view.forget();
      return undefined;
    }
    // Prepared once the prompt is drawn, before the first key.
    let cancel: (() => void) | undefined;
    const timer = setTimeout(() => {
      cancel = startSliced(view.prepare(rows), () => {});
    }, prepareAfterMs);
    return () => {
      clearTimeout(timer);
      cancel?.();
    };
  }, [hasFilterLine, rows, view]);
  const { heading } = options;
  const tableColumns = useTableColumns(options.table);
  const { isChoosing } = tableColumns;
  // The wide view is for the columns.
  const error = result.error ?? outerFilter?.outcome.error;
  const errorLines =
    error === undefined ? [] : filterErrorLines(theme, width, error, Math.min(4, Math.floor(height / 3)));
  const room =
    height -
    (heading === undefined ? 0 : 1) -
    (hasFilterLine ? 1 : 0) -
    (outerFilter === undefined ? 0 : 1) -
    errorLines.length -
    (problem === undefined ? 0 : 1);
  const dialogHeight = isChoosing ? chooserHeight(columns.length, room) : 0;
  // By all rows, so that a filter moves nothing.
  const besideWidth = options.detail === undefined || tableColumns.isWide ? 0 : detailWidthOf(width);
  const isPanel = besideWidth > 0;
  const wholeHeight = Math.max(minRows, options.rows.length) + frameHeight + (isPanel ? panelHeight : 0);
  const isAlways = options.detailBelow === 'always';
  const belowHeight = isAlways ? room - wholeHeight : Math.min(maxBelowHeight, room - wholeHeight);
  const canBeBelow =
    options.detailBelow !== undefined &&
    options.detail !== undefined &&
    !tableColumns.isWide &&
    !isChoosing &&
    options.rows.length > 0;
  const hasBelow =
    canBeBelow && (besideWidth === 0 ? belowHeight >= minBelowHeight : isAlways && belowHeight >= minScreenHeight);
  const detailWidth = hasBelow ? 0 : besideWidth;
  const tableWidth = width - detailWidth;
  const besideHeight = Math.max(wholeHeight, options.detailHeight ?? usualDetailHeight);
  const spareHeight =
    options.spare === undefined || !isPanel || hasBelow || isChoosing || room - besideHeight < minSpareHeight
      ? 0
      : room - besideHeight;
  const tableHeight = Math.max(1, hasBelow ? wholeHeight : spareHeight > 0 ? besideHeight : room - dialogHeight);
  const rowCount = visibleRowCount(tableHeight, isPanel);
  const state = useListSync(control, ids, rowCount);
  const cursorRow = shown[state.cursorIndex];

  const { isMarked, isStale, footerNote, footerRight } = options;
  const visible = useMemo(() => shown.slice(state.top, state.top + rowCount), [shown, state.top, rowCount]);
  const isSorted = arrange === undefined;
  const { columnView, maxOffset, sorts, reveal, scrollTo, isShown, isRoomFor, usualLayout } = useListColumns({
    tableColumns,
    columnSet,
    columns,
    visible,
    data,
    width: isPanel ? tableWidth - 2 : tableWidth,
    getChange,
    isMarked,
    offset: state.columnOffset,
    sortedId: isSorted ? sort.columnId : undefined,
    targetId: target?.chosenId,
  });
  const { getPrevious, see } = usePreviousRows(visible, getId, options.generation, columnSet);

  const unlistedId =
    shown.length === 0 && result.error === undefined && unlisted !== undefined
      ? typedId(filterText, filter)
      : undefined;
  const openTypedId =
    unlistedId === undefined || unlisted === undefined
      ? undefined
      : (): void => {
          unlisted.open(unlistedId);
        };
  const isUnlisted = rows.length === 0 && options.message.isUnread === true;
  const hasSaidUnlisted = useRef(false);
  useEffect(() => {
    if (!isUnlisted) hasSaidUnlisted.current = false;
  }, [isUnlisted]);
  const sayUnlisted = !isUnlisted
    ? undefined
    : (): void => {
        if (!hasSaidUnlisted.current) {
          hasSaidUnlisted.current = true;
          options.notify(listTexts.unread);
        }
      };
  const openRow =
    cursorRow === undefined || onOpen === undefined
      ? undefined
      : (): void => {
          onOpen(cursorRow);
        };
  const copy = useCopy(options.notify);
  useListKeys(control, {
    sorts: !isSorted
      ? []
      : options.trouble === undefined
        ? sorts
        : [{ command: columnTexts.sortByTrouble, ...troubleSort }, ...sorts],
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
    onFilter: () => {
      prompt.open(state);
    },
    onClearFilter:
      state.filter === ''
        ? outerFilter?.onClear
        : () => {
            dispatch({ type: 'filter', filter: '' });
          },
    onExport:
      exporting === undefined || openDialog === undefined || shown.length === 0
        ? undefined
        : () => {
            const caveat =
              options.problem !== undefined
                ? exportTexts.incomplete
                : options.isStale === true
                  ? exportTexts.old
                  : undefined;
            openDialog(
              exportRequest(
                theme,
                {
                  name: options.table,
                  rows: shown,
                  columns,
                  shownIds: usualLayout.placed.map(({ column }) => column.id),
                  caveat,
                },
                exporting,
                shownWallMs(shownNowMs()),
              ),
            );
          },
    onCopyId:
      cursorRow === undefined
        ? undefined
        : () => {
            dispatch({ type: 'anchor' });
            copy(options.copyText(cursorRow));
          },
  });

  const toSide = (by: -1 | 1): void => {
    const id = cursorRow === undefined ? undefined : onSide?.(cursorRow, by);
    dispatch(id === undefined ? { type: 'anchor' } : { type: 'goTo', id });
  };

  const targetId = target?.chosenId;
  useLayoutEffect(() => {
    if (targetId !== undefined) dispatch({ type: 'showColumn', columnId: targetId, scrollTo });
    // oxlint-disable-next-line react/exhaustive-deps -- otherwise columns could not be scrolled away from it
  }, [targetId, width, columnSet]);
  const chooseNext = ({ chosenId, isOffered, choose }: TargetColumns, by: -1 | 1): void => {
    const offered = sorts.map(({ columnId }) => columnId).filter(isOffered);
    const next = offered[offered.indexOf(chosenId) + by];
    const isAway = offered.includes(chosenId) && !isShown(chosenId);
    if (by === -1 && isAway) dispatch({ type: 'showColumn', columnId: chosenId, scrollTo });
    else if (next !== undefined) choose(next);
    else dispatch({ type: 'scrollColumns', by, maxOffset });
  };

  // The first Enter only closes the prompt.
  const offer =
    unlistedId === undefined || unlisted === undefined
      ? safe``
      : safe` ${(isTyping ? listTexts.enterTwice : listTexts.enter)(unlisted.offer(unlistedId))}`;
  const message: EmptyMessage =
    rows.length === 0
      ? {
          ...options.message,
          text:
            offer === '' || options.message.text.endsWith('.')
              ? safe`${options.message.text}${offer}`
              : safe`${options.message.text}.${offer}`,
        }
      : {
          text: safe` ${result.error === undefined ? listTexts.noMatch(options.noun) : filterTexts.notApplied}${offer}`,
        };
  const place = useMemo(() => cursorOf(state), [state]);
  const anchor = (): void => {
    dispatch({ type: 'anchor' });
  };
  const model = useMemo(
    (): TableModel<Row, Data> => ({
      rows: shown,
      columns,
      data,
      getId,
      ...place,
      sort: isSorted ? sort : undefined,
      columnView,
      getChange,
      isMarked,
      getPrevious,
      isStale,
      totalCount: result.total,
      shownCount: result.rows.length,
      message,
      footerNote,
      footerRight,
      panelTitle: isPanel ? options.title : undefined,
    }),
    // oxlint-disable-next-line react/exhaustive-deps -- a message is the same when it says the same
    [
      shown,
      result,
      isSorted,
      columns,
      data,
      getId,
      place,
      sort,
      columnView,
      getChange,
      isMarked,
      getPrevious,
      isStale,
      message.text,
      message.role,
      message.isUnread,
      footerNote,
      footerRight,
      isPanel,
      options.title,
    ],
  );
  useSpoken({
    rank: 'content',
    key: [
      options.listKey ?? options.table,
      sort.columnId,
      sort.isReversed,
      isTyping ? '' : filterText,
      shown.length === 0 ? message.text : '',
    ].join(' '),
    lines: () => [shown.length === 0 ? message.text : tableSummary(model)],
  });
  const hasMark = cursorRow !== undefined && isMarked?.(cursorRow) === true;
  useSpoken(
    cursorRow === undefined
      ? undefined
      : {
          rank: 'row',
          key: [getId(cursorRow), targetId ?? '', hasMark].join(' '),
          isOnKeyOnly: true,
          lines: () => [
            rowSpeech(theme, {
              columns: sorts.flatMap(({ columnId }) => columns.find(({ id }) => id === columnId) ?? []),
              row: cursorRow,
              data,
              targetId,
              isMarked: hasMark,
            }),
          ],
        },
  );
  const onClickRow = useRowClicks(control, (columnId) => {
    if (target?.isOffered(columnId) === true) target.choose(columnId);
  });
  const { clickIn } = usePointer();
  const onClickHeader = (columnId: string): void => {
    clickIn('list', () => {
      const first = sorts.find((each) => each.columnId === columnId);
      if (!isSorted || first === undefined) return;
      dispatch({
        type: 'sortBy',
        sort: sort.columnId === columnId ? { ...sort, isReversed: !sort.isReversed } : first,
        reveal,
      });
    });
  };
  const table = useMoves(control, { model, rowCount, isRoomFor, see });
  const outcome = { matching: result.rows.length, total: isUnlisted ? undefined : result.total, error: result.error };
  const below: readonly Line[] = [
    ...(problem === undefined ? [] : [composeLine(theme, width, [{ text: safe` ` }, problem])]),
    ...errorLines,
    ...(outerFilter === undefined ? [] : [filterSetLine(theme, width, outerFilter.text, outerFilter.outcome)]),
    ...(isTyping ? [filterPromptLine(theme, width, prompt.field, outcome)] : []),
    ...(!isTyping && hasFilterLine ? [filterSetLine(theme, width, filterText, outcome)] : []),
  ];
  useSpoken(
    !isTyping && errorLines.length === 0
      ? undefined
      : {
          rank: 'message',
          lines: () => [...errorLines, ...(isTyping ? [filterPromptLine(theme, width, prompt.field, outcome)] : [])],
        },
  );
  const chooser: ColumnChooserProps<Row, Data> | undefined = !isChoosing
    ? undefined
    : {
        columns,
        layout: usualLayout,
        choice: tableColumns.choice,
        onChange: tableColumns.setChoice,
        sort: isSorted ? sort : undefined,
        onSort: (next) => {
          dispatch({ type: 'sortBy', sort: next, reveal });
        },
        onClose: tableColumns.closeChooser,
        width,
        height: dialogHeight,
        notify: options.notify,
      };
  const detailSize = hasBelow ? ([width, belowHeight] as const) : ([detailWidth, tableHeight] as const);
  const detail =
    detailSize[0] === 0 || options.detail === undefined ? undefined : cursorRow === undefined ? (
      <DetailPanel
        width={detailSize[0]}
        height={detailSize[1]}
        panelHeight={Math.min(emptyPanelHeight, detailSize[1])}
        title={options.noun}
        content={[[{ text: listTexts.noRow, role: 'dim' }]]}
      />
    ) : (
      options.detail(cursorRow, ...detailSize)
    );
  return {
    row: cursorRow,
    shown,
    filter: filterText,
    anchor,
    toSide: (by) => {
      if (target === undefined) toSide(by);
      else chooseNext(target, by);
    },
    moveToNext: () => {
      dispatch({ type: 'move', by: 1 });
    },
    drawing: {
      hasBelow,
      heading,
      width,
      height,
      columnSet,
      onClickRow,
      onClickHeader,
      table,
      model,
      tableWidth,
      tableHeight,
      detail,
      spare: spareHeight === 0 ? undefined : options.spare?.(width, spareHeight),
      below,
      chooser,
    },
  };
};

export interface ListViewProps<Row, Data> {
  readonly list: List<Row, Data>;
}

export const ListView = <Row, Data>({ list: { drawing } }: ListViewProps<Row, Data>): ReactNode => {
  const {
    heading,
    width,
    height,
    columnSet,
    onClickRow,
    onClickHeader,
    table,
    model,
    tableWidth,
    tableHeight,
    detail,
    spare,
    hasBelow,
    below,
    chooser,
  } = drawing;
  return (
    <Box flexDirection="column" width={width} height={height} flexShrink={0} overflow="hidden">
      {heading !== undefined && <Rows lines={[heading]} />}
      <Box flexShrink={0}>
        <Box width={tableWidth} flexDirection="column" flexShrink={0}>
          <Table
            key={columnSet}
            ref={table}
            model={model}
            width={tableWidth}
            height={tableHeight}
            onClickRow={onClickRow}
            onClickHeader={onClickHeader}
          />
        </Box>
        {detail !== undefined && !hasBelow && (
          <Box width={width - tableWidth} flexDirection="column" flexShrink={0}>
            {detail}
          </Box>
        )}
      </Box>
      {hasBelow && (
        <Box flexDirection="column" flexShrink={0}>
          {detail}
        </Box>
      )}
      {spare !== undefined && (
        <Box flexDirection="column" flexShrink={0}>
          {spare}
        </Box>
      )}
      <Rows lines={below} />
      {chooser !== undefined && <ColumnChooser {...chooser} />}
    </Box>
  );
};
