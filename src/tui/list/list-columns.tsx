import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeLine, type Line } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText, fit, padText, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { rowCursor, titleLine } from '../components/blocks.ts';
import { type ColumnLayout, type ColumnView, offsetShowing } from '../components/column-layout.ts';
import {
  type ChoiceAction,
  type Column,
  type ColumnChoice,
  createMeter,
  nameOf,
  orderColumns,
  reduceChoice,
  type Sort,
  sortOf,
} from '../components/column.ts';
import { Rows, useTheme } from '../components/drawing.tsx';
import { cellsWidth, sortSign, tableLayout, type TableModel } from '../components/table.tsx';
import { useKeys } from '../keys/use-keys.ts';
import { useSpoken } from '../speech/use-speech.ts';
import { type Reveal, type TableColumns, untouchedColumns, useListMemory } from './list-state.ts';
import { columnTexts } from './texts.ts';
import { type NamedSort, useKeyed } from './use-list-state.ts';

/** The column settings of a table, with the actions on them. */
export interface TableColumnsControl extends TableColumns {
  readonly isChoosing: boolean;
  readonly openChooser: () => void;
  readonly closeChooser: () => void;
  readonly toggleWide: () => void;
  readonly setChoice: (choice: ColumnChoice) => void;
}

/** Keeps the columns of a table by its name where there is a `ListMemoryProvider`. */
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
    closeChooser: () => {
      setChoosing(false);
    },
    toggleWide: () => {
      change({ ...columns, isWide: !columns.isWide });
    },
    setChoice: (choice) => {
      change({ ...columns, choice });
    },
  };
};

export interface ListColumnsOptions<Row, Data> extends Pick<
  TableModel<Row, Data>,
  'columns' | 'data' | 'getChange' | 'isMarked'
> {
  readonly tableColumns: TableColumnsControl;
  /** Natural widths are measured again when it changes. */
  readonly columnSet: string | undefined;
  readonly visible: readonly Row[];
  readonly width: number;
  readonly offset: number;
  readonly sortedId: string | undefined;
  readonly targetId: string | undefined;
}

export interface ListColumns<Row, Data> {
  /** The same object as long as nothing changed. */
  readonly columnView: ColumnView;
  readonly maxOffset: number;
  /** Columns to sort by in their order, without hidden ones. */
  readonly sorts: readonly NamedSort[];
  readonly reveal: Reveal;
  /** Scrolls as `reveal` does, without sorting by the column. */
  readonly scrollTo: Reveal;
  readonly isShown: (columnId: string) => boolean;
  /** Whether other rows would leave the layout as it is. */
  readonly isRoomFor: (rows: readonly Row[]) => boolean;
  /** The layout without scrolling and wide view. */
  readonly usualLayout: ColumnLayout<Row, Data>;
}

/** Lays out a list's columns. Costs depend on columns and visible rows only. */
export const useListColumns = <Row, Data>(options: ListColumnsOptions<Row, Data>): ListColumns<Row, Data> => {
  const { tableColumns, columnSet, columns, visible, data, width, getChange, isMarked, offset, sortedId, targetId } =
    options;
  const { choice, isWide } = tableColumns;
  const theme = useTheme();
  const measure = useKeyed(columnSet, () => createMeter<Row, Data>());
  const naturalWidths = measure({ theme, columns, rows: visible, data, screenWidth: width, isWide });
  const isRoomFor = (rows: readonly Row[]): boolean =>
    measure({ theme, columns, rows, data, screenWidth: width, isWide }) === naturalWidths;
  const columnView = useMemo(
    (): ColumnView => ({ offset, choice, isWide, naturalWidths, sortedId, targetId }),
    [offset, choice, isWide, naturalWidths, sortedId, targetId],
  );
  const hasChanges = getChange !== undefined;
  const isMarkable = isMarked !== undefined;
  const layout = useMemo(
    () => tableLayout({ columns, columnView, hasChanges, isMarkable }, width),
    [columns, columnView, hasChanges, isMarkable, width],
  );
  const usualLayout = useMemo(
    () => tableLayout({ columns, columnView: { choice, naturalWidths, sortedId }, hasChanges, isMarkable }, width),
    [columns, choice, naturalWidths, sortedId, hasChanges, isMarkable, width],
  );
  const sorts = useMemo(() => {
    const order = orderColumns(columns, choice.order).map((column): NamedSort => ({
      command: columnTexts.sortBy(nameOf(column)),
      ...sortOf(column),
    }));
    return isWide ? order : order.filter(({ columnId }) => !choice.hidden.has(columnId));
  }, [columns, choice, isWide]);
  const reveal = useCallback(
    (columnId: string, from: number): number =>
      offsetShowing(
        columns,
        cellsWidth(width, true, isMarkable),
        { ...columnView, offset: from, sortedId: columnId },
        columnId,
      ),
    [columns, columnView, width, isMarkable],
  );
  const scrollTo: Reveal = (columnId, from) =>
    offsetShowing(columns, cellsWidth(width, true, isMarkable), { ...columnView, offset: from }, columnId);
  const isShown = (columnId: string): boolean => layout.placed.some(({ column }) => column.id === columnId);
  return { columnView, maxOffset: layout.maxOffset, sorts, reveal, scrollTo, isShown, isRoomFor, usualLayout };
};

