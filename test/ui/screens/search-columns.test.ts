import { describe, expect, test } from 'vitest';
import { type NodeRow, gauge } from '../../../src/store/select-nodes.ts';
import { unknownRates } from '../../../src/store/session-rates.ts';
import { parseFilter } from '../../../src/store/filter.ts';
import { createTableView } from '../../../src/store/table-view.ts';
import { clientColumnsFor } from '../../../src/ui/screens/client-columns.ts';
import type { ListColumn } from '../../../src/ui/screens/list-screen.tsx';
import { nodeColumns } from '../../../src/ui/screens/node-columns.ts';
import { searchColumns } from '../../../src/ui/screens/search-columns.ts';
import { sessionColumns } from '../../../src/ui/screens/session-columns.ts';
import { createTheme } from '../../../src/ui/theme.ts';
import { cellContext } from '../../../src/ui/widgets/column.ts';
import { brokerClock, clientOf, figuresOf, infoOf, sessionOf } from './list-fixtures.ts';

const theme = createTheme({});
const clocks = { clockOf: () => brokerClock };

const viewOf = <Row, Data>(columns: readonly ListColumn<Row, Data>[], data: Data) => {
  const searched = searchColumns(theme, columns, () => data);
  const view = createTableView(searched, theme.escape);
  return (rows: readonly Row[], filter: string): readonly Row[] =>
    view.query({ rows, filter: parseFilter(filter, searched), sortColumnId: undefined, isDescending: false, other: data }).rows;
};

/** Every cell that these rows show, as a filter of its column. */
const unfound = <Row, Data>(columns: readonly ListColumn<Row, Data>[], data: Data, rows: readonly Row[]): readonly string[] => {
  const find = viewOf(columns, data);
  return rows.flatMap((row) => columns.flatMap((column) => {
    const shown = column.format(row, cellContext(theme, 200, data));
    const filter = `${column.id}:"${shown}"`;
    return shown.includes('"') || find(rows, filter).includes(row) ? [] : [filter];
  }));
};

describe('a filter of a column', () => {
  const hostile = clientOf('esc\u001B[31m\u202E ', { username: ' lead', ipAddress: undefined, protocolVersion: 5, cleanSession: false, connectedAt: undefined, node: undefined, unparsed: { connected_at: 'soon\u0007' } });

  test('finds each row by each cell as it is shown', () => {
    expect(unfound(clientColumnsFor(80), clocks, [clientOf('plain', { keepaliveSeconds: 0 }), hostile])).toEqual([]);
    const sessions = [sessionOf('plain'), sessionOf('full', { inflight: 32, queueLength: 1_000, dropped: 101_830, node: 'broker1@127.0.0.1' })].map((session) => ({ session, rates: unknownRates }));
    expect(unfound(sessionColumns(undefined), clocks, sessions)).toEqual([]);
    const node: NodeRow = {
      name: 'broker1@127.0.0.1', status: 'running', statusText: 'Running', sinceMs: undefined, info: infoOf('broker1@127.0.0.1'), stats: figuresOf('broker1@127.0.0.1'),
      counts: undefined, listeners: undefined, memory: gauge(1, 2), processes: gauge(1, 2), fileDescriptors: gauge(1, 2),
    };
    expect(unfound(nodeColumns, { sinceReadSeconds: 3, oldSecondsOf: () => undefined }, [node])).toEqual([]);
  });

  test('means what is shown, not what stands behind it', () => {
    const rows = [clientOf('plain'), hostile];
    const find = viewOf(clientColumnsFor(80), clocks);
    const names = (filter: string): readonly string[] => find(rows, filter).map(({ clientId }) => clientId);
    expect(names('proto:3.1.1')).toEqual(['plain']);
    expect(names('connected:2h')).toEqual(['plain']);
    expect(names('client-id:\\x1b')).toEqual([hostile.clientId]);
    expect(names('\\x20lead')).toEqual([hostile.clientId]);
    expect(names(`connected:${brokerClock - 8_040}`)).toEqual([]);
  });
});
