import { type SortableColumn } from '../../table/sortable-column.ts';
import type { CellContext } from '../components/column.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { ListColumn } from './list-screen.tsx';

/** Cells are searched as they are printed where there is room. */
const searchedWidth = 200;

/** A list's columns for sorting and searching; the data that cells are printed with is read when it is needed. */
export const searchColumns = <Row, Data>(theme: Theme, columns: readonly ListColumn<Row, Data>[], dataNow: () => Data): readonly SortableColumn<Row>[] => {
  let readsOther = (): void => {};
  const context: CellContext<Data> = {
    theme,
    width: searchedWidth,
    get data() {
      readsOther();
      return dataNow();
    },
    text: (raw) => theme.escape(raw),
    ends: (raw) => theme.escape(raw),
  };
  return columns.map(({ id, header, name = header, value, text, format, align, largest, unit, age }): SortableColumn<Row> => ({
    id,
    name: name === '' ? undefined : name,
    unit: unit ?? (align === 'right' && largest === undefined ? 'count' : undefined),
    age: age === undefined ? undefined : (row) => age(row, dataNow()),
    value,
    text,
    shown: (row, onOther) => {
      readsOther = onOther;
      return format(row, context);
    },
  }));
};