/** Returns the lines of the chooser: all columns where half of `room` holds them, so that the list stays in sight. */
export const chooserHeight = (columnCount: number, room: number): number =>
  Math.max(1, Math.min(columnCount + 1, Math.max(4, Math.floor(room / 2))));

export interface ChooserItem {
  readonly id: string;
  readonly header: SafeText;
  readonly isSticky: boolean;
  readonly isShown: boolean;
  readonly isHidden: boolean;
  /** Whether the operator chose the column. */
  readonly isWanted: boolean;
  /** The current width; for a column that is not shown the one it would start with. */
  readonly width: number;
  readonly isWidthSet: boolean;
  /** Set where the list is sorted by this column. */
  readonly sort: Sort | undefined;
}

/** The columns in their order, with their state. */
export const chooserItems = <Row, Data>(
  columns: readonly Column<Row, Data>[],
  choice: ColumnChoice,
  layout: ColumnLayout<Row, Data>,
  sort: Sort | undefined,
): readonly ChooserItem[] =>
  orderColumns(columns, choice.order).map((column): ChooserItem => {
    const { id, isSticky, width } = column;
    const placed = layout.placed.find((each) => each.column.id === id);
    return {
      id,
      header: nameOf(column),
      isSticky: isSticky === true,
      isShown: placed !== undefined,
      isHidden: isSticky !== true && choice.hidden.has(id),
      isWanted: choice.wanted.has(id),
      width: placed?.width ?? choice.widths.get(id) ?? (typeof width === 'number' ? width : width.min),
      isWidthSet: choice.widths.has(id),
      sort: id === sort?.columnId ? sort : undefined,
    };
  });

const headerOf = ({ header, sort }: ChooserItem, width: number): SafeText =>
  fit(sort === undefined ? header : safe`${cutText(header, width - 2)} ${sortSign(sort)}`, width);

const noteOf = (item: ChooserItem): SafeText => {
  if (item.isSticky) {
    return safe`  ${columnTexts.sticky}`;
  }
  if (item.isHidden) {
    return safe`  ${columnTexts.hidden}`;
  }
  if (item.isShown) {
    return safe``;
  }
  return item.isWanted ? safe`  ${columnTexts.scrolledOut(glyphs.right)}` : safe`  ${columnTexts.noRoom}`;
};

