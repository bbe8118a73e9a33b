import { type ReactNode, useState } from 'react';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeLine, type Line } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText, fit, padText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { ColumnLayout } from '../components/column-layout.ts';
import { type ChoiceAction, type Column, type ColumnChoice, nameOf, orderColumns, reduceChoice, type Sort, sortOf } from '../components/column.ts';
import { Rows } from '../components/painted.tsx';
import { sortSign } from '../components/table-lines.ts';
import { useTheme } from '../components/theme-context.ts';
import { titleLine } from '../components/title-line.ts';
import { useKeys } from '../keys/use-keys.ts';

/** Lines of the chooser: all columns where half of `room` holds them, so that the list stays in sight. */
export const chooserHeight = (columnCount: number, room: number): number => Math.max(1, Math.min(columnCount + 1, Math.max(4, Math.floor(room / 2))));

/** A line of the chooser. */
export interface ChooserItem {
  readonly id: string;
  readonly header: SafeText;
  readonly isSticky: boolean;
  readonly isShown: boolean;
  readonly isHidden: boolean;
  /** Chosen by hand. */
  readonly isWanted: boolean;
  /** Current width; for a column that is not shown the one it would start with. */
  readonly width: number;
  readonly isWidthSet: boolean;
  /** Set where the list is sorted by this column. */
  readonly sort: Sort | undefined;
}

/** The columns in their order, with their state. */
export const chooserItems = <Row, Data>(columns: readonly Column<Row, Data>[], choice: ColumnChoice, layout: ColumnLayout<Row, Data>, sort: Sort | undefined): readonly ChooserItem[] =>
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
    return safe`  stays first, cannot be hidden`;
  }
  if (item.isHidden) {
    return safe`  hidden`;
  }
  if (item.isShown) {
    return safe``;
  }
  return item.isWanted ? safe`  no room: ${glyphs.right} scrolls to it` : safe`  no room: Space brings it in`;
};

/** The chooser in exactly `height` lines; the rest is scrolled to. */
export const chooserLines = (theme: Theme, width: number, height: number, items: readonly ChooserItem[], selectedId: string | undefined): readonly Line[] => {
  const room = Math.max(0, height - 1);
  const selected = Math.max(0, items.findIndex(({ id }) => id === selectedId));
  const top = Math.max(0, Math.min(selected - Math.floor(room / 2), items.length - room));
  const headerWidth = Math.min(24, Math.max(11, width - 49));
  const shownCount = items.filter(({ isShown }) => isShown).length;
  const window = items.slice(top, top + room);
  const place = window.length < items.length ? safe` · ${top + 1}-${top + window.length}` : safe``;
  const lines: Line[] = [titleLine(theme, width, safe`Columns`, safe`${shownCount} of ${items.length} shown${place}`)];
  for (const item of window) {
    const isCursor = item.id === selectedId;
    const size = padText(safe`${item.width}`, 4, 'right');
    lines.push(composeLine(theme, width, [
      { text: isCursor ? glyphs.cursor : safe` ` },
      { text: item.isShown ? safe`[x] ` : safe`[ ] `, role: item.isShown ? 'normal' : 'dim' },
      { text: headerOf(item, headerWidth), role: item.isShown ? 'normal' : 'dim' },
      { text: safe`${size} wide${item.isWidthSet ? safe`, set` : safe`     `}`, role: 'dim' },
      { text: noteOf(item), role: 'dim' },
    ], isCursor ? 'cursor' : 'normal'));
  }
  while (lines.length < height) {
    lines.push(composeLine(theme, width, []));
  }
  return lines.slice(0, height);
};

export interface ColumnChooserProps<Row, Data> {
  readonly columns: readonly Column<Row, Data>[];
  /** The current layout of the list. */
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
export const ColumnChooser = <Row, Data>({ columns, layout, choice, onChange, sort, onSort, onClose, width, height, notify }: ColumnChooserProps<Row, Data>): ReactNode => {
  const theme = useTheme();
  const items = chooserItems(columns, choice, layout, sort);
  const [wantedId, setWishedId] = useState<string | undefined>(undefined);
  const selected = items.find(({ id }) => id === wantedId) ?? items[0];
  const go = (by: 1 | -1) => (): void => {
    setWishedId((before) => {
      const at = Math.max(0, items.findIndex(({ id }) => id === before));
      return items[Math.max(0, Math.min(items.length - 1, at + by))]?.id;
    });
  };
  const change = (action: ChoiceAction): void => { onChange(reduceChoice(choice, action)); };
  const staysText = (item: ChooserItem): SafeText => safe`${item.header} stays in sight: it is first and cannot be hidden`;
  const toggle = (): void => {
    if (selected === undefined) {
      return;
    }
    if (selected.isSticky) {
      notify(staysText(selected));
    } else {
      // A chosen column without room can be hidden too.
      change({ type: selected.isShown || selected.isWanted ? 'hide' : 'show', id: selected.id });
    }
  };
  const move = (by: 1 | -1) => (): void => {
    if (selected?.isSticky === true) {
      notify(staysText(selected));
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
      notify(safe`this list has an order of its own`);
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
      notify(safe`the columns are as they were at first`);
    },
    columnsClose: onClose,
  });
  return <Rows lines={chooserLines(theme, width, height, items, selected?.id)} />;
};
