import type { Client } from '../../src/domain/client.ts';
import { noFilter, parseFilter } from '../../src/store/filter.ts';
import type { SortableColumn } from '../../src/store/sortable-column.ts';
import { createTableView } from '../../src/store/table-view.ts';
import { medianMs, result } from './measure.ts';
import type { Result } from './measure.ts';

const columns: readonly SortableColumn<Client>[] = [
  { id: 'client', value: (client) => client.clientId },
  { id: 'node', value: (client) => client.node },
  { id: 'user', value: (client) => client.username },
  { id: 'address', value: (client) => client.ipAddress },
  { id: 'keepalive', value: (client) => client.keepaliveSeconds },
  { id: 'connected', value: (client) => client.connectedAt },
];

/** Filtering and sorting of all rows as the list does it, on rows that it knows already. */
export function measureFilterAndSort(rows: readonly Client[]): Result[] {
  const view = createTableView(columns);
  const sort = (sortColumnId: string) => medianMs(8, (run) => {
    view.query({ rows, filter: noFilter, sortColumnId, isDescending: run % 2 === 0 });
  });
  const filter = (text: (run: number) => string) => medianMs(9, (run) => {
    view.query({ rows, filter: parseFilter(text(run), columns), sortColumnId: undefined, isDescending: false });
  });
  view.prepare(rows);
  const many = `of ${rows.length} rows`;
  return [
    result(`filter ${many}: text`, filter((run) => `sensor-0${run}`), 'ms', 16),
    result(`filter ${many}: /regex/`, filter((run) => `/sensor-0${run}.*7/`), 'ms', 16),
    result(`filter ${many}: one column`, filter((run) => `user:factory-1${run}`), 'ms', 16),
    result(`filter ${many}: ~fuzzy`, filter((run) => `~snsr0${run}`), 'ms', 16),
    result(`sort ${many}: by client id`, sort('client'), 'ms', 50),
    result(`sort ${many}: by address`, sort('address'), 'ms', 50),
    result(`sort ${many}: by connected`, sort('connected'), 'ms', 50),
  ];
}