/** Draws the chooser in exactly `height` lines; the rest is scrolled to. */
export const chooserLines = (
  theme: Theme,
  width: number,
  height: number,
  items: readonly ChooserItem[],
  selectedId: string | undefined,
): readonly Line[] => {
  const room = Math.max(0, height - 1);
  const selected = Math.max(
    0,
    items.findIndex(({ id }) => id === selectedId),
  );
  const top = Math.max(0, Math.min(selected - Math.floor(room / 2), items.length - room));
  const headerWidth = Math.min(24, Math.max(11, width - 49));
  const shownCount = items.filter(({ isShown }) => isShown).length;
  const window = items.slice(top, top + room);
  const place = window.length < items.length ? safe` · ${top + 1}-${top + window.length}` : safe``;
  const lines: Line[] = [
    titleLine(theme, width, columnTexts.title, safe`${columnTexts.shown(shownCount, items.length)}${place}`),
  ];
  for (const item of window) {
    const isCursor = item.id === selectedId;
    const size = padText(safe`${item.width}`, 4, 'right');
    lines.push(
      composeLine(
        theme,
        width,
        [
          isCursor ? rowCursor(theme) : { text: safe` ` },
          { text: item.isShown ? safe`[x] ` : safe`[ ] `, role: item.isShown ? 'normal' : 'dim' },
          { text: headerOf(item, headerWidth), role: item.isShown ? 'normal' : 'dim' },
          {
            text: safe`${columnTexts.width(size)}${item.isWidthSet ? columnTexts.set : padText(safe``, widthOf(columnTexts.set))}`,
            role: 'dim',
          },
          { text: noteOf(item), role: 'dim' },
        ],
        isCursor ? 'cursor' : 'normal',
      ),
    );
  }
  while (lines.length < height) {
    lines.push(composeLine(theme, width, []));
  }
  return lines.slice(0, height);
};

export interface ColumnChooserProps<Row, Data> {
  readonly columns: readonly Column<Row, Data>[];
  readonly layout: ColumnLayout<Row, Data>;
  readonly choice: ColumnChoice;
  readonly onChange: (choice: ColumnChoice) => void;
  /** `undefined` where the list has a fixed order. */
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort) => void;
  readonly onClose: () => void;
  readonly width: number;
  readonly height: number;
  readonly notify: (text: SafeText) => void;
}

/** The column chooser: shows, hides, moves, resizes and sorts by columns. Changes apply at once to the list above it. */
export const ColumnChooser = <Row, Data>({
  columns,
  layout,
  choice,
  onChange,
  sort,
  onSort,
  onClose,
  width,
  height,
  notify,
}: ColumnChooserProps<Row, Data>): ReactNode => {
  const theme = useTheme();
  const items = chooserItems(columns, choice, layout, sort);
  const [cursorId, setCursorId] = useState<string | undefined>(undefined);
  const selected = items.find(({ id }) => id === cursorId) ?? items[0];
  const go = (by: 1 | -1) => (): void => {
    setCursorId((before) => {
      const at = Math.max(
        0,
        items.findIndex(({ id }) => id === before),
      );
      return items[Math.max(0, Math.min(items.length - 1, at + by))]?.id;
    });
  };
  const change = (action: ChoiceAction): void => {
    onChange(reduceChoice(choice, action));
  };
  const toggle = (): void => {
    if (selected === undefined) {
      return;
    }
    if (selected.isSticky) {
      notify(columnTexts.cannotMove(selected.header));
    } else {
      // A chosen column without room can be hidden too.
      change({ type: selected.isShown || selected.isWanted ? 'hide' : 'show', id: selected.id });
    }
  };
  const move = (by: 1 | -1) => (): void => {
    if (selected?.isSticky === true) {
      notify(columnTexts.cannotMove(selected.header));
    } else if (selected !== undefined) {
      change({ type: 'move', id: selected.id, by, ids: items.filter(({ isSticky }) => !isSticky).map(({ id }) => id) });
    }
  };
  const widen = (by: 1 | -1) => (): void => {
    if (selected !== undefined) {
      change({ type: 'width', id: selected.id, width: selected.width + by });
    }
  };
  const sortBySelected = (): void => {
    const column = columns.find(({ id }) => id === selected?.id);
    if (column === undefined || sort === undefined) {
      notify(columnTexts.cannotSort);
      return;
    }
    if (choice.hidden.has(column.id)) {
      change({ type: 'show', id: column.id });
    }
    onSort(sort.columnId === column.id ? { ...sort, isReversed: !sort.isReversed } : sortOf(column));
  };
  useKeys('columns', {
    columnSort: sortBySelected,
    columnUp: go(-1),
    columnDown: go(1),
    columnToggle: toggle,
    columnEarlier: move(-1),
    columnLater: move(1),
    columnWider: widen(1),
    columnNarrower: widen(-1),
    columnsReset: () => {
      change({ type: 'reset' });
      notify(columnTexts.reset);
    },
    columnsClose: onClose,
  });
  const lines = chooserLines(theme, width, height, items, selected?.id);
  useSpoken({ rank: 'dialog', lines: () => lines });
  return <Rows lines={lines} />;
};
