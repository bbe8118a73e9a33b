import { useMemo, useRef } from 'react';
import { parseFilter } from '../../table/filter.ts';
import { createTableView, type TableResult } from '../../table/table-view.ts';
import { useTheme } from '../components/drawing.tsx';
import { searchColumns } from './use-filter.ts';
import { useKeyed } from './use-list-state.ts';
import type { ListOptions } from './use-list.tsx';
import { useReadyRows } from './use-rows.ts';

export interface FilteredRowsOptions<Row, Data> extends Pick<
  ListOptions<Row, Data>,
  'rows' | 'columns' | 'data' | 'columnSet'
> {
  readonly filter: string | undefined;
}

/**
 * Returns the rows that a filter of their list leaves, in their order; for views of a list that do not show its rows.
 */
export const useFilteredRows = <Row, Data>({
  filter: text = '',
  rows: wanted,
  columns,
  data,
  columnSet,
}: FilteredRowsOptions<Row, Data>): TableResult<Row> => {
  const theme = useTheme();
  const dataNow = useRef(data);
  // oxlint-disable-next-line react/refs -- cells are searched during this rendering
  dataNow.current = data;
  const { searched, view } = useKeyed(columnSet, () => {
    const searchable = searchColumns(theme, columns, () => dataNow.current);
    return { searched: searchable, view: createTableView<Row>(searchable, theme.escape) };
  });
  const filter = useMemo(() => parseFilter(text, searched), [text, searched]);
  const query = { rows: wanted, filter, sortColumnId: undefined, isDescending: false, data };
  const { rows } = useReadyRows(view, query, undefined);
  return view.query({ ...query, rows });
};
