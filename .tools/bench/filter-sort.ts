import { createHttpApi } from '../../src/api/dialects/index.ts';
import type { Client } from '../../src/domain/client.ts';
import { runAtOnce } from '../../src/domain/sliced-task.ts';
import type { SearchColumn } from '../../src/table/column.ts';
import { noFilter, parseFilter } from '../../src/table/filter.ts';
import { createHeldOrder } from '../../src/table/sort-order.ts';
import { createTableView } from '../../src/table/table-view.ts';
import { withLoadServer } from './load-server.ts';
import { medianMs, result, type Result } from './measure.ts';

const clients = 100_000;
const runs = 9;
const warmUps = 3;

const columns: readonly SearchColumn<Client>[] = [
  { id: 'client', value: (client) => client.clientId },
  { id: 'node', value: (client) => client.node },
  { id: 'user', value: (client) => client.username },
  { id: 'address', value: (client) => client.ipAddress },
  { id: 'keepalive', value: (client) => client.keepaliveSeconds },
  { id: 'connected', value: (client) => client.connectedAt },
  { id: 'trouble', value: (client) => client.keepaliveSeconds, tieBreak: (client) => client.clientId },
];

/** Filters and sorts all rows as the screens do, without drawing. */
export function measureFilterAndSort(): Promise<Result[]> {
  return withLoadServer({ clients, changing: 0 }, async ({ url }) => {
    const api = createHttpApi({ url, user: 'admin', password: 'secret', variant: 'b' });
    try {
      const rows: Client[] = [];
      for (const { name } of await api.listNodes({})) {
        for (let page = 1, pages = 1; page <= pages; page += 1) {
          const list = await api.listClients(name, { page, pageSize: 5_000 }, {});
          pages = list.totalPages ?? 1;
          rows.push(...list.items);
        }
      }
      return measureRows(rows);
    } finally {
      await api.close();
    }
  });
}

function measureRows(rows: readonly Client[]): Result[] {
  const newView = () =>
    createTableView(columns, undefined, createHeldOrder<Client>({ getId: (client) => client.clientId }));
  const view = newView();
  const find = (text: string) => ({ filter: parseFilter(text, columns), sortColumnId: undefined, isDescending: false });
  // With a new view, because orders are kept.
  const sort = (sortColumnId: string) =>
    medianMs(
      runs,
      (run) => {
        newView().query({ rows, filter: noFilter, sortColumnId, isDescending: run % 2 === 0 });
      },
      warmUps,
    );
  const filter = (text: (run: number) => string) =>
    medianMs(
      runs,
      (run) => {
        view.query({ rows, ...find(text(run)) });
      },
      warmUps,
    );
  // First, before the code is compiled.
  const cold = medianMs(1, () => {
    newView().query({ rows, ...find('sensor-00') });
  });
  runAtOnce(view.prepare(rows));
  return [
    result(
      'filter: text',
      filter((run) => `sensor-0${run}`),
      'ms',
      { atMost: 16 },
    ),
    result(
      'filter: /regex/',
      filter((run) => `/sensor-0${run}.*7/`),
      'ms',
      { atMost: 16 },
    ),
    result(
      'filter: one column',
      filter((run) => `user:factory-1${run}`),
      'ms',
      { atMost: 16 },
    ),
    result(
      'filter: ~fuzzy',
      filter((run) => `~snsr0${run}`),
      'ms',
      { atMost: 16 },
    ),
    result('filter: the first, without an index', cold, 'ms'),
    result('sort: by client id', sort('client'), 'ms', { atMost: 50 }),
    result('sort: by address', sort('address'), 'ms', { atMost: 50 }),
    result('sort: by trouble, then client id', sort('trouble'), 'ms', { atMost: 50 }),
    result('sort: by connected', sort('connected'), 'ms', { atMost: 50 }),
  ];
}
